#!/usr/bin/env bash
# Measures the cost of a dead Redis with nginx, 8 php-fpm workers and wrk: while Redis answers, while it is down, and while
# it is silent. "calls that waited" were delayed by Redis. One machine should have one per retry_delay.
#
#     scripts/dead-redis.sh [--stutter] [SECONDS] [RATELIMIT.SO]
set -euo pipefail
cd "$(dirname "$0")/.."

tool=dead-redis needed=(nginx wrk)
if [ "${1:-}" = --stutter ]; then
	tool=stutter needed=()
	shift
fi
for program in "${needed[@]}"; do
	command -v "$program" >/dev/null || PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || {
		echo "dead-redis.sh: $program is not installed" >&2
		exit 1
	}
done
extensions=(-d extension=posix)
php -n -m | grep -x posix >/dev/null && extensions=()
php -n "${extensions[@]}" -r 'exit((int) !function_exists("pcntl_fork"));' || extensions+=(-d extension=pcntl)
module=$(realpath "${2:-$(scripts/build-copy.sh "$PWD/out/dead-redis")}")
exec php -n "${extensions[@]}" -d "extension=$module" -d ratelimit.shm_path=private "tests/tools/$tool.php" "${1:-8}"
