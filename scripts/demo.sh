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

# Is the module newer than everything that it is made of?
is_built() {
	[ -f "$module" ] && [ -z "$(find config.m4 scripts src ./*.[ch] -type f -newer "$module" -print -quit)" ]
}

install_missing() {
	local packages=() sudo=
	command -v php >/dev/null || packages+=(php-cli)
	command -v phpize >/dev/null || packages+=(php-dev)
	command -v make >/dev/null || packages+=(make)
	command -v pkg-config >/dev/null || packages+=(pkg-config)
	[ -f /usr/include/hiredis/hiredis.h ] || packages+=(libhiredis-dev)
	command -v redis-server >/dev/null || packages+=(redis-server)
	[ ${#packages[@]} -gt 0 ] || return 0

	[ "$(id -u)" = 0 ] || sudo=sudo
	step "Installing ${packages[*]} …"
	{
		$sudo apt-get update -qq &&
			$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
	} >"$out/apt.log" 2>&1 || {
		echo "demo.sh: apt-get could not install them:" >&2
		tail -n 10 "$out/apt.log" >&2
		exit 1
	}
	# Debian starts a server that it installs; here only its program is wanted.
	if [[ " ${packages[*]} " == *" redis-server "* ]] && systemctl is-active --quiet redis-server 2>/dev/null; then
		step "Stopping the Redis service that came with redis-server (systemctl enable --now redis-server starts it) …"
		$sudo systemctl disable --now --quiet redis-server
	fi
}

mkdir -p "$out"
install_missing

module=$out/src/modules/ratelimit.so
if ! is_built; then
	step "Building the extension in out/demo (some ten seconds) …"
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
redis-server --port 0 --unixsocket "$socket" --dir "$temporary" --save '' --appendonly no --daemonize no \
	>"$temporary/redis.log" 2>&1 &
redis_pid=$!
for _ in $(seq 100); do
	[ "$(redis-cli -s "$socket" ping 2>/dev/null)" != PONG ] || break
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
	value=$(redis-cli -s "$socket" get "$key")
	left=$(redis-cli -s "$socket" pttl "$key")
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
