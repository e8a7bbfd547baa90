#!/usr/bin/env bash
# Measures what the mirror adds to a decision on Redis over a unix socket: bench/NOTES.md, Redis.
#
#     bench/mirror.sh [PAIRS]      default: 4000 pairs of 20 calls for each row: a minute
#
# Builds the extension twice, as it is and without the mirror. Two processes, one of each, decide in turns on one Redis: so both meet
# the same load of the machine. A row has the medians, and the median of the pairs' differences. Where valgrind is installed, it has
# the instructions of a call, too. OUT: the folder for the builds (default: out/mirror). WITH, WITHOUT: modules that are built already.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(realpath -m "${OUT:-out/mirror}")
with=${WITH:-}
without=${WITHOUT:-}
[ -n "$with" ] || with=$(scripts/build-copy.sh "$out/with")
if [ -z "$without" ]; then
	scripts/build-copy.sh "$out/without" >/dev/null
	sed -i 's/if (rl_shm_store() == NULL) {/if (true) {/' "$out/without/src/guard/mirror.c"
	! cmp -s src/guard/mirror.c "$out/without/src/guard/mirror.c" || { echo "mirror.sh: mirror.c has changed" >&2; exit 1; }
	make -C "$out/without" >"$out/without.log" 2>&1
	without=$out/without/modules/ratelimit.so
fi
exec php -n bench/mirror.php "$with" "$without" "${1:-4000}"
