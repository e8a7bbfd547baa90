/* The step of a sliding window: it admits at most limit permits in every interval of the period. And how a state has the counters.
 * sliding_window.c has the counters of calls that wait for their turn.
 *
 * The period is cut into RL_SLIDING_SUB_WINDOWS. A permit counts until the whole of its sub-window is a period old.
 *
 * Limit state: the origin, at which the sub-window of the first counter begins; the low 32 bits of 32 counters. If a count has more, the
 * high 8 bits of each follow: they hold any count. A decision is the same on both.
 *
 * The head's number has what a decision needs of the counters: the place of the last one that is not 0 (5 bits, low), and their
 * sum (27). It is 0 of a state without counters, with notes, with a larger sum, or with high bits. */
#ifndef RL_CORE_SLIDING_RING_H
#define RL_CORE_SLIDING_RING_H

#include <string.h>

#include "notes.h"
#include "step.h"

enum {
	RL_SLIDING_SUB_WINDOWS = 30,
	RL_SLIDING_RING = 32,
	RL_SLIDING_ORIGIN = RL_LIMIT_STATE_HEAD_WORDS,
	RL_SLIDING_LOW,
	RL_SLIDING_WORDS = RL_SLIDING_LOW + RL_SLIDING_RING / 2,
	RL_SLIDING_HIGH = RL_SLIDING_WORDS,
	RL_SLIDING_LARGE_WORDS = RL_SLIDING_HIGH + RL_SLIDING_RING / 8,
};

#define RL_SLIDING_LAST_BITS 5
#define RL_SLIDING_SUM_BITS  27

_Static_assert(1 << RL_SLIDING_LAST_BITS == RL_SLIDING_RING, "the number names any counter");
_Static_assert(RL_SLIDING_LAST_BITS + RL_SLIDING_SUM_BITS == 32, "a head's number has 32 bits");
_Static_assert(RL_LIMIT_MAX >> 40 == 0, "a counter holds any count");

/* A window at a moment. The counters are those of the limit state, a private copy, in which they change. */
typedef struct {
	int64_t period_us, width_us;
	int64_t origin_us; /* the begin of the sub-window of the first counter, whose index is 0 */
	uint32_t *low;     /* of RL_SLIDING_RING counters */
	uint8_t *high;     /* or NULL: they are 0 */
	unsigned first;    /* those before it are 0 */
	unsigned last;     /* and those behind it */
	uint64_t sum;      /* the later ones included */
	rl_notes later;    /* of sub-windows behind the ring: their begins, and their counts */
} rl_sliding;

static inline int64_t rl_sliding_width(int64_t period_us)
{
	return (period_us + RL_SLIDING_SUB_WINDOWS - 1) / RL_SLIDING_SUB_WINDOWS;
}

RL_INLINE uint64_t rl_sliding_count(const rl_sliding *r, unsigned i)
{
	return r->low[i] | (r->high != NULL ? (uint64_t) r->high[i] << 32 : 0);
}

RL_INLINE void rl_sliding_set(rl_sliding *r, unsigned i, uint64_t count)
{
	r->low[i] = (uint32_t) count;
	if (r->high != NULL) {
		r->high[i] = (uint8_t) (count >> 32);
	}
}

/* Returns the first microsecond of a sub-window. */
RL_INLINE int64_t rl_sliding_begin_of(const rl_sliding *r, int64_t i)
{
	return r->origin_us + i * r->width_us;
}

/* Returns when a permit of the sub-window that begins so stops counting. */
RL_INLINE int64_t rl_sliding_stops_at(const rl_sliding *r, int64_t begin_us)
{
	return begin_us + r->width_us + r->period_us;
}

/* Returns when all permits have stopped counting. */
RL_INLINE int64_t rl_sliding_ends_at(const rl_sliding *r)
{
	return rl_sliding_stops_at(r,
		r->later.n > 0 ? rl_notes_moment(&r->later, r->later.n - 1) : rl_sliding_begin_of(r, r->last));
}

RL_INLINE int64_t rl_sliding_index_of(const rl_sliding *r, int64_t moment_us)
{
	int64_t from_us = moment_us - r->origin_us;

	return from_us >= 0 ? from_us / r->width_us : -((r->width_us - 1 - from_us) / r->width_us);
}

/* Returns the moment from which on a cost fits that does not now: as the counters stop counting, the oldest first. */
RL_INLINE int64_t rl_sliding_room_at(const rl_sliding *r, uint64_t cost, uint64_t limit)
{
	uint64_t sum = r->sum - rl_sliding_count(r, r->first);
	unsigned i = r->first;
	size_t k;

	while (i < r->last && sum + cost > limit) {
		sum -= rl_sliding_count(r, ++i);
	}
	if (r->later.n == 0 || sum + cost <= limit) {
		return rl_sliding_stops_at(r, rl_sliding_begin_of(r, i));
	}
	for (k = 0; k + 1 < r->later.n && (sum -= rl_notes_number(&r->later, k)) + cost > limit; k++) {
	}
	return rl_sliding_stops_at(r, rl_notes_moment(&r->later, k));
}

static RL_COLD void rl_sliding_move(uint32_t *low, uint8_t *high, size_t by)
{
	size_t left = RL_SLIDING_RING - by;

	memmove(low, low + by, left * sizeof *low);
	memset(low + left, 0, by * sizeof *low);
	if (high != NULL) {
		memmove(high, high + by, left);
		memset(high + left, 0, by);
	}
}

/* Moves the counters to the front, so that there is one for the sub-window i. Those that leave have stopped counting. */
RL_INLINE void rl_sliding_shift(rl_sliding *r, int64_t i)
{
	int64_t by = i - (RL_SLIDING_RING - 1);
	unsigned gone = by < RL_SLIDING_RING ? (unsigned) by : RL_SLIDING_RING;

	rl_sliding_move(r->low, r->high, gone);
	r->origin_us += by * r->width_us;
	r->first = r->first > gone ? r->first - gone : 0;
	r->last = r->last > gone ? r->last - gone : 0;
}

/* Returns the counter of a moment, in which a cost comes: mostly the last one. Before the oldest one, where the clock was set back, that
 * one. */
RL_INLINE unsigned rl_sliding_counter_of(rl_sliding *r, int64_t moment_us)
{
	int64_t i;

	if (RL_LIKELY((uint64_t) (moment_us - rl_sliding_begin_of(r, r->last)) < (uint64_t) r->width_us)) {
		return r->last;
	}
	i = rl_sliding_index_of(r, moment_us);
	if (RL_UNLIKELY(i >= RL_SLIDING_RING)) {
		rl_sliding_shift(r, i);
		i = RL_SLIDING_RING - 1;
	}
	i = i > 0 ? i : 0;
	r->last = i > r->last ? (unsigned) i : r->last;
	return (unsigned) i;
}

RL_INLINE bool rl_sliding_fits(const rl_sliding *r, uint64_t limit, uint64_t cost)
{
	return r->sum + cost <= limit;
}

/* Decides a call now. Requires that something counts. */
RL_INLINE rl_step rl_sliding_step(rl_sliding *r, uint64_t limit, uint64_t cost, int64_t now_us)
{
	rl_step s = {.accepted = rl_sliding_fits(r, limit, cost)};

	if (RL_LIKELY(s.accepted)) {
		unsigned i = rl_sliding_counter_of(r, now_us);

		rl_sliding_set(r, i, rl_sliding_count(r, i) + cost);
		r->sum += cost;
		s.exhausted = r->sum == limit;
		s.near = (limit - r->sum) * 10 < limit;
		cost = 1;
	}
	s.used = r->sum;
	s.retry_us = s.accepted && !s.exhausted ? 0 : rl_sliding_room_at(r, cost, limit) - now_us;
	s.reset_us = rl_sliding_ends_at(r) - now_us;
	return s;
}

/* ---- The limit state ---- */

/* Returns the number of a limit state with such counters. */
RL_INLINE uint32_t rl_sliding_number(uint64_t sum, unsigned last)
{
	return sum >> RL_SLIDING_SUM_BITS == 0 ? (uint32_t) (sum << RL_SLIDING_LAST_BITS | last) : 0;
}

/* Returns the sum and the last counter as such a number, of any size, where the head has none. */
static RL_COLD uint64_t rl_sliding_number_of(const uint32_t *low)
{
	uint64_t sum = 0;
	unsigned last = 0, i;

	for (i = 0; i < RL_SLIDING_RING; i++) {
		sum += low[i];
		last = low[i] != 0 ? i : last;
	}
	return sum << RL_SLIDING_LAST_BITS | last;
}

/* Reads the words of a limit state, which are a private copy, but for the high bits and the notes. With a number of 0, nothing counts. */
RL_INLINE rl_sliding rl_sliding_read(uint64_t *words, int64_t period_us, uint64_t number)
{
	return (rl_sliding){
		.period_us = period_us,
		.width_us = rl_sliding_width(period_us),
		.origin_us = rl_moment(words[RL_SLIDING_ORIGIN]),
		.low = (uint32_t *) (void *) (words + RL_SLIDING_LOW),
		.last = number % RL_SLIDING_RING,
		.sum = number >> RL_SLIDING_LAST_BITS,
	};
}

/* Drops the counters that have stopped counting. Returns false if none is left. */
RL_INLINE bool rl_sliding_drop(rl_sliding *r, int64_t now_us)
{
	int64_t stops_us = rl_sliding_stops_at(r, r->origin_us);

	for (; r->first <= r->last && stops_us <= now_us; r->first++, stops_us += r->width_us) {
		r->sum -= rl_sliding_count(r, r->first);
		rl_sliding_set(r, r->first, 0);
	}
	return r->first <= r->last;
}

/* Reads what counts now of a limit without high bits, without later counters, and without a booking among the others. Returns false
 * for any other limit state, or if nothing counts. Clears counters that have stopped counting. */
RL_INLINE bool rl_sliding_read_usual(const rl_limit *limit, uint64_t *words, int64_t now_us, rl_sliding *r)
{
	uint64_t number = words[0] >> 32;

	number = RL_LIKELY(number != 0) ? number : rl_sliding_number_of((uint32_t *) (void *) (words + RL_SLIDING_LOW));
	*r = rl_sliding_read(words, limit->period_us, number);
	return (uint32_t) words[0] == (uint32_t) rl_limit_state_head(RL_SLIDING_WINDOW, RL_SLIDING_WORDS, 0)
		&& words[RL_LIMIT_STATE_PERIOD] == (uint64_t) limit->period_us && now_us >= rl_sliding_begin_of(r, r->last)
		&& rl_sliding_drop(r, now_us) && r->sum != 0;
}

/* Makes the counters those of the next limit state: a copy. One memcpy() would become "rep movs", which takes 20 ns more. */
RL_INLINE void rl_sliding_copy(rl_sliding *r, const uint64_t *words, uint64_t *next)
{
	size_t i;

	memcpy(next, words, RL_SLIDING_LOW * sizeof *next);
	for (i = RL_SLIDING_LOW; i < RL_SLIDING_WORDS; i += 8) {
		memcpy(next + i, words + i, 8 * sizeof *next);
	}
	r->low = (uint32_t *) (void *) (next + RL_SLIDING_LOW);
}

/* Writes what a step changes beside the counters. */
RL_INLINE void rl_sliding_write(const rl_sliding *r, uint64_t *out)
{
	out[0] = (uint32_t) out[0] | (uint64_t) rl_sliding_number(r->sum, r->last) << 32;
	out[RL_SLIDING_ORIGIN] = (uint64_t) r->origin_us;
}

#endif
