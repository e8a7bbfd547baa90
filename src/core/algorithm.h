/* What an algorithm is: a row of functions. A sixth one is one file, and one row in algorithm.c.
 *
 * A limit state is what one limit remembers (state.h); NULL is a fresh one. Its size and its algorithm have been checked;
 * everything else in it may be nonsense, and must then lead to some answer rather than out of bounds. All moments are on
 * the store's monotonic clock, except in calendar windows' limit states. docs/semantics.md says what each answer means. */
#ifndef RL_CORE_ALGORITHM_H
#define RL_CORE_ALGORITHM_H

#include "state.h"

typedef struct {
	const rl_limit *limit;
	const uint64_t *limit_state;
	rl_now now;
	int64_t at_us; /* the moment that is judged: now, or the one to be booked */
	bool booking;  /* reserve or cancel */
	uint32_t cost;
} rl_limit_ctx;

typedef struct {
	size_t words_min; /* of a limit state */

	/* Is the limit state of this limit's period? (Its algorithm is.) */
	bool (*same_period)(const rl_limit *limit, const uint64_t *limit_state);

	/* The moment from which on the limit state equals a fresh one. */
	int64_t (*expires_at)(const uint64_t *limit_state, const rl_now *now);

	/* What counts at the moment that is judged; at most the limit's number, unless that was lowered. */
	uint32_t (*used)(const rl_limit_ctx *c);

	/* The first moment at or after t at which the cost would be admitted. */
	int64_t (*earliest)(const rl_limit_ctx *c, int64_t t_us);

	/* When the limit will be whole: over_at() of what counts for the moment that is judged. */
	int64_t (*full_at)(const rl_limit_ctx *c);

	/* Words that admit(), refund() and cancel() may write, at the most. */
	size_t (*max_words)(const rl_limit_ctx *c);

	/* Write the limit state as it is after the cost was admitted, or given back. Return its words. */
	size_t (*admit)(const rl_limit_ctx *c, uint64_t *out);
	size_t (*refund)(const rl_limit_ctx *c, uint64_t *out);

	/* When there will be room for the booking; now or earlier when there is. NULL: this algorithm books nothing. */
	int64_t (*book_at)(const rl_limit_ctx *c);

	/* Writes the limit state without the booking; 0 when there is none. NULL: this algorithm books nothing. */
	size_t (*cancel)(const rl_limit_ctx *c, uint64_t *out);
} rl_algorithm_ops;

extern const rl_algorithm_ops *const rl_algorithms[RL_ALGORITHMS + 1];

/* NULL for a number that is none. */
static inline const rl_algorithm_ops *rl_algorithm_of(unsigned algorithm)
{
	return algorithm <= RL_ALGORITHMS ? rl_algorithms[algorithm] : NULL;
}

extern const rl_algorithm_ops rl_fixed_window_ops;
extern const rl_algorithm_ops rl_calendar_window_ops;
extern const rl_algorithm_ops rl_sliding_log_ops;
extern const rl_algorithm_ops rl_sliding_window_ops;
extern const rl_algorithm_ops rl_token_bucket_ops;

/* What a count becomes when something is added to it: it never wraps, whatever the limit state held. */
static inline uint32_t rl_add_count(uint32_t count, uint32_t cost)
{
	return count > UINT32_MAX - cost ? UINT32_MAX : count + cost;
}

static inline uint32_t rl_take_count(uint32_t count, uint32_t cost)
{
	return count > cost ? count - cost : 0;
}

/* A moment read from a limit state, held within what can be added to without overflow. */
static inline int64_t rl_moment(uint64_t word)
{
	const int64_t bound = INT64_MAX / 4;
	int64_t us = (int64_t) word;

	return us > bound ? bound : us < -bound ? -bound : us;
}

/* A period read from a limit state. */
static inline int64_t rl_period_of(uint64_t word)
{
	int64_t us = (int64_t) word;

	return us < 1 ? 1 : us > RL_PERIOD_MAX_US ? RL_PERIOD_MAX_US : us;
}

#endif
