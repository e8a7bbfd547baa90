#!/usr/bin/env bash
# Builds and runs the C tests: of the core, the embedded store, the guard, and the Redis store's parts (redis.sh).
#
# OUT: the folder of the build (default: out/core). CC, CFLAGS: compiler and options. ALLOC_ROUNDS:
# random histories of the allocator (default: 12). JOBS: programs at a time. Each program is one test. The last
# line is "N passed, N failed". BUILD_ONLY=1: builds the programs of the core, the store and the guard, and runs none.
# RUN_ONLY=1: runs those that were built before.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

out=${OUT:-out/core}
cc=${CC:-cc}
read -ra cflags <<<"${CFLAGS:--O2 -g}"
cflags+=(-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wshadow)
mkdir -p "$out"
passed=0 failed=0
jobs=${JOBS:-$(nproc)}

# Compiles the files of src once for all programs, on all processors. Their base names differ.
compile_all() { # folder, option …
	rm -rf "$1"
	mkdir -p "$1"
	printf '%s\n' src/core/*/*.c src/shm/*/*.c src/guard/*.c src/guard/*/*.c |
		to=$1 xargs -P "$(nproc)" -I{} sh -c 'source=$1; shift; exec "$@" -c "$source" -o "$to/$(basename "$source" .c).o"' - {} "$cc" "${cflags[@]}" "${@:2}"
}

link() { # program
	local objects=$out/objects flags
	read -ra flags <<<"$all_flags"
	if [[ $1 = liveness_test || $1 = user_segment_test ]]; then
		objects=$out/objects-threads
		flags+=(-DRL_THREADS)
	fi
	rm -f "$out/$1"
	"$cc" "${flags[@]}" "tests/core/$1.c" "$objects"/*.o -lpthread -o "$out/$1"
}
export -f link
export out cc all_flags="${cflags[*]}"

build_all() {
	local reads
	compile_all "$out/objects" || failed=$((failed + 1))
	# Several threads of one process, as in a PHP with threads.
	compile_all "$out/objects-threads" -DRL_THREADS || failed=$((failed + 1))
	printf '%s\n' core_test limit_mark_test demand_test usual_test state_word_test state_word_bounds_test undo_test store_test alloc_test \
		alloc_histories_test \
		reference_test segment_test liveness_test user_segment_test breaker_test local_cache_test guard_test mirror_test deny_key_test held_places_test \
		monitor_test stress attack |
		xargs -P "$jobs" -I{} bash -c 'link {}' || failed=$((failed + 1))
	# Counts the blocks that src/ executes; its own file is compiled without the counter.
	if ! { "$cc" "${cflags[@]}" -c tests/core/insertion_cost_test.c -o "$out/insertion_cost_test.o" &&
			"$cc" "${cflags[@]}" -fsanitize-coverage=trace-pc "$out/insertion_cost_test.o" src/core/*/*.c src/shm/*/*.c -lpthread \
				-o "$out/insertion_cost_test"; }; then
		failed=$((failed + 1))
		rm -f "$out/insertion_cost_test"
	fi
	# Each access to the segment is a call of this test's own, which the compiler inserts for another sanitizer.
	reads=(-O0 -g -fno-pie -fno-sanitize=all -fsanitize=thread -Wno-unknown-warning-option -Wno-tsan "-Dinline=inline __attribute__((always_inline))")
	[[ $("$cc" -dumpmachine) != x86_64* ]] || reads+=(-maes -msse4.1)
	rm -f "$out/reads_test"
	if ! compile_all "$out/objects-reads" "${reads[@]}" ||
		! "$cc" "${cflags[@]}" "${reads[@]}" -c tests/core/reads_test.c -o "$out/objects-reads/reads_test.o" ||
		! "$cc" -no-pie -Wl,--wrap=memcpy,--wrap=memmove "$out"/objects-reads/*.o -lpthread -o "$out/reads_test"; then
		failed=$((failed + 1))
	fi
}
[ -n "${RUN_ONLY:-}" ] || build_all
if [ -n "${BUILD_ONLY:-}" ]; then
	exit "$failed"
fi

# Runs a program, and prints its last line, or after a failure the last twenty.
run() { # name, program, argument …
	local name=$1
	shift
	if "$@" >"$out/$name.log" 2>&1; then
		echo "$name: $(tail -n 1 "$out/$name.log")"
	else
		echo "$name: FAILED"
		tail -n 20 "$out/$name.log"
		touch "$out/$name.failed"
	fi
}
export -f run
rm -f "$out"/*.failed
programs="core $out/core_test
	limit-mark $out/limit_mark_test
	demand $out/demand_test
	usual $out/usual_test
	state-word $out/state_word_test
	state-word-bounds $out/state_word_bounds_test
	undo $out/undo_test
	store $out/store_test
	alloc $out/alloc_test
	alloc-histories $out/alloc_histories_test ${ALLOC_ROUNDS:-12}
	insertion-cost $out/insertion_cost_test
	reference $out/reference_test
	segment $out/segment_test
	liveness $out/liveness_test
	user-segment $out/user_segment_test
	breaker $out/breaker_test
	local-cache $out/local_cache_test
	guard $out/guard_test
	mirror $out/mirror_test
	deny-key $out/deny_key_test
	held-places $out/held_places_test
	monitor $out/monitor_test
	stress $out/stress 5
	stress-with-kills $out/stress 3 kill
	reads $out/reads_test
	attack $out/attack 5
	attack-on-bits $out/attack 5 1 bits
	attack-on-terms $out/attack 3 1 terms"
xargs -P "$jobs" -L 1 bash -c 'run "$@"' run <<<"$programs"
broken=$(find "$out" -maxdepth 1 -name '*.failed' | wc -l)
passed=$(($(wc -l <<<"$programs") - broken)) failed=$((failed + broken))

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
