#!/usr/bin/env bash
# Builds and runs the C tests: of the core, the embedded store, the guard, and the Redis store's parts (redis.sh).
#
# OUT: the folder of the build (default: out/c). CC, CFLAGS: compiler and options. ALLOC_ROUNDS:
# random histories of the allocator (default: 12). JOBS: programs at a time. Each program is one test. The last
# line is "N passed, N failed". BUILD_ONLY=1: builds the programs of the core, the store and the guard, and runs none.
# RUN_ONLY=1: runs those that were built before.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

out=${OUT:-out/c}
cc=${CC:-cc}
read -ra cflags <<<"${CFLAGS:--O2 -g}"
cflags+=(-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wshadow -I. -Itests/c/include)
mkdir -p "$out"
passed=0 failed=0
jobs=${JOBS:-$(nproc)}
# MemorySanitizer takes the calls of the other sanitizer that reads_test.c answers itself.
with_reads=yes
[[ " ${cflags[*]} " != *-fsanitize=memory* ]] || with_reads=

# Compiles the files of src once for all programs, on all processors. Their base names differ.
compile_all() { # folder, option …
	rm -rf "$1"
	mkdir -p "$1"
	printf '%s\n' src/core/*/*.c src/shm/*/*.c src/guard/*.c src/guard/*/*.c |
		to=$1 xargs -P "$(nproc)" -I{} sh -c 'source=$1; shift; exec "$@" -c "$source" -o "$to/$(basename "$source" .c).o"' - {} "$cc" "${cflags[@]}" "${@:2}"
}

# The programs, but for two that are compiled in another way.
sources() {
	find tests/c/core tests/c/shm tests/c/guard -name '*_test.c' ! -name insertion_cost_test.c ! -name reads_test.c
}

link() { # source
	local objects=$out/objects flags name
	name=$(basename "$1" .c)
	read -ra flags <<<"$all_flags"
	if [[ $name = liveness_test || $name = user_segment_test ]]; then
		objects=$out/objects-threads
		flags+=(-DRL_THREADS)
	fi
	rm -f "$out/$name"
	"$cc" "${flags[@]}" "$1" "$objects"/*.o -lpthread -o "$out/$name"
}
export -f link
export out cc all_flags="${cflags[*]}"

build_all() {
	local reads
	compile_all "$out/objects" || failed=$((failed + 1))
	# Several threads of one process, as in a PHP with threads.
	compile_all "$out/objects-threads" -DRL_THREADS || failed=$((failed + 1))
	{ sources; printf 'tests/c/shm/%s.c\n' stress attack; } | xargs -P "$jobs" -I{} bash -c 'link {}' || failed=$((failed + 1))
	# Counts the blocks that src/ executes; its own file is compiled without the counter.
	if ! { "$cc" "${cflags[@]}" -c tests/c/shm/insertion_cost_test.c -o "$out/insertion_cost_test.o" &&
			"$cc" "${cflags[@]}" -fsanitize-coverage=trace-pc "$out/insertion_cost_test.o" src/core/*/*.c src/shm/*/*.c -lpthread \
				-o "$out/insertion_cost_test"; }; then
		failed=$((failed + 1))
		rm -f "$out/insertion_cost_test"
	fi
	# Each access to the segment is a call of this test's own, which the compiler inserts for another sanitizer.
	[ -n "$with_reads" ] || return 0
	reads=(-O0 -g -fno-pie -fno-sanitize=all -fsanitize=thread -Wno-unknown-warning-option -Wno-tsan "-Dinline=inline __attribute__((always_inline))")
	[[ $("$cc" -dumpmachine) != x86_64* ]] || reads+=(-maes -msse4.1)
	rm -f "$out/reads_test"
	if ! compile_all "$out/objects-reads" "${reads[@]}" ||
		! "$cc" "${cflags[@]}" "${reads[@]}" -c tests/c/shm/reads_test.c -o "$out/objects-reads/reads_test.o" ||
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
		touch "$out/$name.passed"
	else
		echo "$name: FAILED"
		tail -n 20 "$out/$name.log"
	fi
}
export -f run
rm -f "$out"/*.passed
declare -A arguments=([alloc_histories]=${ALLOC_ROUNDS:-12})
programs="$(for name in $(sources | sort | xargs -n 1 basename -s _test.c); do echo "$name $out/${name}_test${arguments[$name]:+ ${arguments[$name]}}"; done)
	insertion_cost $out/insertion_cost_test
	stress $out/stress 5
	stress-with-kills $out/stress 3 kill
	attack $out/attack 5
	attack-on-bits $out/attack 5 1 bits
	attack-on-terms $out/attack 3 1 terms"
[ -z "$with_reads" ] || programs+=$'\n'"reads $out/reads_test"
# A line that ends with a blank would be one with the next line. A program that was not run has failed.
xargs -P "$jobs" -L 1 bash -c 'run "$@"' run <<<"$programs"
passed=$(find "$out" -maxdepth 1 -name '*.passed' | wc -l)
failed=$((failed + $(wc -l <<<"$programs") - passed))

OUT=$out/redis sh tests/c/redis.sh >"$out/redis.log" 2>&1
cat "$out/redis.log"
if [[ $(tail -n 1 "$out/redis.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
	passed=$((passed + BASH_REMATCH[1]))
	failed=$((failed + BASH_REMATCH[2]))
else
	failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
