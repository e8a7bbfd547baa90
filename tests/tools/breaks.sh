#!/usr/bin/env bash
# Plants breaks into copies of the checkout, one at a time, and expects tests of the short run of scripts/test.sh to find each:
# breaks.sh [NAME ...]   (scripts/long.sh breaks)
#
#   --check   only tries whether each break can be planted (tests/documents/short-run.phpt)
#   --whole   runs the whole short run for each, in place of the tests beside it
#
# OUT: the folder of the copies (default: out/breaks). A break is "found" when a test fails that passes without it.
set -euo pipefail
cd "$(dirname "$0")/../.."

# name, file, Perl's substitution, tests
breaks() {
	cat <<'ROWS'
one-too-many         src/core/algorithm/window.h          s/w->count \+ cost <= limit,/w->count + cost <= limit + 1,/                        do-handle/comment do-handle/numbers conformance/compound
one-too-many-redis   src/redis/lua/counter.lua            s/counted <= number and/counted <= number + 1 and/                                     do-handle/comment do-handle/numbers
no-expiry            src/core/algorithm/counter.c         s/runs = w\.end_us > now_us/runs = w.end_us > 0/                                       do-handle/comment do-handle/like do-handle/upload
key-without-expiry   src/redis/lua/counter.lua            s/call\('SET', key, new_count, 'PXAT', new_end_ms\)/call('SET', key, new_count)/         redis/expiry redis/article do-handle/comment
no-undo              src/guard/multi_key/multi_key.c      s/\t\tparts_undo\(c, 0, group\);\n//                                                 random-programs/identities concurrency/labels
no-fork-check        src/redis/net/connection.c           s/return c->generation == atomic_load/return c->generation != 77 || atomic_load/        redis/fork
refusal-counts       src/redis/lua/counter.lua            s/\t\treason = LIMITED\n/\t\treason, new_count = LIMITED, count + 1\n/                   do-handle/changed random-programs/counter redis/round-trip
ban-again            src/core/algorithm/counter.c         s/\} else if \(!ban\) \{/} else {/                                                     do-handle/like concurrency/ban-once
neighbours-state     src/core/decide/evaluation.c         s/s = state_of_mark\(ev, states, ev->q->limits\[i\]\.mark\);/s = states != 0 ? (unsigned) __builtin_ctz(states) : ev->state.n_limits;/   conformance/equals random-programs/twins
clock-set-back       src/core/algorithm/calendar_window.c s/rl_notes_drop\(&v->windows, v->windows\.n - v->ahead\);/rl_notes_drop(\&v->windows, 0);/   random-programs/calendar-set-back clocks/calendar-set-back
place-never-free     src/php/permit/permit_object.c       s/\tif \(permit->live\) \{\n\t\tpermit_end\(permit\);\n\t\}\n\tpermit_free_parts/\tpermit_free_parts/          permits/ends permits/thrown-away examples/reports
early-retry          src/core/algorithm/window.h          s/s\.exhausted \? 0 : s\.reset_us;/s.exhausted ? 0 : s.reset_us \/ 2;/                  results/retry-after results/facts conformance/retry-after
fails-open           src/guard/failure_policy.c           s/d->accepted = g->policy.on_failure == RL_ON_FAILURE_ALLOW;/d->accepted = g->policy.on_failure != RL_ON_FAILURE_THROW;/   redis/dead redis/no-reply
refusal-made-late    src/php/attribute/conclude.c         s/(\t\tif \(!d->accepted\) \{\n\t\t\tphp_ratelimit_enforced_result\(&refusal, enforced.*?\n\t\t\}\n)\t\tconclude_slowly\(request, &refusal, event\);/\t\tif (event) listen_within(request, event);\n$1\t\tconclude_slowly(request, &refusal, NULL);/s   monitor/listener-limited-functions monitor/listener-random-callbacks
ended-request        src/php/attribute/conclude.c         s/\trequest = php_ratelimit_current_request\(\);\n\tif \(request && request->number == number\)/\tif (number != UINT64_MAX)/   monitor/listener-limited-functions
limiter-changed      src/php/limiter/limiter_class.c       s/(php_ratelimit_listener_call\(&events\[i\]\);)/void *named = limiter->named; limiter->named = NULL; $1 limiter->named = named;/   monitor/listener-fatal monitor/listener-random-callbacks
one-late-reply       src/guard/breaker.c                  s/\(r->failed & 3\) == 3/(r->failed \& 1) == 1/                                  guard/breaker-open guard/breaker-lost-replies guard/debts
ban-forgotten        src/core/decide/limiter_mirror.c     s/if \(told->ban_us <= 0\) \{/if (told->ban_us <= 0 || told->trip_us >= 0) {/   guard/mirror guard/mirror-commands
late-answer-lowers   src/guard/mirror.c                   s/told->is_latest = told->trip_us <= RL_TOLD_LATE_US && !owes;/told->is_latest = !owes;/                         guard/mirror-less
debt-told-twice      src/shm/machine/debt_entry.c         s/p\.fp, word - taken\)/p.fp, word)/                                             guard/debts redis/cluster-debts
command-unmirrored   src/guard/mirror.c                   s/return !rl_guard_is_embedded\(g\) && rl_shm_fallback/return g->policy.on_failure == RL_ON_FAILURE_LOCAL \&\& !rl_guard_is_embedded(g) \&\& rl_shm_fallback/   guard/mirror-commands guard/mirror
ROWS
}

mode=tests
case ${1:-} in
	--check | --whole) mode=${1#--} && shift ;;
esac
out=$(realpath -m "${OUT:-out/breaks}")
export SKIP_SLOW_TESTS=1 JOBS="${JOBS:-2}" TEST_TIMEOUT="${TEST_TIMEOUT:-300}" TEST_PHP_ARGS=--no-color

# Prints a file with a break.
broken() { # file, substitution
	perl -0777 -pe "$2" "$1"
}
# Prints the tests that fail.
failing() { # folder, test ...
	{ scripts/phpt.sh "$@" 2>&1 || true; } | tr '\r' '\n' | sed -nE 's/^(FAIL|BORK|LEAK|WARN).*\[tests\/(.*)\.phpt\].*/\2/p' | sort -u
}

planted=0 missed=0
while read -r name file rest; do
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	# The tests are the last words; the substitution may have blanks, but not two together before its end.
	substitution=${rest%%  *}
	read -ra tests <<<"${rest#"$substitution"}"
	planted=$((planted + 1))
	if [ ! -f "$file" ] || [ "$(broken "$file" "$substitution")" = "$(cat "$file")" ]; then
		echo "$name: cannot be planted: $file has changed"
		missed=$((missed + 1))
		continue
	fi
	[ "$mode" != whole ] || tests=(.)
	tests=("${tests[@]/#/tests/}")
	[ "$mode" = whole ] || tests=("${tests[@]/%/.phpt}")
	for test in "${tests[@]}"; do
		[ -e "$test" ] || { echo "$name: $test is not there"; missed=$((missed + 1)); }
	done
	[ "$mode" != check ] || continue
	# One build: only the file with the break is compiled again. Its next one has it whole.
	if [ "$planted" -eq 1 ]; then
		scripts/build-copy.sh "$out" >/dev/null
	fi
	broken "$file" "$substitution" >"$out/$file"
	if make -C "$out" -j"$JOBS" >"$out.log" 2>&1; then
		found=$(failing "$out" "${tests[@]}")
	else
		found=
		echo "$name: does not compile, see $out.log"
	fi
	cp "$file" "$out/$file"
	if [ -n "$found" ]; then
		echo "$name: found by $(tr '\n' ' ' <<<"$found")"
	else
		echo "$name: NOT FOUND"
		missed=$((missed + 1))
	fi
done < <(breaks)
[ "$planted" -gt 0 ] || { echo "breaks.sh: no such break" >&2; exit 2; }
what=found
[ "$mode" != check ] || what="can be planted"
echo "$((planted - missed)) of $planted breaks $what"
[ "$missed" -eq 0 ]
