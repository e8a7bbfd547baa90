#!/usr/bin/env bash
# Compares two commits in one run: builds both, measures them in turns, and prints the ratio of each figure, after to before.
#
#   bench/compare.sh <before> [<after>]     after: a commit; default: the checkout as it is
#
# The times of doHandle(), check() and consume() of each algorithm; their instructions, where valgrind is installed; and the
# processor time of a saturated Redis. A ratio of times is the median of the ratios of neighbouring runs. The loops and the
# contestants are those of the checkout.
#
# OUT: the folder for builds and results (default: out/compare). RUNS: pairs of runs (default: 15). MS: the duration of one
# measurement (default: 4). BEFORE, AFTER: modules that are built already, in place of commits.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${BEFORE:-}" ] && [ $# -eq 0 ] || [ $# -gt 2 ]; then
	echo "usage: bench/compare.sh <before> [<after>]" >&2
	exit 2
fi
out=$(realpath -m "${OUT:-out/compare}")
runs=${RUNS:-15} ms=${MS:-4}
mkdir -p "$out"
temporary=$(mktemp -d)
redis_pid=
finish() {
	[ -z "$redis_pid" ] || kill "$redis_pid" 2>/dev/null || true
	rm -rf "$temporary"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Builds a commit in a folder of its own, and prints the path of the module.
build_commit() {
	local folder=$out/$1
	rm -rf "$folder"
	mkdir -p "$folder"
	git archive "$2" | tar --extract --directory "$folder"
	if ! (cd "$folder" && phpize && ./configure && make -j"${JOBS:-2}") >"$folder.log" 2>&1; then
		tail -n 5 "$folder.log" >&2
		return 1
	fi
	echo "$folder/modules/ratelimit.so"
}

before=${BEFORE:-}
after=${AFTER:-}
[ -n "$before" ] || before=$(build_commit before "$1")
if [ -z "$after" ]; then
	if [ $# -eq 2 ]; then
		after=$(build_commit after "$2")
	else
		rm -rf "$out/after"
		after=$(scripts/build-copy.sh "$out/after")
	fi
fi
rm -rf "$out/floor"
cp -r bench/floor "$out/floor"
(cd "$out/floor" && phpize && ./configure && make) >"$out/floor.log" 2>&1 || { tail -n 5 "$out/floor.log" >&2; exit 1; }

modules=$(php-config --extension-dir)
php=(php -n -d memory_limit=-1)
for module in posix igbinary ctype mbstring redis; do
	[ ! -f "$modules/$module.so" ] || php+=(-d "extension=$module")
done
php+=(-d "extension=$out/floor/modules/ratelimit_floor.so" -d zend_extension=opcache -d opcache.enable_cli=1
	-d opcache.file_update_protection=0 -d opcache.jit=off)
allowed=$(taskset -cp $$ | sed 's/.*: //')
first=${allowed%%[,-]*}
algorithms=fixed_window,calendar,sliding_log,sliding_window,token_bucket,three

rm -rf "$out/results"
mkdir -p "$out/results"
measure() { # scene, contestants, before or after, number of the run, rounds, options of PHP
	local module=$before
	[ "$3" = before ] || module=$after
	[ -z "$redis_pid" ] || redis-cli -s "$temporary/redis.sock" flushall >/dev/null
	BENCH_ONLY=$2 taskset -c "$first" "${php[@]}" -d "extension=$module" -d ratelimit.shm_path=private "${@:6}" bench/run.php "$1" "$5" "$ms" "$out/results/$1-$3-$4.json" >&2
}
# Which one is first changes from run to run.
pair() {
	local order=(before after)
	[ $(($2 % 2)) -eq 0 ] || order=(after before)
	for which in "${order[@]}"; do
		measure "$1" "$3" "$which" "$2" "${@:4}"
	done
}

for run in $(seq "$runs"); do
	pair memory "$run" loop,floor,dohandle,dohandle_ban,check 3
	pair series "$run" "loop,floor,$algorithms" 3 -d ratelimit.shm_size=256M
done
if command -v valgrind >/dev/null; then
	pair instructions 1 "dohandle,dohandle_ban,check,$algorithms" 1
fi
if command -v redis-server >/dev/null && [ -f "$modules/redis.so" ]; then
	setpriv --pdeathsig TERM taskset -c "$first" redis-server --port 0 --unixsocket "$temporary/redis.sock" --save '' --appendonly no \
		--dir "$temporary" --logfile "$temporary/redis.log" &
	redis_pid=$!
	for _ in $(seq 100); do
		[ ! -S "$temporary/redis.sock" ] || break
		sleep 0.1
	done
	export BENCH_REDIS=$temporary/redis.sock
	for run in $(seq "$runs"); do
		pair saturated "$run" "dohandle,$algorithms" 3 -d "ratelimit.store=\"unix://$BENCH_REDIS?deny_cache=0&timeout=60000\"" \
			-d ratelimit.on_failure=throw
	done
fi
php -n bench/compare.php "$out/results"
