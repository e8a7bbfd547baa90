#!/usr/bin/env bash
# Shows the limiter at work: builds it in out/demo, and plays the article's three scenes through the controllers in
# examples/, first on shared memory, then on a Redis of its own. Runs on Debian 12 and 13, and installs missing packages.
# Stops every process that it started.
#
#   scripts/demo.sh                 the three scenes, as tables
#   scripts/demo.sh --web           the controllers as a web application, until Ctrl-C; PORT: its port (default: a free one)
#   scripts/demo.sh --web --redis   the same application with its counts on a Redis of its own
set -euo pipefail
cd "$(dirname "$0")/.."

web=false redis=false
for option in "$@"; do
	case $option in
		--web) web=true ;;
		--redis) redis=true ;;
		*) sed -n '/^# Shows/,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done

out=$PWD/out/demo
temporary=
redis_pid=
web_pid=

finish() {
	# A terminated PHP server does not terminate its workers.
	local workers=()
	[ -z "$web_pid" ] || read -ra workers <"/proc/$web_pid/task/$web_pid/children" || true
	[ -z "$web_pid" ] || { kill "${workers[@]}" "$web_pid" && wait "$web_pid"; } 2>/dev/null || true
	[ -z "$redis_pid" ] || { kill "$redis_pid" && wait "$redis_pid"; } 2>/dev/null || true
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

# Returns true when this PHP loads the module, and the module is newer than its sources.
is_built() {
	php -n -d "extension=$module" -m 2>/dev/null | grep -qx ratelimit &&
		[ -z "$(find config.m4 Makefile.frag scripts/embed-lua.sh src ./*.[ch] -type f -newer "$module" -print -quit)" ]
}

scripts/install-deps.sh demo
server=$(command -v redis-server || command -v valkey-server)
client=$(command -v redis-cli || command -v valkey-cli)

module=$out/src/modules/ratelimit.so
if ! is_built; then
	step "Building the extension in out/demo (some ten seconds) …"
	rm -rf "$out"
	scripts/build-copy.sh "$out/src" >/dev/null
fi

php=(php -n -d "extension=$module" -d display_errors=stderr)
zone=$(readlink -f /etc/localtime | sed -n 's|.*/zoneinfo/||p') # midnight is this machine's
[ -z "$zone" ] || php+=(-d "date.timezone=$zone")

start_redis() {
	temporary=$(mktemp -d)
	socket=$temporary/redis.sock
	"$server" --port 0 --unixsocket "$socket" --dir "$temporary" --save '' --appendonly no --daemonize no \
		>"$temporary/redis.log" 2>&1 &
	redis_pid=$!
	for _ in $(seq 100); do
		[ "$("$client" -s "$socket" ping 2>/dev/null)" != PONG ] || return 0
		kill -0 "$redis_pid" 2>/dev/null || { echo "demo.sh: Redis did not start:" >&2; cat "$temporary/redis.log" >&2; exit 1; }
		sleep 0.05
	done
}

serve() {
	local address=127.0.0.1:${PORT:-$(php -n -r '
		echo explode(":", stream_socket_get_name(stream_socket_server("tcp://127.0.0.1:0"), false))[1];')}
	if $redis; then
		start_redis
		php+=(-d "ratelimit.store=\"unix://$socket\"")
	fi
	# This script handles Ctrl-C, and terminates the workers.
	local password
	password=$(php -n -r 'echo bin2hex(random_bytes(4));')
	(trap '' INT && RATELIMIT_PASSWORD=$password PHP_CLI_SERVER_WORKERS=4 exec "${php[@]}" -S "$address" -t examples/app/public \
		examples/app/public/index.php) >"$out/web.log" 2>&1 &
	web_pid=$!
	# The log proves the start: another program may listen at that address.
	for _ in $(seq 100); do
		! grep -q ') started' "$out/web.log" || break
		kill -0 "$web_pid" 2>/dev/null || { echo "demo.sh: the server did not start:" >&2; cat "$out/web.log" >&2; exit 1; }
		sleep 0.05
	done
	title "http://$address/"
	cat <<-TEXT
		  http://$address/ratelimit.php shows the decisions; its password: $password

		  Four PHP workers share one count. Their log: out/demo/web.log
		  On nginx and php-fpm: examples/app/nginx.conf
		  Ctrl-C ends it.
	TEXT
	wait "$web_pid"
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
  scripts/test.sh         runs the tests
  README.md, "Install"    describes the installation
  docs/limiters.md        six algorithms, several limits at once, permits, bookings of future moments
  examples/README.md      ten applications to start from
TEXT
