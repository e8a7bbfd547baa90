#!/usr/bin/env bash
# Simulates ten machines, behind a balancer that hashes the identity or with a Redis that they share: 1,000,000 decisions a second
# about 1,000,000 identities by Zipf's law, with leases and without. tests/tools/fleet.c has the model; the estimate of the demand is
# the extension's own code. Then it plays each way with ten seconds of failure: a machine, or Redis, is away.
#
#   bench/fleet.sh [--write] [SECONDS] [SEED]    125 seconds and seed 1 by default: four minutes on a free processor
#
# The same seed gives the same numbers. --write puts the tables into docs/redis.md; docs/pictures.php then draws its picture.
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
	local more=()
	[ $# -gt 3 ] || more=("$seconds" "$seed")
	"$folder/fleet" "${@:2}" "${more[@]}" | sed "s/^/$1\t/"
}
{
	play '`lease=off`, `deny_cache=1000`' none 1000
	play '`auto`, `1000`' lease 1000
	play '`off`, `window`' none 0
	play '`auto`, `window`' lease 0
	play hash hash 0
} >"$folder/rows"
away=(125 "$seed" 70 10)
{
	play 'hash' hash 0 "${away[@]}"
	play 'Redis' none 1000 "${away[@]}"
	play 'lease' lease 1000 "${away[@]}"
	play 'share' lease 1000 "${away[@]}" 10
} >"$folder/away"

# Fields: 1 set-up, 2 row, 3 decisions, 4 asked, 5 asked and refused, 6 from a batch, 7 refused, 8 early, 9 full windows, 10 stranded,
# 11 the most in a window, 12 beyond.
awk -F '\t' '
	BEGIN {
		print "| 10 machines | ask Redis | requests a second | servers, half in use | of the 200 hottest ask | refused early, limit 1,000 | stranded, limit 1,000 |"
		print "|---|--:|--:|--:|--:|--:|--:|"
	}
	$2 == "1000 in 60 s" { early = $8; stranded = $10 }
	$2 == "all" { asked = $4 }
	$2 == "the 200 hottest" && $1 != "hash" {
		servers = asked * 1e4 * 9.5e-6 * 2
		printf "| %s | %.1f %% | %d,000 | %d | %.1f %% | %.2f %% | %.2f %% |\n", $1, asked, asked * 10 + 0.5,
			servers == int(servers) ? servers : int(servers) + 1, $4, early, stranded
	}' "$folder/rows" | tee "$folder/table"
awk -F '\t' '
	BEGIN {
		way["hash"] = "hash"
		way["`lease=off`, `deny_cache=1000`"] = "Redis"
		way["`auto`, `1000`"] = "lease"
		say["hash"] = "hash, `shm:` | a machine is away, and returns with its memory"
		say["Redis"] = "Redis, `deny_cache=1000` | Redis is away"
		say["lease"] = "Redis, `lease=auto` | Redis is away"
		say["share"] = "the same with `local:1/10` | Redis is away"
		print "| way | ask Redis | most in a window | ten seconds of failure | most of a limit of 10 | of 1,000 | of 100,000 | beyond the limits |"
		print "|---|--:|--:|---|--:|--:|--:|--:|"
	}
	FNR == NR && $2 == "all" { asked[way[$1]] = $4; most[way[$1]] = $11 }
	FNR == NR { next }
	$2 == "10 in 30 s" { ten = $11 }
	$2 == "1000 in 60 s" { thousand = $11 }
	$2 == "100000 in 60 s" { hundred = $11 }
	$2 == "all" {
		of = $1 == "share" ? "lease" : $1
		split(say[$1], words, " \\| ")
		printf "| %s | %.1f %% | %.2f times | %s | %.2f times | %.2f | %.2f | %.2f %% |\n", words[1], asked[of], most[of], words[2],
			ten, thousand, hundred, $12
	}' "$folder/rows" "$folder/away" | tee "$folder/bounds"
echo
column -t -s $'\t' "$folder/rows" "$folder/away"

if [ -n "$write" ]; then
	for each in fleet:table ways:bounds; do
		marker=${each%:*}
		sed -i -e "/<!-- $marker:begin -->/,/<!-- $marker:end -->/{/<!-- $marker:/!d" -e '}' docs/redis.md
		sed -i "/<!-- $marker:begin -->/r $folder/${each#*:}" docs/redis.md
	done
fi
