#!/usr/bin/env bash
# Plays a million decisions of several machines on one Redis and one limit, while it flushes scripts, kills connections and
# disconnects networks. Prints the figures; fails when a limit was exceeded or a call was counted twice.
#
#     scripts/machines.sh [--cluster] [DECISIONS] [RATELIMIT.SO]
#
# With root each machine is a network namespace; without root, or with NAMESPACES=0, a process on the server's unix socket.
# Each has a different clock. --cluster: processes, and a cluster of three masters, whose slots move during the run.
set -euo pipefail
cd "$(dirname "$0")/.."

how=$([ "${NAMESPACES:-1}" = 0 ] && echo processes || echo namespaces)
if [ "${1:-}" = --cluster ]; then
	how=cluster
	shift
fi
extensions=(-d extension=posix)
php -n -m | grep -x posix >/dev/null && extensions=()
php -n "${extensions[@]}" -r 'exit((int) !function_exists("pcntl_fork"));' || extensions+=(-d extension=pcntl)
module=${2:-$(scripts/build-copy.sh "$PWD/out/machines")}
php -n "${extensions[@]}" -d "extension=$(realpath "$module")" -d ratelimit.shm_path=private tests/tools/machines.php "${1:-1000000}" "$how" |
	tr ',' '\n' | tr -d '{}"' | sed 's/_/ /g; s/:/: /; s/^/    /'
