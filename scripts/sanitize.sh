#!/usr/bin/env bash
# Runs the tests under AddressSanitizer and UndefinedBehaviorSanitizer: scripts/sanitize.sh [tests ...]
#
# On a PHP that is built with them too (scripts/build-php.sh, once; some five minutes), so that what the extension does to
# PHP's memory shows as well. The first thing found ends its test, and so the run.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${RATELIMIT_CACHE:-$PWD/out/matrix}
prefix=$(scripts/build-php.sh asan)
# phpize and make run that PHP: what PHP itself leaks at its end is not ours to find.
export ASAN_OPTIONS=detect_leaks=0

rm -rf "$cache/asan-build"
CC=clang PHPIZE=$prefix/bin/phpize PHP_CONFIG=$prefix/bin/php-config \
	CFLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" \
	scripts/build-copy.sh "$cache/asan-build" >/dev/null

UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PHP=$prefix/bin/php TEST_PHP_ARGS="--asan${TEST_PHP_ARGS:+ $TEST_PHP_ARGS}" \
	scripts/phpt.sh "$cache/asan-build" "${@:-tests}"
