#!/usr/bin/env bash
# Runs the tests under AddressSanitizer and UndefinedBehaviorSanitizer: scripts/sanitize.sh [tests ...]
#
# PHP is built with the sanitizers, too (scripts/build-php.sh, once, some five minutes): they also check the extension's use
# of PHP's memory. A finding ends its test.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${RATELIMIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ratelimit}
prefix=$(scripts/build-php.sh asan)
# phpize and make run that PHP, whose own leaks do not matter here.
export ASAN_OPTIONS=detect_leaks=0

rm -rf "$cache/asan-build"
CC=clang PHPIZE=$prefix/bin/phpize PHP_CONFIG=$prefix/bin/php-config \
	CFLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" \
	scripts/build-copy.sh "$cache/asan-build" >/dev/null

UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PHP=$prefix/bin/php PHP_CONFIG=$prefix/bin/php-config TEST_PHP_ARGS="--asan${TEST_PHP_ARGS:+ $TEST_PHP_ARGS}" \
	scripts/phpt.sh "$cache/asan-build" "${@:-tests}"
