#!/usr/bin/env bash
# Simulates ten machines that share a Redis: 1,000,000 decisions a second about 1,000,000 identities by Zipf's law, with
# leases and without. tests/tools/fleet.c has the model; the estimate of the demand is the extension's own code.
#
#   bench/fleet.sh [--write] [SECONDS] [SEED]    125 seconds and seed 1 by default: two minutes on a free processor
#
# The same seed gives the same numbers. --write puts the table into docs/redis.md; docs/pictures.php then draws its picture.
# CC: the compiler. A server's time for a request is that of docs/redis.md, 9.5 µs, and half of a server is in use.
set -euo pipefail
cd "$(dirname "$0")/.."

write=
if [ "${1:-}" = --write ]; then
	write=yes
	shift
fi
seconds=${1:-125} seed=${2:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra tests/tools/fleet.c -o "$folder/fleet"

# Prints the rows of one set-up: its name, then those of fleet.c.
play() { # name, fleet's arguments …
	echo "playing: $1" >&2
	"$folder/fleet" "${@:2}" "$seconds" "$seed" | sed "s/^/$1\t/"
}
{
	play '`lease=off`, `deny_cache=1000`' none 1000
	play '`auto`, `1000`' lease 1000
	play '`off`, `window`' none 0
	play '`auto`, `window`' lease 0
} >"$folder/rows"

# Fields: 1 set-up, 2 row, 3 decisions, 4 asked, 5 asked and refused, 6 from a batch, 7 refused, 8 early, 9 full windows, 10 stranded.
awk -F '\t' '
	BEGIN {
		print "| 10 machines | ask Redis | requests a second | servers, half in use | of the 200 hottest ask | refused early, limit 1,000 | stranded, limit 1,000 |"
		print "|---|--:|--:|--:|--:|--:|--:|"
	}
	$2 == "1000 in 60 s" { early = $8; stranded = $10 }
	$2 == "all" { asked = $4 }
	$2 == "the 200 hottest" {
		servers = asked * 1e4 * 9.5e-6 * 2
		printf "| %s | %.1f %% | %d,000 | %d | %.1f %% | %.2f %% | %.2f %% |\n", $1, asked, asked * 10 + 0.5,
			servers == int(servers) ? servers : int(servers) + 1, $4, early, stranded
	}' "$folder/rows" | tee "$folder/table"
echo
column -t -s $'\t' "$folder/rows"

if [ -n "$write" ]; then
	sed -i -e '/<!-- fleet:begin -->/,/<!-- fleet:end -->/{/<!-- fleet:/!d' -e '}' docs/redis.md
	sed -i "/<!-- fleet:begin -->/r $folder/table" docs/redis.md
fi
