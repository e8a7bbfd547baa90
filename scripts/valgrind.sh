#!/usr/bin/env bash
# Runs PHPT tests under valgrind, on a PHP whose allocator hides nothing: scripts/valgrind.sh [tests ...]
# By default those that call every method once; valgrind is some thirty times slower.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "valgrind.sh: valgrind is not installed: apt-get install valgrind" >&2; exit 1; }
scripts/install-deps.sh test
tests=("$@")
[ $# -gt 0 ] || tests=(tests/01-module tests/02-doHandle tests/03-arguments tests/04-check tests/10-stats tests/11-isActionAllowed/traces-redis.phpt)

folder=$PWD/out/valgrind
rm -rf "$folder"
OUT=$folder scripts/build.sh >/dev/null
# Slow tools: what waits for a process has to be patient. The code that PCRE compiles reads past what it knows to be set.
TEST_PHP_ARGS="-m -d pcre.jit=0${TEST_PHP_ARGS:+ $TEST_PHP_ARGS}" scripts/phpt.sh "$folder" "${tests[@]}"
