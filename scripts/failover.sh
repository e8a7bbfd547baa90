#!/usr/bin/env bash
# Measures the loss of a failover with Sentinel and with Cluster: with working replication, with replication that stopped
# some seconds before the master was killed, and with min-replicas-max-lag as a bound. It requires root, because each
# server has a network namespace of its own.
#
#     scripts/failover.sh [RATELIMIT.SO]
set -euo pipefail
cd "$(dirname "$0")/.."

extensions=(-d extension=posix)
php -n -m | grep -x posix >/dev/null && extensions=()
php -n "${extensions[@]}" -r 'exit((int) !function_exists("pcntl_fork"));' || extensions+=(-d extension=pcntl)
module=$(realpath "${1:-$(scripts/build-copy.sh "$PWD/out/failover")}")
for row in "sentinel 0" "sentinel 2" "sentinel 4" "sentinel 4 1" "cluster 0" "cluster 2" "cluster 4" "cluster 4 1"; do
	# shellcheck disable=SC2086
	php -n "${extensions[@]}" -d "extension=$module" -d ratelimit.shm_path=private tests/tools/failover.php $row
done
