/* Admits a call of one fixed window where the caller knows the identity's place already. */
#include "limiter_fast.h"

#include "fast_call.h"
#include "word_fast.h"

rl_place rl_limiter_place(const rl_key *key)
{
	return rl_fast_place(&rl_shm, key);
}

/* Writes the answer, after the swap: each store before that delays it. The coarse clock is behind by up to its tick. So the time
 * left would be longer than the window, if that has begun since. */
RL_INLINE void admit_answer(const rl_limit *limit, uint64_t used, int64_t left_us, rl_decision *d)
{
	if (RL_UNLIKELY(left_us > limit->period_us)) {
		left_us = limit->period_us;
	}
	rl_single_answer(d, limit, true, used, used < limit->limit ? 0 : left_us, left_us);
	rl_worker_stat_add(rl_worker_self, RL_STAT_ADMISSIONS);
}

bool rl_limiter_admit(rl_place place, const rl_limit *limit, rl_decision *d)
{
	const rl_segment *s = &rl_shm;

	if (RL_UNLIKELY(!rl_counter_fast_possible(rl_worker_self))) {
		return false;
	}
	for (;;) {
		int64_t latest_us = rl_counter_latest_ms(s) * RL_US_PER_MS, end_us;
		rl_entry_seen seen;
		uint64_t base, above, used;

		if (RL_UNLIKELY(!rl_word_find(s, place, RL_FIXED_WINDOW, limit, &seen, &base))) {
			return false;
		}
		end_us = rl_word_fixed_end(seen.word);
		above = rl_word_low(seen.word, RL_WORD_FIXED_COUNT_BITS) + 1;
		used = base + above;
		if (RL_UNLIKELY(end_us <= latest_us || used > limit->limit || above >> RL_WORD_FIXED_COUNT_BITS != 0)) {
			return false;
		}
		if (RL_LIKELY(rl_word_admitted(&seen, place, used == limit->limit, seen.word + 1) == RL_TRY_DECIDED)) {
			admit_answer(limit, used, end_us - (latest_us - RL_WORD_SLACK_US), d);
			return true;
		}
	}
}

/* A function of its own: in the one above, the call of this one delays the swap of a word. */
bool rl_limiter_admit_by_record(rl_place place, const rl_limit *limit, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call = {.place = place, .limit = limit, .cost = 1};
	uint64_t state[RL_SINGLE_WORDS];
	rl_single_state next;
	rl_decision decided;
	rl_fast_seen at;

	if (rl_worker_self == NULL) {
		return false;
	}
	rl_fast_read_latest(s, &call);
	if (!call.rough || !rl_fast_find(s, &place, RL_SINGLE_WORDS, &at)) {
		return false;
	}
	rl_fast_copy_head(state, at.record->state, RL_SINGLE_WORDS);
	if (!rl_single_decide(RL_FIXED_WINDOW, limit, 1, &call.now, state, &next, &decided) || !decided.accepted
		|| rl_fast_replace(s, &call, &at, next.state, RL_SINGLE_WORDS, RL_SINGLE_WORDS) != RL_TRY_DECIDED) {
		return false;
	}
	admit_answer(limit, limit->limit - decided.remaining, decided.reset_after_us + RL_WORD_SLACK_US, d);
	return true;
}
