#!/usr/bin/env bash
# Builds a PHP variant without a Debian package, once, from Debian 12's source of PHP 8.2, and prints its prefix.
#
#   scripts/build-php.sh zts       threads, assertions
#   scripts/build-php.sh debug     no threads, assertions
#   scripts/build-php.sh asan      no threads, assertions, AddressSanitizer and UndefinedBehaviorSanitizer
#   scripts/build-php.sh musl      no threads, assertions; with hiredis, by musl-gcc (musl-tools), without TLS
#   scripts/build-php.sh zts-8.4   the same variants of PHP 8.4, from Debian 13's source
#
# RATELIMIT_CACHE: the folder of the result (default: ~/.cache/ratelimit). JOBS: concurrent compilers (default: 1).
# DEBIAN_MIRROR: default: the mirror of this machine's apt.
set -euo pipefail
cd "$(dirname "$0")/.."

variant=${1:?build-php.sh: the variant is missing: zts, debug, asan or musl}
cache=${RATELIMIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ratelimit}
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
compiler=(CC=clang CXX=clang++)
case ${variant%-8.4} in
	zts) options+=(--enable-zts) ;;
	debug) ;;
	asan) options+=(--enable-address-sanitizer --enable-undefined-sanitizer) ;;
	musl)
		# These include headers that musl-gcc does not find.
		options+=(--disable-opcache --without-valgrind)
		compiler=(CC="musl-gcc -idirafter $cache/musl-headers")
		;;
	*) echo "build-php.sh: no variant '$variant'" >&2; exit 2 ;;
esac

case $variant in
	*-8.4) suite=trixie package=php8.4 ;;
	*) suite=bookworm package=php8.2 ;;
esac

compilers=clang
[ "${variant%-8.4}" != musl ] || compilers=musl-gcc
for tool in apt-get dpkg-source $compilers make bison re2c autoconf libtoolize; do
	command -v "$tool" >/dev/null || {
		echo "build-php.sh: $tool is missing: apt-get install dpkg-dev clang musl-tools make bison re2c autoconf libtool pkg-config" >&2
		exit 2
	}
done

# Downloads the source through a private apt configuration, so that the machine's package lists stay unchanged.
fetch_source() { # package
	local apt=$cache/apt-$suite mirror
	mirror=${DEBIAN_MIRROR:-$(apt-cache policy | sed -n 's/^ *[0-9]* \(http[^ ]*\/debian\) .*/\1/p' | head -n 1)}
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$cache/source"
	printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
		"${mirror:?build-php.sh: no Debian mirror among apt\'s sources: set DEBIAN_MIRROR}" "$suite" >"$apt/sources.list"
	local private=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt" -o APT::Sandbox::User=root)
	apt-get "${private[@]}" -qq update
	(
		cd "$cache/source"
		apt-get "${private[@]}" -qq source --download-only "$1"
		# A folder under the package's name is whole, also after an interruption.
		rm -rf "$1" "$1.part"
		dpkg-source --no-check --extract "$1"_*.dsc "$1.part"
		mv "$1.part" "$1"
	)
}

# musl has no kernel headers, and Debian no hiredis for it.
build_hiredis() {
	local at
	mkdir -p "$cache/musl-headers" "$prefix/lib/pkgconfig"
	for at in linux asm-generic; do
		ln -sfn "/usr/include/$at" "$cache/musl-headers/$at"
	done
	ln -sfn "/usr/include/$(uname -m)-linux-gnu/asm" "$cache/musl-headers/asm"
	[ -d "$cache/source/hiredis" ] || fetch_source hiredis
	rm -rf "$cache/build-hiredis"
	cp -a "$cache/source/hiredis" "$cache/build-hiredis"
	make -C "$cache/build-hiredis" PREFIX="$prefix" CC=musl-gcc DEBUG= install
	rm -rf "$cache/build-hiredis"
}

build() {
	local tree=$cache/build-$variant
	[ "${variant%-8.4}" != musl ] || build_hiredis
	[ -d "$cache/source/$package" ] || fetch_source "$package"
	local wanted="${options[*]} ${compiler[*]}"
	export ASAN_OPTIONS=detect_leaks=0
	# A build that was interrupted goes on where it was.
	if [ "$(cat "$tree/.configured" 2>/dev/null)" != "$wanted" ]; then
		rm -rf "$tree"
		cp -a "$cache/source/$package" "$tree"
		(
			cd "$tree"
			./buildconf --force
			nice -n 19 ./configure "${options[@]}" "${compiler[@]}" CFLAGS="-g -O1 -w"
			echo "$wanted" >.configured
		)
	fi
	(
		cd "$tree"
		nice -n 19 make -j"${JOBS:-1}"
		make install
	)
	# Debian's debian/rules fills in this part of a path.
	sed -i 's#/@DEBIAN_PHP_API@##g' "$prefix/bin/phpize" "$prefix/bin/php-config"
	# Debian's phpize reads libtool's macros from its own prefix.
	mkdir -p "$prefix/share"
	ln -sfn /usr/share/aclocal "$prefix/share/aclocal"
	rm -rf "$tree"
}

mkdir -p "$cache"
# In the background, because "set -e" has no effect in a command that "if" or "||" judges.
(set -e; build) >"$log" 2>&1 &
if ! wait $!; then
	echo "build-php.sh: failed; the end of $log:" >&2
	tail -n 20 "$log" >&2
	exit 1
fi
[ -x "$prefix/bin/php" ] || { echo "build-php.sh: failed, see $log" >&2; exit 1; }
echo "$prefix"
