/* The limit state of a sliding window, and what is read of it. Private to sliding_*.c and usual.c.
 *
 * The period is cut into RL_SLIDING_SUB_WINDOWS. A permit counts until the whole of its sub-window is a period old.
 *
 * Calls that wait for their turn are counted in the sub-window of that turn. Counters of sub-windows behind the 32 of the
 * ring are the notes: the begins of their sub-windows, and their counts.
 *
 * Limit state: the origin, at which the sub-window of the first counter begins; 32 counters, two to a word; or one to a word, if a
 * count takes more than 32 bits.
 *
 * The head's number has what a decision needs of the counters: the place of the last one that is not 0 (5 bits, low), and their
 * sum (27). It is 0 of a state without counters, with notes, or with a larger sum, and of one with large counters. */
#ifndef RL_CORE_SLIDING_RING_H
#define RL_CORE_SLIDING_RING_H

#include "../../compiler.h"
#include "notes.h"

enum {
	RL_SLIDING_PERIOD = RL_LIMIT_STATE_PERIOD,
	RL_SLIDING_ORIGIN,
	RL_SLIDING_COUNTERS,
	RL_SLIDING_SUB_WINDOWS = 30,
	RL_SLIDING_RING = 32,
	RL_SLIDING_WORDS = RL_SLIDING_COUNTERS + RL_SLIDING_RING / 2,
	RL_SLIDING_LARGE_WORDS = RL_SLIDING_COUNTERS + RL_SLIDING_RING,
};

#define RL_SLIDING_LATER_MAX 1000
#define RL_SLIDING_LAST_BITS 5
#define RL_SLIDING_SUM_BITS  27

_Static_assert(1 << RL_SLIDING_LAST_BITS == RL_SLIDING_RING, "the number names any counter");
_Static_assert(RL_SLIDING_LAST_BITS + RL_SLIDING_SUM_BITS == 32, "a head's number has 32 bits");

typedef struct {
	int64_t period_us, width_us;
	int64_t origin_us; /* the begin of the sub-window of counts[0], whose index is 0 */
	uint64_t counts[RL_SLIDING_RING];
	rl_notes later; /* the counters behind these */
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
	return r->origin_us + ((int64_t) i + 1) * r->width_us + r->period_us;
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

/* Returns when the k-th counter behind the ring stops counting. */
static inline int64_t rl_sliding_later_expires_at(const rl_sliding_ring *r, size_t k)
{
	return rl_notes_moment(&r->later, k) + r->width_us + r->period_us;
}

/* Returns the index of the sub-window that counts a moment: never before the oldest counter, where the clock was set
 * back. */
static inline int64_t rl_sliding_counted_in(const rl_sliding_ring *r, int64_t moment_us)
{
	int64_t i = rl_sliding_index_of(r, moment_us);

	return i < 0 ? 0 : i;
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

/* Does the same, with another count of the sub-window behind the ring that begins so. */
size_t rl_sliding_write_later(const rl_sliding_ring *r, int64_t begin_us, uint64_t count, uint64_t *out);

/* Counts anew what was counted under another period, so that nothing is forgotten too early: each sub-window at its last
 * moment, or now, if it contains that. room: for the list of the new limit state. */
void rl_sliding_recount(const rl_sliding_ring *old, int64_t period_us, int64_t now_us,
	uint64_t room[RL_NOTE_WORDS * (RL_SLIDING_LATER_MAX + RL_SLIDING_RING)], rl_sliding_ring *r);

#endif
