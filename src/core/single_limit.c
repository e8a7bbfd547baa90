#include "single_limit.h"

#include <string.h>

/* ---- The token bucket; token_bucket.c has the words ---- */

typedef unsigned __int128 wide;

/* Returns the quotient, and sets the rest: one division, where the compiler's own function would take two. */
static uint64_t single_divide(wide n, uint64_t by, uint64_t *rest)
{
	wide quotient = n / by;

	*rest = (uint64_t) (n - quotient * by);
	return (uint64_t) quotient;
}

bool rl_single_wide_bucket(const rl_limit *limit, uint64_t cost, int64_t now_us, int64_t tat_us, uint64_t frac,
	rl_single_state *next, rl_decision *d)
{
	uint64_t rate = limit->rate, period = (uint64_t) limit->period_us, used, rest;
	wide all = (wide) limit->limit * period, of_cost = (wide) cost * period, spare = all - of_cost;
	wide backlog = (wide) (uint64_t) (tat_us - now_us) * rate + frac;
	bool accepted = backlog <= spare;
	int64_t retry_us = 0;

	/* More is another limit's debt. */
	if (backlog + of_cost > (wide) RL_PERIOD_MAX_US * rate || backlog > (wide) RL_LIMIT_MAX * period) {
		return false;
	}
	if (accepted) {
		backlog += of_cost;
		tat_us = now_us + (int64_t) single_divide(backlog, rate, &frac);
		spare = all - period; /* of the next call, with a cost of 1 */
	}
	used = single_divide(backlog, period, &rest);
	used += rest > 0;
	if (backlog > spare) {
		retry_us = (int64_t) single_divide(backlog - spare + rate - 1, rate, &rest);
	}
	rl_single_answer(d, limit, accepted, used, retry_us, tat_us + (frac > 0) - now_us);
	rl_single_write_bucket(limit, used, tat_us, frac, next);
	return true;
}

/* ---- The sliding log; sliding_log.c has the words ---- */

enum { LOG_PERIOD = 1, LOG_BASE, LOG_MOMENTS };

_Static_assert(LOG_MOMENTS == RL_SINGLE_LOG_HEAD, "the limit state of a log");

/* Moments as distances of 4 bytes from the base. */
typedef struct {
	int64_t base_us, period_us;
	const uint32_t *moments;
	uint32_t n;
} log_moments;

static int64_t single_moment(const log_moments *m, uint32_t i)
{
	return m->base_us + m->moments[i];
}

/* Returns the index of the first moment later than t; n: there is none. Mostly few moments leave between two calls. */
static uint32_t single_first_after(const log_moments *m, int64_t t_us)
{
	uint32_t low = 0, high = m->n, step = 1;

	if (m->n == 0 || single_moment(m, 0) > t_us) {
		return 0;
	}
	/* low is not later than t; high is, or there is none. */
	while (low + step < high && single_moment(m, low + step) <= t_us) {
		low += step;
		step *= 2;
	}
	if (low + step < high) {
		high = low + step;
	}
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (single_moment(m, middle) <= t_us) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return high;
}

/* Reads the head of a log with moments of 4 bytes, none of them booked. */
static bool single_read_log(const rl_limit *limit, const uint64_t *limit_state, size_t words, log_moments *m)
{
	uint64_t head = limit_state[0];
	uint32_t number = (uint32_t) (head >> 32);

	m->n = number;
	m->base_us = rl_moment(limit_state[LOG_BASE]);
	m->period_us = limit->period_us;
	/* A number above 16 bits has bookings. */
	return number <= RL_LOG_LIMIT_MAX && limit_state[LOG_PERIOD] == (uint64_t) limit->period_us
		&& head == rl_limit_state_head(RL_SLIDING_LOG, LOG_MOMENTS + (number + 1) / 2, number)
		&& LOG_MOMENTS + (number + 1) / 2 <= words;
}

bool rl_single_log(const rl_limit *limit, uint64_t cost, const rl_now *now, const uint64_t *head,
	const uint32_t *moments, size_t words, rl_single_log_state *next, rl_decision *d)
{
	int64_t now_us = now->mono_us, last_us, first_us;
	uint32_t first, kept;
	uint64_t used;
	log_moments m = {.moments = moments};

	if (cost > limit->limit || limit->limit > (uint64_t) RL_LOG_LIMIT_MAX || !single_read_log(limit, head, words, &m)) {
		return false;
	}
	first = single_first_after(&m, now_us - m.period_us);
	kept = m.n - first;
	if (kept == 0) {
		return false;
	}
	last_us = single_moment(&m, m.n - 1);
	if (last_us > now_us || now_us - m.base_us > UINT32_MAX) {
		return false;
	}
	if (kept + cost > limit->limit) {
		/* The last of the moments without which the cost fits. */
		first_us = single_moment(&m, first + (uint32_t) (kept + cost - limit->limit) - 1);
		rl_single_answer(d, limit, false, kept, first_us + m.period_us - now_us, last_us + m.period_us - now_us);
		return limit->ban == RL_BAN_NONE;
	}
	used = kept + cost;
	rl_single_answer(d, limit, true, used, used == limit->limit ? single_moment(&m, first) + m.period_us - now_us : 0,
		m.period_us);
	next->moments = m.moments + first;
	next->kept = kept;
	next->added = (uint32_t) cost;
	next->distance = (uint32_t) (now_us - m.base_us);
	next->words = LOG_MOMENTS + (size_t) (used + 1) / 2;
	next->outcome.head = rl_single_head(limit, used);
	next->outcome.expires_us = now_us + m.period_us;
	next->head[0] = rl_limit_state_head(RL_SLIDING_LOG, next->words, (uint32_t) used);
	next->head[LOG_PERIOD] = (uint64_t) m.period_us;
	next->head[LOG_BASE] = (uint64_t) m.base_us;
	return true;
}

void rl_single_write_log(const rl_single_log_state *next, uint64_t *out)
{
	uint32_t *moments = (uint32_t *) (void *) (out + LOG_MOMENTS), n = next->kept + next->added, i;

	memcpy(out, next->head, sizeof next->head);
	memcpy(moments, next->moments, next->kept * sizeof *moments);
	for (i = next->kept; i < n; i++) {
		moments[i] = next->distance;
	}
	if (n % 2 == 1) {
		moments[n] = 0;
	}
}

/* ---- The sliding window; sliding_window.c has the words ---- */

enum {
	SW_PERIOD = 1,
	SW_ORIGIN,
	SW_FIRST,
	SW_COUNTERS,
	SW_SUB_WINDOWS = 30,
	SW_RING = 32,
	SW_WORDS = SW_COUNTERS + SW_RING / 2,
};

_Static_assert(SW_WORDS == RL_SINGLE_SLIDING_WORDS, "the limit state of a sliding window");

/* Sub-windows as the limit state has them. */
typedef struct {
	int64_t width_us, first_us; /* the length of a sub-window; when the first counter stops counting */
	uint32_t *counts;           /* SW_RING, in the next limit state */
	unsigned from;              /* the first that may count: those before it have stopped */
	uint64_t sum;               /* of those that count */
} single_ring;

/* Returns when a counter stops counting. */
static int64_t single_stops_at(const single_ring *r, unsigned i)
{
	return r->first_us + (int64_t) i * r->width_us;
}

/* Returns the moment from which on the cost fits, if it does not fit now. */
static int64_t single_room_at(const single_ring *r, uint64_t cost, uint64_t limit)
{
	uint64_t n = r->sum;
	unsigned i = r->from;

	while (n - r->counts[i] + cost > limit) {
		n -= r->counts[i++];
	}
	return single_stops_at(r, i);
}

/* Returns the sum of all counters, two of which are in a word. */
static uint64_t single_sum(const uint64_t *counters)
{
	uint64_t words = 0, high = 0;
	unsigned i;

	RL_UNROLL(16)
	for (i = 0; i < SW_RING / 2; i++) {
		words += counters[i];
		high += counters[i] >> 32;
	}
	return words - (high << 32) + high;
}

/* Returns the index of the last counter that is not 0; -1: none. */
static int single_last(const uint64_t *counters)
{
	int word = SW_RING / 2 - 1;

	while (word >= 0 && counters[word] == 0) {
		word--;
	}
	return word < 0 ? -1 : 2 * word + (counters[word] >> 32 != 0);
}

/* Sets the counters that have stopped counting to 0, which are some of the first. */
static void single_drop_old(single_ring *r, int64_t now_us)
{
	int64_t stops_us = r->first_us;
	unsigned i;

	for (i = 0; i < SW_RING && stops_us <= now_us; i++, stops_us += r->width_us) {
		r->sum -= r->counts[i];
		r->counts[i] = 0;
	}
	r->from = i;
}

/* Moves the counters to the front. Those that leave have stopped counting. */
static RL_COLD void single_shift(single_ring *r, unsigned by)
{
	memmove(r->counts, r->counts + by, (SW_RING - by) * sizeof *r->counts);
	memset(r->counts + SW_RING - by, 0, by * sizeof *r->counts);
	r->first_us += by * r->width_us;
	r->from = r->from > by ? r->from - by : 0;
}

bool rl_single_sliding_window(const rl_limit *limit, uint64_t cost, const rl_now *now, const uint64_t *limit_state,
	uint64_t *next, rl_single_outcome *outcome, rl_decision *d)
{
	int64_t now_us = now->mono_us, period_us = limit->period_us, origin_us = rl_moment(limit_state[SW_ORIGIN]);
	int64_t first = (int64_t) limit_state[SW_FIRST], index, last;
	single_ring r;

	if (cost > limit->limit || (int64_t) limit_state[SW_PERIOD] != period_us
		|| limit_state[0] != rl_limit_state_head(RL_SLIDING_WINDOW, SW_WORDS, 0) || now_us < origin_us) {
		return false;
	}
	r.width_us = (period_us + SW_SUB_WINDOWS - 1) / SW_SUB_WINDOWS;
	index = (now_us - origin_us) / r.width_us;
	last = single_last(limit_state + SW_COUNTERS);
	/* A counter behind now is a booking. */
	if (first < 0 || first > index || index - first > SW_RING || last > index - first) {
		return false;
	}
	r.first_us = origin_us + (first + 1) * r.width_us + period_us;
	r.sum = single_sum(limit_state + SW_COUNTERS);
	r.counts = (uint32_t *) (void *) (next + SW_COUNTERS);
	memcpy(r.counts, limit_state + SW_COUNTERS, SW_RING * sizeof *r.counts);
	single_drop_old(&r, now_us);
	if (r.sum == 0) {
		return false;
	}
	if (r.sum + cost > limit->limit) {
		rl_single_answer(d, limit, false, r.sum, single_room_at(&r, cost, limit->limit) - now_us,
			single_stops_at(&r, (unsigned) last) - now_us);
		return limit->ban == RL_BAN_NONE;
	}
	if (RL_UNLIKELY(index - first >= SW_RING)) {
		unsigned by = (unsigned) (index - first) - (SW_RING - 1);

		single_shift(&r, by);
		first += by;
	}
	last = index - first;
	if ((uint64_t) r.counts[last] + cost > UINT32_MAX) {
		return false;
	}
	r.counts[last] += (uint32_t) cost;
	r.sum += cost;
	outcome->head = rl_single_head(limit, r.sum);
	outcome->expires_us = single_stops_at(&r, (unsigned) last);
	rl_single_answer(d, limit, true, r.sum, r.sum == limit->limit ? single_room_at(&r, 1, limit->limit) - now_us : 0,
		outcome->expires_us - now_us);
	next[0] = limit_state[0];
	next[SW_PERIOD] = (uint64_t) period_us;
	next[SW_ORIGIN] = (uint64_t) origin_us;
	next[SW_FIRST] = (uint64_t) first;
	return true;
}
