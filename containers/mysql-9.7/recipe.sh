# shellcheck shell=bash disable=SC2016,SC2034
# MySQL 9.7 as packaged in Debian sid. Read by ../build.sh; ../README.md explains the names.

suite=sid
image=cnfsweep/mysql:9.7
version=9.7
server=mysqld
tools=(mysql mysqladmin mysqlslap mysqldump innochecksum)

packages=(mysql-server-core mysql-client-core)

# Every tool carries 7 MB of statically linked client code, so what no sweep
# can use stays out: plugins of the client side, and programs for administrators.
exclude=(
  '/usr/lib/mysql/plugin/authentication_*_client.so'
  '/usr/lib/mysql/plugin/telemetry_client.so'
  /usr/bin/ibd2sdi
  /usr/bin/myisam_ftdump
  /usr/bin/myisamlog
  /usr/bin/myisampack
  /usr/bin/mysql_config_editor
  /usr/bin/mysql_migrate_keyring
  /usr/bin/mysql_secure_installation
  /usr/bin/mysql_tzinfo_to_sql
  /usr/bin/mysqlbinlog
  /usr/bin/mysqlimport
  /usr/bin/mysqlshow
)

# The compiled-in secure_file_priv is /var/lib/mysql-files, and mysqld refuses
# to start where it is missing; the package mysql-server would have made it.
customize='install -d -m 0755 "$1/var/lib/mysql-files" "$1/etc/mysql/conf.d" "$1/etc/mysql/mysql.conf.d"'
