#!/usr/bin/env bash
# What a dead Redis costs a site, measured with nginx, 8 workers of php-fpm and wrk: while Redis answers, while it is gone,
# while it is silent. "calls that waited" were kept up by it; of a machine it should be one for each ratelimit.retry_delay.
#
#     scripts/dead-redis.sh [SECONDS] [RATELIMIT.SO]
set -euo pipefail
cd "$(dirname "$0")/.."

for program in nginx wrk; do
	command -v "$program" >/dev/null || PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || {
		echo "dead-redis.sh: $program is not installed" >&2
		exit 1
	}
done
extensions=(-d extension=posix)
php -n -m | grep -x posix >/dev/null && extensions=()
module=$(realpath "${2:-$(scripts/build-copy.sh "$PWD/out/dead-redis")}")
exec php -n "${extensions[@]}" -d "extension=$module" tests/tools/dead-redis.php "${1:-8}"
