#!/usr/bin/env bash
# Checks the embedded store's protocols, and leases, exhaustively with the model checker SPIN (docs/protocols.md). Each
# model must hold, and must break when one precaution is removed.
#
#   scripts/long.sh spin            some five minutes, one processor, at most 4 GB
#   scripts/long.sh spin -m         only the models that must hold
#   scripts/long.sh spin together   only these models (insertion records pages leases held mirror together)
#
# Requires spin and gcc. SPIN_BUILD: the folder of the build (default: a temporary one).
set -euo pipefail
cd "$(dirname "$0")/../.."

models=$PWD/tests/spin
build=${SPIN_BUILD:-}
if [ -z "$build" ]; then
	build=$(mktemp -d)
	trap 'rm -rf "$build"' EXIT
fi
mkdir -p "$build"
cd "$build"
only_what_holds=
[ "${1:-}" != -m ] || { only_what_holds=-m; shift; }
named=("$@")
for model in "${named[@]}"; do
	[ -e "$models/$model.pml" ] || { echo "spin/run.sh: no model $model" >&2; exit 2; }
done
passed=0 failed=0

# check holds|breaks|lives|hangs MODEL WHAT [-D...]: lives and hangs search for endless runs without progress.
check() {
	local expected=$1 model=$2 what=$3 how=-DSAFETY options=() found states
	shift 3
	case $expected in
		lives | hangs) how=-DNP options=(-l) ;;
	esac
	if [ "$only_what_holds" = -m ] && [[ $expected == breaks || $expected == hangs ]]; then
		return
	fi
	[ ${#named[@]} -eq 0 ] || [[ " ${named[*]} " == *" $model "* ]] || return 0
	spin -a "$@" "$models/$model.pml" >spin.log
	gcc -O2 -w -DMEMLIM=4000 -DCOLLAPSE -DNOFAIR "$how" -o pan pan.c
	nice -n 15 ./pan -m1000000 "${options[@]}" >pan.log 2>&1 || true
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
	# An incomplete search proves nothing.
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
		breaks:breaks | hangs:breaks) found="ok, detected" ;;
		*) found="FAILED ($found)" ;;
	esac
	printf '%-10s %-62s %10s states  %s\n' "$model" "$what" "${states:-?}" "$found"
	case $found in
		ok*) passed=$((passed + 1)) ;;
		*) failed=$((failed + 1)) ;;
	esac
}

two=(-DOPS=2)
check holds  insertion "2 workers, 2 identities, 2 entries, 2 calls each" "${two[@]}"
check holds  insertion "the same, with two stripes over the same entries" "${two[@]}" -DTWO_STRIPES
check holds  insertion "2 workers on one identity: no live-lock" -DIDS=1 -DTURNS=10 -DSTRICT
check holds  insertion "all workers but one stopped, anywhere: done in 4 rounds" -DOPS=1 -DALONE
check lives  insertion "no endless run" -DOPS=1
check breaks insertion "broken: the turn is not counted" "${two[@]}" -DBREAK_TURN
check breaks insertion "broken: an insert descriptor without a digest" "${two[@]}" -DBREAK_DIGEST
check breaks insertion "broken: a digest of one bit" "${two[@]}" -DBREAK_DIGEST_WIDTH
check breaks insertion "broken: all new words are equal" -DOPS1=1 -DOPS=4 -DTURNS=8 -DBREAK_NEWBORN
check breaks insertion "broken: a CAS that does not compare the count" -DIDS=1 -DENTRIES=1 -DLIMIT=3 -DBREAK_SWAP
check breaks insertion "broken: waits for the descriptor's writer" -DOPS=1 -DALONE -DBREAK_HELP
check hangs  insertion "broken: waits for the descriptor's writer, an endless run" -DOPS=1 -DBREAK_HELP

resets=(-DRESETS -DOPS=6 -DLIMIT=3)
expiry=(-DTICKS=1 -DENTRIES=2 -DRECORDS=2)
three=(-DCRASH -DOPS=1 -DWORKERS=3 -DRECORDS=2)
check holds  records "2 workers, 3 records, one dies anywhere" -DCRASH
check holds  records "3 workers, 2 records, one dies anywhere" "${three[@]}" -DMORTALS=1
check holds  records "removed and created again under a reader" "${resets[@]}"
check holds  records "expired states, removals" -DOPS1=2 -DTICKS=1 -DRESETS
check holds  records "2 identities, expired states make room" "${expiry[@]}"
check holds  records "all workers but one stopped, anywhere: done in 3 rounds" -DALONE
check lives  records "no endless run" -DOPS1=2
check breaks records "broken: the copy is not validated" -DOPS=3 -DTICKS=1 -DBREAK_VALIDATION
check breaks records "broken: repeated generations (ABA)" "${resets[@]}" -DBREAK_GENERATION
check breaks records "broken: evicts an unread record" "${expiry[@]}" -DBREAK_EVICTION
check breaks records "broken: no journal" "${three[@]}" -DBREAK_JOURNAL
check breaks records "broken: the journals before the entry" "${three[@]}" -DBREAK_ORDER
check breaks records "broken: a claim that does not compare the owner" -DCRASH -DBREAK_CLAIM
check breaks records "broken: a worker slot taken under the same epoch" -DCRASH -DBREAK_EPOCH

check holds  records "spares that any worker claims, one dies anywhere" -DSPARES -DCRASH -DRECORDS=2 -DOPS1=2
check holds  records "states that are moved, one dies anywhere" -DMOVES -DCRASH
check breaks records "broken: a spare taken back without a comparison" -DSPARES -DRECORDS=2 -DOPS1=2 -DOPS=3 -DBREAK_SPARE
check breaks records "broken: a move that copies before it reads the entry" -DMOVES -DOPS1=2 -DBREAK_MOVE

short=(-DCOUNTS=2 -DOPS=4)
check holds  pages "2 workers, 2 classes, one dies anywhere" -DCRASH
check holds  pages "3 workers, 2 classes" -DWORKERS=3 -DOPS=1
check holds  pages "records whose count is used up" "${short[@]}"
check lives  pages "no endless run" -DCRASH -DOPS=1
check breaks pages "broken: a scan without a hazard pointer" -DBREAK_HAZARD
check breaks pages "broken: a reassignment that reads no hazard pointer" -DBREAK_LOOK
check breaks pages "broken: the hazard pointers before the mark" -DBREAK_MARK
check breaks pages "broken: a live worker's reassignment taken over" -DBREAK_BEGIN
check breaks pages "broken: a page without a floor" -DBREAK_FLOOR
check breaks pages "broken: a count that begins again" "${short[@]}" -DBREAK_RETIREMENT

check holds  leases "2 machines, a worker each, 3 calls each"
check holds  leases "2 workers on one machine" -DTOGETHER
check holds  leases "2 workers on one machine, batches that end before their window" -DTOGETHER -DAUTO
check breaks leases "broken: the batch's end is ignored" -DTOGETHER -DBREAK_END
check breaks leases "broken: a CAS that does not compare" -DTOGETHER -DBREAK_SWAP
check breaks leases "broken: Redis counts less than it hands out" -DTOGETHER -DBREAK_COUNT
check breaks leases "broken: the batch's end counted from the reply" -DTOGETHER -DBREAK_BEGAN
check breaks leases "broken: a batch joins an expired one" -DTOGETHER -DBREAK_MERGE

check holds  held "2 workers, two slots, both may die" -DWORKERS=2 -DDEATHS=2
check holds  held "2 workers, one slot, places that end" -DWORKERS=2 -DSLOTS=1 -DDEATHS=1 -DTICKS=2
check breaks held "broken: a list published without a comparison" -DDEATHS=1 -DBREAK_SWAP
check breaks held "broken: a dead owner by its slot, not by its epoch" -DWORKERS=2 -DSLOTS=1 -DDEATHS=1 -DBREAK_OWNER
check breaks held "broken: gives back a live worker's place" -DWORKERS=2 -DDEATHS=1 -DBREAK_ALIVE
check breaks held "broken: a place forgotten before it is given back" -DWORKERS=2 -DDEATHS=2 -DBREAK_ORDER
check breaks held "broken: a slot's list begins anew with each worker" -DWORKERS=2 -DSLOTS=1 -DDEATHS=1 -DBREAK_KEEP
check breaks held "broken: a place forgotten before it is released" -DWORKERS=2 -DDEATHS=1 -DBREAK_FORGET
check breaks held "broken: a failed release leaves the place to its worker" -DWORKERS=2 -DDEATHS=1 -DBREAK_ABANDON
check breaks held "broken: a place noted after the script" -DWORKERS=2 -DDEATHS=1 -DBREAK_NOTE
check breaks held "broken: the noted end without the time of the script" -DWORKERS=1 -DSLOTS=1 -DDEATHS=1 -DTICKS=2 -DBREAK_END

commands=(-DCOMMANDS=2 -DCALLS=1)
check holds  mirror "2 workers, 2 calls each, the ban is lifted, one dies anywhere"
check holds  mirror "the ban is lifted, and another one begun, one dies anywhere" "${commands[@]}"
check holds  mirror "3 workers, one dies anywhere" -DWORKERS=3 -DCALLS=1
check breaks mirror "broken: an answer is written whatever has come since" "${commands[@]}" -DBREAK_MARK
check breaks mirror "broken: a ban that begins ends no older mark" "${commands[@]}" -DBREAK_BEGINS
check breaks mirror "broken: a command changes nothing where it finds nothing" -DCALLS=1 -DDEATHS=0 -DBREAK_CHANGE

check holds  together "3 workers, a tenant and two users, one dies anywhere"
check holds  together "the same without a death, with three rounds" -DDEATHS=0 -DROUNDS=3 -DWORKERS=2 -DTENANT_LIMIT=1
check breaks together "broken: asks a state, and counts in a second step" -DBREAK_TAKE
check breaks together "broken: asks the last state, and takes nothing there" -DBREAK_LAST
check breaks together "broken: a refused call keeps its first part" -DBREAK_UNDO
check breaks together "broken: gives back to a window of another tag" -DBREAK_TAG
check breaks together "broken: all rounds of a call have one tag" -DBREAK_ROUND
check breaks together "broken: ends its window with other permits in it" -DBREAK_ALONE

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
