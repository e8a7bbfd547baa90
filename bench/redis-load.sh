#!/usr/bin/env bash
# Measures the processor time of a decision on the Redis server, with four workers without a pause: docs/redis.md, Sizing.
#
#     bench/redis-load.sh [SECONDS [RATELIMIT.SO]]
#
# Starts a redis-server of its own on a unix socket. Prints a line for each kind of decision.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-5}
module=${2:-$(scripts/build-copy.sh "$PWD/out/redis-load/src")}
folder=$(mktemp -d)
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
server=$!
trap 'kill "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S "$folder/redis.sock" ]; do sleep 0.05; done

# Prints the server's processor time in ticks.
ticks() {
	sed 's/.*) //' "/proc/$server/stat" | awk '{print $12 + $13}'
}

measure() { # label, a PHP function from a number to a decision
	local before after workers=() i
	before=$(ticks)
	for i in 1 2 3 4; do
		php -n -d "extension=$(realpath "$module")" -d ratelimit.shm_path=private -d "ratelimit.store=\"unix://$folder/redis.sock?timeout=10000&deny_cache=0\"" \
			-d ratelimit.on_failure=throw -r "
				use FrequencyLimit\\{Limit, Limiter};
				\$decide = $2;
				for (\$n = 0, \$end = hrtime(true) + $seconds * 1e9; hrtime(true) < \$end; \$n++) {
					\$decide(\$n % 5000 + 1);
				}
				echo \$n, PHP_EOL;" >"$folder/$i" &
		workers+=($!)
	done
	for i in "${workers[@]}"; do wait "$i"; done
	after=$(ticks)
	cat "$folder"/[1-4] | awk -v what="$1" -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" \
		'{n += $1} END {us = ticks / hz * 1e6 / n; printf "%-36s %5.1f us, %6d a second on a core\n", what, us, 1e6 / us}'
}

measure 'doHandle(), admitted' 'fn ($id) => FrequencyLimit::doHandle("a", $id, 3600, 1000000)'
measure 'doHandle(), refused' 'fn ($id) => FrequencyLimit::doHandle("r", $id, 3600, 1)'
for limit in 'fixedWindow(1000000, 3600)' 'fixedWindow(1, 3600)' 'slidingLog(100, 5)' 'tokenBucket(1000000, 3600)'; do
	measure "Limit::$limit" "(fn (\$l) => fn (\$id) => \$l->consume(\$id))(new Limiter('$limit', Limit::$limit))"
done
