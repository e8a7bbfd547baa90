#!/usr/bin/env bash
# Measures doHandle() and the limiters beside what PHP applications use today, in one interleaved run.
#
#   scripts/bench.sh            some five minutes; rewrites the tables in README.md and docs/benchmarks.md
#   scripts/bench.sh --quick    some two minutes; fewer, shorter rounds; rewrites nothing
#
# Both write out/bench/results.json and print the report. Ends with an error when a contestant admits another number of
# calls than its limit says.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=21 ms=25 write=1
for option; do
	case $option in
		--quick) rounds=7 ms=10 write=0 ;;
		--write) write=1 ;;
		*) echo "usage: scripts/bench.sh [--quick] [--write]" >&2; exit 2 ;;
	esac
done

out=$PWD/out/bench
mkdir -p "$out"
temporary=$(mktemp -d)
redis_pid=
finish() {
	[ -z "$redis_pid" ] || kill "$redis_pid" 2>/dev/null || true
	rm -rf "$temporary"
}
trap finish EXIT

scripts/install-deps.sh bench
modules=$(php-config --extension-dir)

echo "building" >&2
ours=$(scripts/build-copy.sh "$out/src")
mkdir -p "$out/floor"
cp bench/floor/* "$out/floor/"
(cd "$out/floor" && phpize && ./configure && make) >"$out/floor.log" 2>&1 || { tail -n 20 "$out/floor.log" >&2; exit 1; }

# The peers from Packagist. Without them the rest is still worth measuring.
if [ ! -f "$out/vendor/autoload.php" ] || ! cmp -s bench/composer.json "$out/composer.json"; then
	cp bench/composer.json "$out/"
	COMPOSER_ALLOW_SUPERUSER=1 composer update --working-dir="$out" --no-dev --prefer-dist --no-interaction --no-progress \
		--ignore-platform-reqs --quiet || { echo "composer found no peers: measuring without them" >&2; rm -f "$out/composer.json"; }
fi

# No distribution's settings: what is loaded, and how, stands here. 512 MB and a million hash slots are APCu at its best
# with 200,000 keys.
php=(php -n -d memory_limit=-1)
for module in posix igbinary ctype mbstring apcu redis; do
	[ ! -f "$modules/$module.so" ] || php+=(-d "extension=$module")
done
php+=(-d "extension=$out/floor/modules/ratelimit_floor.so" -d "extension=$ours"
	-d apc.enable_cli=1 -d apc.shm_size=512M -d apc.entries_hint=1048576
	-d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M
	-d opcache.file_update_protection=0) # or the loops, just written, would be neither optimised nor compiled

measure() { # scene, jit, result, options of PHP
	local scene=$1 jit=$2 result=$3
	shift 3
	echo "measuring: $result" >&2
	"${on[@]}" "${php[@]}" -d "opcache.jit=$jit" "$@" bench/run.php "$scene" "$rounds" "$ms" "$out/$result.json"
}

# One processor for what runs alone; the second is for the other process, or for Redis.
allowed=$(taskset -cp $$ | sed 's/.*: //')
read -r first second _ < <(for range in ${allowed//,/ }; do seq "${range%-*}" "${range#*-}"; done | tr '\n' ' ') || true
export BENCH_CPUS="$first ${second:-$first}"
rm -f "$out"/{memory,series,two}-*.json "$out"/redis-*.json

for jit in off tracing; do
	on=(taskset -c "$first")
	measure memory "$jit" "memory-$jit"
	measure series "$jit" "series-$jit" -d ratelimit.shm_size=256M
	on=()
	[ -z "$second" ] || measure two "$jit" "two-$jit"
done

# A Redis of our own, without persistence: first on the client's processor, then on one of its own.
on=(taskset -c "$first")
"${on[@]}" redis-server --port 0 --unixsocket "$temporary/redis.sock" --save '' --appendonly no --dir "$temporary" \
	--logfile "$temporary/redis.log" &
redis_pid=$!
for _ in $(seq 50); do
	[ ! -S "$temporary/redis.sock" ] || break
	sleep 0.1
done
export BENCH_REDIS=$temporary/redis.sock
measure redis off redis-one -d "ratelimit.store=unix://$BENCH_REDIS"
if [ -n "$second" ]; then
	taskset -acp "$second" "$redis_pid" >/dev/null
	redis-cli -s "$BENCH_REDIS" flushall >/dev/null
	measure redis off redis-two -d "ratelimit.store=unix://$BENCH_REDIS"
fi

echo "counting instructions" >&2
bench/instructions.sh "$ours" "$out/floor/modules/ratelimit_floor.so" >"$out/instructions.json" ||
	echo "no valgrind: no instructions" >&2

"${php[@]}" bench/report.php "$out" "$write"
