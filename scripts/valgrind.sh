#!/usr/bin/env bash
# Runs PHPT tests under valgrind, with PHP's own allocator disabled: scripts/valgrind.sh [tests ...]
# The default is the tests that call every method once, because valgrind is some thirty times slower.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "valgrind.sh: valgrind is not installed: apt-get install valgrind" >&2; exit 1; }
scripts/install-deps.sh test
tests=("$@")
[ $# -gt 0 ] || tests=(tests/module tests/do-handle tests/arguments tests/results tests/monitor/stats*.phpt tests/do-handle/is-action-allowed-traces.phpt)

folder=$PWD/out/valgrind
rm -rf "$folder"
OUT=$folder scripts/build.sh >/dev/null
# Valgrind checks PHP, not the servers and compilers of the tests. PCRE's JIT reads uninitialized bytes by design.
export VALGRIND_OPTS="--trace-children-skip=*/redis-server,*/valkey-server,*/configure,*/phpize*,*/make,*gcc*,*/cc,*/objdump${VALGRIND_OPTS:+ $VALGRIND_OPTS}"
export TEST_TIMEOUT=${TEST_TIMEOUT:-1200}
TEST_PHP_ARGS="-m -d pcre.jit=0${TEST_PHP_ARGS:+ $TEST_PHP_ARGS}" scripts/phpt.sh "$folder" "${tests[@]}"
