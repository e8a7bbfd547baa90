#!/usr/bin/env bash
# Generates ratelimit_arginfo.h from ratelimit.stub.php, with PHP's own gen_stub.php and Debian's php-parser.
#
#   scripts/stub.sh           writes it
#   scripts/stub.sh --check   fails when the committed one differs from what would be written
#
# The committed header is that of PHP 8.2's generator, which compiles from 8.1 to 8.5. Another version's generator writes
# the same declarations in other words: with it, --check compares what they were generated from, and no more.
set -euo pipefail
cd "$(dirname "$0")/.."

php=${PHP:-php}
php_config=${PHP_CONFIG:-php-config}
parser=/usr/share/php/PhpParser

fail() {
	echo "stub.sh: $*" >&2
	exit 2
}

command -v "$php_config" >/dev/null || fail "php-config is missing: apt-get install php-dev"
[ -d "$parser" ] || fail "$parser is missing: apt-get install php-parser"
generator=
for folder in "$("$php_config" --prefix)/lib/php/$("$php_config" --phpapi)" "$("$php_config" --prefix)/lib/php"; do
	if [ -f "$folder/build/gen_stub.php" ]; then
		generator=$folder/build/gen_stub.php
		break
	fi
done
[ "$generator" ] || fail "PHP's build/gen_stub.php is missing: apt-get install php-dev"

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# The generator looks for its parser beside itself, under the version it was written for, or else downloads it.
cp "$generator" "$temporary/gen_stub.php"
version=$(sed -n 's/^[[:space:]]*\$version = "\([0-9.]*\)";.*/\1/p' "$generator" | head -n 1)
[ "$version" ] || fail "$generator does not say which version of PHP-Parser it wants"
mkdir -p "$temporary/PHP-Parser-$version/lib"
ln -s "$parser" "$temporary/PHP-Parser-$version/lib/PhpParser"

hash=$(sha1sum <ratelimit.stub.php | cut -d' ' -f1)
php_version=$("$php_config" --version | cut -d. -f1,2)
if [ "$php_version" = 8.2 ]; then
	cp ratelimit.stub.php "$temporary/"
else
	# From 8.3 on it writes for its own version alone unless it is told the oldest one wanted.
	sed 's/^ \* @generate-class-entries$/&\n * @generate-legacy-arginfo 80100/' ratelimit.stub.php \
		>"$temporary/ratelimit.stub.php"
fi
"$php" -n -d extension=tokenizer "$temporary/gen_stub.php" -f "$temporary/ratelimit.stub.php" >"$temporary/log" 2>&1 || {
	cat "$temporary/log" >&2
	fail "the generator failed"
}
new=$temporary/ratelimit_arginfo.h
[ -f "$new" ] || fail "the generator wrote nothing: $(cat "$temporary/log")"
sed -i "s/\(Stub hash: \)[0-9a-f]*/\1$hash/" "$new"

if [ "${1:-}" != --check ]; then
	cp "$new" ratelimit_arginfo.h
	echo "ratelimit_arginfo.h written (PHP $php_version)"
elif [ "$php_version" = 8.2 ]; then
	diff -u ratelimit_arginfo.h "$new" || {
		echo "stub.sh: ratelimit_arginfo.h is not what ratelimit.stub.php makes: run scripts/stub.sh" >&2
		exit 1
	}
else
	grep -q "Stub hash: $hash " ratelimit_arginfo.h || {
		echo "stub.sh: ratelimit_arginfo.h was made of another ratelimit.stub.php: run scripts/stub.sh with PHP 8.2" >&2
		exit 1
	}
fi
