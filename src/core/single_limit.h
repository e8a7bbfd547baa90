/* Decides a call of one ordinary limit against a state of that limit alone: the usual case, in a few steps. Each answer and
 * each next state is that of rl_limiter_decide() (tests/core/single_limit_test.c compares them). A ban, a level, a tag, bookings,
 * another limit's state, a state of larger counts and a state that is over are left to that function. */
#ifndef RL_CORE_SINGLE_LIMIT_H
#define RL_CORE_SINGLE_LIMIT_H

#include "../compiler.h"
#include "algorithm.h"

#define RL_SINGLE_HEAD  RL_STATE_HEAD_WORDS /* where the limit state begins */
#define RL_SINGLE_WORDS 6                   /* the words of a whole state of a window or a bucket, at most */

/* The next state of a window or a bucket. */
typedef struct {
	size_t words;
	uint64_t state[RL_SINGLE_WORDS];
} rl_single_state;

/* Returns whether a state has one limit state, no ban and no level. */
RL_INLINE bool rl_single_is_plain(const uint64_t *state)
{
	return (state[0] & (RL_STATE_LIMITS_MASK | RL_STATE_BAN | RL_STATE_LEVEL)) == 1;
}

/* Returns the first word of a state of one limit, of which so many permits are used. */
RL_INLINE uint64_t rl_single_head(const rl_limit *limit, uint64_t used)
{
	return 1 | (used >= limit->limit ? RL_STATE_EXHAUSTED : 0)
		| (used < UINT32_MAX ? used : UINT32_MAX) << RL_STATE_USED_AT;
}

RL_INLINE void rl_single_answer(rl_decision *d, const rl_limit *limit, bool accepted, uint64_t used, int64_t retry_us,
	int64_t reset_us)
{
	/* Each field by itself: for a whole structure compilers write "rep stos", which takes 10 ns. */
	d->reason = accepted ? RL_ACCEPTED : RL_LIMITED;
	d->source = RL_FROM_SHM;
	d->ban_begun = false;
	d->accepted = accepted;
	d->limit_index = 0;
	d->level = 0;
	d->limit = limit->limit;
	d->remaining = used < limit->limit ? limit->limit - used : 0;
	d->retry_after_us = retry_us;
	d->reset_after_us = reset_us;
}

/* Answers a call in a window that has left_us to run, and of which count permits are used. */
RL_INLINE void rl_single_window(rl_decision *d, const rl_limit *limit, uint64_t cost, uint64_t count, int64_t left_us)
{
	bool accepted = count + cost <= limit->limit;
	uint64_t used = accepted ? count + cost : count;

	rl_single_answer(d, limit, accepted, used, accepted && used < limit->limit ? 0 : left_us, left_us);
}

/* fixed_window.c has the words. */
RL_INLINE bool rl_single_fixed_window(const rl_limit *limit, uint64_t cost, const rl_now *now, const uint64_t *state,
	rl_single_state *next, rl_decision *d)
{
	enum { PERIOD = RL_SINGLE_HEAD + 1, END, WORDS };
	uint64_t head = state[RL_SINGLE_HEAD], count = head >> 32;
	int64_t end_us = rl_moment(state[END]);

	if ((uint32_t) head != (uint32_t) rl_limit_state_head(RL_FIXED_WINDOW, WORDS - RL_SINGLE_HEAD, 0)
		|| (int64_t) state[PERIOD] != limit->period_us || end_us <= now->mono_us || count + cost > UINT32_MAX) {
		return false;
	}
	rl_single_window(d, limit, cost, count, end_us - now->mono_us);
	count += cost;
	next->words = WORDS;
	next->state[0] = rl_single_head(limit, count);
	next->state[1] = (uint64_t) end_us;
	next->state[RL_SINGLE_HEAD] = head + (cost << 32);
	next->state[PERIOD] = state[PERIOD];
	next->state[END] = state[END];
	return true;
}

/* calendar_window.c has the words. Requires boundaries around now, as an up-to-date question has them. */
RL_INLINE bool rl_single_calendar_window(const rl_limit *limit, uint64_t cost, const rl_now *now, const uint64_t *state,
	rl_single_state *next, rl_decision *d)
{
	enum { PERIOD = RL_SINGLE_HEAD + 1, END, COUNT, WORDS };
	uint64_t head = rl_limit_state_head(RL_CALENDAR_WINDOW, WORDS - RL_SINGLE_HEAD, rl_limit_state_number_of(1, 0));
	uint64_t count = rl_count_of(state[COUNT]);
	int64_t end_us = rl_moment(state[END]);

	if (state[RL_SINGLE_HEAD] != head || state[PERIOD] != limit->period || now->wall_us < limit->boundary[0]
		|| now->wall_us >= limit->boundary[1] || end_us <= now->wall_us || end_us > limit->boundary[2]) {
		return false;
	}
	rl_single_window(d, limit, cost, count, end_us - now->wall_us);
	count += cost;
	next->words = WORDS;
	next->state[0] = rl_single_head(limit, count);
	next->state[1] = (uint64_t) (end_us - now->wall_us + now->mono_us);
	next->state[RL_SINGLE_HEAD] = head;
	next->state[PERIOD] = state[PERIOD];
	next->state[END] = (uint64_t) end_us;
	next->state[COUNT] = count;
	return true;
}

/* Decides as rl_single_token_bucket() does, where a product exceeds 63 bits. now_us to frac: of the bucket, which is not over. */
bool rl_single_wide_bucket(const rl_limit *limit, uint64_t cost, int64_t now_us, int64_t tat_us, uint64_t frac,
	rl_single_state *next, rl_decision *d);

/* Fills in the next state of a bucket. */
RL_INLINE void rl_single_write_bucket(const rl_limit *limit, uint64_t used, int64_t tat_us, uint64_t frac,
	rl_single_state *next)
{
	enum { PERIOD = RL_SINGLE_HEAD + 1, RATE, TAT, WORDS, RATE_BITS = RL_BUCKET_RATE_BITS };

	next->words = WORDS;
	next->state[0] = rl_single_head(limit, used);
	next->state[1] = (uint64_t) (tat_us + (frac > 0));
	next->state[RL_SINGLE_HEAD] = rl_limit_state_head(RL_TOKEN_BUCKET, WORDS - RL_SINGLE_HEAD, (uint32_t) frac);
	next->state[PERIOD] = (uint64_t) limit->period_us;
	next->state[RATE] = limit->rate | frac >> 32 << RATE_BITS;
	next->state[TAT] = (uint64_t) tat_us;
}

/* token_bucket.c has the words. */
RL_INLINE bool rl_single_token_bucket(const rl_limit *limit, uint64_t cost, const rl_now *now, const uint64_t *state,
	rl_single_state *next, rl_decision *d)
{
	enum { PERIOD = RL_SINGLE_HEAD + 1, RATE, TAT, WORDS, RATE_BITS = RL_BUCKET_RATE_BITS };
	uint64_t head = state[RL_SINGLE_HEAD], rate = limit->rate, period = (uint64_t) limit->period_us;
	uint64_t frac = head >> 32 | state[RATE] >> RATE_BITS << 32, backlog, all, of_cost, spare, used;
	int64_t now_us = now->mono_us, tat_us = rl_moment(state[TAT]), retry_us = 0;
	bool accepted;

	if ((uint32_t) head != (uint32_t) rl_limit_state_head(RL_TOKEN_BUCKET, WORDS - RL_SINGLE_HEAD, 0)
		|| state[PERIOD] != period || (state[RATE] & ((UINT64_C(1) << RATE_BITS) - 1)) != rate) {
		return false;
	}
	if (tat_us + (frac > 0) <= now_us) {
		tat_us = now_us;
		frac = 0;
	}
	if (RL_UNLIKELY(__builtin_mul_overflow(limit->limit, period, &all) || all > UINT64_MAX / 2
			|| __builtin_mul_overflow((uint64_t) (tat_us - now_us), rate, &backlog) || backlog > UINT64_MAX / 2)) {
		return rl_single_wide_bucket(limit, cost, now_us, tat_us, frac, next, d);
	}
	backlog += frac;
	of_cost = cost * period;
	spare = all - of_cost;
	accepted = backlog <= spare;
	if (accepted) {
		backlog += of_cost;
		tat_us = now_us + (int64_t) (backlog / rate);
		frac = backlog % rate;
		spare = all - period; /* of the next call, with a cost of 1 */
	}
	used = (backlog + period - 1) / period;
	if (backlog > spare) {
		retry_us = (int64_t) ((backlog - spare + rate - 1) / rate);
	}
	rl_single_answer(d, limit, accepted, used, retry_us, tat_us + (frac > 0) - now_us);
	rl_single_write_bucket(limit, used, tat_us, frac, next);
	return true;
}

/* Decides a call of a fixed window, a calendar window or a token bucket. algorithm: the limit's. state: its first
 * RL_SINGLE_WORDS words. Fills in d, with the embedded store as its source, and, if the call is accepted, the next state. Returns false where only
 * rl_limiter_decide() can decide. */
RL_INLINE bool rl_single_decide(rl_algorithm algorithm, const rl_limit *limit, uint64_t cost, const rl_now *now,
	const uint64_t *state, rl_single_state *next, rl_decision *d)
{
	bool decided = false;

	if (RL_UNLIKELY(!rl_single_is_plain(state) || cost > limit->limit)) {
		return false;
	}
	switch (algorithm) {
		case RL_FIXED_WINDOW:
			decided = rl_single_fixed_window(limit, cost, now, state, next, d);
			break;
		case RL_CALENDAR_WINDOW:
			decided = rl_single_calendar_window(limit, cost, now, state, next, d);
			break;
		case RL_TOKEN_BUCKET:
			decided = rl_single_token_bucket(limit, cost, now, state, next, d);
			break;
		default:
			break;
	}
	return decided && (d->accepted || limit->ban == RL_BAN_NONE);
}

/* ---- Longer states ---- */

/* The parts of the state's own words that come from one limit's next state. */
typedef struct {
	uint64_t head; /* the first word of a state of this limit alone */
	int64_t expires_us;
} rl_single_outcome;

#define RL_SINGLE_LOG_HEAD 3 /* the words of a log's limit state before its moments */

/* The next limit state of a log. */
typedef struct {
	rl_single_outcome outcome;
	size_t words;
	uint64_t head[RL_SINGLE_LOG_HEAD];
	const uint32_t *moments; /* of the limit state that was read: those that stay */
	uint32_t kept;
	uint32_t added;
	uint32_t distance; /* of the new moments from the base */
} rl_single_log_state;

/* Decides a call of a sliding log, as rl_single_decide() does. limit_state: the first RL_SINGLE_LOG_HEAD words of a limit state
 * of at most words words, in a state for which rl_single_is_plain() is true; moments: what follows. The moments may change
 * meanwhile: then the answer and the next state mean nothing. */
bool rl_single_log(const rl_limit *limit, uint64_t cost, const rl_now *now, const uint64_t *limit_state,
	const uint32_t *moments, size_t words, rl_single_log_state *next, rl_decision *d);

/* Writes the next limit state of a log: its words. */
void rl_single_write_log(const rl_single_log_state *next, uint64_t *out);

#define RL_SINGLE_SLIDING_WORDS 20 /* the words of a sliding window's limit state */

/* Decides a call of a sliding window, as rl_single_decide() does. limit_state: a copy of so many words, of a state for which
 * rl_single_is_plain() is true. If the call is accepted, it becomes the next one; else it means nothing. In single_sliding.c. */
bool rl_single_sliding_window(const rl_limit *limit, uint64_t cost, int64_t now_us, uint64_t *limit_state,
	rl_single_outcome *outcome, rl_decision *d);

#endif
