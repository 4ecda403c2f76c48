# shellcheck shell=bash disable=SC2016,SC2034
# MariaDB 10.5 as packaged in Debian bullseye. Read by ../build.sh; ../README.md explains the names.

suite=bullseye
# Out of support, so its index is not renewed any more; signatures are checked all the same.
expired=yes
image=cnfsweep/mariadb:10.5
version=10.5
server=mariadbd
tools=(mariadb mariadb-install-db mariadb-admin mariadb-slap mariadb-dump mysql mysqladmin innochecksum)

packages=(mariadb-server-core-10.5 mariadb-client-core-10.5)

# The packages these files come from depend on Perl, rsync, Galera and an init
# script; of all that a sweep wants only the plugins and four clients.
extract=(
  "mariadb-server-10.5 ./usr/lib/mysql/plugin/*.so"
  "mariadb-client-10.5 ./usr/bin/mariadb-admin ./usr/bin/mysqladmin ./usr/bin/mariadb-slap ./usr/bin/mariadb-dump"
)

# Emptied, not removed: a my.cnf that includes them must not find Debian's
# settings there, nor fail because there is no such directory.
customize='rm -rf "$1/etc/mysql"
install -d -m 0755 "$1/etc/mysql/conf.d" "$1/etc/mysql/mariadb.conf.d"'
