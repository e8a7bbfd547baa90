#!/usr/bin/env bash
# Lets an attacker write into the segment while others use it:
#
#   scripts/attack.sh [seconds, default 3600] [seed]        in C, with the address and undefined behaviour sanitizers
#                                                           (tests/core/attack.c)
#   scripts/attack.sh php [seconds, default 3600] [seed]    by PHP and bin/ratelimit (tests/tools/attack.php)
#
# PHP: the interpreter of the second one (default: php). MODULE: its extension (default: built in out/attack).
set -euo pipefail
cd "$(dirname "$0")/.."

out=${OUT:-out/attack}
mkdir -p "$out"
if [ "${1:-}" = php ]; then
	shift
	php=${PHP:-php}
	extensions=(-d "extension=${MODULE:-$(scripts/build-copy.sh "$PWD/$out/module")}" -d ratelimit.shm_path=private)
	"$php" -n -r 'exit((int) !function_exists("pcntl_fork"));' || extensions+=(-d extension=pcntl)
	export TEST_PHP_EXECUTABLE=$php
	exec nice -n 19 "$php" -n "${extensions[@]}" tests/tools/attack.php "${1:-3600}" ${2:+"$2"}
fi
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
	-Wall -Wextra -Werror tests/core/attack.c src/core/*/*.c src/shm/*/*.c src/guard/*.c src/guard/*/*.c -lpthread -o "$out/attack"
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 exec nice -n 19 "$out/attack" "${1:-3600}" ${2:+"$2"}
