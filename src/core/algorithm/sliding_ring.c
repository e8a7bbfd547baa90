#include "sliding_ring.h"

#include <string.h>

void rl_sliding_read_times(const uint64_t *limit_state, rl_sliding_ring *r)
{
	r->period_us = rl_period_of(limit_state[RL_SLIDING_PERIOD]);
	r->width_us = rl_sliding_width(r->period_us);
	r->origin_us = rl_moment(limit_state[RL_SLIDING_ORIGIN]);
}

static void sw_read_counts(const uint64_t *limit_state, uint64_t counts[RL_SLIDING_RING])
{
	uint32_t small[RL_SLIDING_RING];
	unsigned i;

	if (RL_UNLIKELY(rl_limit_state_own_words(limit_state) >= RL_SLIDING_LARGE_WORDS)) {
		for (i = 0; i < RL_SLIDING_RING; i++) {
			counts[i] = rl_count_of(limit_state[RL_SLIDING_COUNTERS + i]);
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
	rl_sliding_read_times(limit_state, r);
	sw_read_counts(limit_state, r->counts);
	r->later = rl_notes_of(limit_state); /* in order, and behind the ring, in a valid limit state */
	if (r->later.n > RL_SLIDING_LATER_MAX) {
		r->later.n = RL_SLIDING_LATER_MAX;
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
	return i == RL_SLIDING_RING && r->later.n == 0;
}

/* Shifts the counters so that sub-window i has one. Those that fall out at the front have stopped counting. Returns its index then. */
static int64_t sw_shift_to(rl_sliding_ring *r, int64_t i)
{
	int64_t shift = i - (RL_SLIDING_RING - 1);

	if (shift <= 0) {
		return i;
	}
	if (shift >= RL_SLIDING_RING) {
		memset(r->counts, 0, sizeof r->counts);
	} else {
		memmove(r->counts, r->counts + shift, (size_t) (RL_SLIDING_RING - shift) * sizeof r->counts[0]);
		memset(r->counts + RL_SLIDING_RING - shift, 0, (size_t) shift * sizeof r->counts[0]);
	}
	r->origin_us += shift * r->width_us;
	return RL_SLIDING_RING - 1;
}

/* Moves the counters behind the ring that it now reaches into it. */
static void sw_pull_later(rl_sliding_ring *r)
{
	for (; r->later.n > 0; rl_notes_drop(&r->later, 1)) {
		int64_t i = rl_sliding_index_of(r, rl_notes_moment(&r->later, 0));

		if (i >= RL_SLIDING_RING) {
			break;
		}
		if (i >= 0) {
			r->counts[i] = rl_add_count(r->counts[i], rl_notes_number(&r->later, 0));
		}
	}
}

void rl_sliding_count(rl_sliding_ring *r, int64_t i, uint64_t n)
{
	i = sw_shift_to(r, i);
	r->counts[i] = rl_add_count(r->counts[i], n);
}

void rl_sliding_start(rl_sliding_ring *r, int64_t period_us, int64_t origin_us)
{
	r->period_us = period_us;
	r->width_us = rl_sliding_width(period_us);
	r->origin_us = origin_us;
	r->later = (rl_notes){NULL, 0};
	memset(r->counts, 0, sizeof r->counts);
}

bool rl_sliding_load(const rl_limit_ctx *c, rl_sliding_ring *r)
{
	if (c->limit_state == NULL) {
		return false;
	}
	rl_sliding_read(c->limit_state, r);
	if (r->later.n > 0) {
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
	for (i = 0; i < r->later.n; i++) {
		n += rl_notes_number(&r->later, i);
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
	for (i = 0; i < r->later.n && rl_sliding_later_expires_at(r, i) <= t_us; i++) {
		n -= rl_notes_number(&r->later, i);
	}
	return n;
}
