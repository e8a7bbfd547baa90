#!/usr/bin/env bash
# Builds the extension without a warning, and runs its tests, on several PHPs:
#
#   scripts/matrix.sh                       all rows
#   scripts/matrix.sh trixie-clang zts      some rows
#
#   bookworm-gcc  bookworm-clang   Debian 12: PHP 8.2, hiredis 0.14, Redis 7.0
#   trixie-gcc    trixie-clang     Debian 13: PHP 8.4, hiredis 1.2, Redis 8.0
#   sid-gcc       sid-clang        Debian's next: PHP 8.5 (from experimental), hiredis 1.2
#   zts                            PHP 8.2 with threads and assertions, from source
#   tidy                           clang-tidy over src (scripts/lint.sh)
#   release                        the release archive builds and loads (scripts/release-check.sh)
#
# For another Debian than this machine's, the script creates its file system in a folder (debootstrap, as root; 1.5 GB
# each). $RATELIMIT_CACHE (default: out/matrix) keeps the folders for the next run. TESTS (default: tests): the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${RATELIMIT_CACHE:-$PWD/out/matrix}
rows=("$@")
[ $# -gt 0 ] || rows=(bookworm-gcc bookworm-clang trixie-gcc trixie-clang sid-gcc sid-clang zts tidy release)
here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
mirror=${DEBIAN_MIRROR:-$(apt-cache policy 2>/dev/null | sed -n 's/^ *[0-9]* \(http[^ ]*\/debian\) .*/\1/p' | head -n 1)}

# Prints the names of a suite's PHP packages.
php_packages() {
	case $1 in
		sid) echo php8.5-cli php8.5-dev php8.5-fpm ;;
		*) echo php-cli php-dev php-fpm ;;
	esac
}

# Runs a command inside the tree of a suite, with a process and a mount namespace: no process outlives it.
inside() { # suite, command ...
	local tree=$cache/$1
	shift
	unshare --mount --pid --fork sh -c '
		mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"' "$tree" "$@"
}

make_tree() { # suite
	local suite=$1 tree=$cache/$1
	[ ! -f "$tree/.complete" ] || return 0
	[ "$(id -u)" -eq 0 ] || { echo "matrix.sh: only root can set up $suite" >&2; return 1; }
	command -v debootstrap >/dev/null || { echo "matrix.sh: debootstrap is missing" >&2; return 1; }
	: "${mirror:?matrix.sh: no Debian mirror among the sources of apt: set DEBIAN_MIRROR}"
	[ -x "$tree/usr/bin/apt-get" ] || nice debootstrap --variant=minbase "$suite" "$tree" "$mirror"
	cp /etc/resolv.conf "$tree/etc/resolv.conf"
	# A package must not start its server.
	printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
	chmod +x "$tree/usr/sbin/policy-rc.d"
	if [ "$suite" = sid ]; then
		echo "deb $mirror experimental main" >"$tree/etc/apt/sources.list.d/experimental.list"
		# A mirror may be older than the release files allow; signatures are still checked.
		echo 'Acquire::Check-Valid-Until "false";' >"$tree/etc/apt/apt.conf.d/90-lagging-mirror"
	fi
	inside "$suite" apt-get -qq update
	# shellcheck disable=SC2046
	inside "$suite" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		$(php_packages "$suite") libhiredis-dev libssl-dev openssl gcc clang libc6-dev make pkgconf procps redis-server tzdata valgrind
	touch "$tree/.complete"
}

# Builds in a folder, with warnings as errors, and runs the tests there. It also runs inside the trees.
row() { # name, folder
	local name=$1 folder=$2
	echo "== $name: $("${PHP:-php}" -n -r 'echo "PHP ", PHP_VERSION, PHP_ZTS ? " ZTS" : "", PHP_DEBUG ? " debug" : "";'), $($CC --version | head -n 1), hiredis $(pkg-config --modversion hiredis)"
	rm -rf "$folder"
	OUT=$folder scripts/build.sh >/dev/null || return 1
	if grep -E '^[^ ]+\.[ch]:[0-9]+.* (warning|error): ' "$folder.log"; then
		echo "matrix.sh: $name: the compiler warned" >&2
		return 1
	fi
	# shellcheck disable=SC2086
	scripts/phpt.sh "$folder" ${TESTS:-tests}
}

if [ "${1:-}" = --inside ]; then
	row "$2" /srv/build
	exit
fi

mkdir -p "$cache"
failed=()
for name in "${rows[@]}"; do
	suite=${name%-*}
	export CC=${name##*-}
	case $name in
		zts)
			prefix=$(scripts/build-php.sh zts) &&
				CC=gcc PHP=$prefix/bin/php PHPIZE=$prefix/bin/phpize PHP_CONFIG=$prefix/bin/php-config row "$name" "$cache/$name-build"
			;;
		tidy) scripts/install-deps.sh tidy && scripts/lint.sh tidy ;;
		release) scripts/release-check.sh ;;
		"$here"-gcc | "$here"-clang) row "$name" "$cache/$name-build" ;;
		bookworm-gcc | bookworm-clang | trixie-gcc | trixie-clang | sid-gcc | sid-clang)
			make_tree "$suite" >"$cache/$suite.log" 2>&1 || { tail -n 5 "$cache/$suite.log" >&2; false; } &&
				rm -rf "$cache/$suite/srv/ratelimit" && mkdir -p "$cache/$suite/srv/ratelimit" &&
				tar --create --exclude=./out --exclude=./.git --exclude=./vendor . | tar --extract --directory "$cache/$suite/srv/ratelimit" &&
				inside "$suite" env CC="$CC" TESTS="${TESTS:-tests}" /srv/ratelimit/scripts/matrix.sh --inside "$name"
			;;
		*) echo "matrix.sh: no row '$name'" >&2; exit 2 ;;
	esac || failed+=("$name")
done

if [ ${#failed[@]} -gt 0 ]; then
	echo "matrix.sh: failed: ${failed[*]}" >&2
	exit 1
fi
echo "matrix.sh: passed: ${rows[*]}"
