#!/usr/bin/env bash
# Shows the limiter at work: builds it in out/demo, and plays the article's three scenes through the controllers in
# examples/, first on shared memory, then on a Redis of its own. Runs on Debian 12 and 13, and installs missing packages.
# Stops every process that it started.
#
#   scripts/demo.sh                 the three scenes, as tables
#   scripts/demo.sh --web           the controllers as a web application, until Ctrl-C; PORT: its port (default: a free one)
#   scripts/demo.sh --web --redis   the same application on two machines, which share a Redis that a button stops and starts
#
# MODULE: a built ratelimit.so; then nothing is built or installed.
set -euo pipefail
cd "$(dirname "$0")/.."

web=false redis=false
for option in "$@"; do
	case $option in
		--web) web=true ;;
		--redis) redis=true ;;
		--help | -h) sed -n '/^# Shows/,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit ;;
		*) echo "demo.sh: there is no option $option; see demo.sh --help" >&2 && exit 2 ;;
	esac
done

out=$PWD/out/demo
temporary=
redis_pid=
web_pids=()

stop_redis() {
	[ -z "$redis_pid" ] || { kill "$redis_pid" && wait "$redis_pid"; } 2>/dev/null || true
	redis_pid=
}
finish() {
	# A terminated PHP server does not terminate its workers.
	local pid workers
	for pid in "${web_pids[@]}"; do
		workers=()
		read -ra workers 2>/dev/null <"/proc/$pid/task/$pid/children" || true
		{ kill "${workers[@]}" "$pid" && wait "$pid"; } 2>/dev/null || true
	done
	stop_redis
	[ -z "$temporary" ] || rm -rf "$temporary"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
else
	bold='' dim='' plain=''
fi

title() { printf '\n%s%s%s\n\n' "$bold" "$1" "$plain"; }
step() { printf '%s%s%s\n' "$dim" "$1" "$plain"; }

# Returns true when this PHP loads the module.
is_loaded() { php -n -d "extension=$module" -m 2>/dev/null | grep -x ratelimit >/dev/null; }

# Returns true when it does, and the module is newer than its sources.
is_built() {
	is_loaded &&
		[ -z "$(find config.m4 Makefile.frag src/redis/lua/embed.sh src ./*.[ch] -type f -newer "$module" -print -quit)" ]
}

[ -n "${MODULE:-}" ] || scripts/install-deps.sh demo
missing() { echo "demo.sh: $1" >&2 && exit 1; }
command -v php >/dev/null || missing "php is not installed"
server=$(command -v redis-server || command -v valkey-server) || server=
client=$(command -v redis-cli || command -v valkey-cli) || client=
{ $web && ! $redis; } || { [ -n "$server" ] && [ -n "$client" ]; } || missing "redis-server and redis-cli are not installed; --web needs neither"

module=${MODULE:-$out/src/modules/ratelimit.so}
[ -z "${MODULE:-}" ] || is_loaded || missing "PHP does not load MODULE=$MODULE"
if [ -z "${MODULE:-}" ] && ! is_built; then
	step "Building the extension in out/demo (half a minute; some minutes on a busy machine) …"
	rm -rf "$out"
	scripts/build-copy.sh "$out/src" >/dev/null
fi

php=(php -n -d "extension=$module" -d ratelimit.shm_path=private -d display_errors=stderr)
zone=$(readlink -f /etc/localtime | sed -n 's|.*/zoneinfo/||p') # midnight is this machine's
[ -z "$zone" ] || php+=(-d "date.timezone=$zone")

temporary=$(mktemp -d)
socket=$temporary/redis.sock

# Its counts survive a stop.
start_redis() {
	"$server" --port 0 --unixsocket "$socket" --dir "$temporary" --save '' --appendonly yes --daemonize no \
		>"$temporary/redis.log" 2>&1 &
	redis_pid=$!
	for _ in $(seq 100); do
		[ "$("$client" -s "$socket" ping 2>/dev/null)" != PONG ] || return 0
		kill -0 "$redis_pid" 2>/dev/null || { echo "demo.sh: Redis did not start:" >&2; cat "$temporary/redis.log" >&2; exit 1; }
		sleep 0.05
	done
}

free_port() {
	php -n -r 'echo explode(":", stream_socket_get_name(stream_socket_server("tcp://127.0.0.1:0"), false))[1];'
}

# Starts one machine: a PHP with shared memory of its own, and four processes.
start_web() { # name, address
	local log=$temporary/web-$1.log
	: >"$log"
	# This script handles Ctrl-C, and terminates the workers.
	(trap '' INT && DEMO_MACHINE=$1 PHP_CLI_SERVER_WORKERS=3 exec "${php[@]}" -S "$2" -t examples/app/public \
		examples/app/public/index.php) >"$log" 2>&1 &
	web_pids+=($!)
	# The log proves the start: another program may listen at that address.
	for _ in $(seq 100); do
		! grep -q ') started' "$log" || return 0
		kill -0 "${web_pids[-1]}" 2>/dev/null || break
		sleep 0.05
	done
	echo "demo.sh: the server did not start:" >&2
	cat "$log" >&2
	exit 1
}

# Stops and starts Redis as the page's button wants it, until a server ends.
mind_redis() {
	local want
	while kill -0 "${web_pids[@]}" 2>/dev/null; do
		want=$(cat "$DEMO_CONTROL")
		case $want,$redis_pid in
			stop,?*) stop_redis ;;
			start,) start_redis ;;
		esac
		sleep 0.2
	done
}

serve() {
	local port=${PORT:-0} second=
	[ "$port" != 0 ] || port=$(free_port)
	local first=127.0.0.1:$port
	RATELIMIT_PASSWORD=$(php -n -r 'echo bin2hex(random_bytes(4));')
	export RATELIMIT_PASSWORD
	if $redis; then
		second=127.0.0.1:$(free_port)
		start_redis
		php+=(-d "ratelimit.store=\"unix://$socket\"")
		export DEMO_CONTROL=$temporary/want DEMO_MACHINES="A=http://$first B=http://$second"
		echo start >"$DEMO_CONTROL"
	fi
	start_web A "$first"
	[ -z "$second" ] || start_web B "$second"
	title "http://$first/"
	echo "  http://$first/ratelimit.php shows what is refused; its password: $RATELIMIT_PASSWORD"
	echo
	if $redis; then
		echo "  http://$second/ is a second machine: its shared memory is its own, and Redis is common to both."
		echo "  A button on the page stops Redis, and starts it again."
	else
		echo "  Four PHP processes share one count."
	fi
	echo "  On nginx and php-fpm: examples/app/nginx.conf. The documentation: README.md"
	echo "  Ctrl-C ends it."
	if $redis; then
		mind_redis
	else
		wait "${web_pids[@]}"
	fi
}

if $web; then
	serve
	exit
fi

title "On shared memory: PHP is the only requirement"
step "Each call goes through CommentController, LikeController and UploadController in examples/app."
step "The clock is frozen; then it advances to the last millisecond of each refusal, and to its end."
echo
"${php[@]}" -d ratelimit.testing=1 examples/scenes.php

start_redis

title "On Redis: the same controllers, for many machines"
step "One setting selects Redis: ratelimit.store=unix:///…/redis.sock"
echo
"${php[@]}" -d "ratelimit.store=\"unix://$socket\"" -d ratelimit.on_failure=throw examples/scenes.php

echo
printf '  %-22s %9s  %14s\n' "key on Redis" "value" "left to live"
printf '  %-22s %9s  %14s\n' "----------------------" "---------" "--------------"
for action in comment like upload; do
	key=act:limit:$action:7
	value=$("$client" -s "$socket" get "$key")
	left=$("$client" -s "$socket" pttl "$key")
	[ "$value" != 16777216 ] || value='a ban'
	printf '  %-22s %9s  %11s ms\n' "$key" "$value" "$left"
done

title "Next"
cat <<TEXT
  scripts/demo.sh --web   the same controllers as a web application, with buttons to press
  README.md, "Install"    describes the installation
  docs/limiters.md        six algorithms, several limits at once, permits, bookings of future moments
  examples/README.md      applications to start from
TEXT
