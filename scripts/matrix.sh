#!/usr/bin/env bash
# Builds the extension without a warning, and runs its tests, on several PHPs:
#
#   scripts/matrix.sh                       all rows
#   scripts/matrix.sh trixie-clang zts      some rows
#
#   bookworm-gcc  bookworm-clang   Debian 12: PHP 8.2, hiredis 0.14, Redis 7.0
#   trixie-gcc    trixie-clang     Debian 13: PHP 8.4, hiredis 1.2, Redis 8.0
#   sid-gcc       sid-clang        Debian's next: PHP 8.5 (from experimental), hiredis 1.2
#   rc-gcc                         the same with the release candidate of PHP 8.6; only by name
#   zts  debug  zts-8.4            PHP with threads, without them, and PHP 8.4; with assertions, from source
#   musl                           PHP 8.2, hiredis and the extension against musl (scripts/matrix/musl.sh)
#   aarch64  aarch64-O0  aarch64-lse   an emulated machine (scripts/matrix/aarch64.sh)
#   redis8  valkey8  valkey9  redict   other servers (scripts/matrix/server.sh; keydb: only by name)
#   sapi                           Apache, php-cgi, uWSGI, an embedded PHP (scripts/matrix/sapi.sh)
#   deb-bookworm  deb-trixie       the Debian package (scripts/matrix/deb.sh)
#   image  apk                     the Dockerfile's and the APKBUILD's steps (scripts/matrix/image.sh)
#   tidy                           clang-tidy over src (scripts/lint.sh)
#   release                        the release archive builds and loads (scripts/release-check.sh)
#
# For another Debian than this machine's, the script creates its file system in a folder (debootstrap, as root; 1.5 GB
# each). $RATELIMIT_CACHE (default: ~/.cache/ratelimit) keeps the folders for the next run; "make clean" in a checkout would
# remove every library below it, so keep them elsewhere. TESTS (default: tests): the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/matrix/tree.sh

rows=("$@")
[ $# -gt 0 ] || rows=(bookworm-gcc bookworm-clang trixie-gcc trixie-clang sid-gcc sid-clang zts debug zts-8.4 musl aarch64 aarch64-O0 aarch64-lse redis8 valkey8 valkey9 redict sapi deb-bookworm deb-trixie image apk tidy release)
here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

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

# Installs the next PHP in sid's tree, beside 8.5: the tree's "php" stays PHP 8.5.
candidate() {
	make_tree sid php8.6-cli php8.6-dev php8.6-fpm || return
	local tool
	for tool in php phpize php-config; do
		inside sid update-alternatives --set "$tool" "/usr/bin/${tool}8.5" || return
	done
}

if [ "${1:-}" = --inside ]; then
	row "$2" /srv/build
	exit
fi

failed=()
for name in "${rows[@]}"; do
	suite=${name%-*}
	export CC=gcc
	[[ $name != *-clang ]] || CC=clang
	case $name in
		zts | debug | zts-8.4)
			prefix=$(scripts/build-php.sh "$name") &&
				PHP=$prefix/bin/php PHPIZE=$prefix/bin/phpize PHP_CONFIG=$prefix/bin/php-config row "$name" "$cache/$name-build"
			;;
		musl) scripts/matrix/musl.sh ;;
		aarch64*) scripts/matrix/aarch64.sh "${name#aarch64}" ;;
		redis8 | valkey8 | valkey9 | redict | keydb) scripts/matrix/server.sh "$name" ;;
		sapi) scripts/matrix/sapi.sh ;;
		deb-bookworm | deb-trixie) scripts/matrix/deb.sh "${name#deb-}" ;;
		image | apk) scripts/matrix/image.sh "$name" ;;
		tidy) scripts/install-deps.sh tidy && scripts/lint.sh tidy ;;
		release) scripts/release-check.sh ;;
		"$here"-gcc | "$here"-clang) row "$name" "$cache/$name-build" ;;
		bookworm-gcc | bookworm-clang | trixie-gcc | trixie-clang | sid-gcc | sid-clang)
			make_tree "$suite" >"$cache/$suite.log" 2>&1 || { tail -n 5 "$cache/$suite.log" >&2; false; } &&
				copy_inside "$suite" &&
				inside "$suite" env CC="$CC" TESTS="${TESTS:-tests}" /srv/ratelimit/scripts/matrix.sh --inside "$name"
			;;
		rc-gcc)
			candidate >"$cache/sid.log" 2>&1 || { tail -n 5 "$cache/sid.log" >&2; false; } &&
				copy_inside sid &&
				inside sid env CC="$CC" TESTS="${TESTS:-tests}" PHP=/usr/bin/php8.6 PHPIZE=/usr/bin/phpize8.6 PHP_CONFIG=/usr/bin/php-config8.6 \
					/srv/ratelimit/scripts/matrix.sh --inside "$name"
			;;
		*) echo "matrix.sh: no row '$name'" >&2; exit 2 ;;
	esac || failed+=("$name")
done

if [ ${#failed[@]} -gt 0 ]; then
	echo "matrix.sh: failed: ${failed[*]}" >&2
	exit 1
fi
echo "matrix.sh: passed: ${rows[*]}"
