#!/usr/bin/env bash
# A minute of each storm: eight workers that decide without a pause, and every 2 ms one of them is killed and replaced,
# or stopped for 2 ms. Prints the figures; ends with an error when calls took 10 ms more often than the time between two
# calls did (which is the machine's doing), a limit was exceeded, or a permit was lost without a death.
#
#     scripts/storm.sh [--apcu] [SECONDS] [RATELIMIT.SO]
#
# --apcu storms a limiter on APCu instead, which hangs: it shows that a storm can fail.
set -euo pipefail
cd "$(dirname "$0")/.."

extensions=(-d extension=posix)
php -n -m | grep -qx posix && extensions=()
php -n "${extensions[@]}" -r 'exit((int) !function_exists("pcntl_fork"));' || extensions+=(-d extension=pcntl)

whom=ours
if [ "${1:-}" = --apcu ]; then
	whom=apcu
	shift
fi
seconds=${1:-60}
if [ "$whom" = apcu ]; then
	extensions+=(-d extension=apcu -d apc.enable_cli=1)
else
	module=${2:-$(scripts/build-copy.sh "$PWD/out/storm/src")}
	extensions+=(-d "extension=$(realpath "$module")")
fi
exec php -n "${extensions[@]}" tests/tools/storm-all.php "$seconds" "$whom"
