#!/usr/bin/env bash
# Builds the .deb inside the tree of a Debian suite, checks it with lintian, installs it over a former version, takes decisions with
# it, and purges it: matrix/deb.sh SUITE
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/matrix/tree.sh

suite=${1:?matrix/deb.sh: the suite is missing: bookworm or trixie}
log=$cache/deb-$suite.log
make_tree "$suite" build-essential debhelper dh-php lintian php-cgi >"$cache/$suite.log" 2>&1 || { tail -n 5 "$cache/$suite.log" >&2; exit 1; }
copy_inside "$suite"
# The checks run in the tree, whose /bin/sh need not be bash.
cat >"$cache/$suite/srv/check-deb.sh" <<'CHECK'
set -eux
cd /srv/ratelimit
rm -rf /srv/deb # of an earlier run
deb=$(packaging/deb.sh /srv/deb | grep -v dbgsym)
cd /srv/deb
# A first lintian tag of any severity but "pedantic" and "experimental" ends the check.
lintian --version
test -z "$(lintian --allow-root --display-info --no-tag-display-limit ./*.changes | tee -a /dev/stderr)"
dpkg-deb --info "$deb" | grep -E '^ (Depends|Architecture|Version): '
dpkg-deb --contents "$deb" | grep -E '/(ratelimit\.so|ratelimit|ratelimit\.ini|ratelimit\.1\.gz|ratelimit\.php)$'
# No setting and no module of an earlier run.
dpkg --purge php-ratelimit
# The former version is this one under a lower number. An administrator's changes of its settings stay.
dpkg-deb --raw-extract "$deb" former
sed -i 's/^Version: .*/Version: 0.0.1/' former/DEBIAN/control
dpkg-deb --root-owner-group --build former former.deb
dpkg --install former.deb
settings=$(ls /etc/php/*/mods-available/ratelimit.ini)
echo 'ratelimit.ipv6_prefix = 56' >>"$settings"
dpkg --install "$deb"
test "$(php -r 'echo ini_get("ratelimit.ipv6_prefix");')" = 56
module=$(php-config --extension-dir)/ratelimit.so
readelf --dynamic --wide "$module" | grep -E 'BIND_NOW'
readelf --program-headers --wide "$module" | grep -E 'GNU_RELRO'
readelf --program-headers --wide "$module" | grep -E 'GNU_STACK +0x0+ 0x0+ 0x0+ 0x0+ 0x0+ RW '
test "$(php -d ratelimit.shm_path=private /srv/ratelimit/packaging/debian/tests/decision.php)" = 'true false'
cd /
php-cgi -m | grep -x ratelimit
php --ri ratelimit | grep -E 'TLS'
ratelimit check
ratelimit --help | head -n 1
gzip -dc /usr/share/man/man1/ratelimit.1.gz | grep -c .
dpkg --remove php-ratelimit
! php -m | grep -x ratelimit
# The settings of an administrator stay until a purge.
ls /etc/php/*/mods-available/ratelimit.ini
dpkg --purge php-ratelimit
# /var/lib/php has php-common's own notes; mod_ratelimit is Apache's.
test -z "$(find /etc/php /usr -name '*ratelimit*' -not -name mod_ratelimit.so)"
CHECK
if ! inside "$suite" sh /srv/check-deb.sh >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "matrix/deb.sh: $suite: failed, see $log" >&2
	exit 1
fi
echo "== deb-$suite: built, lintian prints no tag, installed, decided, purged: $(cd "$cache/$suite/srv/deb" && ls php-ratelimit_*.deb)"
