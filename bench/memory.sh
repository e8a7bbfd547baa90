#!/usr/bin/env bash
# Measures the memory of one identity in each store: the table of docs/limiters.md.
#
#   bench/memory.sh            prints the table
#   bench/memory.sh --write    and writes it there, between <!-- memory:begin --> and <!-- memory:end -->
#
# MODULE names a built ratelimit.so (default: a build in out/memory).
set -euo pipefail
cd "$(dirname "$0")/.."

php=${PHP:-php}
module=${MODULE:-$(scripts/build-copy.sh out/memory)}
options=(-n -d "extension=$module" -d ratelimit.shm_path=private -d ratelimit.shm_size=256M -d ratelimit.on_failure=throw)
"$php" -n -m | grep -x posix >/dev/null || options+=(-d extension=posix)
MEMORY_PHP=$(printf "%q " "$php" "${options[@]}" bench/memory.php)
export MEMORY_PHP
exec "$php" "${options[@]}" bench/memory.php "$@"
