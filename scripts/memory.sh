#!/usr/bin/env bash
# What one identity costs in each store, measured, as the table of docs/algorithms.md.
#
#   scripts/memory.sh            prints it
#   scripts/memory.sh --write    and puts it there, between <!-- memory:begin --> and <!-- memory:end -->
#
# MODULE names a built ratelimit.so; without it one is built in out/memory.
set -euo pipefail
cd "$(dirname "$0")/.."

php=${PHP:-php}
module=${MODULE:-$(scripts/build-copy.sh out/memory)}
options=(-n -d "extension=$module" -d ratelimit.shm_size=256M -d ratelimit.on_failure=throw
	-d ratelimit.timeout=10000 -d ratelimit.connect_timeout=10000)
"$php" -n -m | grep -qx posix || options+=(-d extension=posix)
MEMORY_PHP=$(printf "%q " "$php" "${options[@]}" scripts/memory.php)
export MEMORY_PHP
exec "$php" "${options[@]}" scripts/memory.php "$@"
