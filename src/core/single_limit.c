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
