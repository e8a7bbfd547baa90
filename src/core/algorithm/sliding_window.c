/* Admits at most limit permits in every interval of the period, with a few dozen counters whatever the limit is. A sliding
 * window never admits one too many, and refuses up to one sub-window longer than a log would. sliding_ring.h has the words. */
#include "sliding_ring.h"

static bool sw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[RL_SLIDING_PERIOD] == limit->period_us;
}

/* Returns when a limit state with notes, or with large counters, is over. */
static RL_COLD int64_t sw_last_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	rl_sliding_ring r;
	unsigned i;

	rl_sliding_read(limit_state, &r);
	if (r.later.n > 0) {
		return rl_sliding_later_expires_at(&r, r.later.n - 1);
	}
	for (i = RL_SLIDING_RING; i > 0 && r.counts[i - 1] == 0; i--) {
	}
	return i > 0 ? rl_sliding_expires_at(&r, i - 1) : now->mono_us;
}

/* Reads the last counter only: each decision asks twice. */
static int64_t sw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	rl_sliding_ring r;
	unsigned word = RL_SLIDING_WORDS;

	if (RL_UNLIKELY(rl_limit_state_words(limit_state) != RL_SLIDING_WORDS)) {
		return sw_last_expires_at(limit_state, now);
	}
	while (word > RL_SLIDING_COUNTERS && limit_state[word - 1] == 0) {
		word--;
	}
	if (word == RL_SLIDING_COUNTERS) {
		return now->mono_us;
	}
	rl_sliding_read_times(limit_state, &r);
	/* The counter in the upper half of a word is the later one. */
	return rl_sliding_expires_at(&r, 2 * (word - RL_SLIDING_COUNTERS - 1) + (limit_state[word - 1] >> 32 != 0));
}

static uint64_t sw_used(const rl_limit_ctx *c)
{
	rl_sliding_ring r;
	uint64_t n = 0;

	if (rl_sliding_load(c, &r)) {
		n = c->at_us > c->now.mono_us ? rl_sliding_sum_at(&r, c->at_us) : rl_sliding_sum(&r);
	}
	return n;
}

static int64_t sw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	rl_sliding_ring r;
	uint64_t n;
	size_t i;

	if (!rl_sliding_load(c, &r)) {
		return t_us;
	}
	n = rl_sliding_sum(&r);
	for (i = 0; i < RL_SLIDING_RING; i++) {
		if (r.counts[i] == 0) {
			continue;
		}
		if (rl_sliding_expires_at(&r, (unsigned) i) > t_us) {
			if (n + c->cost <= c->limit->limit) {
				return t_us;
			}
			t_us = rl_sliding_expires_at(&r, (unsigned) i);
		}
		n -= r.counts[i];
	}
	for (i = 0; i < r.later.n; i++) {
		int64_t end_us = rl_sliding_later_expires_at(&r, i);

		if (end_us > t_us) {
			if (n + c->cost <= c->limit->limit) {
				return t_us;
			}
			t_us = end_us;
		}
		n -= rl_notes_number(&r.later, i);
	}
	return t_us;
}

static int64_t sw_full_at(const rl_limit_ctx *c)
{
	rl_sliding_ring r;
	unsigned i;

	if (rl_sliding_load(c, &r)) {
		if (r.later.n > 0) {
			return rl_sliding_later_expires_at(&r, r.later.n - 1);
		}
		for (i = RL_SLIDING_RING; i > 0; i--) {
			if (r.counts[i - 1] != 0) {
				return rl_sliding_expires_at(&r, i - 1);
			}
		}
	}
	return c->now.mono_us;
}

/* Only a call that waits for its turn needs room. */
static int64_t sw_book_at(const rl_limit_ctx *c)
{
	rl_sliding_ring r;
	size_t i, ahead = 0;
	int64_t oldest_us = INT64_MIN;

	if (!rl_sliding_load(c, &r)) {
		return INT64_MIN;
	}
	for (i = 0; i < RL_SLIDING_RING; i++) {
		if (r.counts[i] > 0) {
			ahead += rl_sliding_begin_of(&r, (int64_t) i) > c->now.mono_us;
			oldest_us = oldest_us == INT64_MIN ? rl_sliding_expires_at(&r, (unsigned) i) : oldest_us;
		}
	}
	if (ahead + r.later.n < RL_SLIDING_LATER_MAX) {
		return INT64_MIN;
	}
	return oldest_us != INT64_MIN ? oldest_us : rl_sliding_later_expires_at(&r, 0);
}

static size_t sw_max_words(const rl_limit_ctx *c)
{
	if (c->limit_state == NULL) {
		return RL_SLIDING_LARGE_WORDS + RL_NOTE_WORDS;
	}
	/* A conversion may move all counters into the notes. */
	return RL_SLIDING_LARGE_WORDS + RL_NOTE_WORDS * (rl_limit_state_n_notes(c->limit_state) + RL_SLIDING_RING + 1);
}

/* Counts the cost in the sub-window of the moment that is judged, and writes the limit state. */
static size_t sw_admit_in(const rl_limit_ctx *c, rl_sliding_ring *r, uint64_t *out)
{
	int64_t i = rl_sliding_counted_in(r, c->at_us);

	if (c->held != NULL) {
		c->held->place = rl_sliding_begin_of(r, i);
	}
	if (c->at_us > c->now.mono_us && i >= RL_SLIDING_RING) {
		int64_t begin_us = rl_sliding_begin_of(r, i);

		return rl_sliding_write_later(r, begin_us, rl_add_count(rl_notes_at(&r->later, begin_us), c->cost), out);
	}
	rl_sliding_count(r, i, c->cost);
	return rl_sliding_write(r, out);
}

static RL_COLD size_t sw_admit_converted(const rl_limit_ctx *c, const rl_sliding_ring *old, uint64_t *out)
{
	uint64_t room[RL_NOTE_WORDS * (RL_SLIDING_LATER_MAX + RL_SLIDING_RING)];
	rl_sliding_ring r;

	rl_sliding_recount(old, c->limit->period_us, c->now.mono_us, room, &r);
	if (rl_sliding_is_zero(&r)) {
		rl_sliding_start(&r, c->limit->period_us, c->now.mono_us);
	}
	return sw_admit_in(c, &r, out);
}

static size_t sw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	rl_sliding_ring r;

	if (!rl_sliding_load(c, &r)) {
		rl_sliding_start(&r, c->limit->period_us, c->now.mono_us);
	} else if (!sw_same_period(c->limit, c->limit_state)) {
		return sw_admit_converted(c, &r, out);
	}
	return sw_admit_in(c, &r, out);
}

/* Takes from the newest counter first. */
static size_t sw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	rl_sliding_ring r;
	uint64_t left = c->cost;
	unsigned i;

	if (!rl_sliding_load(c, &r)) {
		rl_sliding_start(&r, c->limit->period_us, c->now.mono_us);
	}
	for (; r.later.n > 0 && left > 0; r.later.n--) {
		uint64_t count = rl_notes_number(&r.later, r.later.n - 1);

		if (left < count) {
			return rl_sliding_write_later(&r, rl_notes_moment(&r.later, r.later.n - 1), count - left, out);
		}
		left -= count;
	}
	for (i = RL_SLIDING_RING; i > 0 && left > 0; i--) {
		uint64_t less = r.counts[i - 1] < left ? r.counts[i - 1] : left;

		r.counts[i - 1] -= less;
		left -= less;
	}
	return rl_sliding_write(&r, out);
}

static size_t sw_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	rl_sliding_ring r;
	uint64_t count;
	int64_t i;

	(void) all;
	if (!rl_sliding_load(c, &r)) {
		return 0;
	}
	i = rl_sliding_index_of(&r, held->place);
	if (rl_sliding_begin_of(&r, i) != held->place || i < 0) {
		return 0;
	}
	if (i < RL_SLIDING_RING) {
		if (r.counts[i] == 0) {
			return 0; /* it counts no more: nothing changes */
		}
		r.counts[i] = rl_take_count(r.counts[i], n);
		return rl_sliding_write(&r, out);
	}
	count = rl_notes_at(&r.later, held->place);
	return count > 0 ? rl_sliding_write_later(&r, held->place, rl_take_count(count, n), out) : 0;
}

const rl_algorithm_ops rl_sliding_window_ops = {
	.words_min = RL_SLIDING_WORDS,
	.converts = true,
	.same_period = sw_same_period,
	.expires_at = sw_expires_at,
	.used = sw_used,
	.earliest = sw_earliest,
	.full_at = sw_full_at,
	.max_words = sw_max_words,
	.admit = sw_admit,
	.credit = sw_credit,
	.book_at = sw_book_at,
	.give_back = sw_give_back,
};
