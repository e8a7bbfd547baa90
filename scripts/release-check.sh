#!/usr/bin/env bash
# Checks that the release archive of HEAD is complete and builds: release-check.sh [VERSION]
#
# The archive (git archive, .gitattributes) must have the files that phpize, PIE and an administrator need, the pages that its
# links name, and neither tests nor pictures. It is configured, built and loaded in out/release. With VERSION, the sources and the changelog must
# have that version, too, and the files that name the source its address.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
	echo "release-check.sh: $*" >&2
	exit 1
}

version=$(sed -n 's/^#define PHP_RATELIMIT_VERSION "\(.*\)"$/\1/p' php_ratelimit.h)
[ -n "$version" ] || fail "php_ratelimit.h has no PHP_RATELIMIT_VERSION"
if [ $# -gt 0 ]; then
	[ "$version" = "$1" ] || fail "php_ratelimit.h has version $version, the release is $1"
	grep -qE "^## \[${1//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md || fail "CHANGELOG.md has no heading \"## [$1] - YYYY-MM-DD\""
	# The fields that a release fills in: where the source is.
	fields=$(git grep -lF https://example.org/ratelimit -- README.md README.zh-CN.md composer.json 'packages/*/composer.json' packaging || true)
	[ -z "$fields" ] || fail "the address of the source is missing: replace https://example.org/ratelimit in ${fields//$'\n'/ }"
fi

out=${OUT:-$PWD/out/release}
rm -rf "$out"
mkdir -p "$out"
git archive --prefix=ratelimit/ HEAD | tar --extract --directory "$out"
mapfile -t scripts < <(grep -oE '(bin|src/redis/lua)/[a-z-]+\.sh' Makefile.frag | sort -u)
for file in config.m4 Makefile.frag composer.json ratelimit.c ratelimit.stub.php ratelimit.php ratelimit.ini ratelimit.zh-CN.ini bin/ratelimit \
	"${scripts[@]}" packaging/deb.sh packaging/debian/rules packaging/docker/Dockerfile README.md CHANGELOG.md LICENSE SECURITY.md docs/operations.md docs/installing.md; do
	[ -f "$out/ratelimit/$file" ] || fail "the archive has no $file"
done
for file in tests/core tests/include bench packages/laravel/src packages/polyfill/composer.json .github .ci scripts/test.sh docs/app.png docs/decision.svg; do
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

log=$out/build.log
if ! (cd "$out/ratelimit" && "${PHPIZE:-phpize}" && ./configure --with-php-config="${PHP_CONFIG:-php-config}" && make -j"${JOBS:-2}") >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	fail "the archive does not build, see $log"
fi
loaded=$("${PHP:-php}" -n -d "extension=$out/ratelimit/modules/ratelimit.so" -r 'echo phpversion("ratelimit");')
[ "$loaded" = "$version" ] || fail "the built module has version \"$loaded\", php_ratelimit.h has $version"
echo "release-check.sh: the archive of ratelimit $version builds and loads"
