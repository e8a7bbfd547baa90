#!/usr/bin/env bash
# Instructions of one decision, as JSON: instructions.sh <ratelimit.so> <ratelimit_floor.so>
#
# Callgrind counts what N and 2N calls take; the difference, by N and without the loop's own, is what one call takes.
# No clock and no neighbour disturbs it: it is the same on every run. (valgrind hides the kernel's vDSO from a
# program, so reading a clock counts as one system call here; on the machine itself it is some 50 instructions.)
set -euo pipefail
cd "$(dirname "$0")/.."

ours=${1:?the path of ratelimit.so} floor=${2:?the path of ratelimit_floor.so}
command -v valgrind >/dev/null || { echo "instructions.sh: valgrind is missing" >&2; exit 2; }
calls=2000
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

count() { # contestant, admit or refuse, calls
	valgrind --tool=callgrind --callgrind-out-file=/dev/null php -n -d "extension=$ours" -d "extension=$floor" \
		-d extension=apcu -d apc.enable_cli=1 -d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.file_update_protection=0 -d opcache.jit=off \
		bench/instructions.php "$1" "$2" "$3" "$temporary" 2>&1 | sed -n 's/.*Collected : //p'
}

per_call() { # contestant, admit or refuse
	local once twice
	once=$(count "$1" "$2" "$calls")
	twice=$(count "$1" "$2" $((2 * calls)))
	[ -n "$once" ] && [ -n "$twice" ] || { echo "instructions.sh: $1 did not run" >&2; return 1; }
	echo $(((twice - once + calls / 2) / calls))
}

loop=$(per_call loop admit)
separator=
echo '{'
for contestant in floor dohandle dohandle_ban check apcu_inc; do
	admit=$(($(per_call "$contestant" admit) - loop))
	refuse=$(($(per_call "$contestant" refuse) - loop))
	printf '%s    "%s": {"admit": %d, "refuse": %d}' "$separator" "$contestant" "$admit" "$refuse"
	separator=$',\n'
done
printf '\n}\n'
