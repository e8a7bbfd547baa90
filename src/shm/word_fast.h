/* Decides a call by a one-word state: on the fast path of a limiter with one limit. Returns RL_TRY_LEFT
 * where the identity has no word of these terms, or the word alone does not decide. Private to src/shm. */
#ifndef RL_SHM_WORD_FAST_H
#define RL_SHM_WORD_FAST_H

#include "counter_fast.h"
#include "entry_seen.h"
#include "state_word.h"

/* Finds an identity's word of these terms. */
RL_INLINE bool rl_word_find(const rl_segment *s, rl_place p, rl_algorithm algorithm, const rl_limit *limit,
	rl_entry_seen *seen)
{
	return RL_LIKELY(rl_entry_find(s, p, seen)) && RL_LIKELY(rl_terms_are(s, seen->fp, algorithm, limit));
}

RL_INLINE rl_try_result rl_word_admitted(const rl_entry_seen *seen, rl_place p, bool exhausted, uint64_t word)
{
	uint64_t fp = p.fp | (seen->fp & RL_FP_TERMS) | (exhausted ? RL_FP_EXHAUSTED : 0);

	return RL_LIKELY(rl_pair_cas(&seen->entry->pair, seen->fp, seen->word, fp, word)) ? RL_TRY_DECIDED : RL_TRY_RACED;
}

/* Decides by the exact clock: by the wall clock alone, if the limit is a calendar window. Fills in d as rl_single_decide(). */
RL_INLINE rl_try_result rl_word_decide(const rl_segment *s, rl_place p, rl_algorithm algorithm, const rl_limit *limit,
	uint64_t cost, const rl_now *now, rl_decision *d)
{
	uint64_t period = algorithm == RL_CALENDAR_WINDOW ? limit->period : (uint64_t) limit->period_us, word;
	uint64_t state[RL_WORD_STATE_WORDS];
	rl_single_state next;
	rl_entry_seen seen;

	if (!rl_word_find(s, p, algorithm, limit, &seen)) {
		return RL_TRY_LEFT;
	}
	rl_word_unpack(algorithm, period, limit->rate, seen.word, state);
	if (RL_UNLIKELY(!rl_single_decide(algorithm, limit, cost, now, state, &next, d))) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&seen);
	}
	if (RL_UNLIKELY(!rl_word_pack(algorithm, next.state, seen.word, &word))) {
		return RL_TRY_LEFT;
	}
	return rl_word_admitted(&seen, p, rl_state_is_exhausted(next.state[0]), word);
}

/* ---- The verdict alone, by the coarse clocks ---- */

/* Now lies between two moments: a verdict is sure if it is that of both. */
typedef struct {
	int64_t early_us, late_us;
} rl_word_span;

#define RL_WORD_SLACK_US (RL_CLOCK_COARSE_SLACK_MS * RL_US_PER_MS)

/* The result of one attempt to reach a verdict, in two registers: each store before a swap delays it. */
typedef struct {
	rl_try_result result;
	bool accepted;
	bool near; /* less than a tenth of the limit remains */
} rl_word_verdict_result;

#define RL_WORD_NO_VERDICT ((rl_word_verdict_result){.result = RL_TRY_LEFT})

RL_INLINE rl_word_verdict_result rl_word_refuse(const rl_entry_seen *seen, const rl_limit *limit)
{
	return (rl_word_verdict_result){
		.result = limit->ban == RL_BAN_NONE ? rl_entry_refused(seen) : RL_TRY_LEFT,
	};
}

RL_INLINE rl_word_verdict_result rl_word_admit(const rl_entry_seen *seen, rl_place p, bool exhausted, bool near,
	uint64_t word)
{
	return (rl_word_verdict_result){
		.result = rl_word_admitted(seen, p, exhausted, word),
		.accepted = true,
		.near = near,
	};
}

/* Returns the most permits of a limit that may be used while a tenth of it remains. */
RL_INLINE uint64_t rl_word_far(uint64_t limit)
{
	return limit - (limit + 9) / 10;
}

/* Decides a call in a window that surely runs: its state does not depend on the moment. count_bits: of the word. */
RL_INLINE rl_word_verdict_result rl_word_count(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, unsigned count_bits)
{
	uint64_t used = rl_word_low(seen->word, count_bits) + cost;

	if (RL_UNLIKELY(used > limit->limit)) {
		return rl_word_refuse(seen, limit);
	}
	if (RL_UNLIKELY(used >> count_bits != 0)) {
		return RL_WORD_NO_VERDICT;
	}
	return rl_word_admit(seen, p, used == limit->limit, used > rl_word_far(limit->limit), seen->word + cost);
}

RL_INLINE rl_word_verdict_result rl_word_verdict_fixed(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, rl_word_span now)
{
	if (RL_UNLIKELY((int64_t) (seen->word >> RL_WORD_FIXED_COUNT_BITS) <= now.late_us)) {
		return RL_WORD_NO_VERDICT;
	}
	return rl_word_count(seen, p, limit, cost, RL_WORD_FIXED_COUNT_BITS);
}

/* now: of the wall clock. */
RL_INLINE rl_word_verdict_result rl_word_verdict_calendar(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, rl_word_span now)
{
	int64_t end_us = (int64_t) rl_word_low(seen->word >> RL_WORD_CALENDAR_COUNT_BITS, RL_WORD_CALENDAR_END_BITS)
		* RL_US_PER_SECOND;

	if (RL_UNLIKELY(now.early_us < limit->boundary[0] || now.late_us >= limit->boundary[1] || end_us <= now.late_us
			|| end_us > limit->boundary[2])) {
		return RL_WORD_NO_VERDICT;
	}
	return rl_word_count(seen, p, limit, cost, RL_WORD_CALENDAR_COUNT_BITS);
}

/* Decides by a bucket that is surely not full: its next TAT does not depend on the moment. Products are those of
 * rl_single_token_bucket(). */
RL_INLINE rl_word_verdict_result rl_word_verdict_bucket(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, rl_word_span now)
{
	uint64_t rate = limit->rate, period = (uint64_t) limit->period_us, of_cost = cost * period, all, early, late, next;
	uint64_t frac = rl_word_low(seen->word, RL_WORD_BUCKET_FRAC_BITS);
	int64_t tat_us = (int64_t) (seen->word >> RL_WORD_BUCKET_FRAC_BITS);

	if (RL_UNLIKELY(tat_us <= now.late_us || __builtin_mul_overflow(limit->limit, period, &all) || all > UINT64_MAX / 4
			|| __builtin_mul_overflow((uint64_t) (tat_us - now.early_us), rate, &early) || early > UINT64_MAX / 4)) {
		return RL_WORD_NO_VERDICT;
	}
	early += frac; /* the backlog at the earlier moment, and at the later one */
	late = early - (uint64_t) (now.late_us - now.early_us) * rate;
	if (RL_UNLIKELY(late > all - of_cost)) {
		return rl_word_refuse(seen, limit);
	}
	/* Neither whether it passes nor whether a next one would is in doubt. */
	if (RL_UNLIKELY(early > all - of_cost || (early + of_cost > all - period && late + of_cost <= all - period))) {
		return RL_WORD_NO_VERDICT;
	}
	next = frac + of_cost;
	tat_us += (int64_t) (next / rate);
	frac = next % rate;
	if (RL_UNLIKELY(frac >> RL_WORD_BUCKET_FRAC_BITS != 0 || tat_us >> RL_WORD_BUCKET_TAT_BITS != 0)) {
		return RL_WORD_NO_VERDICT;
	}
	early += of_cost;
	return rl_word_admit(seen, p, early > all - period, early > rl_word_far(limit->limit) * period,
		(uint64_t) tat_us << RL_WORD_BUCKET_FRAC_BITS | frac);
}

/* Decides by the coarse clocks where their span leaves no doubt. Of a bucket, near holds for the earlier moment of the span. */
RL_INLINE rl_word_verdict_result rl_word_verdict(const rl_segment *s, rl_place p, rl_algorithm algorithm,
	const rl_limit *limit, uint64_t cost, rl_word_span now)
{
	rl_entry_seen seen;

	if (!rl_word_find(s, p, algorithm, limit, &seen)) {
		return RL_WORD_NO_VERDICT;
	}
	switch (algorithm) {
		case RL_FIXED_WINDOW:
			return rl_word_verdict_fixed(&seen, p, limit, cost, now);
		case RL_CALENDAR_WINDOW:
			return rl_word_verdict_calendar(&seen, p, limit, cost, now);
		default:
			return rl_word_verdict_bucket(&seen, p, limit, cost, now);
	}
}

#endif
