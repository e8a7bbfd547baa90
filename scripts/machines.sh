#!/usr/bin/env bash
# Several machines, one Redis, one limit: a million decisions while scripts are flushed, connections killed and cables
# pulled. Prints the figures; ends with an error when a limit was exceeded, or anything was counted twice.
#
#     scripts/machines.sh [--cluster] [DECISIONS] [RATELIMIT.SO]
#
# As root each machine is a network namespace; else, or with NAMESPACES=0, a process on the server's unix socket. Each has
# a clock of its own, and they differ. --cluster: processes, and a cluster of three masters, whose slots move meanwhile.
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
php -n "${extensions[@]}" -d "extension=$(realpath "$module")" tests/tools/machines.php "${1:-1000000}" "$how" |
	tr ',' '\n' | tr -d '{}"' | sed 's/_/ /g; s/:/: /; s/^/    /'
