#!/usr/bin/env bash
# Runs for minutes or hours what the tests do for seconds: scripts/long.sh NAME [arguments]
#
#   attack [SECONDS] [SEED] [bits]  an attacker writes into the segment while others use it, in C with sanitizers
#                                   (tests/c/shm/attack.c); an hour by default
#   attack php [SECONDS] [SEED]     the same by PHP and bin/ratelimit (tests/tools/attack.php)
#   breaks [--whole] [NAME ...]     plants breaks into the code, and expects the short run of test.sh to find each
#                                   (tests/tools/breaks.sh)
#   callbacks [SECONDS]             application code that does anything in any callback, in forks and in web requests, with sanitizers
#                                   (tests/fuzz/callbacks.php): half an hour each by default
#   dead-redis [SECONDS]            the cost of a dead Redis, with nginx, 8 php-fpm workers and wrk: while Redis answers, while it is
#                                   down, while it is silent. "calls that waited" were delayed by Redis. One machine should have one
#                                   per retry_delay
#   outage [SECONDS]                the cost of a Redis that stutters, and what it lets through: the table of docs/redis.md
#   outages [CALLS] [SEED] [MACHINES]   random programs over outages of Redis, a million calls of two machines, against a model that
#                                   states the bound. All waits are simulated. A difference is printed as a program, shrunk
#   failover                        the loss of a failover with Sentinel and with Cluster: with working replication, with one that
#                                   stopped seconds before the master was killed, with min-replicas-max-lag. Needs root: each
#                                   server has a network namespace
#   fuzz [SECONDS] [FUZZER ...]     any bytes as input (tests/fuzz/run.sh)
#   leases [SECONDS]                leases over thousands of windows, while workers and hosts are killed; for each of seven set-ups.
#                                   No window may exceed its limit (tests/tools/leases.php explains the columns)
#   machines [--cluster] [DECISIONS]   a million decisions of several machines, with a clock each, on one Redis and one limit, while
#                                   it flushes scripts and kills connections, and networks are cut. Fails when a limit was exceeded or
#                                   a call was counted twice. With root each machine is a network namespace; NAMESPACES=0, or no root:
#                                   a process. --cluster: three masters, whose slots move during the run
#   model [CALLS] [SEED]            random programs, a million calls each, against the reference model, on the core alone and on each
#                                   store. STORES=redis KINDS=booking plays some. A difference is printed as a program, shrunk
#   spin [-m] [MODEL ...]           the protocols, exhaustively, by the model checker SPIN (tests/spin/run.sh)
#   storm [--apcu] [SECONDS]        eight workers decide without a pause, and every 2 ms one of them is killed and replaced, or
#                                   stopped for 2 ms. Fails when more calls than pauses between calls took 10 ms, when a limit was
#                                   exceeded, or when a permit was lost without a death
#   sweep [--apcu] [SCENARIO[:kill|:hold|:twice] ...]   kills, stops or twice kills a worker after EVERY instruction of a decision.
#                                   Another worker must then answer at once and exactly
#   uninitialized                   the C tests under MemorySanitizer: does anything read memory that nobody has written? Some five minutes
#
# --apcu plays a limiter with APCu, whose lock hangs: proof that a storm or a sweep can fail.
#
# PHP: the interpreter. MODULE: a built ratelimit.so (default: built in out/long). OUT: the folder of builds. JOBS: programs at a time.
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-}
[ $# -eq 0 ] || shift
php=${PHP:-php}
out=$(realpath -m "${OUT:-out/long}")
mkdir -p "$out"
sanitized=(-I. -Itests/c/include -std=gnu11 -D_GNU_SOURCE -g -O1 "-fsanitize=address,undefined" -fno-sanitize-recover=all)

# Sets "run": PHP with posix and pcntl, which some PHPs have as modules, and with this extension, or with APCu in its place.
prepare() { # [--apcu]
	local each
	run=("$php" -n)
	for each in posix pcntl; do
		"$php" -n -r "exit((int) !extension_loaded('$each'));" || run+=(-d "extension=$each")
	done
	if [ "${1:-}" = --apcu ]; then
		run+=(-d extension=apcu -d apc.enable_cli=1)
	else
		module=$(realpath "${MODULE:-$(scripts/build-copy.sh "$out/module")}")
		run+=(-d "extension=$module" -d ratelimit.shm_path=private)
	fi
}
needs() { # program ...
	local each
	for each; do
		PATH=$PATH:/usr/sbin command -v "$each" >/dev/null || { echo "long.sh: $each is not installed" >&2; exit 1; }
	done
}

case $name in
	attack)
		if [ "${1:-}" = php ]; then
			shift
			prepare
			export TEST_PHP_EXECUTABLE=$php
			exec nice -n 19 "${run[@]}" tests/tools/attack.php "${1:-3600}" ${2:+"$2"}
		fi
		"${CC:-cc}" "${sanitized[@]}" -fno-omit-frame-pointer -Wall -Wextra -Werror tests/c/shm/attack.c \
			src/core/*/*.c src/shm/*/*.c src/guard/*.c src/guard/*/*.c -lpthread -o "$out/attack"
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 exec nice -n 19 "$out/attack" "${1:-3600}" "${@:2}"
		;;
	breaks) exec tests/tools/breaks.sh "$@" ;;
	callbacks)
		export FUZZ_SECONDS=$((${1:-3600} / 2)) TEST_TIMEOUT=$((${1:-3600} + 600))
		OUT=$out/asan exec nice -n 19 scripts/asan.sh tests/monitor/listener-random-callbacks.phpt tests/monitor/listener-random-requests.phpt
		;;
	dead-redis)
		needs nginx wrk
		prepare
		exec "${run[@]}" tests/tools/dead-redis.php "${1:-8}"
		;;
	outage)
		prepare
		exec "${run[@]}" bench/outage.php "${1:-4}"
		;;
	outages)
		prepare
		jobs=${JOBS:-2} seed=${2:-1}
		seq "$seed" $((seed + jobs - 1)) | xargs -P "$jobs" -I SEED \
			"${run[@]}" tests/model/outages.php $(((${1:-1000000} + jobs - 1) / jobs)) SEED "${3:-2}"
		;;
	failover)
		prepare
		for row in "sentinel 0" "sentinel 2" "sentinel 4" "sentinel 4 1" "cluster 0" "cluster 2" "cluster 4" "cluster 4 1"; do
			# shellcheck disable=SC2086
			"${run[@]}" tests/tools/failover.php $row
		done
		;;
	fuzz) exec tests/fuzz/run.sh "$@" ;;
	leases)
		prepare
		exec "${run[@]}" -d memory_limit=-1 tests/tools/leases.php "${1:-20}"
		;;
	machines)
		how=$([ "${NAMESPACES:-1}" = 0 ] && echo processes || echo namespaces)
		if [ "${1:-}" = --cluster ]; then
			how=cluster
			shift
		fi
		prepare
		"${run[@]}" tests/tools/machines.php "${1:-1000000}" "$how" | tr ',' '\n' | tr -d '{}"' | sed 's/_/ /g; s/:/: /; s/^/    /'
		;;
	model)
		prepare
		# The core alone: tests/model/core_player.inc starts this program.
		"${CC:-cc}" "${sanitized[@]}" tests/c/core/core_player.c src/core/*/*.c -o "$out/core_player"
		# In the kinds named SetBack the wall clock is set back; of the embedded store only calendars depend on it.
		kinds='counter fixedWindow calendar slidingLog slidingWindow tokenBucket compound booking permits permitsCompound concurrent large permitsLarge costs permitsCosts identities twins permitsTwins calendarSetBack permitsCalendarSetBack'
		for store in ${STORES:-core shm redis}; do
			[ "$store" != redis ] && more= || more='setBack bookingSetBack permitsSetBack autoLeased'
			for kind in ${KINDS:-$kinds $more}; do
				# Counters are no part of the core's limiters, and several identities are decided by the guard.
				case $store-$kind in core-counter | core-identities) continue ;; esac
				printf '%s %s\n' "$store" "$kind"
			done
		done | calls=${1:-1000000} seed=${2:-1} CORE_PLAYER=$out/core_player xargs -P "${JOBS:-2}" -L 1 sh -c '
			answers=$("$@" "$calls" "$seed" 2>&1) || failed=1
			printf "%s\n" "$answers"
			exit ${failed:-0}
		' model "${run[@]}" tests/model/long.php
		;;
	spin) exec tests/spin/run.sh "$@" ;;
	storm | sweep)
		subject=ours apcu=
		if [ "${1:-}" = --apcu ]; then
			subject=apcu apcu=--apcu
			shift
		fi
		prepare $apcu
		if [ "$name" = storm ]; then
			exec "${run[@]}" tests/tools/storm-all.php "${1:-60}" "$subject"
		fi
		[ -z "$apcu" ] || set -- apcu-increment
		exec "${run[@]}" tests/tools/sweep-all.php "$@"
		;;
	uninitialized)
		needs clang
		# hiredis is not built for it, so the tests of Redis' parts stay out.
		CC=clang CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=memory" TESTS=' ' OUT=$out/uninitialized exec bash tests/c/run.sh
		;;
	*)
		sed -n '/^set -/q; 2,$s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
esac
