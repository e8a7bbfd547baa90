#!/usr/bin/env bash
# Checks the embedded store's two protocols, and leases, with the model checker SPIN, exhaustively (docs/protocols.md): what must hold,
# and then, with one precaution taken away at a time, that it no longer does.
#
#   scripts/spin.sh            some five minutes, one processor, at most 4 GB
#   scripts/spin.sh -m         only what must hold
#
# Needs spin and gcc. SPIN_BUILD names the folder to build in (default: a temporary one).
set -euo pipefail
cd "$(dirname "$0")/.."

models=$PWD/tests/spin
build=${SPIN_BUILD:-}
if [ -z "$build" ]; then
	build=$(mktemp -d)
	trap 'rm -rf "$build"' EXIT
fi
mkdir -p "$build"
cd "$build"
only_what_holds=${1:-}
passed=0 failed=0

# check holds|breaks|lives|hangs MODEL WHAT [-D...]: lives and hangs look for runs that go on for ever and get nothing done.
check() {
	local expected=$1 model=$2 what=$3 how=-DSAFETY options=() found states
	shift 3
	case $expected in
		lives | hangs) how=-DNP options=(-l) ;;
	esac
	if [ "$only_what_holds" = -m ] && [[ $expected == breaks || $expected == hangs ]]; then
		return
	fi
	spin -a "$@" "$models/$model.pml" >spin.log
	gcc -O2 -w -DMEMLIM=4000 -DCOLLAPSE -DNOFAIR "$how" -o pan pan.c
	nice -n 15 ./pan -m1000000 "${options[@]}" >pan.log 2>&1 || true
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
	# A search that was cut short has shown nothing.
	if [ -z "$states" ] || grep -qE 'max search depth too small|out of memory|reached -DMEMLIM|Search not completed' pan.log \
			&& ! grep -qE 'errors: [1-9]' pan.log; then
		found=unfinished
	elif grep -q 'errors: 0' pan.log; then
		found=holds
	else
		found=breaks
	fi
	case $expected:$found in
		holds:holds | lives:holds) found=ok ;;
		breaks:breaks | hangs:breaks) found="ok, found out" ;;
		*) found="FAILED ($found)" ;;
	esac
	printf '%-10s %-62s %10s states  %s\n' "$model" "$what" "${states:-?}" "$found"
	case $found in
		ok*) passed=$((passed + 1)) ;;
		*) failed=$((failed + 1)) ;;
	esac
}

two=(-DOPS=2)
check holds  insertion "2 workers, 2 identities, 2 cells, 2 calls each" "${two[@]}"
check holds  insertion "the same, with two controls over the same cells" "${two[@]}" -DTWO_STRIPES
check holds  insertion "2 workers on one identity: no live-lock" -DIDS=1 -DTURNS=10 -DSTRICT
check holds  insertion "all but one have stopped, anywhere: it is done in 4 rounds" -DOPS=1 -DALONE
check lives  insertion "no run without an end" -DOPS=1
check breaks insertion "broken: the turn is not counted" "${two[@]}" -DBREAK_TURN
check breaks insertion "broken: a note without a digest" "${two[@]}" -DBREAK_DIGEST
check breaks insertion "broken: a digest of one bit" "${two[@]}" -DBREAK_DIGEST_WIDTH
check breaks insertion "broken: newborn words all alike" -DOPS1=1 -DOPS=4 -DTURNS=8 -DBREAK_NEWBORN
check breaks insertion "broken: a swap that does not compare the count" -DIDS=1 -DCELLS=1 -DLIMIT=3 -DBREAK_SWAP
check breaks insertion "broken: waiting for the note's writer" -DOPS=1 -DALONE -DBREAK_HELP
check hangs  insertion "broken: waiting for the note's writer, as a run without an end" -DOPS=1 -DBREAK_HELP

resets=(-DRESETS -DOPS=6 -DLIMIT=3)
expiry=(-DTICKS=1 -DCELLS=2 -DRECORDS=2)
three=(-DCRASH -DOPS=1 -DWORKERS=3 -DRECORDS=2)
check holds  records "2 workers, 3 records, one dies anywhere" -DCRASH
check holds  records "3 workers, 2 records, one dies anywhere" "${three[@]}" -DMORTALS=1
check holds  records "removed and begun again while another looks" "${resets[@]}"
check holds  records "states that end, removals" -DOPS1=2 -DTICKS=1 -DRESETS
check holds  records "2 identities, ended states make room" "${expiry[@]}"
check holds  records "all but one have stopped, anywhere: it is done in 3 rounds" -DALONE
check lives  records "no run without an end" -DOPS1=2
check breaks records "broken: the copy is not validated" -DOPS=3 -DTICKS=1 -DBREAK_VALIDATION
check breaks records "broken: generations that come again" "${resets[@]}" -DBREAK_GENERATION
check breaks records "broken: evicts what it has not looked at" "${expiry[@]}" -DBREAK_EVICTION
check breaks records "broken: no journal" "${three[@]}" -DBREAK_JOURNAL
check breaks records "broken: the journals before the cell" "${three[@]}" -DBREAK_ORDER
check breaks records "broken: claiming without comparing the owner" -DCRASH -DBREAK_CLAIM
check breaks records "broken: a desk taken under the same epoch" -DCRASH -DBREAK_EPOCH

check holds  leases "2 machines, a worker each, 3 calls each"
check holds  leases "2 workers on one machine" -DTOGETHER
check breaks leases "broken: the batch's end is not looked at" -DTOGETHER -DBREAK_END
check breaks leases "broken: a swap that does not compare" -DTOGETHER -DBREAK_SWAP
check breaks leases "broken: Redis counts less than it hands out" -DTOGETHER -DBREAK_COUNT
check breaks leases "broken: the batch's end reckoned from the answer" -DTOGETHER -DBREAK_BEGAN
check breaks leases "broken: a batch joins one that has ended" -DTOGETHER -DBREAK_MERGE

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
