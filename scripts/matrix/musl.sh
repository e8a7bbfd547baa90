#!/usr/bin/env bash
# Builds the extension against musl, with a PHP and a hiredis that are built against it, and runs the tests there.
#
# TESTS: the tests (default: all). TLS is left out: Debian has no OpenSSL for musl. The servers of the tests are Debian's.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/matrix/tree.sh

prefix=$(scripts/build-php.sh musl)
headers=$cache/musl-headers
export PHP=$prefix/bin/php PHPIZE=$prefix/bin/phpize PHP_CONFIG=$prefix/bin/php-config CC="musl-gcc -idirafter $headers"
export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig CONFIGURE_OPTIONS=--without-ratelimit-tls
echo "== musl: $("$PHP" -n -r 'echo "PHP ", PHP_VERSION;'), $(musl-gcc --version | head -n 1), hiredis $(pkg-config --modversion hiredis)"
OUT=$cache/musl-build scripts/build.sh >/dev/null
readelf --dynamic "$cache/musl-build/modules/ratelimit.so" | grep -F 'Shared library: [libc.so]'
# The C tests of the core and the store; those of Redis need sanitizers, which musl-gcc has not.
CC=musl-gcc CFLAGS="-O2 -g -idirafter $headers" TESTS=' ' OUT=$cache/musl-c bash tests/c/run.sh
# shellcheck disable=SC2086
scripts/phpt.sh "$cache/musl-build" ${TESTS:-tests}
