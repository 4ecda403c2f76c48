# shellcheck shell=bash disable=SC2016,SC2034
# MariaDB 11.8 as packaged in Debian trixie. Read by ../build.sh; ../README.md explains the names.

suite=trixie
image=cnfsweep/mariadb:11.8
version=11.8
server=mariadbd
tools=(mariadb mariadb-install-db mariadb-admin mariadb-slap mariadb-dump mysql mysqladmin innochecksum)

packages=(mariadb-server-core mariadb-client-core)

# The packages these files come from depend on Perl, rsync, Galera and an init
# script; of all that a sweep wants only the plugins and four clients.
extract=(
  "mariadb-server ./usr/lib/mysql/plugin/*.so"
  "mariadb-client ./usr/bin/mariadb-admin ./usr/bin/mysqladmin ./usr/bin/mariadb-slap ./usr/bin/mariadb-dump"
)

# Emptied, not removed: a my.cnf that includes them must not find Debian's
# settings there, nor fail because there is no such directory.
customize='rm -rf "$1/etc/mysql"
install -d -m 0755 "$1/etc/mysql/conf.d" "$1/etc/mysql/mariadb.conf.d"'
