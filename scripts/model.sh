#!/usr/bin/env bash
# Plays random programs of calls, and compares each field of each answer with the reference model's: the long run.
#
#   scripts/model.sh                        a million calls for each algorithm on the core alone and on each store
#   scripts/model.sh 50000 7                fewer, from another seed
#   STORES=redis KINDS=booking scripts/model.sh
#
# For a difference it prints the program, shrunk, as PHP code with its seed; then the exit status is 1.
# MODULE names a built ratelimit.so (default: a build in out/model).
set -euo pipefail
cd "$(dirname "$0")/.."

calls=${1:-1000000}
seed=${2:-1}
php=${PHP:-php}
module=${MODULE:-$(scripts/build-copy.sh out/model)}
options=(-n -d "extension=$module" -d ratelimit.shm_path=private)
# The core alone, with sanitizers: tests/model/core_player.inc starts this program.
mkdir -p out/model
player=$PWD/out/model/core_player
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
tests/core/core_player.c src/core/*/*.c -o "$player"
# Some PHPs have posix and pcntl as modules.
for name in posix pcntl; do
	"$php" -n -m | grep -x "$name" >/dev/null || options+=(-d "extension=$name")
done

# In the kinds named SetBack the wall clock is set back; of the embedded store only calendars depend on it.
kinds='counter fixedWindow calendar slidingLog slidingWindow tokenBucket compound booking permits permitsCompound concurrent large permitsLarge costs permitsCosts identities twins permitsTwins calendarSetBack permitsCalendarSetBack'
for store in ${STORES:-core shm redis}; do
	[ "$store" != redis ] && more= || more='setBack bookingSetBack permitsSetBack autoLeased'
	for kind in ${KINDS:-$kinds $more}; do
		# Counters are no part of the core's limiters, and several identities are decided by the guard.
		case $store-$kind in core-counter | core-identities) continue ;; esac
		printf '%s %s\n' "$store" "$kind"
	done
done | calls=$calls seed=$seed CORE_PLAYER=$player xargs -P "${JOBS:-2}" -L 1 sh -c '
	answers=$("$@" "$calls" "$seed" 2>&1) || failed=1
	printf "%s\n" "$answers"
	exit ${failed:-0}
' model "$php" "${options[@]}" tests/model/long.php
