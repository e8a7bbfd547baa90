#!/usr/bin/env bash
# Makes a release of HEAD and checks it: release-check.sh [VERSION | --names]
#
# out/release/dist gets
#   the archive      (git archive, .gitattributes): it must have the files that phpize, PIE and an administrator need, the pages that its
#                    links name, and neither tests nor pictures
#   a binary for PIE (its "pre-packaged-binary"), for the PHP of this machine. hiredis is in it, as its name differs among distributions.
#                    composer.json has the "download-url-method" "composer-default", so PIE builds the source: a binary's name has neither
#                    the glibc nor the OpenSSL that it needs, a binary brings no command, and PIE 1.3.1 ends with an error at a list
#                    of methods. With the list "pre-packaged-binary", "composer-default" PIE 1.4 takes the binary by this name
#   a Debian package, where its build dependencies are; lintian, where it is, prints no tag
#   SHA256SUMS       of these
# Archive and binary are made twice, and must be the same bit by bit. docs/promised.txt must be complete. With VERSION, the sources and the
# changelog must have that version, too, and the files that name the source its address. --names only prints the names of archive and
# binary.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
	echo "release-check.sh: $*" >&2
	exit 1
}

version=$(sed -n 's/^#define PHP_RATELIMIT_VERSION "\(.*\)"$/\1/p' php_ratelimit.h)
[ -n "$version" ] || fail "php_ratelimit.h has no PHP_RATELIMIT_VERSION"

# PIE's names: php_NAME-TAG_phpX.Y-ARCHITECTURE-SYSTEM-LIBC[-debug]-THREADS.zip.
php=${PHP:-php}
libc=$(ldd --version 2>&1 | grep musl >/dev/null && echo musl || echo glibc)
archive=ratelimit-$version.tar.gz
binary=$("$php" -n -r "echo strtolower(\"php_ratelimit-v${version}_php\" . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '-'
	. (php_uname('m') === 'aarch64' ? 'arm64' : php_uname('m')) . '-' . PHP_OS_FAMILY . '-$libc' . (PHP_DEBUG ? '-debug' : '') . (PHP_ZTS ? '-zts' : '-nts'));").zip
if [ "${1:-}" = --names ]; then
	printf '%s\n' "$archive" "$binary"
	exit
fi
if [ $# -gt 0 ]; then
	[ "$version" = "$1" ] || fail "php_ratelimit.h has version $version, the release is $1"
	grep -qE "^## \[${1//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md || fail "CHANGELOG.md has no heading \"## [$1] - YYYY-MM-DD\""
	# The fields that a release fills in: where the source is.
	fields=$(git grep -lF https://example.org/ratelimit -- README.md README.zh-CN.md composer.json 'packages/*/composer.json' packaging || true)
	[ -z "$fields" ] || fail "the address of the source is missing: replace https://example.org/ratelimit in ${fields//$'\n'/ }"
fi

out=${OUT:-$PWD/out/release} dist=
rm -rf "$out"
mkdir -p "$out/dist" "$out/again"
out=$(cd "$out" && pwd) dist=$out/dist
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC

# Makes the archive in a folder.
make_archive() {
	git archive --format=tar --prefix="ratelimit-$version/" HEAD | gzip --no-name --best >"$1/$archive"
}
make_archive "$dist"
make_archive "$out/again"
cmp "$dist/$archive" "$out/again/$archive" || fail "the archive is another one when it is made again"
tar --extract --file "$dist/$archive" --directory "$out"
mv "$out/ratelimit-$version" "$out/ratelimit"
mapfile -t scripts < <(grep -oE '(bin|src/redis/lua)/[a-z-]+\.sh' Makefile.frag | sort -u)
for file in config.m4 Makefile.frag composer.json ratelimit.c ratelimit.stub.php ratelimit.php ratelimit.ini ratelimit.zh-CN.ini bin/ratelimit \
	"${scripts[@]}" packaging/deb.sh packaging/debian/rules packaging/docker/Dockerfile README.md CHANGELOG.md LICENSE SECURITY.md docs/operations.md docs/installing.md \
	scripts/demo.sh scripts/install-deps.sh scripts/build-copy.sh; do
	[ -f "$out/ratelimit/$file" ] || fail "the archive has no $file"
done
for file in tests/c tests/include bench packages/laravel/src packages/polyfill/composer.json .github .ci scripts/test.sh docs/app.png docs/decision.svg; do
	[ ! -e "$out/ratelimit/$file" ] || fail "the archive has $file"
done
dead=$(
	cd "$out/ratelimit"
	find . -name '*.md' | sort | while read -r page; do
		# An external link and one within the page need no file; pictures are left out.
		{ grep -oE '\]\([^)[:space:]]+\)' "$page" || true; } | sed -E 's/^..(.*).$/\1/; s/#.*//; /^$/d; /^https?:/d; /\.(png|svg)$/d' | while read -r link; do
			[ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
		done
	done
)
[ -z "$dead" ] || fail "the archive has no target of these links:
$dead"

# Builds the module of an archive in a folder, with hiredis in it.
build() { # folder with the archive, folder of the build
	local hiredis
	mkdir -p "$2"
	tar --extract --file "$1/$archive" --directory "$2" --strip-components=1
	hiredis=$(${CC:-cc} -print-file-name=libhiredis.a)
	[ -f "$hiredis" ] || fail "there is no libhiredis.a"
	if ! (cd "$2" && "${PHPIZE:-phpize}" && ./configure --with-php-config="${PHP_CONFIG:-php-config}" --with-ratelimit-tls CFLAGS="-O2 -ffile-prefix-map=$2=." &&
		make -j"${JOBS:-2}" RATELIMIT_SHARED_LIBADD="-Wl,--exclude-libs,ALL $hiredis -lssl -lcrypto") >"$2.log" 2>&1; then
		tail -n 20 "$2.log" >&2
		fail "the archive does not build, see $2.log"
	fi
	strip --strip-unneeded "$2/modules/ratelimit.so"
}

# Makes the archive of a binary that PIE takes, with NAME.so.
make_binary() { # folder of the build, folder of the archive
	local folder=$1/binary
	mkdir "$folder"
	cp "$1/modules/ratelimit.so" "$1/LICENSE" "$folder"
	find "$folder" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
	chmod 644 "$folder"/*
	(cd "$folder" && zip -q -X "$2/$binary" LICENSE ratelimit.so)
}
build "$dist" "$out/build"
make_binary "$out/build" "$dist"
build "$out/again" "$out/build-again"
make_binary "$out/build-again" "$out/again"
cmp "$dist/$binary" "$out/again/$binary" || fail "the binary is another one when it is built again"
module=$out/build/binary/ratelimit.so
foreign=$(readelf --dynamic "$module" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^lib(c|ssl|crypto)\.(so|musl)' || true)
[ -z "$foreign" ] || fail "the binary needs ${foreign//$'\n'/, }, which another distribution may lack"
loaded=$("$php" -n -d "extension=$module" -d ratelimit.shm_path=private -r 'echo FrequencyLimit::doHandle("release", 1, 60, 1) ? phpversion("ratelimit") : "";')
[ "$loaded" = "$version" ] || fail "the built module has version \"$loaded\", php_ratelimit.h has $version"
"$php" -n scripts/promised.php "$module" | diff docs/promised.txt - >"$out/promised.diff" || {
	cat "$out/promised.diff" >&2
	fail "docs/promised.txt is not what this version promises: php -n scripts/promised.php $module >docs/promised.txt"
}

if missing=$(dpkg-checkbuilddeps packaging/debian/control 2>&1); then
	"$out/ratelimit/packaging/deb.sh" "$out/deb" >/dev/null
	cp "$out"/deb/php-ratelimit_*.deb "$dist"
	if command -v lintian >/dev/null; then
		tags=$(cd "$out/deb" && lintian --allow-root --display-info --no-tag-display-limit ./*.changes)
		[ -z "$tags" ] || fail "lintian: $tags"
	fi
else
	echo "release-check.sh: no Debian package: $missing" >&2
fi
(cd "$dist" && sha256sum -- * >"$out/SHA256SUMS" && mv "$out/SHA256SUMS" . && sha256sum --quiet --check SHA256SUMS && cat SHA256SUMS)
echo "release-check.sh: the release of ratelimit $version is in $dist"
