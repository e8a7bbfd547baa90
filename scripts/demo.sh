#!/usr/bin/env bash
# Shows the limiter at work: builds it in out/demo, and plays the article's three scenes through the controllers in
# examples/, first on shared memory, then on a Redis of its own. On Debian 12 or 13, with whatever is there; what is
# missing is installed. Leaves nothing running.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$PWD/out/demo
temporary=
redis_pid=

finish() {
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

# Does this PHP take the module, and is it newer than everything that it is made of?
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

title "On shared memory: nothing to install beside PHP"
step "Each call goes through CommentController, LikeController and UploadController in examples/app."
step "The clock is stopped, and then moved on to the last millisecond of each refusal and to its end."
echo
"${php[@]}" -d ratelimit.testing=1 examples/scenes.php

temporary=$(mktemp -d)
socket=$temporary/redis.sock
"$server" --port 0 --unixsocket "$socket" --dir "$temporary" --save '' --appendonly no --daemonize no \
	>"$temporary/redis.log" 2>&1 &
redis_pid=$!
for _ in $(seq 100); do
	[ "$("$client" -s "$socket" ping 2>/dev/null)" != PONG ] || break
	kill -0 "$redis_pid" 2>/dev/null || { echo "demo.sh: Redis did not start:" >&2; cat "$temporary/redis.log" >&2; exit 1; }
	sleep 0.05
done

title "On Redis: the same controllers, for many machines"
step "One setting makes the difference: ratelimit.store=unix:///…/redis.sock"
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
  The same controllers as a web application (a second terminal asks it):
      php -d extension=${module#"$PWD"/} -S 127.0.0.1:8080 examples/index.php
      curl -i '127.0.0.1:8080/comment?user=7'

  scripts/test.sh         runs the tests
  README.md, "Install"    puts it into your PHP
  README.md, "Limiters"   five algorithms, several limits at once, bookings of moments to come
  examples/README.md      nine applications to start from
TEXT
