/* The step of a sliding window without a list whose counters take 32 bits: in place, in a copy of its limit state. sliding_window.c
 * has the rules of any other one. */
#ifndef RL_CORE_SLIDING_STEP_H
#define RL_CORE_SLIDING_STEP_H

#include <string.h>

#include "sliding_ring.h"
#include "step.h"

/* Sub-windows as the limit state has them, in which they change. No function takes its address: it stays in registers. */
typedef struct {
	int64_t width_us, first_us; /* the length of a sub-window; when the first counter stops counting */
	uint32_t *counts;           /* RL_SLIDING_RING */
	unsigned last;              /* the last that is not 0 */
	unsigned from;              /* the first that may count: those before it have stopped */
	uint64_t sum;               /* of those that count */
} rl_sliding_counts;

/* Returns when a counter stops counting. */
RL_INLINE int64_t rl_sliding_stops_at(rl_sliding_counts r, unsigned i)
{
	return r.first_us + (int64_t) i * r.width_us;
}

/* Returns the moment from which on the cost fits, if it does not fit now. */
static RL_COLD int64_t rl_sliding_room_at(rl_sliding_counts r, uint64_t cost, uint64_t limit)
{
	unsigned i = r.from;

	/* A damaged sum may be larger than the counters. */
	while (i < r.last && r.sum - r.counts[i] + cost > limit) {
		r.sum -= r.counts[i++];
	}
	return rl_sliding_stops_at(r, i);
}

/* Returns the sum and the last counter as a number of the head, of any size, where the head has none. */
static RL_COLD uint64_t rl_sliding_number_of(const uint32_t *counts)
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
static RL_COLD void rl_sliding_shift(uint32_t *counts, unsigned by)
{
	memmove(counts, counts + by, (RL_SLIDING_RING - by) * sizeof *counts);
	memset(counts + RL_SLIDING_RING - by, 0, by * sizeof *counts);
}

/* Decides a call now, of a cost of at most the limit. limit_state: a copy of RL_SLIDING_WORDS words. An admission makes it the next
 * one; after a refusal it means nothing. Returns false for any other limit state, or if nothing counts: then it has lost no more than
 * counters that have stopped counting. */
RL_INLINE bool rl_sliding_step(const rl_limit *limit, uint64_t cost, int64_t now_us, uint64_t *limit_state, rl_step *s)
{
	int64_t period_us = limit->period_us, origin_us = rl_moment(limit_state[RL_SLIDING_ORIGIN]), stops_us;
	uint64_t number = limit_state[0] >> 32, into_us;
	rl_sliding_counts r = {.width_us = rl_sliding_width(period_us),
		.counts = (uint32_t *) (void *) (limit_state + RL_SLIDING_COUNTERS)};
	unsigned at;

	if ((int64_t) limit_state[RL_SLIDING_PERIOD] != period_us
		|| (uint32_t) limit_state[0] != (uint32_t) rl_limit_state_head(RL_SLIDING_WINDOW, RL_SLIDING_WORDS, 0)
		|| now_us < origin_us) {
		return false;
	}
	number = RL_LIKELY(number != 0) ? number : rl_sliding_number_of(r.counts);
	r.sum = number >> RL_SLIDING_LAST_BITS;
	r.last = number & (RL_SLIDING_RING - 1);
	/* How far the last counter's sub-window is behind now. One ahead of now is a booking: without a sign it is too far. */
	into_us = (uint64_t) (now_us - origin_us) - r.last * (uint64_t) r.width_us;
	if (RL_UNLIKELY(into_us >= (uint64_t) r.width_us * RL_SLIDING_RING)) {
		return false;
	}
	r.first_us = now_us - (int64_t) into_us - ((int64_t) r.last - 1) * r.width_us + period_us;
	at = r.last;
	if (RL_UNLIKELY(into_us >= (uint64_t) r.width_us)) {
		at += (unsigned) (into_us / (uint64_t) r.width_us);
	}
	/* The counters that have stopped counting are some of the first. */
	for (stops_us = r.first_us; r.from < RL_SLIDING_RING && stops_us <= now_us; stops_us += r.width_us) {
		r.sum -= r.counts[r.from];
		r.counts[r.from++] = 0;
	}
	if (r.sum == 0 || r.from > r.last) {
		return false;
	}
	s->accepted = r.sum + cost <= limit->limit;
	if (RL_UNLIKELY(!s->accepted)) {
		s->used = r.sum;
		s->retry_us = rl_sliding_room_at(r, cost, limit->limit) - now_us;
		s->reset_us = rl_sliding_stops_at(r, r.last) - now_us;
		return true;
	}
	/* Before the counters move: a caller that is told false has the state as it was. */
	if ((at < RL_SLIDING_RING ? r.counts[at] : 0) + cost > UINT32_MAX) {
		return false;
	}
	if (RL_UNLIKELY(at >= RL_SLIDING_RING)) {
		unsigned by = at - (RL_SLIDING_RING - 1);

		rl_sliding_shift(r.counts, by);
		r.first_us += by * r.width_us;
		r.from = 0;
		origin_us += by * r.width_us;
		at -= by;
	}
	r.last = at;
	r.counts[at] += (uint32_t) cost;
	r.sum += cost;
	s->used = r.sum;
	s->exhausted = r.sum == limit->limit;
	s->near = (limit->limit - r.sum) * 10 < limit->limit;
	s->retry_us = RL_UNLIKELY(s->exhausted) ? rl_sliding_room_at(r, 1, limit->limit) - now_us : 0;
	s->reset_us = rl_sliding_stops_at(r, at) - now_us;
	limit_state[0] = (uint32_t) limit_state[0] | (uint64_t) rl_sliding_number(r.sum, at) << 32;
	limit_state[RL_SLIDING_ORIGIN] = (uint64_t) origin_us;
	return true;
}

#endif
