/* Decides a call of a sliding window in a few steps: for the fast path of one limit, whose swap must not wait for the answer. */
#ifndef RL_CORE_SINGLE_SLIDING_H
#define RL_CORE_SINGLE_SLIDING_H

#include "single_limit.h"
#include "sliding_ring.h"

#include <string.h>

_Static_assert(RL_SLIDING_WORDS == RL_SINGLE_SLIDING_WORDS, "the limit state of a sliding window");

/* Sub-windows as the limit state has them, in which they change. No function takes its address: it stays in registers. */
typedef struct {
	int64_t width_us, first_us; /* the length of a sub-window; when the first counter stops counting */
	uint32_t *counts;           /* RL_SLIDING_RING */
	unsigned last;              /* the last that is not 0 */
	unsigned from;              /* the first that may count: those before it have stopped */
	uint64_t sum;               /* of those that count */
} single_ring;

/* Returns when a counter stops counting. */
RL_INLINE int64_t single_stops_at(single_ring r, unsigned i)
{
	return r.first_us + (int64_t) i * r.width_us;
}

/* Returns the moment from which on the cost fits, if it does not fit now. */
static RL_COLD int64_t single_room_at(single_ring r, uint64_t cost, uint64_t limit)
{
	unsigned i = r.from;

	/* A damaged sum may be larger than the counters. */
	while (i < r.last && r.sum - r.counts[i] + cost > limit) {
		r.sum -= r.counts[i++];
	}
	return single_stops_at(r, i);
}

/* Returns the sum and the last counter as a number of the head, of any size, where the head has none. */
static RL_COLD uint64_t single_number_of(const uint32_t *counts)
{
	uint64_t sum = 0;
	unsigned last = 0, i;

	for (i = 0; i < RL_SLIDING_RING; i++) {
		sum += counts[i];
		last = counts[i] != 0 ? i : last;
	}
	return sum << RL_SLIDING_LAST_BITS | last;
}

/* Moves the counters to the front. Those that leave have stopped counting. */
static RL_COLD void single_shift(uint32_t *counts, unsigned by)
{
	memmove(counts, counts + by, (RL_SLIDING_RING - by) * sizeof *counts);
	memset(counts + RL_SLIDING_RING - by, 0, by * sizeof *counts);
}

/* A decision, and the words of the next state's head. */
typedef struct {
	bool accepted;
	uint64_t used;
	int64_t retry_us, reset_us;
	rl_single_outcome next;
} rl_single_sliding;

/* Does what rl_single_sliding_window() does, but for the answer: a store before the swap of the next state would delay that. */
RL_INLINE bool rl_single_sliding_decide(const rl_limit *limit, uint64_t cost, int64_t now_us, uint64_t *limit_state,
	rl_single_sliding *o)
{
	int64_t period_us = limit->period_us, origin_us = rl_moment(limit_state[RL_SLIDING_ORIGIN]);
	uint64_t first = limit_state[RL_SLIDING_FIRST], number = limit_state[0] >> 32, into_us;
	int64_t stops_us;
	single_ring r = {.width_us = rl_sliding_width(period_us),
		.counts = (uint32_t *) (void *) (limit_state + RL_SLIDING_COUNTERS)};
	unsigned at;

	if (cost > limit->limit || (int64_t) limit_state[RL_SLIDING_PERIOD] != period_us
		|| (uint32_t) limit_state[0] != (uint32_t) rl_limit_state_head(RL_SLIDING_WINDOW, RL_SLIDING_WORDS, 0)
		|| now_us < origin_us || first >> 62 != 0) {
		return false;
	}
	number = RL_LIKELY(number != 0) ? number : single_number_of(r.counts);
	r.sum = number >> RL_SLIDING_LAST_BITS;
	r.last = number & (RL_SLIDING_RING - 1);
	/* How far the last counter's sub-window is behind now. One ahead of now is a booking: without a sign it is too far. */
	into_us = (uint64_t) (now_us - origin_us) - (first + r.last) * (uint64_t) r.width_us;
	r.first_us = now_us - (int64_t) into_us - ((int64_t) r.last - 1) * r.width_us + period_us;
	at = r.last;
	if (RL_UNLIKELY(into_us >= (uint64_t) r.width_us)) {
		uint64_t by = into_us / (uint64_t) r.width_us;

		if (by >= RL_SLIDING_RING) {
			return false;
		}
		at += (unsigned) by;
	}
	/* The counters that have stopped counting are some of the first. */
	for (stops_us = r.first_us; r.from < RL_SLIDING_RING && stops_us <= now_us; stops_us += r.width_us) {
		r.sum -= r.counts[r.from];
		r.counts[r.from++] = 0;
	}
	if (r.sum == 0 || r.from > r.last) {
		return false;
	}
	o->accepted = r.sum + cost <= limit->limit;
	if (RL_UNLIKELY(!o->accepted)) {
		o->used = r.sum;
		o->retry_us = single_room_at(r, cost, limit->limit) - now_us;
		o->reset_us = single_stops_at(r, r.last) - now_us;
		return limit->ban == RL_BAN_NONE;
	}
	if (RL_UNLIKELY(at >= RL_SLIDING_RING)) {
		unsigned by = at - (RL_SLIDING_RING - 1);

		single_shift(r.counts, by);
		r.first_us += by * r.width_us;
		r.from = 0;
		first += by;
		at -= by;
	}
	if ((uint64_t) r.counts[at] + cost > UINT32_MAX) {
		return false;
	}
	r.last = at;
	r.counts[at] += (uint32_t) cost;
	r.sum += cost;
	o->used = r.sum;
	o->next = (rl_single_outcome){.head = rl_single_head(limit, r.sum), .expires_us = single_stops_at(r, at)};
	o->retry_us = RL_UNLIKELY(r.sum == limit->limit) ? single_room_at(r, 1, limit->limit) - now_us : 0;
	o->reset_us = o->next.expires_us - now_us;
	limit_state[0] = (uint32_t) limit_state[0] | (uint64_t) rl_sliding_number(r.sum, at) << 32;
	limit_state[RL_SLIDING_FIRST] = first;
	return true;
}

static inline void rl_single_sliding_answer(const rl_single_sliding *o, const rl_limit *limit, rl_decision *d)
{
	rl_single_answer(d, limit, o->accepted, o->used, o->retry_us, o->reset_us);
}

#endif
