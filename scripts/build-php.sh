#!/usr/bin/env bash
# Builds a PHP variant without a Debian package, once, from Debian 12's source of PHP 8.2, and prints its prefix.
#
#   scripts/build-php.sh zts     threads, assertions
#   scripts/build-php.sh asan    no threads, assertions, AddressSanitizer and UndefinedBehaviorSanitizer
#
# RATELIMIT_CACHE: the folder of the result (default: out/matrix). JOBS: concurrent compilers (default: 1).
# DEBIAN_MIRROR: default: the mirror of this machine's apt.
set -euo pipefail
cd "$(dirname "$0")/.."

variant=${1:?zts or asan}
cache=${RATELIMIT_CACHE:-$PWD/out/matrix}
prefix=$cache/php-$variant
log=$cache/php-$variant.log

if [ -x "$prefix/bin/php" ]; then
	echo "$prefix"
	exit 0
fi

# Only the extensions that the tests use; date, json, pcre, random, spl and standard are always built.
options=(--prefix="$prefix" --disable-all --disable-cgi --disable-phpdbg --enable-cli --enable-fpm --enable-opcache
	--enable-pcntl --enable-posix --enable-session --enable-ctype --enable-tokenizer --enable-sockets --enable-debug
	--without-pear)
case $variant in
	zts) options+=(--enable-zts) ;;
	asan) options+=(--enable-address-sanitizer --enable-undefined-sanitizer) ;;
	*) echo "build-php.sh: no variant '$variant'" >&2; exit 2 ;;
esac

for tool in apt-get dpkg-source clang make bison re2c autoconf libtoolize; do
	command -v "$tool" >/dev/null || {
		echo "build-php.sh: $tool is missing: apt-get install dpkg-dev clang make bison re2c autoconf libtool pkg-config" >&2
		exit 2
	}
done

# Downloads the source through a private apt configuration, so that the machine's package lists stay unchanged.
fetch_source() {
	local apt=$cache/apt mirror
	mirror=${DEBIAN_MIRROR:-$(apt-cache policy | sed -n 's/^ *[0-9]* \(http[^ ]*\/debian\) .*/\1/p' | head -n 1)}
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$cache/source"
	printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s bookworm main\n' \
		"${mirror:?build-php.sh: no Debian mirror among apt\'s sources: set DEBIAN_MIRROR}" >"$apt/sources.list"
	local private=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt" -o APT::Sandbox::User=root)
	apt-get "${private[@]}" -qq update
	(
		cd "$cache/source"
		apt-get "${private[@]}" -qq source --download-only php8.2
		dpkg-source --no-check --extract php8.2_*.dsc php8.2
	)
}

build() {
	local tree=$cache/build-$variant
	[ -d "$cache/source/php8.2" ] || fetch_source
	rm -rf "$tree"
	cp -a "$cache/source/php8.2" "$tree"
	(
		cd "$tree"
		export ASAN_OPTIONS=detect_leaks=0
		./buildconf --force
		CC=clang CXX=clang++ CFLAGS="-g -O1 -w" nice -n 19 ./configure "${options[@]}"
		nice -n 19 make -j"${JOBS:-1}"
		make install
	)
	# Debian's phpize reads libtool's macros from its own prefix.
	mkdir -p "$prefix/share"
	ln -sfn /usr/share/aclocal "$prefix/share/aclocal"
	rm -rf "$tree"
}

mkdir -p "$cache"
# A subshell: "set -e" has no effect on the left side of "||".
if ! (set -e; trap 'exit 1' ERR; build) >"$log" 2>&1; then
	echo "build-php.sh: failed; the end of $log:" >&2
	tail -n 20 "$log" >&2
	exit 1
fi
[ -x "$prefix/bin/php" ] || { echo "build-php.sh: failed, see $log" >&2; exit 1; }
echo "$prefix"
