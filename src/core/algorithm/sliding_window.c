/* Admits at most limit permits in every interval of the period, with a few dozen counters whatever the limit is. A sliding
 * window never admits one too many, and refuses up to one sub-window longer than a log would. sliding_ring.h decides a call; here are
 * turns that come later, gifts and a changed period.
 *
 * Calls that wait for their turn are counted in the sub-window of that turn. Counters of sub-windows behind the ring are the notes: the
 * begins of their sub-windows, and their counts.
 *
 * Limit state: sliding_ring.h. */
#include "sliding_ring.h"

#define LATER_MAX 1000

static bool sw_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[RL_LIMIT_STATE_PERIOD] == limit->period_us;
}

/* The counters of a limit state, with their high bits. */
typedef uint64_t sw_words[RL_SLIDING_LARGE_WORDS];

/* Sums the counters up, where the head has no number. */
static RL_COLD void sw_sum(rl_sliding *r)
{
	unsigned i;
	size_t k;

	r->last = 0;
	r->sum = 0;
	for (i = 0; i < RL_SLIDING_RING; i++) {
		uint64_t count = rl_sliding_count(r, i);

		r->last = count != 0 ? i : r->last;
		r->sum += count;
	}
	for (k = 0; k < r->later.n; k++) {
		r->sum += rl_notes_number(&r->later, k);
	}
}

/* Gives a counter another count. */
static void sw_set(rl_sliding *r, unsigned i, uint64_t count)
{
	r->sum += count - rl_sliding_count(r, i);
	rl_sliding_set(r, i, count);
}

/* Counts in the sub-window of a moment, whatever the limit is. */
static void sw_add(rl_sliding *r, int64_t moment_us, uint64_t n)
{
	unsigned i = rl_sliding_counter_of(r, moment_us);

	sw_set(r, i, rl_add_count(rl_sliding_count(r, i), n));
}

/* Begins the first sub-window at the origin, with counters of 0. */
static rl_sliding sw_start(int64_t period_us, int64_t origin_us, uint64_t *words)
{
	rl_sliding r;

	memset(words, 0, sizeof(sw_words));
	words[RL_SLIDING_ORIGIN] = (uint64_t) origin_us;
	r = rl_sliding_read(words, period_us, 0);
	r.high = (uint8_t *) (words + RL_SLIDING_HIGH);
	return r;
}

/* Returns the later counters: in order, and behind the others, in a valid limit state. */
static rl_notes sw_later(const uint64_t *limit_state)
{
	rl_notes later = rl_notes_of(limit_state);

	later.n = later.n < LATER_MAX ? later.n : LATER_MAX;
	return later;
}

/* Reads a limit state as it was written, but for the later counters, into a copy of its own words. */
static rl_sliding sw_read(const uint64_t *limit_state, uint64_t *words)
{
	bool large = rl_limit_state_own_words(limit_state) >= RL_SLIDING_LARGE_WORDS;
	rl_sliding r;

	memcpy(words, limit_state, RL_SLIDING_WORDS * sizeof *words);
	memset(words + RL_SLIDING_HIGH, 0, (RL_SLIDING_LARGE_WORDS - RL_SLIDING_HIGH) * sizeof *words);
	if (large) {
		memcpy(words + RL_SLIDING_HIGH, limit_state + RL_SLIDING_HIGH,
			(RL_SLIDING_LARGE_WORDS - RL_SLIDING_HIGH) * sizeof *words);
	}
	r = rl_sliding_read(words, rl_period_of(limit_state[RL_LIMIT_STATE_PERIOD]), rl_limit_state_number(limit_state));
	r.high = (uint8_t *) (words + RL_SLIDING_HIGH);
	return r;
}

static int64_t sw_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	sw_words words;
	rl_sliding r = sw_read(limit_state, words);

	r.later = sw_later(limit_state);
	if (r.sum == 0) {
		sw_sum(&r);
	}
	return r.sum > 0 ? rl_sliding_ends_at(&r) : now->mono_us;
}

/* Moves the later counters that the ring reaches, when it reaches a moment, into it. */
static void sw_pull_later(rl_sliding *r, int64_t moment_us)
{
	int64_t i = rl_sliding_index_of(r, moment_us);

	if (i >= RL_SLIDING_RING) {
		rl_sliding_shift(r, i);
	}
	for (; r->later.n > 0; rl_notes_drop(&r->later, 1)) {
		i = rl_sliding_index_of(r, rl_notes_moment(&r->later, 0));
		if (i >= RL_SLIDING_RING) {
			break;
		}
		if (i >= 0) {
			sw_set(r, (unsigned) i, rl_add_count(rl_sliding_count(r, (unsigned) i), rl_notes_number(&r->later, 0)));
		}
	}
}

/* Drops what has stopped counting. Returns false if nothing counts. */
static bool sw_forget_old(rl_sliding *r, int64_t moment_us)
{
	bool left = rl_sliding_drop(r, moment_us);

	r->first = left ? r->first : r->last;
	return (left || r->later.n > 0) && r->sum > 0;
}

/* Reads what counts at t, or now if that is later, by the limit state's own period. Returns false if nothing does. */
static bool sw_load(const rl_limit_ctx *c, int64_t t_us, uint64_t *words, rl_sliding *r)
{
	t_us = t_us > c->now.mono_us ? t_us : c->now.mono_us;
	if (c->limit_state == NULL) {
		return false;
	}
	*r = sw_read(c->limit_state, words);
	r->later = sw_later(c->limit_state);
	if (r->later.n > 0) {
		sw_pull_later(r, t_us);
		sw_sum(r);
	} else if (r->sum == 0) {
		sw_sum(r);
	}
	return sw_forget_old(r, t_us);
}

static uint64_t sw_used(const rl_limit_ctx *c)
{
	sw_words words;
	rl_sliding r;

	return sw_load(c, c->at_us, words, &r) ? r.sum : 0;
}

static int64_t sw_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	sw_words words;
	rl_sliding r;
	rl_step s;

	if (!sw_load(c, t_us, words, &r)) {
		return t_us;
	}
	s = rl_sliding_step(&r, c->limit->limit, c->cost, t_us);
	return s.accepted ? t_us : t_us + s.retry_us;
}

static int64_t sw_full_at(const rl_limit_ctx *c)
{
	sw_words words;
	rl_sliding r;

	return sw_load(c, c->now.mono_us, words, &r) ? rl_sliding_ends_at(&r) : c->now.mono_us;
}

/* Only a call that waits for its turn needs room. */
static int64_t sw_book_at(const rl_limit_ctx *c)
{
	sw_words words;
	size_t ahead;
	rl_sliding r;
	unsigned i;

	if (!sw_load(c, c->now.mono_us, words, &r)) {
		return INT64_MIN;
	}
	ahead = r.later.n;
	for (i = r.first; i <= r.last; i++) {
		ahead += rl_sliding_count(&r, i) > 0 && rl_sliding_begin_of(&r, i) > c->now.mono_us;
	}
	/* When the oldest one stops counting. */
	return ahead < LATER_MAX ? INT64_MIN : rl_sliding_room_at(&r, 0, r.sum - 1);
}

static size_t sw_max_words(const rl_limit_ctx *c)
{
	/* A conversion may move all counters into the notes. */
	return RL_SLIDING_LARGE_WORDS + RL_NOTE_WORDS
		+ (c->limit_state != NULL ? RL_NOTE_WORDS * (rl_limit_state_n_notes(c->limit_state) + RL_SLIDING_RING) : 0);
}

/* Writes the limit state, with another count of the sub-window behind the ring that begins so. The sum is that of the ring, where no
 * later counter is left. */
static size_t sw_write_later(rl_sliding *r, int64_t begin_us, uint64_t count, uint64_t *out)
{
	size_t own = RL_SLIDING_WORDS, words, n, i;

	for (i = RL_SLIDING_HIGH; i < RL_SLIDING_LARGE_WORDS; i++) {
		own = out[i] != 0 ? RL_SLIDING_LARGE_WORDS : own;
	}
	while (r->last > 0 && rl_sliding_count(r, r->last) == 0) {
		r->last--;
	}
	n = rl_notes_write(&r->later, begin_us, count, out + own);
	words = rl_limit_state_begin(RL_SLIDING_WINDOW, (uint64_t) r->period_us, own, n,
		own == RL_SLIDING_WORDS && n == 0 ? rl_sliding_number(r->sum, r->last) : 0, out);
	out[RL_SLIDING_ORIGIN] = (uint64_t) r->origin_us;
	return words;
}

static size_t sw_write(rl_sliding *r, uint64_t *out)
{
	return sw_write_later(r, INT64_MIN, 0, out);
}

/* Counts in a sub-window behind the ring, whose notes are in room. Requires a begin not before that of the last note. */
static void sw_append_later(rl_sliding *r, uint64_t *room, int64_t begin_us, uint64_t n)
{
	uint64_t *last = r->later.n > 0 ? &room[RL_NOTE_WORDS * (r->later.n - 1)] : NULL;

	if (last != NULL && (int64_t) last[0] == begin_us) {
		n = rl_add_count(last[1], n);
	} else {
		last = &room[RL_NOTE_WORDS * r->later.n++];
	}
	last[0] = (uint64_t) begin_us;
	last[1] = n;
}

/* Counts anew what was counted under another period, so that nothing is forgotten too early: each sub-window at its last
 * moment, or now, if it contains that. Nothing counts in a damaged state whose head has a sum. */
static void sw_recount(const rl_sliding *old, int64_t period_us, int64_t now_us,
	uint64_t room[RL_NOTE_WORDS * (LATER_MAX + RL_SLIDING_RING)], rl_sliding *r, uint64_t *words)
{
	bool started = false;
	size_t k;

	*r = sw_start(period_us, now_us, words);
	for (k = 0; k < RL_SLIDING_RING + old->later.n; k++) {
		bool behind = k >= RL_SLIDING_RING;
		uint64_t count = behind ? rl_notes_number(&old->later, k - RL_SLIDING_RING)
								: rl_sliding_count(old, (unsigned) k);
		int64_t begin_us = behind ? rl_notes_moment(&old->later, k - RL_SLIDING_RING)
								  : rl_sliding_begin_of(old, (int64_t) k);
		int64_t last_us = begin_us + old->width_us - 1, i;

		if (count == 0) {
			continue;
		}
		if (last_us > now_us && begin_us <= now_us) {
			last_us = now_us;
		}
		if (!started) {
			*r = sw_start(period_us, last_us < now_us ? last_us : now_us, words);
			r->later.words = room;
			started = true;
		}
		i = rl_sliding_index_of(r, last_us);
		if (last_us <= now_us || i < RL_SLIDING_RING) {
			sw_add(r, last_us, count);
		} else {
			sw_append_later(r, room, rl_sliding_begin_of(r, i), count);
		}
	}
}

/* Counts the cost in the sub-window of the moment that is judged, and writes the limit state. */
static size_t sw_admit_in(const rl_limit_ctx *c, rl_sliding *r, uint64_t *out)
{
	int64_t i = rl_sliding_index_of(r, c->at_us), begin_us = rl_sliding_begin_of(r, i < 0 ? 0 : i);

	if (c->held != NULL) {
		c->held->place = begin_us;
	}
	if (c->at_us > c->now.mono_us && i >= RL_SLIDING_RING) {
		return sw_write_later(r, begin_us, rl_add_count(rl_notes_at(&r->later, begin_us), c->cost), out);
	}
	sw_add(r, c->at_us, c->cost);
	return sw_write(r, out);
}

static RL_COLD size_t sw_admit_converted(const rl_limit_ctx *c, uint64_t *out)
{
	uint64_t room[RL_NOTE_WORDS * (LATER_MAX + RL_SLIDING_RING)];
	sw_words words;
	rl_sliding old, r;

	(void) sw_load(c, c->now.mono_us, words, &old);
	sw_recount(&old, c->limit->period_us, c->now.mono_us, room, &r, out);
	sw_sum(&r);
	if (!sw_forget_old(&r, c->now.mono_us)) {
		r = sw_start(c->limit->period_us, c->now.mono_us, out);
	}
	return sw_admit_in(c, &r, out);
}

static size_t sw_admit(const rl_limit_ctx *c, uint64_t *out)
{
	rl_sliding r;

	if (!sw_load(c, c->now.mono_us, out, &r)) {
		r = sw_start(c->limit->period_us, c->now.mono_us, out);
	} else if (!sw_same_period(c->limit, c->limit_state)) {
		return sw_admit_converted(c, out);
	}
	return sw_admit_in(c, &r, out);
}

/* Takes from the newest counter first. */
static size_t sw_credit(const rl_limit_ctx *c, uint64_t *out)
{
	uint64_t left = c->cost;
	rl_sliding r;
	unsigned i;

	if (!sw_load(c, c->now.mono_us, out, &r)) {
		r = sw_start(c->limit->period_us, c->now.mono_us, out);
	}
	for (; r.later.n > 0 && left > 0; r.later.n--) {
		uint64_t count = rl_notes_number(&r.later, r.later.n - 1);

		if (left < count) {
			return sw_write_later(&r, rl_notes_moment(&r.later, r.later.n - 1), count - left, out);
		}
		left -= count;
		r.sum -= count;
	}
	for (i = RL_SLIDING_RING; i > 0 && left > 0; i--) {
		uint64_t count = rl_sliding_count(&r, i - 1);

		sw_set(&r, i - 1, rl_take_count(count, left));
		left = rl_take_count(left, count);
	}
	return sw_write(&r, out);
}

static size_t sw_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	rl_sliding r;
	uint64_t count;
	int64_t i;

	(void) all;
	if (!sw_load(c, c->now.mono_us, out, &r)) {
		return 0;
	}
	i = rl_sliding_index_of(&r, held->place);
	if (rl_sliding_begin_of(&r, i) != held->place || i < 0) {
		return 0;
	}
	count = i < RL_SLIDING_RING ? rl_sliding_count(&r, (unsigned) i) : rl_notes_at(&r.later, held->place);
	if (count == 0) {
		return 0; /* it counts no more: nothing changes */
	}
	if (i >= RL_SLIDING_RING) {
		r.sum -= count;
		return sw_write_later(&r, held->place, rl_take_count(count, n), out);
	}
	sw_set(&r, (unsigned) i, rl_take_count(count, n));
	return sw_write(&r, out);
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
