/* Admits at most limit permits in every interval of the period, with a few dozen counters whatever the limit is.
 *
 * The period is cut into SUB_WINDOWS. A permit counts until the whole of its sub-window is a period old. So a sliding
 * window never admits one too many, and refuses up to one sub-window longer than a log would.
 *
 * Calls that wait for their turn are counted in the sub-window of that turn. Counters of sub-windows behind the 32 of the
 * ring are a list.
 *
 * Limit state: period; origin; the index of the first sub-window that has a counter; 32 counters, two to a word; the list.
 * The list is in order, with two words for each counter: the distance of its index from the first one, its count. Wide: each of
 * the 32 counters has a word. */
#include "../compiler.h"
#include "algorithm.h"

#include <string.h>

enum { PERIOD = 1, ORIGIN = 2, FIRST = 3, COUNTERS = 4, SUB_WINDOWS = 30, RING = 32, WORDS = COUNTERS + RING / 2 };

#define LATER_MAX       1000
#define WORDS_PER_LATER 2

typedef struct {
	int64_t period_us, width_us, origin_us;
	int64_t first; /* the sub-window of counts[0] */
	uint64_t counts[RING];
	/* The list, as the limit state has it: its indexes count from base. */
	const uint64_t *later;
	size_t n_later;
	int64_t base;
} sw_ring;

/* Returns where the list of a limit state begins. */
static size_t sw_list_at(const uint64_t *limit_state)
{
	return rl_limit_state_is_wide(limit_state) ? COUNTERS + RING : WORDS;
}

static bool sw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[PERIOD] == limit->period_us;
}

static int64_t sw_width_of(int64_t period_us)
{
	return (period_us + SUB_WINDOWS - 1) / SUB_WINDOWS;
}

static int64_t sw_floor_div(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Returns when the i-th counter stops counting. */
static int64_t sw_sub_window_expires_at(const sw_ring *r, unsigned i)
{
	return r->origin_us + (r->first + (int64_t) i + 1) * r->width_us + r->period_us;
}

/* Reads all but the counters. */
static void sw_read_times(const uint64_t *limit_state, sw_ring *r)
{
	int64_t bound;

	r->period_us = rl_period_of(limit_state[PERIOD]);
	r->width_us = sw_width_of(r->period_us);
	r->origin_us = rl_moment(limit_state[ORIGIN]);
	bound = INT64_MAX / 8 / r->width_us - RING;
	r->first = (int64_t) limit_state[FIRST];
	r->first = r->first < 0 ? 0 : r->first > bound ? bound : r->first;
}

/* Reads the 32 counters of a limit state of so many words. */
static void sw_read_counts(const uint64_t *limit_state, size_t words, uint64_t counts[RING])
{
	uint32_t small[RING];
	unsigned i;

	if (RL_UNLIKELY(rl_limit_state_is_wide(limit_state))) {
		for (i = 0; i < RING; i++) {
			counts[i] = COUNTERS + i < words ? rl_count_of(limit_state[COUNTERS + i]) : 0;
		}
		return;
	}
	memcpy(small, limit_state + COUNTERS, sizeof small);
	for (i = 0; i < RING; i++) {
		counts[i] = small[i];
	}
}

static void sw_read_ring(const uint64_t *limit_state, sw_ring *r)
{
	size_t words = rl_limit_state_own_words(limit_state);

	sw_read_times(limit_state, r);
	sw_read_counts(limit_state, words, r->counts);
	r->base = r->first;
	r->later = limit_state + sw_list_at(limit_state); /* in order, and behind the ring, in a valid limit state */
	r->n_later = words > sw_list_at(limit_state) ? (words - sw_list_at(limit_state)) / WORDS_PER_LATER : 0;
	if (r->n_later > LATER_MAX) {
		r->n_later = LATER_MAX;
	}
}

static int64_t sw_later_index(const sw_ring *r, size_t k)
{
	uint64_t distance = r->later[WORDS_PER_LATER * k], bound = (uint64_t) (INT64_MAX / 8 / r->width_us);

	return r->base + (int64_t) (distance < bound ? distance : bound);
}

static uint64_t sw_later_count(const sw_ring *r, size_t k)
{
	return rl_count_of(r->later[WORDS_PER_LATER * k + 1]);
}

/* Returns the first microsecond of a sub-window. */
static int64_t sw_begin_of(const sw_ring *r, int64_t i)
{
	return r->origin_us + i * r->width_us;
}

static int64_t sw_index_of(const sw_ring *r, int64_t moment_us)
{
	return sw_floor_div(moment_us - r->origin_us, r->width_us);
}

/* Returns when the counter of sub-window i stops counting. */
static int64_t sw_index_expires_at(const sw_ring *r, int64_t i)
{
	return sw_begin_of(r, i + 1) + r->period_us;
}

/* Drops the counters that no longer count. */
static void sw_forget_old(sw_ring *r, int64_t now_us)
{
	unsigned i;

	for (i = 0; i < RING; i++) {
		if (r->counts[i] != 0 && sw_sub_window_expires_at(r, i) <= now_us) {
			r->counts[i] = 0;
		}
	}
}

static bool sw_is_zero(const sw_ring *r)
{
	unsigned i;

	for (i = 0; i < RING && r->counts[i] == 0; i++) {
	}
	return i == RING && r->n_later == 0;
}

/* Shifts the counters so that sub-window i has one. Those that fall out at the front have stopped counting. */
static void sw_shift_to(sw_ring *r, int64_t i)
{
	int64_t shift = i - r->first - (RING - 1);

	if (shift <= 0) {
		return;
	}
	if (shift >= RING) {
		memset(r->counts, 0, sizeof r->counts);
	} else {
		memmove(r->counts, r->counts + shift, (size_t) (RING - shift) * sizeof r->counts[0]);
		memset(r->counts + RING - shift, 0, (size_t) shift * sizeof r->counts[0]);
	}
	r->first += shift;
}

/* Moves the counters of the list that the ring now reaches into it. */
static void sw_pull_later(sw_ring *r)
{
	for (; r->n_later > 0 && sw_later_index(r, 0) < r->first + RING; r->later += WORDS_PER_LATER, r->n_later--) {
		int64_t i = sw_later_index(r, 0) - r->first;

		if (i >= 0) {
			r->counts[i] = rl_add_count(r->counts[i], sw_later_count(r, 0));
		}
	}
}

/* Returns the index of the sub-window that counts a moment: never before the oldest counter, where the clock was set
 * back. */
static int64_t sw_counted_in(const sw_ring *r, int64_t moment_us)
{
	int64_t i = sw_index_of(r, moment_us);

	return i < r->first ? r->first : i;
}

/* Counts in a sub-window that the ring reaches. */
static void sw_count(sw_ring *r, int64_t i, uint64_t n)
{
	sw_shift_to(r, i);
	r->counts[i - r->first] = rl_add_count(r->counts[i - r->first], n);
}

static void sw_start(sw_ring *r, int64_t period_us, int64_t origin_us)
{
	r->period_us = period_us;
	r->width_us = sw_width_of(period_us);
	r->origin_us = origin_us;
	r->first = r->base = 0;
	r->n_later = 0;
	memset(r->counts, 0, sizeof r->counts);
}

/* Reads what counts now, by the limit state's own period. Returns false if nothing does. */
static bool sw_load(const rl_limit_ctx *c, sw_ring *r)
{
	if (c->limit_state == NULL) {
		return false;
	}
	sw_read_ring(c->limit_state, r);
	if (r->n_later > 0) {
		sw_shift_to(r, sw_counted_in(r, c->now.mono_us));
		sw_pull_later(r);
	}
	sw_forget_old(r, c->now.mono_us); /* also what comes from the list */
	return !sw_is_zero(r);
}

/* Returns when a limit state with a list, or a wide one, is over. */
static RL_COLD int64_t sw_last_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	sw_ring r;
	unsigned i;

	sw_read_ring(limit_state, &r);
	if (r.n_later > 0) {
		return sw_index_expires_at(&r, sw_later_index(&r, r.n_later - 1));
	}
	for (i = RING; i > 0 && r.counts[i - 1] == 0; i--) {
	}
	return i > 0 ? sw_sub_window_expires_at(&r, i - 1) : now->mono_us;
}

/* Reads the last counter only: each decision asks twice. */
static int64_t sw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	sw_ring r;
	unsigned word = WORDS;

	if (RL_UNLIKELY(rl_limit_state_own_words(limit_state) >= WORDS + WORDS_PER_LATER)) {
		return sw_last_expires_at(limit_state, now);
	}
	while (word > COUNTERS && limit_state[word - 1] == 0) {
		word--;
	}
	if (word == COUNTERS) {
		return now->mono_us;
	}
	sw_read_times(limit_state, &r);
	/* The counter in the upper half of a word is the later one. */
	return sw_sub_window_expires_at(&r, 2 * (word - COUNTERS - 1) + (limit_state[word - 1] >> 32 != 0));
}

static uint64_t sw_sum(const sw_ring *r)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < RING; i++) {
		n += r->counts[i];
	}
	for (i = 0; i < r->n_later; i++) {
		n += sw_later_count(r, i);
	}
	return n;
}

/* Returns what still counts at t, which is not before now. */
static uint64_t sw_sum_at(const sw_ring *r, int64_t t_us)
{
	uint64_t n = sw_sum(r);
	size_t i;

	for (i = 0; i < RING; i++) {
		if (sw_sub_window_expires_at(r, (unsigned) i) <= t_us) {
			n -= r->counts[i];
		}
	}
	for (i = 0; i < r->n_later && sw_index_expires_at(r, sw_later_index(r, i)) <= t_us; i++) {
		n -= sw_later_count(r, i);
	}
	return n;
}

static uint64_t sw_used(const rl_limit_ctx *c)
{
	sw_ring r;
	uint64_t n = 0;

	if (sw_load(c, &r)) {
		n = c->at_us > c->now.mono_us ? sw_sum_at(&r, c->at_us) : sw_sum(&r);
	}
	return n;
}

static int64_t sw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	sw_ring r;
	uint64_t n;
	size_t i;

	if (!sw_load(c, &r)) {
		return t_us;
	}
	n = sw_sum(&r);
	for (i = 0; i < RING; i++) {
		if (r.counts[i] == 0) {
			continue;
		}
		if (sw_sub_window_expires_at(&r, (unsigned) i) > t_us) {
			if (n + c->cost <= c->limit->limit) {
				return t_us;
			}
			t_us = sw_sub_window_expires_at(&r, (unsigned) i);
		}
		n -= r.counts[i];
	}
	for (i = 0; i < r.n_later; i++) {
		int64_t end_us = sw_index_expires_at(&r, sw_later_index(&r, i));

		if (end_us > t_us) {
			if (n + c->cost <= c->limit->limit) {
				return t_us;
			}
			t_us = end_us;
		}
		n -= sw_later_count(&r, i);
	}
	return t_us;
}

static int64_t sw_full_at(const rl_limit_ctx *c)
{
	sw_ring r;
	unsigned i;

	if (sw_load(c, &r)) {
		if (r.n_later > 0) {
			return sw_index_expires_at(&r, sw_later_index(&r, r.n_later - 1));
		}
		for (i = RING; i > 0; i--) {
			if (r.counts[i - 1] != 0) {
				return sw_sub_window_expires_at(&r, i - 1);
			}
		}
	}
	return c->now.mono_us;
}

/* Only a call that waits for its turn needs room. */
static int64_t sw_book_at(const rl_limit_ctx *c)
{
	sw_ring r;
	size_t i, ahead = 0;
	int64_t oldest_us = INT64_MIN;

	if (!sw_load(c, &r)) {
		return INT64_MIN;
	}
	for (i = 0; i < RING; i++) {
		if (r.counts[i] > 0) {
			ahead += sw_begin_of(&r, r.first + (int64_t) i) > c->now.mono_us;
			oldest_us = oldest_us == INT64_MIN ? sw_sub_window_expires_at(&r, (unsigned) i) : oldest_us;
		}
	}
	if (ahead + r.n_later < LATER_MAX) {
		return INT64_MIN;
	}
	return oldest_us != INT64_MIN ? oldest_us : sw_index_expires_at(&r, sw_later_index(&r, 0));
}

static size_t sw_max_words(const rl_limit_ctx *c)
{
	if (c->limit_state == NULL) {
		return COUNTERS + RING + WORDS_PER_LATER;
	}
	/* A conversion may move all counters into the list, and a large count makes a wide state. */
	return rl_limit_state_own_words(c->limit_state) + RING / 2 + WORDS_PER_LATER * (RING + 1);
}

/* ---- Writing ---- */

/* The list of the next limit state, which counts from the ring's first sub-window. */
typedef struct {
	const sw_ring *ring;
	uint64_t *later; /* where it is written */
	size_t n;
} sw_list;

static void sw_list_put(sw_list *list, int64_t i, uint64_t count)
{
	if (count > 0) {
		uint64_t *later = list->later + WORDS_PER_LATER * list->n++;

		later[0] = (uint64_t) (i - list->ring->first);
		later[1] = count;
	}
}

/* Writes the counters of the ring, and returns where the list begins. */
static size_t sw_write_counts(const uint64_t counts[RING], uint64_t *out)
{
	uint32_t small[RING];
	uint64_t all = 0;
	unsigned i;

	for (i = 0; i < RING; i++) {
		small[i] = (uint32_t) counts[i];
		all |= counts[i];
	}
	if (RL_UNLIKELY(all > UINT32_MAX)) {
		memcpy(out + COUNTERS, counts, RING * sizeof *counts);
		return COUNTERS + RING;
	}
	memcpy(out + COUNTERS, small, sizeof small);
	return WORDS;
}

/* Writes the ring, and the list after a change of the counter of sub-window i: n more, or back less. */
static size_t sw_write(const sw_ring *r, int64_t i, uint64_t n, uint64_t back, uint64_t *out)
{
	size_t list_at = sw_write_counts(r->counts, out);
	sw_list list = {.ring = r, .later = out + list_at};
	bool done = n == 0 && back == 0;
	size_t k;

	for (k = 0; k < r->n_later; k++) {
		int64_t at = sw_later_index(r, k);
		uint64_t count = sw_later_count(r, k);

		if (!done && at >= i) {
			if (at > i) {
				sw_list_put(&list, i, n);
			} else {
				count = rl_take_count(rl_add_count(count, n), back);
			}
			done = true;
		}
		sw_list_put(&list, at, count);
	}
	if (!done) {
		sw_list_put(&list, i, n);
	}
	out[0] = rl_limit_state_head(RL_SLIDING_WINDOW, list_at + WORDS_PER_LATER * list.n, 0)
		| (list_at > WORDS ? RL_LIMIT_STATE_WIDE : 0);
	out[PERIOD] = (uint64_t) r->period_us;
	out[ORIGIN] = (uint64_t) r->origin_us;
	out[FIRST] = (uint64_t) r->first;
	return list_at + WORDS_PER_LATER * list.n;
}

static size_t sw_write_ring(const sw_ring *r, uint64_t *out)
{
	return sw_write(r, 0, 0, 0, out);
}

/* Counts in a sub-window behind the ring, whose indexes the list in room takes. Requires an index not before the list's
 * last one. */
static void sw_append_later(sw_ring *r, uint64_t *room, int64_t i, uint64_t n)
{
	uint64_t *last = r->n_later > 0 ? &room[WORDS_PER_LATER * (r->n_later - 1)] : NULL;

	if (last != NULL && (int64_t) last[0] == i) {
		n = rl_add_count(last[1], n);
	} else {
		last = &room[WORDS_PER_LATER * r->n_later++];
	}
	last[0] = (uint64_t) i;
	last[1] = n;
}

/* Counts anew what was counted under another period, so that nothing is forgotten too early: each sub-window at its last
 * moment, or now, if it contains that. room: for the list of the new limit state. */
static void sw_recount(const sw_ring *old, int64_t period_us, int64_t now_us,
	uint64_t room[WORDS_PER_LATER * (LATER_MAX + RING)], sw_ring *r)
{
	bool started = false;
	size_t k;

	for (k = 0; k < RING + old->n_later; k++) {
		int64_t index = k < RING ? old->first + (int64_t) k : sw_later_index(old, k - RING);
		uint64_t count = k < RING ? old->counts[k] : sw_later_count(old, k - RING);
		int64_t last_us = sw_begin_of(old, index + 1) - 1, i;

		if (count == 0) {
			continue;
		}
		if (last_us > now_us && sw_begin_of(old, index) <= now_us) {
			last_us = now_us;
		}
		if (!started) {
			sw_start(r, period_us, last_us < now_us ? last_us : now_us);
			r->later = room;
			started = true;
		}
		i = sw_counted_in(r, last_us);
		if (last_us <= now_us || i < r->first + RING) {
			sw_count(r, i, count);
		} else {
			sw_append_later(r, room, i, count);
		}
	}
	sw_forget_old(r, now_us);
}

/* Counts the cost in the sub-window of the moment that is judged, and writes the limit state. */
static size_t sw_admit_in(const rl_limit_ctx *c, sw_ring *r, uint64_t *out)
{
	int64_t i = sw_counted_in(r, c->at_us);

	if (c->held != NULL) {
		c->held->place = sw_begin_of(r, i);
	}
	if (c->at_us > c->now.mono_us && i >= r->first + RING) {
		return sw_write(r, i, c->cost, 0, out);
	}
	sw_count(r, i, c->cost);
	return sw_write_ring(r, out);
}

static RL_COLD size_t sw_admit_converted(const rl_limit_ctx *c, const sw_ring *old, uint64_t *out)
{
	uint64_t room[WORDS_PER_LATER * (LATER_MAX + RING)];
	sw_ring r;

	sw_recount(old, c->limit->period_us, c->now.mono_us, room, &r);
	if (sw_is_zero(&r)) {
		sw_start(&r, c->limit->period_us, c->now.mono_us);
	}
	return sw_admit_in(c, &r, out);
}

static size_t sw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	sw_ring r;

	if (!sw_load(c, &r)) {
		sw_start(&r, c->limit->period_us, c->now.mono_us);
	} else if (!sw_same_period(c->limit, c->limit_state)) {
		return sw_admit_converted(c, &r, out);
	}
	return sw_admit_in(c, &r, out);
}

/* Takes from the newest counter first. */
static size_t sw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	sw_ring r;
	uint64_t left = c->cost, back = 0;
	unsigned i;

	if (!sw_load(c, &r)) {
		sw_start(&r, c->limit->period_us, c->now.mono_us);
	}
	while (r.n_later > 0 && left > 0) {
		uint64_t count = sw_later_count(&r, r.n_later - 1);

		if (left < count) {
			back = left;
			left = 0;
		} else {
			left -= count;
			r.n_later--;
		}
	}
	for (i = RING; i > 0 && left > 0; i--) {
		uint64_t less = r.counts[i - 1] < left ? r.counts[i - 1] : left;

		r.counts[i - 1] -= less;
		left -= less;
	}
	return back > 0 ? sw_write(&r, sw_later_index(&r, r.n_later - 1), 0, back, out) : sw_write_ring(&r, out);
}

static size_t sw_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	sw_ring r;
	int64_t i;
	size_t k;

	(void) all;
	if (!sw_load(c, &r)) {
		return 0;
	}
	i = sw_index_of(&r, held->place);
	if (sw_begin_of(&r, i) != held->place || i < r.first) {
		return 0;
	}
	if (i < r.first + RING) {
		if (r.counts[i - r.first] == 0) {
			return 0; /* it counts no more: nothing is written, and what other limits carry over stays */
		}
		r.counts[i - r.first] = rl_take_count(r.counts[i - r.first], n);
		return sw_write_ring(&r, out);
	}
	for (k = 0; k < r.n_later && sw_later_index(&r, k) != i; k++) {
	}
	return k < r.n_later ? sw_write(&r, i, 0, n, out) : 0;
}

const rl_algorithm_ops rl_sliding_window_ops = {
	.words_min = WORDS,
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
