#include "limiter.h"

#include "state_writer.h"

/* ---- Answers ---- */

static uint32_t left_of(const rl_evaluation *ev, unsigned i)
{
	uint32_t limit = ev->q->limits[i].limit, used = ev->ops[i]->used(&ev->ctx[i]);

	return used < limit ? limit - used : 0;
}

/* Requires remaining to be left_of() this limit. */
static void set_decision(const rl_evaluation *ev, unsigned i, rl_reason reason, uint32_t remaining,
	int64_t retry_after_us, rl_decision *d)
{
	int64_t reset_us = ev->ops[i]->full_at(&ev->ctx[i]) - ev->now->mono_us;

	d->reason = reason;
	d->accepted = reason == RL_ACCEPTED;
	d->limit_index = (uint8_t) i;
	d->limit = ev->q->limits[i].limit;
	d->remaining = remaining;
	d->retry_after_us = retry_after_us;
	d->reset_after_us = reset_us > 0 ? reset_us : 0;
}

static void set_ban_decision(const rl_evaluation *ev, unsigned i, int64_t end_us, int64_t retry_at_us, rl_decision *d)
{
	d->reason = RL_BANNED;
	d->accepted = false;
	d->limit_index = (uint8_t) i;
	d->limit = ev->q->limits[i].limit;
	d->remaining = 0;
	d->retry_after_us = retry_at_us - ev->now->mono_us;
	d->reset_after_us = end_us - ev->now->mono_us;
}

/* Returns the first moment from t on at which all limits would admit. Each round moves to a later moment at which a kept
 * entry runs out, so the loop ends; the bound on rounds is for invalid states. */
static int64_t all_earliest(const rl_evaluation *ev, int64_t t_us)
{
	unsigned i, rounds;

	for (rounds = 0; rounds < RL_LIMITS_MAX * (unsigned) RL_LOG_LIMIT_MAX; rounds++) {
		int64_t before_us = t_us;

		for (i = 0; i < ev->q->n_limits; i++) {
			t_us = ev->ops[i]->earliest(&ev->ctx[i], t_us);
		}
		if (t_us == before_us) {
			break;
		}
	}
	return t_us;
}

/* Returns the index of the limit that began the running ban; else the first of its algorithm; else 0. */
static unsigned banning_limit(const rl_evaluation *ev)
{
	const rl_question *q = ev->q;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == ev->state.ban_algorithm
			&& rl_state_ban_period(&q->limits[i]) == ev->state.ban_period && q->limits[i].rate == ev->state.ban_rate) {
			return i;
		}
	}
	for (i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == ev->state.ban_algorithm) {
			return i;
		}
	}
	return 0;
}

/* ---- Questions ---- */

static int64_t ban_end_us(const rl_evaluation *ev, rl_ban_kind kind, int64_t us)
{
	switch (kind) {
		case RL_BAN_FOR:
			return ev->now->mono_us + us;
		case RL_BAN_UNTIL:
			return us - ev->now->wall_us + ev->now->mono_us;
		case RL_BAN_NONE:
			break;
	}
	return ev->now->mono_us;
}

/* Returns the index of the refusing limit whose ban ends last, which begins its ban; n_limits if no limit bans. */
static unsigned ban_to_begin(const rl_evaluation *ev, const int64_t earliest_us[], int64_t *end_us)
{
	unsigned i, which = ev->q->n_limits;

	*end_us = ev->now->mono_us;
	for (i = 0; i < ev->q->n_limits; i++) {
		int64_t us = ban_end_us(ev, ev->q->limits[i].ban, ev->q->limits[i].ban_us);

		if (earliest_us[i] > ev->now->mono_us && us > *end_us) {
			which = i;
			*end_us = us;
		}
	}
	return which;
}

static rl_outcome finish_state(rl_state_writer *w, size_t *out_words)
{
	*out_words = rl_state_writer_finish(w);
	return *out_words > 0 ? RL_WRITE_STATE : RL_WRITE_DELETE;
}

static rl_outcome admit_all(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_decision *d)
{
	rl_state_writer w;
	unsigned i, tightest = 0;
	uint32_t least = UINT32_MAX;
	rl_outcome outcome;

	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w); /* a booking beyond the end of a running ban is admitted */
	w.used = 0;
	for (i = 0; i < ev->q->n_limits; i++) {
		uint32_t used, limit = ev->q->limits[i].limit;

		ev->ctx[i].limit_state = rl_state_writer_put_limit(&w, ev->ops[i]->admit(&ev->ctx[i], out + w.at));
		used = ev->ops[i]->used(&ev->ctx[i]);
		if (used > w.used) {
			w.used = used;
		}
		used = used < limit ? limit - used : 0;
		w.exhausted = w.exhausted || used == 0;
		if (used < least) {
			least = used;
			tightest = i;
		}
	}
	outcome = finish_state(&w, out_words);
	set_decision(ev, tightest, RL_ACCEPTED, least, 0, d);
	return outcome;
}

static rl_outcome begin_ban(rl_evaluation *ev, unsigned i, int64_t end_us, uint64_t *out, size_t *out_words,
	rl_decision *d)
{
	rl_state_writer w;
	unsigned other;

	ev->ctx[i].limit_state = NULL;
	rl_state_writer_init(&w, ev, out);
	rl_state_writer_put_ban(&w, end_us, &ev->q->limits[i]);
	for (other = 0; other < ev->q->n_limits; other++) {
		rl_state_writer_keep_limit(&w, ev->ctx[other].limit_state);
	}
	set_ban_decision(ev, i, end_us, all_earliest(ev, end_us), d);
	return finish_state(&w, out_words);
}

static rl_outcome consume(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_decision *d)
{
	const rl_question *q = ev->q;
	bool booking = q->op == RL_OP_RESERVE;
	int64_t from_us = ev->ctx[0].at_us, earliest_us[RL_LIMITS_MAX], end_us;
	unsigned i, latest = 0;

	for (i = 0; i < q->n_limits; i++) {
		if (q->cost > q->limits[i].limit) {
			set_decision(ev, i, RL_TOO_EXPENSIVE, left_of(ev, i), RL_NEVER, d);
			return RL_WRITE_NOTHING;
		}
	}
	if (ev->banned && from_us < ev->state.ban_end_us) {
		set_ban_decision(ev, banning_limit(ev), ev->state.ban_end_us, all_earliest(ev, ev->state.ban_end_us), d);
		return RL_WRITE_NOTHING;
	}
	for (i = 0; i < q->n_limits; i++) {
		earliest_us[i] = ev->ops[i]->earliest(&ev->ctx[i], from_us);
		if (earliest_us[i] > earliest_us[latest]) {
			latest = i;
		}
	}
	if (earliest_us[latest] == from_us) {
		for (i = 0; booking && i < q->n_limits; i++) {
			int64_t room_us = ev->ops[i]->book_at != NULL ? ev->ops[i]->book_at(&ev->ctx[i]) : INT64_MIN;

			if (room_us > ev->now->mono_us) {
				set_decision(ev, i, RL_LIMITED, left_of(ev, i), room_us - ev->now->mono_us, d);
				return RL_WRITE_NOTHING;
			}
		}
		return admit_all(ev, out, out_words, d);
	}
	if (!booking && (i = ban_to_begin(ev, earliest_us, &end_us)) < q->n_limits) {
		return begin_ban(ev, i, end_us, out, out_words, d);
	}
	set_decision(ev, latest, RL_LIMITED, left_of(ev, latest), all_earliest(ev, from_us) - ev->now->mono_us, d);
	return RL_WRITE_NOTHING;
}

static rl_outcome credit(rl_evaluation *ev, uint64_t *out, size_t *out_words)
{
	rl_state_writer w;
	unsigned i;
	bool any = false;

	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w);
	w.used = rl_take_count(w.used, ev->q->cost);
	for (i = 0; i < ev->q->n_limits; i++) {
		if (ev->ctx[i].limit_state != NULL) {
			rl_state_writer_put_limit(&w, ev->ops[i]->credit(&ev->ctx[i], out + w.at));
			any = true;
		}
	}
	return any ? finish_state(&w, out_words) : RL_WRITE_NOTHING;
}

static rl_outcome cancel(rl_evaluation *ev, uint64_t *out, size_t *out_words, bool *found)
{
	rl_state_writer w;
	unsigned i;

	*found = false;
	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w);
	w.used = rl_take_count(w.used, ev->q->cost);
	for (i = 0; i < ev->q->n_limits; i++) {
		size_t words = 0;

		if (ev->ctx[i].limit_state != NULL && ev->ops[i]->cancel != NULL) {
			words = ev->ops[i]->cancel(&ev->ctx[i], out + w.at);
		}
		if (words == 0) {
			return RL_WRITE_NOTHING;
		}
		rl_state_writer_put_limit(&w, words);
	}
	*found = true;
	return finish_state(&w, out_words);
}

/* Sets, replaces or lifts a ban; the counts stay. */
static rl_outcome write_with_ban(rl_evaluation *ev, bool ban, int64_t end_us, uint64_t *out, size_t *out_words)
{
	rl_state_writer w;
	unsigned i;

	rl_state_writer_init(&w, ev, out);
	if (ban) {
		rl_state_writer_put_ban(&w, end_us, NULL);
	}
	w.exhausted = ev->state.exhausted;
	for (i = 0; i < ev->q->n_limits; i++) {
		rl_state_writer_keep_limit(&w, ev->ctx[i].limit_state);
	}
	return finish_state(&w, out_words);
}

static bool is_stale(const rl_question *q, const rl_now *now)
{
	bool booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL;
	unsigned i;

	if (q->op != RL_OP_CONSUME && q->op != RL_OP_PEEK && q->op != RL_OP_CREDIT && !booking) {
		return false;
	}
	for (i = 0; i < q->n_limits; i++) {
		const int64_t *b = q->limits[i].boundary;
		int64_t us = booking ? q->at_us : now->wall_us;

		if (q->limits[i].algorithm == RL_CALENDAR_WINDOW && (us < b[0] || us >= b[booking ? 1 : 2])) {
			return true;
		}
	}
	return false;
}

bool rl_limiter_needs_wall(const rl_question *q)
{
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == RL_CALENDAR_WINDOW || q->limits[i].ban == RL_BAN_UNTIL) {
			return true;
		}
	}
	return q->ban == RL_BAN_UNTIL;
}

/* The most words that a limit state gains: a sliding window's counters; a log's head, beside moments that grow from 4 bytes
 * to 8. */
#define LIMIT_STATE_WORDS 32

size_t rl_limiter_size_max(const rl_question *q, size_t words)
{
	size_t room = RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS + 2 * words;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		room += LIMIT_STATE_WORDS + (q->limits[i].algorithm == RL_SLIDING_LOG ? 2 * words + q->cost : words);
	}
	return room;
}

size_t rl_limiter_size(const rl_question *q, const rl_now *now, const uint64_t *state, size_t words)
{
	rl_evaluation ev;
	size_t room = RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS;
	unsigned i;

	rl_evaluation_init(&ev, q, now, now->mono_us, state, words);
	for (i = 0; i < q->n_limits; i++) {
		size_t limit_state = ev.ctx[i].limit_state != NULL ? rl_limit_state_words(ev.ctx[i].limit_state) : 0;

		/* Only an admission makes a state longer, and a cost above the limit is never admitted. */
		if (q->cost > q->limits[i].limit || q->op == RL_OP_CREDIT || q->op == RL_OP_CANCEL) {
			ev.ctx[i].cost = 1;
		}
		room += ev.ops[i]->max_words(&ev.ctx[i]) + limit_state;
	}
	return room + words;
}

rl_outcome rl_limiter_decide(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words, uint64_t *out, size_t *out_words, rl_answer *a)
{
	rl_evaluation ev;

	if (is_stale(q, now)) {
		return RL_WRITE_STALE;
	}
	rl_evaluation_init(&ev, q, now, at_us, state, words);
	switch (q->op) {
		case RL_OP_CONSUME:
		case RL_OP_RESERVE:
			return consume(&ev, out, out_words, &a->decision);
		case RL_OP_PEEK:
			consume(&ev, out, out_words, &a->decision);
			return RL_WRITE_NOTHING;
		case RL_OP_CANCEL:
			return cancel(&ev, out, out_words, &a->found);
		case RL_OP_CREDIT:
			return credit(&ev, out, out_words);
		case RL_OP_BAN:
			return write_with_ban(&ev, true, ban_end_us(&ev, q->ban, q->ban_us), out, out_words);
		case RL_OP_UNBAN:
			a->found = ev.banned;
			return ev.banned ? write_with_ban(&ev, false, 0, out, out_words) : RL_WRITE_NOTHING;
		case RL_OP_RESET:
			a->found = ev.banned || ev.state.n_limits > 0;
			return state != NULL ? RL_WRITE_DELETE : RL_WRITE_NOTHING;
		case RL_OP_LEASE: /* leases exist on Redis only */
			break;
	}
	return RL_WRITE_NOTHING;
}
