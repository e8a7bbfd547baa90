#!/usr/bin/env bash
# Generates ratelimit_arginfo.h from ratelimit.stub.php, with PHP's own gen_stub.php and Debian's php-parser.
#
#   scripts/stub.sh           writes it
#   scripts/stub.sh --check   fails when the committed header differs from a generated one
#
# The committed header is from PHP 8.2's generator, and compiles with 8.1 to 8.5. Generators of other versions write the
# same declarations in another form: with them, --check compares only the hash of the stub.
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

# The generator searches its parser in its own folder, by version. It would download a missing one.
cp "$generator" "$temporary/gen_stub.php"
version=$(sed -n 's/^[[:space:]]*\$version = "\([0-9.]*\)";.*/\1/p' "$generator" | head -n 1)
[ "$version" ] || fail "$generator names no version of PHP-Parser"
mkdir -p "$temporary/PHP-Parser-$version/lib"
ln -s "$parser" "$temporary/PHP-Parser-$version/lib/PhpParser"

hash=$(sha1sum <ratelimit.stub.php | cut -d' ' -f1)
php_version=$("$php_config" --version | cut -d. -f1,2)
if [ "$php_version" = 8.2 ]; then
	cp ratelimit.stub.php "$temporary/"
else
	# From 8.3 on the generator writes for its own version only, unless the stub names an older one.
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
# The variable of a class in a union of classes has the class's backslashes.
sed -i 's/\(property_[a-z_]*_class_[A-Za-z]*\)\\\\/\1_/' "$new"

if [ "${1:-}" != --check ]; then
	cp "$new" ratelimit_arginfo.h
	echo "ratelimit_arginfo.h written (PHP $php_version)"
elif [ "$php_version" = 8.2 ]; then
	diff -u ratelimit_arginfo.h "$new" || {
		echo "stub.sh: ratelimit_arginfo.h does not match ratelimit.stub.php: run scripts/stub.sh" >&2
		exit 1
	}
else
	grep -q "Stub hash: $hash " ratelimit_arginfo.h || {
		echo "stub.sh: ratelimit_arginfo.h does not match ratelimit.stub.php: run scripts/stub.sh with PHP 8.2" >&2
		exit 1
	}
fi
