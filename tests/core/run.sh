#!/usr/bin/env bash
# Builds and runs the C tests: of the core, the embedded store, the guard, and the Redis store's parts (redis.sh).
#
# OUT: the folder of the build (default: out/core). CC, CFLAGS: compiler and options. ALLOC_ROUNDS:
# random histories of the allocator (default: 12). Each program is one test. The last
# line is "N passed, N failed". BUILD_ONLY=1: builds the programs of the core, the store and the guard, and runs none.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

out=${OUT:-out/core}
cc=${CC:-cc}
read -ra cflags <<<"${CFLAGS:--O2 -g}"
cflags+=(-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wshadow)
mkdir -p "$out"
passed=0 failed=0

run() { # name, program, argument …
	local name=$1
	shift
	if "$@" >"$out/$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "$name: $(tail -n 1 "$out/$name.log")"
	else
		failed=$((failed + 1))
		echo "$name: FAILED"
		tail -n 20 "$out/$name.log"
	fi
}

# Compiles the files of src once for all programs, on all processors. Their base names differ.
compile_all() { # folder, option …
	rm -rf "$1"
	mkdir -p "$1"
	printf '%s\n' src/core/*/*.c src/shm/*/*.c src/guard/*.c src/guard/*/*.c |
		to=$1 xargs -P "$(nproc)" -I{} sh -c 'source=$1; shift; exec "$@" -c "$source" -o "$to/$(basename "$source" .c).o"' - {} "$cc" "${cflags[@]}" "${@:2}"
}

compile_all "$out/objects" || failed=$((failed + 1))
# Several threads of one process, as in a PHP with threads.
compile_all "$out/objects-threads" -DRL_THREADS || failed=$((failed + 1))
for source in core_test limit_mark_test demand_test usual_test state_word_test state_word_bounds_test undo_test store_test alloc_test reference_test segment_test liveness_test user_segment_test breaker_test local_cache_test guard_test deny_key_test held_places_test monitor_test stress attack; do
	[[ $source = liveness_test || $source = user_segment_test ]] && threads=(-DRL_THREADS) || threads=()
	if ! "$cc" "${cflags[@]}" "${threads[@]}" "tests/core/$source.c" "$out/objects${threads:+-threads}"/*.o -lpthread -o "$out/$source"; then
		failed=$((failed + 1))
		rm -f "$out/$source"
	fi
done
# Counts the blocks that src/ executes; its own file is compiled without the counter.
if ! { "$cc" "${cflags[@]}" -c tests/core/insertion_cost_test.c -o "$out/insertion_cost_test.o" &&
		"$cc" "${cflags[@]}" -fsanitize-coverage=trace-pc "$out/insertion_cost_test.o" src/core/*/*.c src/shm/*/*.c -lpthread \
			-o "$out/insertion_cost_test"; }; then
	failed=$((failed + 1))
	rm -f "$out/insertion_cost_test"
fi
if [ -n "${BUILD_ONLY:-}" ]; then
	exit "$failed"
fi
run core "$out/core_test"
run limit-mark "$out/limit_mark_test"
run demand "$out/demand_test"
run usual "$out/usual_test"
run state-word "$out/state_word_test"
run state-word-bounds "$out/state_word_bounds_test"
run undo "$out/undo_test"
run store "$out/store_test"
run alloc "$out/alloc_test" "${ALLOC_ROUNDS:-12}"
run insertion-cost "$out/insertion_cost_test"
run reference "$out/reference_test"
run segment "$out/segment_test"
run liveness "$out/liveness_test"
run user-segment "$out/user_segment_test"
run breaker "$out/breaker_test"
run local-cache "$out/local_cache_test"
run guard "$out/guard_test"
run deny-key "$out/deny_key_test"
run held-places "$out/held_places_test"
run monitor "$out/monitor_test"
run stress "$out/stress" 5
run stress-with-kills "$out/stress" 3 kill
run attack "$out/attack" 5
run attack-on-terms "$out/attack" 3 1 terms

OUT=$out/redis sh tests/core/redis.sh >"$out/redis.log" 2>&1
cat "$out/redis.log"
if [[ $(tail -n 1 "$out/redis.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
	passed=$((passed + BASH_REMATCH[1]))
	failed=$((failed + BASH_REMATCH[2]))
else
	failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
