#!/usr/bin/env bash
# Leased permits over thousands of windows, with workers and whole hosts killed at random: does any window exceed its limit,
# and what share of the permits is stranded?
#
#   scripts/leases.sh [SECONDS]    for each of ten set-ups; 20 by default
#
# EXTENSION: the extension's file (default: modules/ratelimit.so). PHP: as usual. Needs pcntl, posix and a redis-server.
#
# demand: the calls for a window, as a share of its limit; all: as many as can be.
# over: windows that admitted more than the limit. stray: permits used after their window. stranded: of what was asked, and
# would have passed without leases, what did not. leased: of what passed, what cost Redis nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
php=${PHP:-php}
options=(-n -d memory_limit=-1 -d "extension=${EXTENSION:-$PWD/modules/ratelimit.so}")
for name in pcntl posix; do
	"$php" -n -r "exit((int) !extension_loaded('$name'));" || options+=(-d "extension=$name")
done
exec "$php" "${options[@]}" scripts/leases.php "${1:-20}"
