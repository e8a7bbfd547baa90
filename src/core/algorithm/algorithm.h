/* src/core/algorithm: One file an algorithm: its limit state, its step, the writing of its next state.
 *
 * Defines an algorithm: a table of functions. Another one is one file, and one row in limit.h.
 *
 * A limit state is the part of a state that belongs to one limit (state.h); NULL is a fresh one. Its size and its algorithm
 * have been checked. Everything else in it may be invalid, and must then lead to some answer, never out of bounds. All
 * moments are on the store's monotonic clock, except in the limit states of calendar windows. docs/semantics.md defines
 * each answer. */
#ifndef RL_CORE_ALGORITHM_H
#define RL_CORE_ALGORITHM_H

#include "state.h"

typedef struct {
	const rl_limit *limit;
	const uint64_t *limit_state;
	rl_now now;
	int64_t at_us; /* the moment that is judged: now, or the moment of a booking */
	bool booking;  /* reserve, cancel, or an acquire whose turn comes later */
	bool debt;     /* settle: the cost is counted whatever the limit is */
	bool undo;     /* settle: what the acquire itself began ends with it, if nothing else is counted there */
	uint64_t cost;
	uint64_t tag;               /* of the limit state after admit(); 0: none */
	const rl_question *acquire; /* the question of an acquire: the number and the owner of its places; else NULL */
	rl_held *held;              /* acquire: admit() fills in the place; else NULL */
} rl_limit_ctx;

/* Two clocks differ by so much in what an answer tells of a window's end: by rounding, and by a share of the period. An answer that
 * took longer than the third is late, and not the latest one. */
#define RL_TOLD_SLACK_US (2 * RL_US_PER_MS)
#define RL_TOLD_DRIFT    10000
#define RL_TOLD_LATE_US  (20 * RL_US_PER_MS)

typedef struct {
	size_t words_min; /* of a limit state, without its notes */
	bool converts;    /* admit() under another period makes a new limit state: the old tag is gone */
	bool undo_marks;  /* an undo leaves a mark in a tagged limit state: the state is another one afterwards */

	/* Returns whether the limit state has this limit's period. Requires a limit state of the same algorithm. */
	bool (*same_period)(const rl_limit *limit, const uint64_t *limit_state);

	/* Returns the moment from which on the limit state equals a fresh one. */
	int64_t (*expires_at)(const uint64_t *limit_state, const rl_now *now);

	/* Returns the permits that count at the moment that is judged; at most the limit, unless that was lowered or a debt was
	 * counted. */
	uint64_t (*used)(const rl_limit_ctx *c);

	/* Returns the first moment at or after t at which the cost would be admitted. */
	int64_t (*earliest)(const rl_limit_ctx *c, int64_t t_us);

	/* Returns when the limit has all its permits again: expires_at() of what counts for the moment that is judged. */
	int64_t (*full_at)(const rl_limit_ctx *c);

	/* Returns the largest number of words that admit(), credit(), cancel() and give_back() may write. */
	size_t (*max_words)(const rl_limit_ctx *c);

	/* Write the limit state after the cost was admitted at the moment that is judged, or given back to what counts now.
	 * Return its words. The tag is set later. */
	size_t (*admit)(const rl_limit_ctx *c, uint64_t *out);
	size_t (*credit)(const rl_limit_ctx *c, uint64_t *out);

	/* Returns when the limit state has room for the booking; now or earlier if it has. NULL: no bookings. */
	int64_t (*book_at)(const rl_limit_ctx *c);

	/* Writes the limit state without the booking and returns its words; 0: it has no such booking. NULL: no bookings. */
	size_t (*cancel)(const rl_limit_ctx *c, uint64_t *out);

	/* Writes the limit state after n of what a permit holds were given back, and returns its words; 0: the place is gone.
	 * all: the permit ends as if it had never been. Requires a limit state with the permit's tag. */
	size_t (*give_back)(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out);

	/* Writes the limit state that another store's answer tells of, and returns its words; 0: it stays as it is. The latest answer
	 * counts. Of others the one that tells of more does, because they may arrive out of order. NULL: what is missing is counted now, by
	 * admit(). */
	size_t (*mirror)(const rl_limit_ctx *c, const rl_told *answer, const rl_told_limit *told, uint64_t *out);
} rl_algorithm_ops;

/* Returns whether an answer tells of something that counts now of limit i: by now, all of it may be over. */
static inline bool rl_told_counts(const rl_told *answer, unsigned i)
{
	return answer->limits[i].is_known && answer->trip_us < answer->limits[i].full_us;
}

/* Does the same, of an answer without a ban and a level. */
static inline bool rl_told_is_usual(const rl_told *answer, unsigned i)
{
	return rl_told_counts(answer, i) && answer->ban_us <= 0 && answer->level == 0;
}

/* Returns whether an answer may lower what counts of a limit. One that has nothing left does not tell by how much it is beyond. */
static inline bool rl_told_lowers(const rl_limit *limit, const rl_told *answer, const rl_told_limit *told)
{
	return answer->is_latest && told->used < limit->limit;
}

extern const rl_algorithm_ops *const rl_algorithms[RL_ALGORITHMS + 1];

/* Returns NULL for an unknown number. */
static inline const rl_algorithm_ops *rl_algorithm_of(unsigned algorithm)
{
	return algorithm <= RL_ALGORITHMS ? rl_algorithms[algorithm] : NULL;
}

#define RL_ALGORITHM_OPS(number, NAME, name, ...) extern const rl_algorithm_ops rl_##name##_ops;
RL_ALGORITHM_ROWS(RL_ALGORITHM_OPS)

/* Adds up to the largest count. Requires both to be at most that. */
static inline uint64_t rl_add_count(uint64_t count, uint64_t cost)
{
	return count + cost > RL_LIMIT_MAX ? (uint64_t) RL_LIMIT_MAX : count + cost;
}

/* Subtracts, down to 0. */
static inline uint64_t rl_take_count(uint64_t count, uint64_t cost)
{
	return count > cost ? count - cost : 0;
}

/* Returns a count of a limit state, clamped to the valid ones. */
static inline uint64_t rl_count_of(uint64_t word)
{
	return word < RL_LIMIT_MAX ? word : (uint64_t) RL_LIMIT_MAX;
}

/* Returns a moment of a limit state, clamped so that sums do not overflow. */
static inline int64_t rl_moment(uint64_t word)
{
	const int64_t bound = INT64_MAX / 4;
	int64_t us = (int64_t) word;

	return us > bound ? bound : us < -bound ? -bound : us;
}

/* Returns a period of a limit state, clamped to the valid ones. */
static inline int64_t rl_period_of(uint64_t word)
{
	int64_t us = (int64_t) word;

	return us < 1 ? 1 : us > RL_PERIOD_MAX_US ? RL_PERIOD_MAX_US : us;
}

/* ---- Of a calendar window alone ---- */

/* Gives c boundaries around the moment t, in a copy of its limit, if t lies in the window after the clock's. Returns false
 * for a moment behind the boundaries that the call has brought. */
bool rl_calendar_window_around(rl_limit_ctx *c, int64_t t_us, rl_limit *shifted);

/* ---- Of a concurrent limit alone ---- */

/* Writes the limit state with the end of a permit's place moved to for_us from now, and returns its words; 0: the place is
 * gone. Requires a limit state of a concurrent limit. */
size_t rl_concurrent_renew(const rl_limit_ctx *c, const rl_held *held, int64_t for_us, uint64_t *out);

/* ---- Places of dead workers ---- */

/* Drops, in a copy of a concurrent limit state, the places of all owners that are gone. Returns whether there were any. */
bool rl_concurrent_drop(uint64_t *limit_state, bool (*is_gone)(uint64_t owner, void *context), void *context);

#endif
