#!/usr/bin/env bash
# Runs the complete sweep: it kills, stops or twice kills a worker after EVERY instruction of a decision, in every scenario.
# Another worker must then answer at once and exactly. Prints one line for each sweep; fails when one fails.
#
#     scripts/sweep.sh [--apcu] [RATELIMIT.SO [SCENARIO[:kill|:hold|:twice] ...]]
#
# --apcu sweeps a limiter with APCu, whose lock remains locked: proof that a sweep can fail. Takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

extensions=(-d extension=posix)
php -n -m | grep -x posix >/dev/null && extensions=()
php -n "${extensions[@]}" -r 'exit((int) !function_exists("pcntl_fork"));' || extensions+=(-d extension=pcntl)

if [ "${1:-}" = --apcu ]; then
	exec php -n "${extensions[@]}" -d extension=apcu -d apc.enable_cli=1 tests/tools/sweep-all.php apcu-increment
fi
module=${1:-$(scripts/build-copy.sh "$PWD/out/sweep/src")}
[ $# -eq 0 ] || shift
exec php -n "${extensions[@]}" -d "extension=$(realpath "$module")" -d ratelimit.shm_path=private tests/tools/sweep-all.php "$@"
