#include "sliding_ring.h"

#include <string.h>

void rl_sliding_read_times(const uint64_t *limit_state, rl_sliding_ring *r)
{
	int64_t bound;

	r->period_us = rl_period_of(limit_state[RL_SLIDING_PERIOD]);
	r->width_us = rl_sliding_width(r->period_us);
	r->origin_us = rl_moment(limit_state[RL_SLIDING_ORIGIN]);
	bound = INT64_MAX / 8 / r->width_us - RL_SLIDING_RING;
	r->first = (int64_t) limit_state[RL_SLIDING_FIRST];
	r->first = r->first < 0 ? 0 : r->first > bound ? bound : r->first;
}

/* Reads the 32 counters of a limit state of so many words. */
static void sw_read_counts(const uint64_t *limit_state, size_t words, uint64_t counts[RL_SLIDING_RING])
{
	uint32_t small[RL_SLIDING_RING];
	unsigned i;

	if (RL_UNLIKELY(rl_limit_state_is_wide(limit_state))) {
		for (i = 0; i < RL_SLIDING_RING; i++) {
			counts[i] = RL_SLIDING_COUNTERS + i < words ? rl_count_of(limit_state[RL_SLIDING_COUNTERS + i]) : 0;
		}
		return;
	}
	memcpy(small, limit_state + RL_SLIDING_COUNTERS, sizeof small);
	for (i = 0; i < RL_SLIDING_RING; i++) {
		counts[i] = small[i];
	}
}

void rl_sliding_read(const uint64_t *limit_state, rl_sliding_ring *r)
{
	size_t words = rl_limit_state_own_words(limit_state);

	rl_sliding_read_times(limit_state, r);
	sw_read_counts(limit_state, words, r->counts);
	r->base = r->first;
	r->later = limit_state
		+ rl_sliding_list_at(limit_state); /* in order, and behind the ring, in a valid limit state */
	r->n_later = words > rl_sliding_list_at(limit_state)
		? (words - rl_sliding_list_at(limit_state)) / RL_SLIDING_WORDS_PER_LATER
		: 0;
	if (r->n_later > RL_SLIDING_LATER_MAX) {
		r->n_later = RL_SLIDING_LATER_MAX;
	}
}

void rl_sliding_forget_old(rl_sliding_ring *r, int64_t now_us)
{
	unsigned i;

	for (i = 0; i < RL_SLIDING_RING; i++) {
		if (r->counts[i] != 0 && rl_sliding_expires_at(r, i) <= now_us) {
			r->counts[i] = 0;
		}
	}
}

bool rl_sliding_is_zero(const rl_sliding_ring *r)
{
	unsigned i;

	for (i = 0; i < RL_SLIDING_RING && r->counts[i] == 0; i++) {
	}
	return i == RL_SLIDING_RING && r->n_later == 0;
}

/* Shifts the counters so that sub-window i has one. Those that fall out at the front have stopped counting. */
static void sw_shift_to(rl_sliding_ring *r, int64_t i)
{
	int64_t shift = i - r->first - (RL_SLIDING_RING - 1);

	if (shift <= 0) {
		return;
	}
	if (shift >= RL_SLIDING_RING) {
		memset(r->counts, 0, sizeof r->counts);
	} else {
		memmove(r->counts, r->counts + shift, (size_t) (RL_SLIDING_RING - shift) * sizeof r->counts[0]);
		memset(r->counts + RL_SLIDING_RING - shift, 0, (size_t) shift * sizeof r->counts[0]);
	}
	r->first += shift;
}

/* Moves the counters of the list that the ring now reaches into it. */
static void sw_pull_later(rl_sliding_ring *r)
{
	for (; r->n_later > 0 && rl_sliding_later_index(r, 0) < r->first + RL_SLIDING_RING;
		 r->later += RL_SLIDING_WORDS_PER_LATER, r->n_later--) {
		int64_t i = rl_sliding_later_index(r, 0) - r->first;

		if (i >= 0) {
			r->counts[i] = rl_add_count(r->counts[i], rl_sliding_later_count(r, 0));
		}
	}
}

void rl_sliding_count(rl_sliding_ring *r, int64_t i, uint64_t n)
{
	sw_shift_to(r, i);
	r->counts[i - r->first] = rl_add_count(r->counts[i - r->first], n);
}

void rl_sliding_start(rl_sliding_ring *r, int64_t period_us, int64_t origin_us)
{
	r->period_us = period_us;
	r->width_us = rl_sliding_width(period_us);
	r->origin_us = origin_us;
	r->first = r->base = 0;
	r->n_later = 0;
	memset(r->counts, 0, sizeof r->counts);
}

bool rl_sliding_load(const rl_limit_ctx *c, rl_sliding_ring *r)
{
	if (c->limit_state == NULL) {
		return false;
	}
	rl_sliding_read(c->limit_state, r);
	if (r->n_later > 0) {
		sw_shift_to(r, rl_sliding_counted_in(r, c->now.mono_us));
		sw_pull_later(r);
	}
	rl_sliding_forget_old(r, c->now.mono_us); /* also what comes from the list */
	return !rl_sliding_is_zero(r);
}

uint64_t rl_sliding_sum(const rl_sliding_ring *r)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < RL_SLIDING_RING; i++) {
		n += r->counts[i];
	}
	for (i = 0; i < r->n_later; i++) {
		n += rl_sliding_later_count(r, i);
	}
	return n;
}

uint64_t rl_sliding_sum_at(const rl_sliding_ring *r, int64_t t_us)
{
	uint64_t n = rl_sliding_sum(r);
	size_t i;

	for (i = 0; i < RL_SLIDING_RING; i++) {
		if (rl_sliding_expires_at(r, (unsigned) i) <= t_us) {
			n -= r->counts[i];
		}
	}
	for (i = 0; i < r->n_later && rl_sliding_index_expires_at(r, rl_sliding_later_index(r, i)) <= t_us; i++) {
		n -= rl_sliding_later_count(r, i);
	}
	return n;
}
