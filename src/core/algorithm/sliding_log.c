/* Admits at most limit permits in every interval of the period, exactly: keeps each admitted moment until it is a period
 * old. log_view.h decides a call where nothing is booked.
 *
 * The notes are the moments that are booked and have not come, and their costs. They lie behind all moments that have come. A moment
 * has come when the clock has reached it: it counts until it is a period old, also where the clock was set back behind it. The next
 * write makes it one of the log's. */
#include "log_view.h"
#include "notes.h"

enum { BASE = RL_LOG_BASE, MOMENTS };

#define MOMENTS_MAX ((uint32_t) RL_LOG_LIMIT_MAX)

/* A log at a moment. */
typedef struct {
	rl_log_view v;
	uint32_t first; /* the first moment that counts */
	rl_notes notes;
	size_t come;     /* so many of the notes have come */
	uint32_t n_come; /* their permits */
	uint64_t n;      /* of all moments that count, or are booked */
} log_book;

static bool log_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[RL_LIMIT_STATE_PERIOD] == limit->period_us;
}

static void log_read(const uint64_t *limit_state, rl_log_view *v)
{
	size_t room = rl_limit_state_own_words(limit_state) - MOMENTS;
	uint32_t number = rl_limit_state_number(limit_state);

	v->moments = limit_state + MOMENTS;
	v->wide = (number & RL_LOG_WIDE) != 0;
	v->period_us = rl_period_of(limit_state[RL_LIMIT_STATE_PERIOD]);
	v->base_us = rl_moment(limit_state[BASE]);
	room = v->wide ? room : 2 * room;
	v->n = number & ~RL_LOG_WIDE;
	v->n = v->n < room ? v->n : (uint32_t) room;
	v->n = v->n < MOMENTS_MAX ? v->n : MOMENTS_MAX;
}

/* Reads what counts by the state's own period, and what is booked. Returns false if there is nothing. */
static bool log_load(const rl_limit_ctx *c, log_book *b)
{
	size_t i;

	*b = (log_book){.v.period_us = c->limit->period_us};
	if (c->limit_state == NULL) {
		return false;
	}
	log_read(c->limit_state, &b->v);
	b->first = rl_log_first_after(&b->v, c->now.mono_us - b->v.period_us);
	b->notes = rl_notes_of(c->limit_state);
	rl_notes_drop(&b->notes, rl_notes_first(&b->notes, c->now.mono_us - b->v.period_us + 1));
	b->come = rl_notes_first(&b->notes, c->now.mono_us + 1);
	b->n = b->v.n - b->first;
	for (i = 0; i < b->notes.n; i++) {
		b->n += rl_notes_number(&b->notes, i);
		if (b->n > MOMENTS_MAX) {
			b->notes.n = 0; /* of a damaged state */
			b->come = 0;
			b->n_come = 0;
			b->n = b->v.n - b->first;
			break;
		}
		b->n_come += i < b->come ? (uint32_t) rl_notes_number(&b->notes, i) : 0;
	}
	return b->n > 0;
}

static int64_t log_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	rl_notes notes = rl_notes_of(limit_state);
	rl_log_view v;

	log_read(limit_state, &v);
	if (notes.n > 0) {
		return rl_notes_moment(&notes, notes.n - 1) + v.period_us;
	}
	return v.n > 0 ? rl_log_at(&v, v.n - 1) + v.period_us : now->mono_us;
}

/* The moments that count in the period that ends with one: those of the log from first on, and notes. */
typedef struct {
	uint32_t first;
	size_t from, until;
	uint64_t booked; /* permits of these notes */
} log_span;

/* Returns the span of what counts now. A moment that has come counts at an earlier one, too. */
static log_span log_span_of(const log_book *b)
{
	return (log_span){.first = b->first, .until = b->come, .booked = b->n_come};
}

/* Moves a span to a later end. Returns what counts in it. */
static uint64_t log_move(const log_book *b, log_span *s, int64_t end_us)
{
	int64_t begin_us = end_us - b->v.period_us;

	for (; s->until < b->notes.n && rl_notes_moment(&b->notes, s->until) <= end_us; s->until++) {
		s->booked += rl_notes_number(&b->notes, s->until);
	}
	for (; s->from < s->until && rl_notes_moment(&b->notes, s->from) <= begin_us; s->from++) {
		s->booked -= rl_notes_number(&b->notes, s->from);
	}
	if (s->first < b->v.n && rl_log_at(&b->v, s->first) <= begin_us) {
		s->first = rl_log_first_after(&b->v, begin_us);
	}
	return b->v.n - s->first + s->booked;
}

static uint64_t log_used(const rl_limit_ctx *c)
{
	log_book b;
	log_span s;
	uint64_t most, beyond;

	if (!log_load(c, &b)) {
		return 0;
	}
	s = log_span_of(&b);
	most = log_move(&b, &s, c->at_us);
	while (s.until < b.notes.n && rl_notes_moment(&b.notes, s.until) < c->at_us + b.v.period_us) {
		uint64_t n = log_move(&b, &s, rl_notes_moment(&b.notes, s.until));

		most = n > most ? n : most;
	}
	/* Moments elsewhere reduce what is left, too, once the log has no room for more. */
	beyond = b.n + c->limit->limit;
	return beyond > MOMENTS_MAX && beyond - MOMENTS_MAX > most ? beyond - MOMENTS_MAX : most;
}

/* Returns when so many of the oldest moments have left that the log has room for the cost; it keeps at most MOMENTS_MAX.
 * INT64_MIN: it has room now. */
static int64_t log_book_after(const log_book *b, uint64_t cost)
{
	uint64_t beyond = b->n + cost, kept = b->v.n - b->first;
	size_t i;

	if (beyond <= MOMENTS_MAX) {
		return INT64_MIN;
	}
	beyond -= MOMENTS_MAX;
	if (beyond <= kept) {
		return rl_log_at(&b->v, b->first + (uint32_t) beyond - 1) + b->v.period_us;
	}
	for (i = 0; i + 1 < b->notes.n && kept + rl_notes_number(&b->notes, i) < beyond; i++) {
		kept += rl_notes_number(&b->notes, i);
	}
	return rl_notes_moment(&b->notes, i) + b->v.period_us;
}

static int64_t log_book_at(const rl_limit_ctx *c)
{
	log_book b;

	return log_load(c, &b) ? log_book_after(&b, c->cost) : INT64_MIN;
}

/* Returns the first moment from t on at which the cost fits into the period that ends with it. */
static int64_t log_fits_at(const rl_limit_ctx *c, const log_book *b, log_span *s, int64_t t_us)
{
	for (;;) {
		uint64_t n = log_move(b, s, t_us);
		int64_t retry_us;

		if (n + c->cost <= c->limit->limit) {
			return t_us;
		}
		retry_us = s->booked + c->cost > c->limit->limit
			? rl_notes_moment(&b->notes, s->from) + b->v.period_us - t_us
			: rl_log_step(&b->v, s->first, c->limit->limit - s->booked, c->cost, t_us).retry_us;
		if (retry_us <= 0) {
			return t_us; /* a damaged state */
		}
		t_us += retry_us;
	}
}

/* Returns the first later note with which the cost at t does not fit into one period; t: there is none. */
static int64_t log_forbidding(const rl_limit_ctx *c, const log_book *b, log_span s, int64_t t_us)
{
	while (s.until < b->notes.n && rl_notes_moment(&b->notes, s.until) < t_us + b->v.period_us) {
		int64_t end_us = rl_notes_moment(&b->notes, s.until);

		if (log_move(b, &s, end_us) + c->cost > c->limit->limit) {
			return end_us;
		}
	}
	return t_us;
}

static int64_t log_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	log_book b;
	log_span s;
	int64_t next_us;

	if (!log_load(c, &b)) {
		return t_us;
	}
	if (!c->booking && log_book_after(&b, c->cost) > t_us) {
		t_us = log_book_after(&b, c->cost);
	}
	s = log_span_of(&b);
	for (;; t_us = next_us) {
		t_us = log_fits_at(c, &b, &s, t_us);
		next_us = log_forbidding(c, &b, s, t_us);
		if (next_us <= t_us) {
			return t_us;
		}
	}
}

static int64_t log_full_at(const rl_limit_ctx *c)
{
	return c->limit_state != NULL ? log_expires_at(c->limit_state, &c->now) : c->now.mono_us;
}

static size_t log_max_words(const rl_limit_ctx *c)
{
	log_book b;

	log_load(c, &b);
	return rl_log_words_for(b.v.n + b.n_come + (c->cost < MOMENTS_MAX ? (uint32_t) c->cost : MOMENTS_MAX), true)
		+ RL_NOTE_WORDS * (b.notes.n + 1);
}

/* Describes the log to write: moments [first, skip) and [resume, n) of the log, the first notes that have come, and n_new times t
 * among them; then the notes that have not come. */
typedef struct {
	uint32_t first, skip, resume;
	size_t come;
	int64_t changed_us; /* the note of this moment has another number; INT64_MIN: none has */
	uint64_t changed;
	uint32_t n_new;
	int64_t t_us;
	int64_t period_us, from_us; /* the notes that have come count behind that */
} log_edit;

/* The moments that are written, in their order. */
typedef struct {
	uint64_t *out;
	bool wide;
	int64_t base_us, last_us;
	uint32_t n;
} log_writer;

/* Appends n times t; without out it measures. */
static void log_put(log_writer *w, int64_t t_us, uint64_t n)
{
	w->base_us = w->n == 0 ? t_us : w->base_us;
	w->last_us = t_us;
	for (; n > 0 && w->out != NULL; n--) {
		if (w->wide) {
			w->out[MOMENTS + w->n++] = (uint64_t) (t_us - w->base_us);
		} else {
			((uint32_t *) (void *) (w->out + MOMENTS))[w->n++] = (uint32_t) (t_us - w->base_us);
		}
	}
	w->n += (uint32_t) n;
}

/* Puts what an edit keeps, and the new moments among it. */
static void log_put_all(const log_book *b, const log_edit *e, log_writer *w)
{
	uint32_t i, n_new = e->n_new;
	size_t k;

	for (i = e->first == e->skip ? e->resume : e->first; i < b->v.n; i = i + 1 == e->skip ? e->resume : i + 1) {
		int64_t moment_us = rl_log_at(&b->v, i);

		if (n_new > 0 && moment_us > e->t_us) {
			log_put(w, e->t_us, n_new);
			n_new = 0;
		}
		log_put(w, moment_us, 1);
	}
	for (k = 0; k < e->come; k++) {
		int64_t moment_us = rl_notes_moment(&b->notes, k);
		uint64_t n = moment_us == e->changed_us ? e->changed : rl_notes_number(&b->notes, k);

		if (n_new > 0 && moment_us > e->t_us) {
			log_put(w, e->t_us, n_new);
			n_new = 0;
		}
		if (n > 0 && moment_us > e->from_us) {
			log_put(w, moment_us, n);
		}
	}
	if (n_new > 0) {
		log_put(w, e->t_us, n_new);
	}
}

static size_t log_write(const rl_limit_ctx *c, const log_book *b, const log_edit *e, uint64_t *out)
{
	bool is_ahead = e->changed_us > c->now.mono_us;
	rl_notes ahead = b->notes;
	log_writer w = {0};
	size_t own, n_notes;

	rl_notes_drop(&ahead, b->come);
	log_put_all(b, e, &w);
	w.wide = w.last_us - w.base_us > UINT32_MAX;
	own = rl_log_words_for(w.n, w.wide);
	if (w.n > 0) {
		out[own - 1] = 0; /* of an odd number, half of it is unused */
	}
	w = (log_writer){.out = out, .wide = w.wide};
	log_put_all(b, e, &w);
	out[BASE] = (uint64_t) w.base_us;
	n_notes = rl_notes_write(&ahead, is_ahead ? e->changed_us : INT64_MIN, is_ahead ? e->changed : 0, out + own);
	return rl_limit_state_begin(RL_SLIDING_LOG, (uint64_t) e->period_us, own, n_notes, w.n | (w.wide ? RL_LOG_WIDE : 0),
		out);
}

/* Returns the edit that changes nothing. */
static log_edit log_edit_of(const rl_limit_ctx *c, const log_book *b)
{
	return (log_edit){
		.first = b->first,
		.skip = b->v.n,
		.resume = b->v.n,
		.come = b->come,
		.changed_us = INT64_MIN,
		.period_us = b->v.period_us,
		.from_us = c->now.mono_us - b->v.period_us,
	};
}

/* Returns whether the moment that is judged is a booking that has not come. A booking not later than a moment that has
 * come counts as come: the clock was set back behind that one. */
static bool log_is_ahead(const rl_limit_ctx *c, const log_book *b, uint32_t first)
{
	return c->booking && c->at_us > c->now.mono_us && (first == b->v.n || c->at_us > rl_log_at(&b->v, b->v.n - 1));
}

static size_t log_admit(const rl_limit_ctx *c, uint64_t *out)
{
	uint32_t n = c->cost < MOMENTS_MAX ? (uint32_t) c->cost : MOMENTS_MAX;
	uint64_t kept;
	log_book b;
	log_edit e;
	size_t k;

	log_load(c, &b);
	e = log_edit_of(c, &b);
	e.period_us = c->limit->period_us;
	/* With a shorter period more moments leave; with a longer one none comes back. */
	if (e.period_us < b.v.period_us) {
		e.from_us = c->now.mono_us - e.period_us;
		e.first = rl_log_first_after(&b.v, e.from_us);
	}
	kept = b.n - (e.first - b.first);
	for (k = 0; k < b.come && rl_notes_moment(&b.notes, k) <= e.from_us; k++) {
		kept -= rl_notes_number(&b.notes, k);
	}
	if (c->debt && n > MOMENTS_MAX - kept) {
		n = (uint32_t) (MOMENTS_MAX - kept);
	}
	if (c->held != NULL) {
		c->held->place = c->at_us;
	}
	if (log_is_ahead(c, &b, e.first)) {
		e.changed_us = c->at_us;
		e.changed = rl_notes_at(&b.notes, c->at_us) + n;
	} else {
		e.t_us = c->at_us;
		e.n_new = n;
		if (b.notes.n == 0 && rl_log_can_append(&b.v, e.first, e.t_us)) {
			return rl_log_append(&b.v, e.first, n, e.t_us, e.period_us, out);
		}
	}
	return log_write(c, &b, &e, out);
}

/* Removes the latest moments that have come. */
static size_t log_credit(const rl_limit_ctx *c, uint64_t *out)
{
	uint64_t left = c->cost;
	log_book b;
	log_edit e;

	log_load(c, &b);
	e = log_edit_of(c, &b);
	for (; e.come > 0 && left > 0; e.come--) {
		uint64_t n = rl_notes_number(&b.notes, e.come - 1);

		if (left < n) {
			e.changed_us = rl_notes_moment(&b.notes, e.come - 1);
			e.changed = n - left;
			left = 0;
			break;
		}
		left -= n;
	}
	e.skip = b.v.n - b.first > left ? b.v.n - (uint32_t) left : b.first;
	return log_write(c, &b, &e, out);
}

/* Writes the log without n permits of a moment, at least so many. Returns the words; 0: it does not have them. */
static size_t log_take(const rl_limit_ctx *c, int64_t t_us, uint64_t n, uint64_t at_least, uint64_t *out)
{
	log_book b;
	log_edit e;
	uint64_t noted;

	if (!log_load(c, &b)) {
		return 0;
	}
	e = log_edit_of(c, &b);
	noted = rl_notes_at(&b.notes, t_us);
	if (noted > 0) {
		if (noted < at_least) {
			return 0;
		}
		e.changed_us = t_us;
		e.changed = rl_take_count(noted, n);
	} else {
		e.resume = e.skip = rl_log_first_after(&b.v, t_us);
		while (n > 0 && e.skip > e.first && rl_log_at(&b.v, e.skip - 1) == t_us) {
			e.skip--;
			n--;
		}
		if (e.resume - e.skip < at_least || e.skip == e.resume) {
			return 0;
		}
	}
	return log_write(c, &b, &e, out);
}

static size_t log_cancel(const rl_limit_ctx *c, uint64_t *out)
{
	return log_take(c, c->at_us, c->cost, c->cost, out);
}

static size_t log_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	(void) all;
	return log_take(c, held->place, n, 0, out);
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
