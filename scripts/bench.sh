#!/usr/bin/env bash
# Measures doHandle() and the limiters beside the limiters of other PHP projects, in interleaved rounds.
#
#   scripts/bench.sh                         everything, some twelve minutes; rewrites docs/benchmarks.json, the tables and
#                                            plots of docs/benchmarks.md, and the README's tables
#   scripts/bench.sh --quick                 a short run, under three minutes; prints a report, rewrites nothing
#   scripts/bench.sh [--quick] embedded      one part: embedded, redis, places or web; with --write the part replaces its figures
#                                            in docs/benchmarks.json
#
# Fails, and rewrites nothing, when a contestant admits more or fewer calls than its limit allows.
# OUT: the folder for builds and results (default: out/bench).
set -euo pipefail
cd "$(dirname "$0")/.."

quick=0 write='' parts=()
for option; do
	case $option in
		--quick) quick=1 ;;
		--write) write=parts ;;
		embedded | redis | places | web) parts+=("$option") ;;
		*) echo "usage: scripts/bench.sh [--quick] [--write] [embedded] [redis] [places] [web]" >&2; exit 2 ;;
	esac
done
# Only a full run replaces the figures by default.
if [ ${#parts[@]} -eq 0 ]; then
	parts=(embedded redis places web)
	[ "$quick" -eq 1 ] || write=all
fi

if [ "$quick" -eq 1 ]; then
	rounds=3 ms=4 sizes='1000 100000 1000000' few_sizes='1000 100000'
else
	rounds=21 ms=25 sizes='1000 10000 100000 1000000 10000000' few_sizes='1000 100000 10000000'
fi

out=$(realpath -m "${OUT:-out/bench}")
mkdir -p "$out"
temporary=$(mktemp -d)
redis_pid=
finish() {
	[ -z "$redis_pid" ] || kill "$redis_pid" 2>/dev/null || true
	rm -rf "$temporary"
}
trap finish EXIT
trap 'exit 130' INT TERM

scripts/install-deps.sh bench
modules=$(php-config --extension-dir)

echo "building" >&2
ours=$(scripts/build-copy.sh "$out/src")
# A fresh build: an old configure run would miss new files.
rm -rf "$out/floor"
cp -r bench/floor "$out/floor"
(cd "$out/floor" && phpize && ./configure && make) >"$out/floor.log" 2>&1 || { tail -n 20 "$out/floor.log" >&2; exit 1; }

# The peers from Packagist. Without them the run continues; the report names the missing ones.
if [ ! -f "$out/vendor/autoload.php" ] || ! cmp -s bench/composer.json "$out/composer.json"; then
	cp bench/composer.json "$out/"
	COMPOSER_ALLOW_SUPERUSER=1 composer update --working-dir="$out" --no-dev --prefer-dist --no-interaction --no-progress \
		--ignore-platform-reqs --quiet || { echo "bench.sh: composer could not install the peers: the run continues without them" >&2; rm -f "$out/composer.json"; }
fi

if [ -f "$out/vendor/autoload.php" ]; then
	export BENCH_AUTOLOAD=$out/vendor/autoload.php
fi

# No php.ini of a distribution: every extension and setting is listed here. APCu is fastest for 200,000 keys with 512 MB
# and a million hash slots.
php=(php -n -d memory_limit=-1)
for module in posix igbinary ctype mbstring sysvsem apcu redis; do
	[ ! -f "$modules/$module.so" ] || php+=(-d "extension=$module")
done
php+=(-d "extension=$out/floor/modules/ratelimit_floor.so" -d "extension=$ours" -d ratelimit.shm_path=private
	-d apc.enable_cli=1 -d apc.shm_size=512M -d apc.entries_hint=1048576
	-d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M
	-d opcache.file_update_protection=0) # otherwise opcache skips the loops, whose files are new

failed=0
measure() { # scene, jit, result, options of PHP
	local scene=$1 jit=$2 result=$3 started=$SECONDS
	shift 3
	printf 'measuring: %s' "$result" >&2
	if "${on[@]}" "${php[@]}" -d "opcache.jit=$jit" "$@" bench/run.php "$scene" "$rounds" "$ms" "$results/$part/$result.json" >&2; then
		echo " ($((SECONDS - started)) s)" >&2
	else
		echo "bench.sh: $result failed" >&2
		failed=1
	fi
}

# The first processor runs the measured process, the second one the other process or the server.
allowed=$(taskset -cp $$ | sed 's/.*: //')
read -r first second _ < <(for range in ${allowed//,/ }; do seq "${range%-*}" "${range#*-}"; done | tr '\n' ' ') || true
export BENCH_CPUS="$first ${second:-$first}"
# Results of other parts stay, so that a failed part can be repeated alone.
results=$out/results
[ "$quick" -eq 0 ] || results=$out/results-quick

measure_embedded() {
	local jit size limiter
	for jit in off tracing; do
		on=(taskset -c "$first")
		measure memory "$jit" "memory-$jit"
		measure series "$jit" "series-$jit" -d ratelimit.shm_size=256M
		on=()
		[ -z "$second" ] || measure two "$jit" "two-$jit"
	done
	[ -z "$second" ] || measure crowd off crowd -d ratelimit.shm_size=512M
	on=(taskset -c "$first")
	export BENCH_IDENTITIES BENCH_ONLY=loop,floor,dohandle,apcu_inc
	for BENCH_IDENTITIES in $sizes; do
		# Half of the table stays free, as in production; the same holds for APCu's.
		for jit in off tracing; do
			[ "$jit,$BENCH_IDENTITIES" != tracing,10000000 ] || continue # a minute for one row
			measure growth "$jit" "growth-$jit-$BENCH_IDENTITIES" -d "ratelimit.shm_size=$((BENCH_IDENTITIES / 15000 + 32))M" \
				-d "apc.shm_size=$((BENCH_IDENTITIES / 4500 + 64))M" -d "apc.entries_hint=$BENCH_IDENTITIES"
		done
	done
	# The ratios vary less than those of one identity, and the scenes after this one have no rounds.
	local rounds=$((rounds < 9 ? rounds : 9))
	for limiter in fixed_window calendar sliding_window slow_bucket; do
		BENCH_ONLY=loop,floor,dohandle,$limiter
		for BENCH_IDENTITIES in $few_sizes; do
			# Half of the segment is the table, with an entry for each of two contestants. The other half has the records: 64
			# bytes for an identity, or 192 for a sliding window. A machine without that memory leaves the row out.
			size=$((BENCH_IDENTITIES / 6500 + 32))
			[ "$limiter" != sliding_window ] || size=$((BENCH_IDENTITIES / 2300 + 32))
			if [ $((size * 1024)) -gt "$(awk '/^MemAvailable:/ { print int($2 * 0.8) }' /proc/meminfo)" ]; then
				echo "not measured: $limiter with $BENCH_IDENTITIES identities takes $size MB" >&2
				continue
			fi
			measure growth off "kind-$limiter-$BENCH_IDENTITIES" -d "ratelimit.shm_size=${size}M" -d apc.shm_size=32M
		done
	done
	unset BENCH_ONLY BENCH_IDENTITIES
	measure bytes off bytes-embedded
	measure instructions off instructions
}

# Starts a Redis without persistence, on a unix socket and on a port that the kernel chose.
start_redis() {
	local port
	for _ in 1 2 3 4 5; do
		port=$(php -n -r '$s = stream_socket_server("tcp://127.0.0.1:0"); echo substr(strrchr(stream_socket_get_name($s, false), ":"), 1);')
		setpriv --pdeathsig TERM taskset -c "$first" redis-server --port "$port" --bind 127.0.0.1 --unixsocket "$temporary/redis.sock" --save '' --appendonly no \
			--dir "$temporary" --logfile "$temporary/redis.log" &
		redis_pid=$!
		for _ in $(seq 50); do
			if [ -S "$temporary/redis.sock" ] && [ "$(redis-cli -s "$temporary/redis.sock" ping 2>/dev/null)" = PONG ]; then
				redis_tcp=127.0.0.1:$port
				return
			fi
			kill -0 "$redis_pid" 2>/dev/null || break
			sleep 0.1
		done
		kill "$redis_pid" 2>/dev/null || true
		wait "$redis_pid" 2>/dev/null || true
	done
	echo "bench.sh: redis-server did not start; the end of its log:" >&2
	tail -n 5 "$temporary/redis.log" >&2
	redis_pid=
	return 1
}

# Measures a scene on an empty Redis. The deny cache is off, except in the scene that measures it.
over() { # unix or tcp, scene, result
	local where=$1 scene=$2 result=$3 store cache=0
	redis-cli -s "$temporary/redis.sock" flushall >/dev/null
	if [ "$where" = unix ]; then
		export BENCH_REDIS=$temporary/redis.sock
		store=unix://$BENCH_REDIS
	else
		export BENCH_REDIS=$redis_tcp
		store=redis://$BENCH_REDIS
	fi
	[ "$scene" != guarded ] || cache=1000
	measure "$scene" off "$result" \
		-d "ratelimit.store=\"$store?deny_cache=$cache&timeout=60000&connect_timeout=60000\"" -d ratelimit.on_failure=throw
	unset BENCH_REDIS
}

measure_redis() {
	local cores where
	start_redis || { failed=1; return; }
	on=(taskset -c "$first")
	for cores in one two; do
		if [ "$cores" = two ]; then
			[ -n "$second" ] || break
			taskset -acp "$second" "$redis_pid" >/dev/null
		fi
		for where in unix tcp; do
			over "$where" redis "redis-$cores-$where"
		done
		over unix guarded "guarded-$cores"
	done
	over unix saturated saturated
	# The number of bytes does not depend on the processor; one processor is faster here.
	taskset -acp "$first" "$redis_pid" >/dev/null
	over unix bytes bytes-redis
}

# Ours on shared memory beside peers on Redis.
measure_places() {
	[ -n "$redis_pid" ] || start_redis || { failed=1; return; }
	on=(taskset -c "$first")
	taskset -acp "$first" "$redis_pid" >/dev/null
	redis-cli -s "$temporary/redis.sock" flushall >/dev/null
	export BENCH_REDIS=$temporary/redis.sock
	measure places off places -d ratelimit.on_failure=throw
	unset BENCH_REDIS
}

measure_web() {
	on=()
	measure cold off cold
	measure web off web
}

for part in "${parts[@]}"; do
	rm -rf "${results:?}/$part"
	mkdir -p "$results/$part"
	"measure_$part"
done

if [ "$failed" -ne 0 ]; then
	write=
fi
"${php[@]}" bench/report.php "$results" "$write"
if [ "$failed" -ne 0 ]; then
	echo "bench.sh: a measurement failed or a contestant admitted a wrong number, see above. Nothing was rewritten. Repeat one part with --write." >&2
	exit 1
fi
