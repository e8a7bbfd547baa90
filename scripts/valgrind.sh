#!/usr/bin/env bash
# Runs PHPT tests under valgrind, on a PHP whose allocator hides nothing: scripts/valgrind.sh [tests ...]
# By default those that call every method once; valgrind is some thirty times slower.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "valgrind.sh: valgrind is not installed: apt-get install valgrind" >&2; exit 1; }
scripts/install-deps.sh test
tests=("$@")
[ $# -gt 0 ] || tests=(tests/module tests/do-handle tests/arguments tests/results tests/stats tests/is-action-allowed/traces-redis.phpt)

folder=$PWD/out/valgrind
rm -rf "$folder"
OUT=$folder scripts/build.sh >/dev/null
# It is PHP that is watched, not what the tests start beside it. The code that PCRE compiles reads past what it knows to be set.
export VALGRIND_OPTS="--trace-children-skip=*/redis-server,*/valkey-server,*/configure,*/phpize*,*/make${VALGRIND_OPTS:+ $VALGRIND_OPTS}"
export TEST_TIMEOUT=${TEST_TIMEOUT:-1200}
TEST_PHP_ARGS="-m -d pcre.jit=0${TEST_PHP_ARGS:+ $TEST_PHP_ARGS}" scripts/phpt.sh "$folder" "${tests[@]}"
