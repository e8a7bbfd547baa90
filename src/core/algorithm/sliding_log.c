/* Admits at most limit permits in every interval of the period, exactly: keeps each admitted moment until it is a period
 * old. log_view.h decides a call where nothing is booked. With bookings, the log also holds moments that lie ahead of now.
 *
 * A moment has come when the clock has reached it: it counts until it is a period old, also where the clock was set back
 * behind it. A booked moment that has not come counts for less than a period on either side.
 *
 * Limit state: the head's number holds the number of moments (16 bits, low) and the number of the last ones that are
 * booked and have not come (16 bits, high). The period follows, whose top bit is set if the moments take 8 bytes, and a
 * base. Then each moment is its distance from the base, in 4 bytes (while all lie within 71 minutes of it) or in 8. */
#include "log_view.h"

enum { PERIOD = RL_LOG_PERIOD, BASE, MOMENTS };

#define MOMENTS_MAX ((uint32_t) RL_LOG_LIMIT_MAX)

_Static_assert(RL_LOG_LIMIT_MAX <= UINT16_MAX, "the head holds both numbers of moments");

static bool log_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) (limit_state[PERIOD] & ~RL_LOG_WIDE) == limit->period_us;
}

static void log_read(const uint64_t *limit_state, rl_log_view *v)
{
	size_t room = rl_limit_state_own_words(limit_state) - MOMENTS;
	uint32_t number = rl_limit_state_number(limit_state);

	v->moments = limit_state + MOMENTS;
	v->wide = (limit_state[PERIOD] & RL_LOG_WIDE) != 0;
	v->period_us = rl_period_of(limit_state[PERIOD] & ~RL_LOG_WIDE);
	v->base_us = rl_moment(limit_state[BASE]);
	v->n = rl_limit_state_n(number);
	if (v->n > MOMENTS_MAX) {
		v->n = MOMENTS_MAX;
	}
	if (v->n > (v->wide ? room : 2 * room)) {
		v->n = (uint32_t) (v->wide ? room : 2 * room);
	}
	v->ahead = rl_limit_state_ahead(number);
	if (v->ahead > v->n) {
		v->ahead = v->n;
	}
}

/* Reads the limit state. Sets first to the index of the first moment that still counts by the state's own period, and
 * takes booked moments that now has reached as come. Returns false if no moment counts. */
static bool log_load(const rl_limit_ctx *c, rl_log_view *v, uint32_t *first)
{
	*first = 0;
	if (c->limit_state == NULL) {
		*v = (rl_log_view){.period_us = c->limit->period_us};
		return false;
	}
	log_read(c->limit_state, v);
	*first = rl_log_first_after(v, c->now.mono_us - v->period_us);
	while (v->ahead > 0 && rl_log_at(v, v->n - v->ahead) <= c->now.mono_us) {
		v->ahead--;
	}
	return *first < v->n;
}

static int64_t log_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	rl_log_view v;

	log_read(limit_state, &v);
	return v.n > 0 ? rl_log_at(&v, v.n - 1) + v.period_us : now->mono_us;
}

/* Returns what the fullest interval of the period's length that contains t holds. Requires a moment that counts. */
static uint32_t log_busiest(const rl_log_view *v, uint32_t first, int64_t t_us)
{
	uint32_t begin = first, come = v->n - v->ahead, ahead, end, most = 0;

	if (rl_log_at(v, first) <= t_us - v->period_us) {
		begin = rl_log_first_after(v, t_us - v->period_us);
	}
	if (v->ahead == 0 || rl_log_at(v, v->n - 1) <= t_us) {
		/* Nothing lies ahead: the fullest interval ends with t. */
		return v->n - begin;
	}
	ahead = rl_log_first_after(v, t_us);
	if (ahead < come) {
		ahead = come;
	}
	/* An interval begins with each moment up to t, and one begins with t. A moment that has come lies at t at the latest. */
	for (end = begin;; begin++) {
		int64_t from_us = begin < ahead && rl_log_at(v, begin) < t_us ? rl_log_at(v, begin) : t_us;

		while (end < v->n && (end < come || rl_log_at(v, end) < from_us + v->period_us)) {
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

static uint64_t log_used(const rl_limit_ctx *c)
{
	rl_log_view v;
	uint32_t first, most, kept;
	uint64_t beyond;

	if (!log_load(c, &v, &first)) {
		return 0;
	}
	most = log_busiest(&v, first, c->at_us);
	kept = v.n - first;
	/* Moments elsewhere reduce what is left, too, once the log has no room for more. */
	beyond = kept + c->limit->limit;
	return beyond > MOMENTS_MAX && beyond - MOMENTS_MAX > most ? beyond - MOMENTS_MAX : most;
}

/* Returns when so many of the oldest moments have left that the log has room for the cost; it keeps at most MOMENTS_MAX.
 * INT64_MIN: it has room now. */
static int64_t log_book_after(const rl_log_view *v, uint32_t first, uint64_t cost)
{
	uint64_t n = v->n - first + cost;

	return n > MOMENTS_MAX ? rl_log_at(v, first + (uint32_t) (n - MOMENTS_MAX) - 1) + v->period_us : INT64_MIN;
}

static int64_t log_book_at(const rl_limit_ctx *c)
{
	rl_log_view v;
	uint32_t first;

	return log_load(c, &v, &first) ? log_book_after(&v, first, c->cost) : INT64_MIN;
}

/* Returns the index of the first k moments that can forbid t: those before it end earlier. */
static uint32_t log_first_forbidding(const rl_log_view *v, uint32_t first, uint32_t k, int64_t t_us)
{
	uint32_t come = v->n - v->ahead, a;

	if (rl_log_at(v, v->n - 1) <= t_us) {
		return v->n - k; /* nothing lies ahead of t: the last k decide */
	}
	a = rl_log_first_after(v, t_us - v->period_us);
	if (come >= k && a < come - k) {
		a = come - k;
	}
	return a > first ? a : first;
}

static int64_t log_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	rl_log_view v;
	uint32_t first, k, a;

	if (!log_load(c, &v, &first)) {
		return t_us;
	}
	if (!c->booking && log_book_after(&v, first, c->cost) > t_us) {
		t_us = log_book_after(&v, first, c->cost);
	}
	if (v.ahead == 0) {
		rl_step s = rl_log_step(&v, first, c->limit->limit, c->cost, t_us);

		return s.accepted || s.retry_us <= 0 ? t_us : t_us + s.retry_us;
	}
	k = (uint32_t) (c->limit->limit - c->cost + 1);
	if (v.n - first < k) {
		return t_us;
	}
	for (a = log_first_forbidding(&v, first, k, t_us); a + k <= v.n; a++) {
		int64_t from_us = rl_log_at(&v, a), to_us = rl_log_at(&v, a + k - 1);
		bool has_come = a + k <= v.n - v.ahead;

		if (!has_come && to_us - v.period_us >= t_us) {
			break;
		}
		if ((has_come || to_us - from_us < v.period_us) && t_us < from_us + v.period_us) {
			t_us = from_us + v.period_us;
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
	rl_log_view v;
	uint32_t first;

	log_load(c, &v, &first);
	return rl_log_words_for(v.n + (c->cost < MOMENTS_MAX ? (uint32_t) c->cost : MOMENTS_MAX), true);
}

/* Describes the log to write: moments [first, skip) and [resume, n) of a view, and n_new times t among them. */
typedef struct {
	uint32_t first, skip, resume;
	uint32_t n_new;
	uint32_t ahead; /* of the moments written, as in rl_log_view */
	int64_t t_us;
	int64_t period_us;
} log_edit;

static void log_put(uint64_t *out, uint32_t i, bool wide, int64_t distance_us)
{
	if (wide) {
		out[MOMENTS + i] = (uint64_t) distance_us;
	} else {
		((uint32_t *) (void *) (out + MOMENTS))[i] = (uint32_t) distance_us;
	}
}

static size_t log_write(const rl_log_view *v, const log_edit *e, uint64_t *out)
{
	uint32_t kept = e->skip - e->first + (v->n - e->resume), n = kept + e->n_new, from, i, to = 0;
	int64_t base_us, last_us;
	bool wide, written = e->n_new == 0;

	base_us = last_us = e->t_us;
	if (kept > 0) {
		int64_t head_us = rl_log_at(v, e->first < e->skip ? e->first : e->resume);
		int64_t tail_us = rl_log_at(v, e->resume < v->n ? v->n - 1 : e->skip - 1);

		base_us = e->n_new == 0 || head_us < base_us ? head_us : base_us;
		last_us = e->n_new == 0 || tail_us > last_us ? tail_us : last_us;
	}
	wide = last_us - base_us > UINT32_MAX;
	out[0] = rl_limit_state_head(RL_SLIDING_LOG, rl_log_words_for(n, wide), rl_limit_state_number_of(n, e->ahead));
	out[PERIOD] = (uint64_t) e->period_us | (wide ? RL_LOG_WIDE : 0);
	out[BASE] = (uint64_t) base_us;
	if (!wide && n % 2 == 1) {
		out[rl_log_words_for(n, wide) - 1] = 0;
	}
	for (from = e->first; from <= v->n; from++) {
		int64_t moment_us;

		if (from == e->skip) {
			from = e->resume;
		}
		moment_us = from < v->n ? rl_log_at(v, from) : INT64_MAX;
		if (!written && moment_us > e->t_us) {
			for (i = 0; i < e->n_new; i++) {
				log_put(out, to++, wide, e->t_us - base_us);
			}
			written = true;
		}
		if (from >= v->n) {
			break;
		}
		log_put(out, to++, wide, moment_us - base_us);
	}
	return rl_log_words_for(n, wide);
}

/* Returns whether the moment that is judged is a booking that has not come. A booking not later than a moment that has
 * come counts as come: the clock was set back behind that one. */
static bool log_is_ahead(const rl_limit_ctx *c, const rl_log_view *v, uint32_t first)
{
	uint32_t come = v->n - v->ahead;

	return c->booking && c->at_us > c->now.mono_us && (come <= first || c->at_us > rl_log_at(v, come - 1));
}

static size_t log_admit(const rl_limit_ctx *c, uint64_t *out)
{
	rl_log_view v;
	log_edit e = {.n_new = c->cost < MOMENTS_MAX ? (uint32_t) c->cost : MOMENTS_MAX,
		.t_us = c->at_us,
		.period_us = c->limit->period_us};
	uint32_t first;

	if (log_load(c, &v, &first) && !log_same_period(c->limit, c->limit_state)) {
		uint32_t kept = rl_log_first_after(&v, c->now.mono_us - c->limit->period_us);

		first = kept > first ? kept : first;
	}
	if (c->debt && e.n_new > MOMENTS_MAX - (v.n - first)) {
		e.n_new = MOMENTS_MAX - (v.n - first);
	}
	if (c->held != NULL) {
		c->held->place = c->at_us;
	}
	e.first = first;
	e.skip = e.resume = v.n;
	e.ahead = v.ahead + (log_is_ahead(c, &v, first) ? e.n_new : 0);
	return rl_log_can_append(&v, first, e.t_us) ? rl_log_append(&v, first, e.n_new, e.t_us, e.period_us, e.ahead, out)
												: log_write(&v, &e, out);
}

/* Removes the latest moments that have come. */
static size_t log_credit(const rl_limit_ctx *c, uint64_t *out)
{
	rl_log_view v;
	log_edit e = {0};

	log_load(c, &v, &e.first);
	e.resume = v.n - v.ahead > e.first ? v.n - v.ahead : e.first;
	e.skip = e.resume - e.first > c->cost ? e.resume - (uint32_t) c->cost : e.first;
	e.ahead = v.n - e.resume;
	e.period_us = v.period_us;
	return log_write(&v, &e, out);
}

static size_t log_cancel(const rl_limit_ctx *c, uint64_t *out)
{
	rl_log_view v;
	log_edit e = {0};

	if (!log_load(c, &v, &e.first)) {
		return 0;
	}
	e.resume = rl_log_first_after(&v, c->at_us);
	if (e.resume < e.first + c->cost || rl_log_at(&v, e.resume - (uint32_t) c->cost) != c->at_us) {
		return 0;
	}
	e.skip = e.resume - (uint32_t) c->cost;
	e.ahead = e.resume > v.n - v.ahead ? (uint32_t) rl_take_count(v.ahead, c->cost) : v.ahead;
	e.period_us = v.period_us;
	return log_write(&v, &e, out);
}

static size_t log_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	rl_log_view v;
	log_edit e = {0};
	uint32_t found;

	(void) all;
	if (!log_load(c, &v, &e.first)) {
		return 0;
	}
	e.resume = rl_log_first_after(&v, held->place);
	for (found = 0; found < n && e.resume > e.first + found && rl_log_at(&v, e.resume - found - 1) == held->place;
		 found++) {
	}
	if (found == 0) {
		return 0;
	}
	e.skip = e.resume - found;
	e.ahead = e.resume > v.n - v.ahead ? (uint32_t) rl_take_count(v.ahead, found) : v.ahead;
	e.period_us = v.period_us;
	return log_write(&v, &e, out);
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
	.credit = log_credit,
	.book_at = log_book_at,
	.cancel = log_cancel,
	.give_back = log_give_back,
};
