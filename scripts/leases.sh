#!/usr/bin/env bash
# Plays leased permits over thousands of windows, and kills workers and whole hosts at random. It checks that no window
# exceeds its limit, and measures the share of stranded permits.
#
#   scripts/leases.sh [SECONDS]    for each of seven set-ups; 20 by default
#
# EXTENSION: the extension's file (default: modules/ratelimit.so). PHP: the interpreter. Requires pcntl, posix and a
# redis-server.
#
# Columns: of: one window of a limiter or of a counter (check()), several limits, a sliding window or a bucket, for which
# "windows" are spans of time. demand: the calls of a window,
# as a share of its limit; "all": without a pause. over: windows that admitted more than the limit. stray: permits used after
# their window. stranded: the share of calls that leases refused and Redis would have admitted. leased: the share of
# admissions without a request to Redis.
set -euo pipefail
cd "$(dirname "$0")/.."
php=${PHP:-php}
options=(-n -d memory_limit=-1 -d "extension=${EXTENSION:-$PWD/modules/ratelimit.so}" -d ratelimit.shm_path=private)
for name in pcntl posix; do
	"$php" -n -r "exit((int) !extension_loaded('$name'));" || options+=(-d "extension=$name")
done
exec "$php" "${options[@]}" scripts/leases.php "${1:-20}"
