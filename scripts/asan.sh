#!/usr/bin/env bash
# Runs PHPT tests with an extension built under AddressSanitizer and UndefinedBehaviorSanitizer, and the installed PHP:
# scripts/asan.sh [tests ...]
#
# It takes seconds where scripts/sanitize.sh builds a PHP, whose own code it then checks, too. Without tests it runs those of
# the list below, in which application code does anything at each point where the extension calls it. A finding ends its test.
# Exits with 2, and the reason, where gcc has no libasan.
#
# OUT: the folder of the build (default: out/asan).
set -euo pipefail
cd "$(dirname "$0")/.."

tests=("$@")
[ $# -gt 0 ] || tests=(tests/monitor/listener*.phpt)
out=$(realpath -m "${OUT:-out/asan}")

# gcc's library, whatever CC is: that of clang is part of the programs that clang links, and PHP is none of them.
command -v gcc >/dev/null || { echo "asan.sh: gcc is not installed" >&2; exit 2; }
libasan=$(gcc -print-file-name=libasan.so)
[ -e "$libasan" ] || { echo "asan.sh: gcc has no libasan" >&2; exit 2; }
shim=$(sh tests/tools/build.sh)/no_deepbind.so
[ -e "$shim" ] || { echo "asan.sh: no_deepbind.so cannot be built here" >&2; exit 2; }

# The shim comes first, so that its dlopen() is the one that PHP calls.
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1
CC=gcc CFLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" \
	scripts/build-copy.sh "$out" >/dev/null

export LD_PRELOAD="$shim $libasan"
TEST_PHP_ARGS="--asan${TEST_PHP_ARGS:+ $TEST_PHP_ARGS}" exec scripts/phpt.sh "$out" "${tests[@]}"
