#!/usr/bin/env bash
# Lets an attacker write into the segment while others use it (tests/core/attack.c), with the address and undefined
# behaviour sanitizers: scripts/attack.sh [seconds, default 3600] [seed]
set -euo pipefail
cd "$(dirname "$0")/.."

out=${OUT:-out/attack}
mkdir -p "$out"
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
	-Wall -Wextra -Werror tests/core/attack.c src/core/*.c src/shm/*.c src/guard/*.c -lpthread -o "$out/attack"
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 exec nice -n 19 "$out/attack" "${1:-3600}" ${2:+"$2"}
