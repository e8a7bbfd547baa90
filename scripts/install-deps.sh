#!/usr/bin/env bash
# Installs missing packages on Debian and its derivatives: install-deps.sh [group ...]
#
#   build   PHP with its headers, hiredis, OpenSSL, a compiler
#   demo    build, and a Redis server
#   bench   demo, and the peers of the benchmark
#   brief   demo, php-fpm, nginx, opcache, openssl: what the short run of test.sh needs
#   test    brief, and a browser, valgrind, php-parser, Composer and what its packages require, and the linters that
#           take seconds
#   tidy    build, and clang-tidy
#
# A PHP in PATH is kept, and gets the packages of its own version. No installed server is started.
set -euo pipefail

groups=" ${*:-build} "
packages=()
has() { command -v "$1" >/dev/null 2>&1; }
want() { packages+=("$@"); }
group() { case $groups in *" $1 "*) return 0 ;; *) return 1 ;; esac }

if has php; then
	version=$(php -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
else
	version=
	want php-cli
fi
# A PHP that is not a package of this Debian (of an image, or built from source) has headers of its own, or none.
php_is_packaged() { [ -z "$version" ] || dpkg-query -W "php$version-cli" >/dev/null 2>&1; }

if ! has phpize || ! has php-config || { [ -n "$version" ] && [[ $(php-config --version) != "$version".* ]]; }; then
	want "php$version-dev"
fi
has cc || want gcc libc6-dev
has make || want make
has autoconf || want autoconf
has pkg-config || want pkg-config
{ has pkg-config && pkg-config --exists hiredis; } || want libhiredis-dev
{ has pkg-config && pkg-config --exists openssl; } || want libssl-dev

if group demo || group bench || group brief || group test; then
	has redis-server || has valkey-server || want redis-server
	has setpriv || want util-linux
fi
if group brief || group test; then
	has openssl || want openssl
fi
if group test; then
	has zip || want zip
	has ip || [ -x /sbin/ip ] || want iproute2
fi
if group bench || group test; then
	has valgrind || want valgrind
fi
if group bench || group brief || group test; then
	[ -x /usr/sbin/nginx ] || has nginx || want nginx
fi
if group bench; then
	has wrk || want wrk
	if php_is_packaged; then
		php -n -d extension=apcu -m 2>/dev/null | grep -x apcu >/dev/null || want "php$version-apcu"
	fi
fi
if group bench || group brief || group test; then
	if php_is_packaged; then
		[ -n "$(find /usr/sbin /usr/local/sbin -name "php-fpm$version" -print -quit 2>/dev/null)" ] || want "php$version-fpm"
	fi
fi
if group bench || group test; then
	has composer || want composer
	has unzip || want unzip
	if php_is_packaged; then
		php -n -d extension=igbinary -d extension=redis -m 2>/dev/null | grep -x redis >/dev/null || want "php$version-redis"
		php -n -d extension=mbstring -m 2>/dev/null | grep -x mbstring >/dev/null || want "php$version-mbstring"
	fi
fi
if group bench || group brief || group test; then
	if php_is_packaged; then
		php -n -d zend_extension=opcache -v 2>/dev/null | grep OPcache >/dev/null || want "php$version-opcache"
	fi
fi
if group test; then
	has chromium || want chromium
	has chromedriver || want chromium-driver
	has shellcheck || want shellcheck
	has luacheck || want lua-check
	has clang-format-14 || want clang-format-14
	# One test compiles for the other processor.
	if [ "$(uname -m)" = x86_64 ]; then
		has aarch64-linux-gnu-gcc || want gcc-aarch64-linux-gnu
		[ -d /usr/aarch64-linux-gnu/include ] || want libc6-dev-arm64-cross
	fi
	# The readers of metrics(). A machine may offer neither; their tests then name what is missing.
	/usr/bin/python3 -I -c 'import prometheus_client' 2>/dev/null || want python3-prometheus-client
	has promtool || want prometheus
	if php_is_packaged; then
		[ -d /usr/share/php/PhpParser ] || want php-parser
		php -n -d extension=dom -d extension=xmlwriter -m 2>/dev/null | grep -x xmlwriter >/dev/null || want "php$version-xml"
		php -n -d extension=pdo -d extension=pdo_sqlite -m 2>/dev/null | grep -x pdo_sqlite >/dev/null || want "php$version-sqlite3"
	fi
fi
if group tidy; then
	has clang-tidy || want clang-tidy
fi
[ ${#packages[@]} -gt 0 ] || exit 0

if ! has apt-get; then
	echo "install-deps.sh: apt-get is missing: install these packages yourself: ${packages[*]}" >&2
	exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! has sudo; then
		echo "install-deps.sh: root is required: apt-get install ${packages[*]}" >&2
		exit 1
	fi
	as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
	if ! "${as_root[@]}" "$@" >"$log" 2>&1; then
		echo "install-deps.sh: failed: $*" >&2
		tail -n 20 "$log" >&2
		return 1
	fi
}

# A release may lack a package: PHP 8.5 has opcache built in, Debian 13 has no clang-format-14.
known() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }
all_known() { for package in "${packages[@]}"; do known "$package" || return 1; done; }
all_known || quietly apt-get -qq update
wanted=()
for package in "${packages[@]}"; do
	if known "$package" || [[ ! $package =~ -opcache$|^php-parser$|^chromium|^clang-format|^shellcheck$|^lua-check$|-aarch64-linux-gnu$|-arm64-cross$ ]]; then
		wanted+=("$package")
	fi
done
[ ${#wanted[@]} -gt 0 ] || exit 0

echo "Installing ${wanted[*]} …"
# A server's package starts the server, now and at boot: neither is wanted.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
	printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
	"${as_root[@]}" chmod 755 "$policy"
	trap '"${as_root[@]}" rm -f "$policy"; rm -f "$log"' EXIT
fi
# A machine that has just started may run its own upgrade.
quietly env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${wanted[@]}"
if has systemctl; then
	for package in "${wanted[@]}"; do
		case $package in
			redis-server | nginx | php*-fpm) "${as_root[@]}" systemctl --quiet disable "$package" >/dev/null 2>&1 || true ;;
		esac
	done
fi
