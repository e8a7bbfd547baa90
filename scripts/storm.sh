#!/usr/bin/env bash
# Runs each storm for a minute: eight workers decide without a pause, and every 2 ms one of them is killed and replaced, or
# stopped for 2 ms. Prints the figures. Fails when more calls than pauses between calls took 10 ms (pauses are the
# machine's), when a limit was exceeded, or when a permit was lost without a death.
#
#     scripts/storm.sh [--apcu] [SECONDS] [RATELIMIT.SO]
#
# --apcu plays the storm on a limiter with APCu, which hangs: proof that a storm can fail.
set -euo pipefail
cd "$(dirname "$0")/.."

extensions=(-d extension=posix)
php -n -m | grep -x posix >/dev/null && extensions=()
php -n "${extensions[@]}" -r 'exit((int) !function_exists("pcntl_fork"));' || extensions+=(-d extension=pcntl)

subject=ours
if [ "${1:-}" = --apcu ]; then
	subject=apcu
	shift
fi
seconds=${1:-60}
if [ "$subject" = apcu ]; then
	extensions+=(-d extension=apcu -d apc.enable_cli=1)
else
	module=${2:-$(scripts/build-copy.sh "$PWD/out/storm/src")}
	extensions+=(-d "extension=$(realpath "$module")" -d ratelimit.shm_path=private)
fi
exec php -n "${extensions[@]}" tests/tools/storm-all.php "$seconds" "$subject"
