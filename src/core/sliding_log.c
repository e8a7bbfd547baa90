/* At most limit in every interval of the period, exactly: every admitted moment is kept until it is a period old. With
 * bookings, moments lie ahead of now as well.
 *
 * Slot: how many moments in the head; period, and in its top bit whether the moments take 8 bytes; a base; then every
 * moment as its distance from the base, in 4 bytes each (as long as all lie within 71 minutes of it) or in 8. */
#include "algorithm.h"

#include <string.h>

enum { PERIOD = 1, BASE = 2, MOMENTS = 3 };

#define WIDE        (UINT64_C(1) << 63)
#define MOMENTS_MAX ((uint32_t) RL_LOG_LIMIT_MAX)

typedef struct {
	const void *moments; /* of the limit state */
	bool wide;
	uint32_t n;
	int64_t base_us;
	int64_t period_us;
} log_view;

static bool log_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) (limit_state[PERIOD] & ~WIDE) == limit->period_us;
}

static size_t log_words_for(uint32_t n, bool wide)
{
	return MOMENTS + (wide ? n : ((size_t) n + 1) / 2);
}

static void log_read(const uint64_t *limit_state, log_view *j)
{
	size_t room = rl_limit_state_words(limit_state) - MOMENTS;

	j->moments = limit_state + MOMENTS;
	j->wide = (limit_state[PERIOD] & WIDE) != 0;
	j->period_us = rl_period_of(limit_state[PERIOD] & ~WIDE);
	j->base_us = rl_moment(limit_state[BASE]);
	j->n = rl_limit_state_number(limit_state);
	if (j->n > MOMENTS_MAX) {
		j->n = MOMENTS_MAX;
	}
	if (j->n > (j->wide ? room : 2 * room)) {
		j->n = (uint32_t) (j->wide ? room : 2 * room);
	}
}

static int64_t log_at(const log_view *j, uint32_t i)
{
	return j->base_us + (j->wide ? rl_moment(((const uint64_t *) j->moments)[i]) : ((const uint32_t *) j->moments)[i]);
}

/* The first moment that is later than t. Mostly that is the first of all (nothing is over yet, or little at the front) or
 * none (all have been): both ends are looked at first, then the beginning in growing steps. */
static uint32_t log_first_after(const log_view *j, int64_t t_us)
{
	uint32_t low = 0, high = j->n, step;

	if (high == 0 || log_at(j, 0) > t_us) {
		return 0;
	}
	if (log_at(j, high - 1) <= t_us) {
		return high;
	}
	/* log_at(low) is not later than t, log_at(high) is. */
	for (high--, step = 1; step < high && log_at(j, step) <= t_us; step *= 2) {
		low = step;
	}
	if (step < high) {
		high = step;
	}
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (log_at(j, middle) <= t_us) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return high;
}

/* The limit state's moments, and the first of them that still counts, by the limit state's own period. False: none does. */
static bool log_load(const rl_limit_ctx *c, log_view *j, uint32_t *first)
{
	*first = 0;
	if (c->limit_state == NULL) {
		*j = (log_view){.period_us = c->limit->period_us};
		return false;
	}
	log_read(c->limit_state, j);
	*first = log_first_after(j, c->now.mono_us - j->period_us);
	return *first < j->n;
}

static int64_t log_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	log_view j;

	log_read(limit_state, &j);
	return j.n > 0 ? log_at(&j, j.n - 1) + j.period_us : now->mono_us;
}

/* Of all intervals of the period's length that contain t, what the fullest one holds. There is a moment that counts. */
static uint32_t log_busiest(const log_view *j, uint32_t first, int64_t t_us)
{
	uint32_t begin, ahead, end, most = 0;

	if (log_at(j, j->n - 1) <= t_us) {
		/* Nothing lies ahead: it is the one that ends with t. */
		return log_at(j, first) > t_us - j->period_us ? j->n - first : j->n - log_first_after(j, t_us - j->period_us);
	}
	begin = log_first_after(j, t_us - j->period_us);
	ahead = log_first_after(j, t_us);
	if (begin < first) {
		begin = first;
	}
	/* An interval that begins with each moment up to t, and the one that begins with t. */
	for (end = begin;; begin++) {
		int64_t from_us = begin < ahead ? log_at(j, begin) : t_us;

		while (end < j->n && log_at(j, end) < from_us + j->period_us) {
			end++;
		}
		if (end > begin && end - begin > most) {
			most = end - begin;
		}
		if (begin >= ahead) {
			return most;
		}
	}
}

static uint32_t log_used(const rl_limit_ctx *c)
{
	log_view j;
	uint32_t first, most, kept;

	if (!log_load(c, &j, &first)) {
		return 0;
	}
	most = log_busiest(&j, first, c->at_us);
	kept = j.n - first;
	/* Moments elsewhere take from what is left, too, once there is no room for more. */
	return kept + c->limit->limit > MOMENTS_MAX && kept + c->limit->limit - MOMENTS_MAX > most
		? kept + c->limit->limit - MOMENTS_MAX
		: most;
}

/* No more than MOMENTS_MAX are kept: when so many of the oldest will have left that there is room for the cost. */
static int64_t log_book_after(const log_view *j, uint32_t first, uint32_t cost)
{
	uint64_t n = (uint64_t) (j->n - first) + cost;

	return n > MOMENTS_MAX ? log_at(j, first + (uint32_t) (n - MOMENTS_MAX) - 1) + j->period_us : INT64_MIN;
}

static int64_t log_book_at(const rl_limit_ctx *c)
{
	log_view j;
	uint32_t first;

	return log_load(c, &j, &first) ? log_book_after(&j, first, c->cost) : INT64_MIN;
}

static int64_t log_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	log_view j;
	uint32_t first, n, k, a;

	if (!log_load(c, &j, &first)) {
		return t_us;
	}
	n = j.n - first;
	if (!c->booking && log_book_after(&j, first, c->cost) > t_us) {
		t_us = log_book_after(&j, first, c->cost);
	}
	k = c->limit->limit - c->cost + 1;
	if (n < k) {
		return t_us;
	}
	/* The ends of what is forbidden only grow: with nothing ahead of t, the last one decides. */
	a = log_at(&j, j.n - 1) <= t_us ? j.n - k : log_first_after(&j, t_us - j.period_us);
	for (a = a > first ? a : first; a + k <= j.n; a++) {
		int64_t from_us = log_at(&j, a), to_us = log_at(&j, a + k - 1);

		if (to_us - j.period_us >= t_us) {
			break;
		}
		if (to_us - from_us < j.period_us && t_us < from_us + j.period_us) {
			t_us = from_us + j.period_us;
		}
	}
	return t_us;
}

static int64_t log_full_at(const rl_limit_ctx *c)
{
	return c->limit_state != NULL ? log_expires_at(c->limit_state, &c->now) : c->now.mono_us;
}

static size_t log_max_words(const rl_limit_ctx *c)
{
	log_view j;
	uint32_t first;

	log_load(c, &j, &first);
	return log_words_for(j.n + c->cost, true);
}

/* Writes moments [first, skip) and [resume, n) of a log_view, and n_new times t among them. */
typedef struct {
	uint32_t first, skip, resume;
	uint32_t n_new;
	int64_t t_us;
	int64_t period_us;
} edit;

static void log_put(uint64_t *out, uint32_t i, bool wide, int64_t distance_us)
{
	if (wide) {
		out[MOMENTS + i] = (uint64_t) distance_us;
	} else {
		((uint32_t *) (void *) (out + MOMENTS))[i] = (uint32_t) distance_us;
	}
}

static size_t log_write(const log_view *j, const edit *e, uint64_t *out)
{
	uint32_t kept = e->skip - e->first + (j->n - e->resume), n = kept + e->n_new, from, i, to = 0;
	int64_t base_us, last_us;
	bool wide, written = e->n_new == 0;

	base_us = last_us = e->t_us;
	if (kept > 0) {
		int64_t head_us = log_at(j, e->first < e->skip ? e->first : e->resume);
		int64_t tail_us = log_at(j, e->resume < j->n ? j->n - 1 : e->skip - 1);

		base_us = e->n_new == 0 || head_us < base_us ? head_us : base_us;
		last_us = e->n_new == 0 || tail_us > last_us ? tail_us : last_us;
	}
	wide = last_us - base_us > UINT32_MAX;
	out[0] = rl_limit_state_head(RL_SLIDING_LOG, log_words_for(n, wide), n);
	out[PERIOD] = (uint64_t) e->period_us | (wide ? WIDE : 0);
	out[BASE] = (uint64_t) base_us;
	if (!wide && n % 2 == 1) {
		out[log_words_for(n, wide) - 1] = 0;
	}
	for (from = e->first; from <= j->n; from++) {
		int64_t moment_us;

		if (from == e->skip) {
			from = e->resume;
		}
		moment_us = from < j->n ? log_at(j, from) : INT64_MAX;
		if (!written && moment_us > e->t_us) {
			for (i = 0; i < e->n_new; i++) {
				log_put(out, to++, wide, e->t_us - base_us);
			}
			written = true;
		}
		if (from >= j->n) {
			break;
		}
		log_put(out, to++, wide, moment_us - base_us);
	}
	return log_words_for(n, wide);
}

/* The usual case: what still counts stays as it is, on its old base, and the moment comes last. */
static size_t log_append(const log_view *j, const edit *e, uint64_t *out)
{
	uint32_t kept = j->n - e->first, n = kept + e->n_new, i;
	uint32_t *moments = (uint32_t *) (void *) (out + MOMENTS);

	out[0] = rl_limit_state_head(RL_SLIDING_LOG, log_words_for(n, false), n);
	out[PERIOD] = (uint64_t) e->period_us;
	out[BASE] = (uint64_t) j->base_us;
	memcpy(moments, (const uint32_t *) j->moments + e->first, kept * sizeof *moments);
	for (i = kept; i < n; i++) {
		moments[i] = (uint32_t) (e->t_us - j->base_us);
	}
	if (n % 2 == 1) {
		moments[n] = 0;
	}
	return log_words_for(n, false);
}

static bool log_can_append(const log_view *j, const edit *e)
{
	return e->first < j->n && !j->wide && log_at(j, j->n - 1) <= e->t_us && e->t_us - j->base_us <= UINT32_MAX;
}

static size_t log_admit(const rl_limit_ctx *c, uint64_t *out)
{
	log_view j;
	edit e = {.n_new = c->cost, .t_us = c->at_us, .period_us = c->limit->period_us};

	if (log_load(c, &j, &e.first) && !log_same_period(c->limit, c->limit_state)) {
		uint32_t first = log_first_after(&j, c->now.mono_us - c->limit->period_us);

		e.first = first > e.first ? first : e.first;
	}
	e.skip = e.resume = j.n;
	return log_can_append(&j, &e) ? log_append(&j, &e, out) : log_write(&j, &e, out);
}

/* The latest that are not ahead. */
static size_t log_refund(const rl_limit_ctx *c, uint64_t *out)
{
	log_view j;
	edit e = {0};

	log_load(c, &j, &e.first);
	e.resume = log_first_after(&j, c->now.mono_us);
	e.skip = e.resume - e.first > c->cost ? e.resume - c->cost : e.first;
	e.period_us = j.period_us;
	return log_write(&j, &e, out);
}

static size_t log_cancel(const rl_limit_ctx *c, uint64_t *out)
{
	log_view j;
	edit e = {0};

	if (!log_load(c, &j, &e.first)) {
		return 0;
	}
	e.resume = log_first_after(&j, c->at_us);
	if (e.resume < e.first + c->cost || log_at(&j, e.resume - c->cost) != c->at_us) {
		return 0;
	}
	e.skip = e.resume - c->cost;
	e.period_us = j.period_us;
	return log_write(&j, &e, out);
}

const rl_algorithm_ops rl_sliding_log_ops = {
	.words_min = MOMENTS,
	.same_period = log_same_period,
	.expires_at = log_expires_at,
	.used = log_used,
	.earliest = log_earliest,
	.full_at = log_full_at,
	.max_words = log_max_words,
	.admit = log_admit,
	.refund = log_refund,
	.book_at = log_book_at,
	.cancel = log_cancel,
};
