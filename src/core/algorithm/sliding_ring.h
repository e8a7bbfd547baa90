/* The limit state of a sliding window, and what is read of it. Private to sliding_*.c and usual.c.
 *
 * The period is cut into RL_SLIDING_SUB_WINDOWS. A permit counts until the whole of its sub-window is a period old.
 *
 * Calls that wait for their turn are counted in the sub-window of that turn. Counters of sub-windows behind the 32 of the
 * ring are a list.
 *
 * Limit state: period; origin; the index of the first sub-window that has a counter; 32 counters, two to a word; the list.
 * The list is in order, with two words for each counter: the distance of its index from the first one, its count. Wide: each of
 * the 32 counters has a word.
 *
 * The head's number has what a decision needs of the counters: the place of the last one that is not 0 (5 bits, low), and their
 * sum (27). It is 0 of a state without counters, with a list, or with a larger sum, and of a wide one. */
#ifndef RL_CORE_SLIDING_RING_H
#define RL_CORE_SLIDING_RING_H

#include "../../compiler.h"
#include "algorithm.h"

enum {
	RL_SLIDING_PERIOD = 1,
	RL_SLIDING_ORIGIN,
	RL_SLIDING_FIRST,
	RL_SLIDING_COUNTERS,
	RL_SLIDING_SUB_WINDOWS = 30,
	RL_SLIDING_RING = 32,
	RL_SLIDING_WORDS = RL_SLIDING_COUNTERS + RL_SLIDING_RING / 2,
};

#define RL_SLIDING_LATER_MAX       1000
#define RL_SLIDING_WORDS_PER_LATER 2
#define RL_SLIDING_LAST_BITS       5
#define RL_SLIDING_SUM_BITS        27

_Static_assert(1 << RL_SLIDING_LAST_BITS == RL_SLIDING_RING, "the number names any counter");
_Static_assert(RL_SLIDING_LAST_BITS + RL_SLIDING_SUM_BITS == 32, "a head's number has 32 bits");

typedef struct {
	int64_t period_us, width_us, origin_us;
	int64_t first; /* the sub-window of counts[0] */
	uint64_t counts[RL_SLIDING_RING];
	/* The list, as the limit state has it: its indexes count from base. */
	const uint64_t *later;
	size_t n_later;
	int64_t base;
} rl_sliding_ring;

/* Returns the number of a limit state with such counters. last: the place of the last one that is not 0. */
static inline uint32_t rl_sliding_number(uint64_t sum, unsigned last)
{
	return sum != 0 && sum >> RL_SLIDING_SUM_BITS == 0 ? (uint32_t) (sum << RL_SLIDING_LAST_BITS | last) : 0;
}

static inline int64_t rl_sliding_width(int64_t period_us)
{
	return (period_us + RL_SLIDING_SUB_WINDOWS - 1) / RL_SLIDING_SUB_WINDOWS;
}

static inline int64_t rl_sliding_floor_div(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Returns when the i-th counter stops counting. */
static inline int64_t rl_sliding_expires_at(const rl_sliding_ring *r, unsigned i)
{
	return r->origin_us + (r->first + (int64_t) i + 1) * r->width_us + r->period_us;
}

static inline int64_t rl_sliding_later_index(const rl_sliding_ring *r, size_t k)
{
	uint64_t distance = r->later[RL_SLIDING_WORDS_PER_LATER * k], bound = (uint64_t) (INT64_MAX / 8 / r->width_us);

	return r->base + (int64_t) (distance < bound ? distance : bound);
}

static inline uint64_t rl_sliding_later_count(const rl_sliding_ring *r, size_t k)
{
	return rl_count_of(r->later[RL_SLIDING_WORDS_PER_LATER * k + 1]);
}

/* Returns the first microsecond of a sub-window. */
static inline int64_t rl_sliding_begin_of(const rl_sliding_ring *r, int64_t i)
{
	return r->origin_us + i * r->width_us;
}

static inline int64_t rl_sliding_index_of(const rl_sliding_ring *r, int64_t moment_us)
{
	return rl_sliding_floor_div(moment_us - r->origin_us, r->width_us);
}

/* Returns when the counter of sub-window i stops counting. */
static inline int64_t rl_sliding_index_expires_at(const rl_sliding_ring *r, int64_t i)
{
	return rl_sliding_begin_of(r, i + 1) + r->period_us;
}

/* Returns the index of the sub-window that counts a moment: never before the oldest counter, where the clock was set
 * back. */
static inline int64_t rl_sliding_counted_in(const rl_sliding_ring *r, int64_t moment_us)
{
	int64_t i = rl_sliding_index_of(r, moment_us);

	return i < r->first ? r->first : i;
}

/* Returns where the list of a limit state begins. */
static inline size_t rl_sliding_list_at(const uint64_t *limit_state)
{
	return rl_limit_state_is_wide(limit_state) ? RL_SLIDING_COUNTERS + RL_SLIDING_RING : RL_SLIDING_WORDS;
}

/* ---- sliding_ring.c ---- */

/* Reads all but the counters. */
void rl_sliding_read_times(const uint64_t *limit_state, rl_sliding_ring *r);

/* Reads a limit state, as it was written. */
void rl_sliding_read(const uint64_t *limit_state, rl_sliding_ring *r);

/* Reads what counts now, by the limit state's own period. Returns false if nothing does. */
bool rl_sliding_load(const rl_limit_ctx *c, rl_sliding_ring *r);

/* Empties a ring, whose first sub-window begins at the origin. */
void rl_sliding_start(rl_sliding_ring *r, int64_t period_us, int64_t origin_us);

/* Drops the counters that no longer count. */
void rl_sliding_forget_old(rl_sliding_ring *r, int64_t now_us);

bool rl_sliding_is_zero(const rl_sliding_ring *r);

/* Counts in a sub-window that the ring reaches. */
void rl_sliding_count(rl_sliding_ring *r, int64_t i, uint64_t n);

/* Returns what counts now. */
uint64_t rl_sliding_sum(const rl_sliding_ring *r);

/* Returns what still counts at t, which is not before now. */
uint64_t rl_sliding_sum_at(const rl_sliding_ring *r, int64_t t_us);

/* ---- sliding_write.c ---- */

/* Writes the ring, and returns the words of the limit state. */
size_t rl_sliding_write(const rl_sliding_ring *r, uint64_t *out);

/* Does the same after a change of the counter of sub-window i, which is behind the ring: n more, or back less. */
size_t rl_sliding_write_change(const rl_sliding_ring *r, int64_t i, uint64_t n, uint64_t back, uint64_t *out);

/* Counts anew what was counted under another period, so that nothing is forgotten too early: each sub-window at its last
 * moment, or now, if it contains that. room: for the list of the new limit state. */
void rl_sliding_recount(const rl_sliding_ring *old, int64_t period_us, int64_t now_us,
	uint64_t room[RL_SLIDING_WORDS_PER_LATER * (RL_SLIDING_LATER_MAX + RL_SLIDING_RING)], rl_sliding_ring *r);

#endif
