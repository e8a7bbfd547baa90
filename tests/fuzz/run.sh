#!/usr/bin/env bash
# Builds the fuzzers of tests/fuzz and runs them one after the other: scripts/long.sh fuzz [seconds for each, default 60] [fuzzer ...]
#
#   core       the limits' arithmetic, from any state
#   outside    DSNs, replies of Redis, damaged segments
#   expire     doHandle()'s $expire, on the PHP with sanitizers if scripts/build-php.sh has built it; else with sanitizers in the
#              extension alone, if gcc has them
#
# An input that takes longer than TIMEOUT seconds (default: 10) is a finding; raise TIMEOUT on a busy machine. The corpus
# is out/fuzz/corpus. Findings are written to out/fuzz/findings; then the exit status is 1. The fuzzers require clang with
# its run-time libraries (Debian: clang, libclang-rt-14-dev).
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
fuzzers=("${@:-core}")
[ $# -gt 0 ] || fuzzers=(core outside expire)
out=${OUT:-$PWD/out/fuzz}
cc=${CC:-clang}
php=${PHP:-php}
sanitized="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
mkdir -p "$out"

need() {
	echo "fuzz/run.sh: $1" >&2
	exit 2
}
command -v "$cc" >/dev/null || need "clang is missing: apt-get install clang libclang-rt-14-dev"
pkg-config --exists hiredis || need "hiredis is missing: apt-get install libhiredis-dev"
printf 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
	"$cc" -x c -fsanitize=fuzzer,address,undefined - -o "$out/probe" 2>/dev/null ||
	need "$cc has no libFuzzer: apt-get install libclang-rt-14-dev (of clang's own version)"

# A fuzzer that stops at a finding leaves temporary files: the script deletes their folder. It is in memory if possible.
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

read -ra hiredis_cflags <<<"$(pkg-config --cflags hiredis)"
read -ra hiredis_libs <<<"$(pkg-config --libs hiredis)"

build() { # name, sources and options
	local name=$1
	shift
	"$cc" -std=gnu11 -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-Wall -Wextra -Werror -I"$out" "${hiredis_cflags[@]}" "$@" -o "$out/$name"
}

build_core() {
	build core tests/fuzz/core_fuzz.c src/core/*/*.c
}

# The fuzzer replaces socket.c, wait.c and mmap().
build_outside() {
	local lua=src/redis/lua sources
	sh src/redis/lua/embed.sh rl_redis_counter_lua "$out/counter_lua.h" "$lua/counter.lua"
	sh src/redis/lua/embed.sh rl_redis_limiter_lua "$out/limiter_lua.h" "$lua"/limiter/*.lua
	mapfile -t sources < <(printf '%s\n' src/core/*/*.c src/shm/*/*.c src/redis/*.c src/redis/*/*.c | grep -vE '/(socket|wait)\.c$')
	build outside tests/fuzz/outside_*.c "${sources[@]}" -Wl,--wrap=mmap "${hiredis_libs[@]}" -lpthread
}

run_fuzzer() {
	local name=$1 log=$out/$1.log failed=0
	mkdir -p "$out/corpus/$name" "$out/findings"
	"build_$name" || return 1
	nice -n 15 "$out/$name" -max_total_time="$seconds" -timeout="${TIMEOUT:-10}" -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
		-artifact_prefix="$out/findings/$name-" "$out/corpus/$name" >"$log" 2>&1 || failed=1
	printf '%-8s %s executions in %s s; %s\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
		"$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log")" \
		"$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -n 1)"
	if [ "$failed" -ne 0 ]; then
		grep -vE '^#[0-9]+\s+(NEW|REDUCE|pulse|RELOAD)' "$log" | tail -n 40
	fi
	return "$failed"
}

run_expire() {
	local asan=${RATELIMIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ratelimit}/php-asan module libasan shim preload=
	export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
	if [ -x "$asan/bin/php" ]; then
		php=$asan/bin/php
		module=$(CC=$cc PHPIZE=$asan/bin/phpize PHP_CONFIG=$asan/bin/php-config CFLAGS="$sanitized" scripts/build-copy.sh "$out/asan") || return 1
	elif libasan=$(gcc -print-file-name=libasan.so) && [ -e "$libasan" ] && shim=$(sh tests/tools/build.sh)/no_deepbind.so && [ -e "$shim" ]; then
		# As scripts/asan.sh: the shim's dlopen() is the one that PHP calls.
		module=$(CC=gcc CFLAGS="$sanitized" scripts/build-copy.sh "$out/asan-gcc") || return 1
		ASAN_OPTIONS+=:verify_asan_link_order=0
		preload="$shim $libasan"
	else
		module=$(scripts/build-copy.sh "$out/module") || return 1
	fi
	LD_PRELOAD=$preload nice -n 15 "$php" -n -d "extension=$module" -d ratelimit.testing=1 tests/fuzz/expire.php "$seconds" "${SEED:-}"
}

failed=0
for fuzzer in "${fuzzers[@]}"; do
	case $fuzzer in
		core | outside) run_fuzzer "$fuzzer" || failed=1 ;;
		expire) run_expire || failed=1 ;;
		*) need "no fuzzer $fuzzer (there are: core outside expire)" ;;
	esac
done
exit "$failed"
