#include "limiter.h"

#include "../algorithm/algorithm.h"
#include "limiter_steps.h"

/* ---- Admission ---- */

/* Prepares limit i for the admission of an acquire. */
static RL_COLD void hold(rl_evaluation *ev, unsigned i)
{
	rl_limit_ctx *c = &ev->ctx[i];

	c->acquire = ev->q;
	c->held = &ev->q->held[i];
	*c->held = (rl_held){.tag = c->tag, .cost = c->cost};
}

/* Keeps the limit state of a limit that is skipped. A permit holds nothing of it. */
static RL_COLD void keep_skipped(rl_evaluation *ev, unsigned i, rl_state_writer *w)
{
	rl_tightest none = {.left = 0};

	if (ev->q->op == RL_OP_ACQUIRE) {
		ev->q->held[i] = (rl_held){0};
	}
	rl_state_writer_keep_limit(w, i);
	rl_limiter_count_used(ev, i, w, &none, true);
}

RL_INLINE rl_outcome admit_all(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a, bool costs)
{
	bool holds = ev->q->op == RL_OP_ACQUIRE;
	rl_tightest t = {.left = UINT64_MAX};
	rl_state_writer w;
	rl_outcome outcome;
	unsigned i;

	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w); /* a booking beyond the end of a running ban is admitted */
	w.used = 0;
	for (i = 0; i < ev->q->n_limits; i++) {
		rl_limit_ctx *c = &ev->ctx[i];

		if (costs && rl_limiter_skips(ev, i)) {
			keep_skipped(ev, i, &w);
			continue;
		}
		if (RL_UNLIKELY(holds || (c->limit_state != NULL && rl_limit_state_tag(c->limit_state) != 0))) {
			c->tag = rl_limiter_tag_to_write(ev, i);
		}
		if (holds) {
			hold(ev, i);
		}
		c->limit_state = rl_state_writer_put_limit(&w, i, ev->ops[i]->admit(c, out + w.at), c->tag);
		rl_limiter_count_used(ev, i, &w, &t, costs);
	}
	outcome = rl_limiter_finish(&w, out_words);
	if (costs && t.left == UINT64_MAX) {
		t.left = rl_limiter_left(ev, 0); /* all are skipped */
	}
	if (costs) {
		a->granted = ev->ctx[t.limit_index].cost;
	}
	rl_limiter_set_accepted(ev, t, costs ? t.limit_index : 0, &a->decision);
	return outcome;
}

/* ---- The turn of an acquire that waits ---- */

/* Returns the first limit without room for the booking of the moment that is judged, and when it has room; n_limits: all
 * have. */
static unsigned limit_without_room(const rl_evaluation *ev, int64_t *room_us)
{
	unsigned i;

	*room_us = INT64_MIN;
	for (i = 0; i < ev->q->n_limits; i++) {
		*room_us = ev->ops[i]->book_at != NULL && !rl_limiter_skips(ev, i) ? ev->ops[i]->book_at(&ev->ctx[i])
																		   : INT64_MIN;
		if (*room_us > ev->now->mono_us) {
			break;
		}
	}
	return i;
}

/* Lets all limits judge the moment t, at which a call has its turn, in the place of now. shifted: copies of the limits of
 * calendar windows, with the boundaries around t. Returns false if the turn cannot be booked. */
static bool judge_turn(rl_evaluation *ev, int64_t t_us, rl_limit shifted[RL_LIMITS_MAX])
{
	int64_t room_us;
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		rl_limit_ctx *c = &ev->ctx[i];

		if (rl_limiter_skips(ev, i)) {
			continue;
		}
		if (c->limit->algorithm == RL_CALENDAR_WINDOW && !rl_calendar_window_around(c, t_us, &shifted[i])) {
			return false;
		}
		c->at_us = t_us;
		c->booking = true;
	}
	for (i = 0; i < ev->q->n_limits; i++) {
		if (rl_limiter_earliest_of(ev, i, t_us, true) != t_us) {
			return false;
		}
	}
	return limit_without_room(ev, &room_us) == ev->q->n_limits;
}

/* Lets all limits judge now again. */
static void judge_now(rl_evaluation *ev)
{
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		ev->ctx[i].limit = &ev->q->limits[i];
		ev->ctx[i].at_us = ev->now->mono_us;
		ev->ctx[i].booking = false;
	}
}

/* Finds the turn of an acquire that does not pass now, and lets all limits judge it in the place of now. Returns false if
 * it has none within max_wait_us. shifted: as in judge_turn(). */
static RL_COLD bool find_turn(rl_evaluation *ev, const int64_t earliest_us[], rl_limit shifted[RL_LIMITS_MAX],
	int64_t *wait_us)
{
	int64_t now_us = ev->now->mono_us, t_us;
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		if (ev->q->limits[i].algorithm == RL_CONCURRENT && earliest_us[i] > now_us) {
			return false;
		}
	}
	t_us = rl_limiter_earliest(ev, now_us);
	if (t_us - now_us > ev->q->max_wait_us) {
		return false;
	}
	if (!judge_turn(ev, t_us, shifted)) {
		judge_now(ev);
		return false;
	}
	*wait_us = t_us - now_us;
	return true;
}

/* ---- Decisions ---- */

static void set_cost(rl_evaluation *ev, uint64_t cost)
{
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		ev->ctx[i].cost = cost;
	}
}

/* Returns the part of the cost that passes now; the least part that is enough if none does. */
static uint64_t part_of_cost(const rl_evaluation *ev)
{
	const rl_question *q = ev->q;
	uint64_t part = q->cost;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		uint64_t left = rl_limiter_left(ev, i);

		left = left > q->leave ? left - q->leave : 0;
		part = left < part ? left : part;
	}
	return part > q->at_least ? part : q->at_least;
}

static rl_outcome refuse(rl_evaluation *ev, const int64_t earliest_us[], unsigned latest, uint64_t *out,
	size_t *out_words, rl_decision *d, bool *begins_ban)
{
	int64_t from_us = ev->ctx[0].at_us, end_us;
	unsigned i;

	if (ev->q->op != RL_OP_RESERVE && (i = rl_limiter_ban_to_begin(ev, earliest_us, &end_us)) < ev->q->n_limits) {
		*begins_ban = true;
		return rl_limiter_begin_ban(ev, i, end_us, out, out_words, d);
	}
	rl_limiter_set_decision(ev, latest, RL_LIMITED, rl_limiter_left(ev, latest),
		rl_limiter_earliest(ev, from_us) - ev->now->mono_us, d);
	return RL_WRITE_NOTHING;
}

/* Returns whether an admission keeps all limit states, in their order and with their periods. Then an undo restores the state. */
static RL_COLD bool undo_restores(const rl_evaluation *ev)
{
	const uint64_t *last = NULL;
	unsigned i, n_live = 0;

	for (i = 0; i < ev->q->n_limits; i++) {
		const uint64_t *limit_state = ev->ctx[i].limit_state;

		if (limit_state == NULL) {
			/* The undo may take another limit's state for that of a skipped one. */
			if (rl_limiter_skips(ev, i) && ev->q->n_limits > 1) {
				return false;
			}
			continue;
		}
		if (limit_state < last || !ev->ops[i]->same_period(&ev->q->limits[i], limit_state)
			|| rl_limit_state_mark(limit_state) != rl_evaluation_mark(ev, i)) {
			return false;
		}
		/* Windows that a clock far ahead began: an admission replaces them. */
		if (ev->q->limits[i].algorithm == RL_CALENDAR_WINDOW && ev->ops[i]->full_at(&ev->ctx[i]) <= ev->now->mono_us) {
			return false;
		}
		if (ev->ops[i]->undo_marks && rl_limit_state_tag(limit_state) != 0) {
			return false;
		}
		last = limit_state;
		n_live++;
	}
	/* Each write drops the limit states that are over. */
	return ev->state.n_limits == n_live;
}

/* Answers a peek with a cost of 0: the state as it is. Only a ban refuses it. */
static RL_COLD void look(rl_evaluation *ev, rl_decision *d)
{
	rl_tightest t = {.left = UINT64_MAX};
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		uint64_t left = rl_limiter_left(ev, i);

		if (left < t.left) {
			t = (rl_tightest){i, left};
		}
	}
	rl_limiter_set_accepted(ev, t, 0, d);
}

/* shifted: as in judge_turn(). */
RL_INLINE rl_outcome consume_as(rl_evaluation *ev, rl_limit shifted[RL_LIMITS_MAX], uint64_t *out, size_t *out_words,
	rl_answer *a, bool costs)
{
	const rl_question *q = ev->q;
	rl_decision *d = &a->decision;
	int64_t from_us = ev->ctx[0].at_us, earliest_us[RL_LIMITS_MAX], room_us;
	uint64_t cost = q->at_least > 0 ? q->at_least : q->cost;
	bool looks = !costs && q->cost == 0;
	unsigned i, latest = 0;

	a->granted = 0;
	a->wait_us = 0;
	a->found = false;
	if (costs) {
		rl_limiter_set_costs(ev, q->leave);
	} else if (RL_UNLIKELY(cost + q->leave != q->cost)) {
		set_cost(ev, cost + q->leave);
	}
	for (i = 0; i < q->n_limits; i++) {
		if (RL_UNLIKELY(ev->ctx[i].cost > q->limits[i].limit) && !(costs && rl_limiter_skips(ev, i))) {
			rl_limiter_set_decision(ev, i, RL_TOO_EXPENSIVE, rl_limiter_left(ev, i), RL_NEVER, d);
			return RL_WRITE_NOTHING;
		}
	}
	if (RL_UNLIKELY(ev->banned) && from_us < ev->state.ban_end_us) {
		int64_t end_us = ev->state.ban_end_us;

		rl_limiter_set_banned(ev, rl_limiter_banning_limit(ev), end_us,
			looks ? end_us : rl_limiter_earliest(ev, end_us), d);
		return RL_WRITE_NOTHING;
	}
	if (RL_UNLIKELY(q->as_is)) {
		rl_limiter_set_left(ev, d);
	}
	if (RL_UNLIKELY(looks)) {
		look(ev, d);
		return RL_WRITE_NOTHING;
	}
	if (RL_UNLIKELY(q->at_least > 0)) {
		cost = part_of_cost(ev);
		set_cost(ev, cost + q->leave);
	}
	for (i = 0; i < q->n_limits; i++) {
		earliest_us[i] = rl_limiter_earliest_of(ev, i, from_us, costs);
		if (earliest_us[i] > earliest_us[latest]) {
			latest = i;
		}
	}
	if (earliest_us[latest] != from_us) {
		if (q->max_wait_us == 0 || q->op != RL_OP_ACQUIRE || !find_turn(ev, earliest_us, shifted, &a->wait_us)) {
			return refuse(ev, earliest_us, latest, out, out_words, d, &a->found);
		}
	} else if (q->op == RL_OP_RESERVE && (i = limit_without_room(ev, &room_us)) < q->n_limits) {
		rl_limiter_set_decision(ev, i, RL_LIMITED, rl_limiter_left(ev, i), room_us - ev->now->mono_us, d);
		return RL_WRITE_NOTHING;
	}
	if (RL_UNLIKELY(q->leave > 0)) {
		if (costs) {
			rl_limiter_set_costs(ev, 0);
		} else {
			set_cost(ev, cost);
		}
	}
	if (RL_UNLIKELY(q->part == RL_PART_TENTATIVE) && q->op == RL_OP_ACQUIRE && !undo_restores(ev)) {
		rl_limiter_set_decision(ev, 0, RL_LIMITED, rl_limiter_left(ev, 0), 0, d);
		return RL_WRITE_NOTHING;
	}
	a->granted = cost;
	return admit_all(ev, out, out_words, a, costs);
}

/* Decides where each limit has a cost of its own. */
static __attribute__((noinline)) rl_outcome consume_costs(rl_evaluation *ev, rl_limit shifted[RL_LIMITS_MAX],
	uint64_t *out, size_t *out_words, rl_answer *a)
{
	return consume_as(ev, shifted, out, out_words, a, true);
}

static rl_outcome consume(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a)
{
	rl_limit shifted[RL_LIMITS_MAX];
	rl_outcome outcome = RL_UNLIKELY(ev->q->costs != NULL) ? consume_costs(ev, shifted, out, out_words, a)
														   : consume_as(ev, shifted, out, out_words, a, false);

	if (!(ev->q->as_is && a->decision.accepted)) {
		rl_limiter_set_left(ev, &a->decision);
	}
	return outcome;
}

static bool is_stale(const rl_question *q, const rl_now *now)
{
	bool booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL;
	unsigned i;

	if (q->op != RL_OP_CONSUME && q->op != RL_OP_PEEK && q->op != RL_OP_CREDIT && q->op != RL_OP_ACQUIRE
		&& q->op != RL_OP_SETTLE && q->op != RL_OP_MIRROR && !booking) {
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

/* Decides as one of q->share machines: of what was left when they parted, a share, and at least one permit. The debts are what this one
 * has admitted since. A refusal by the share begins no ban: the limit has permits. */
static RL_COLD rl_outcome decide_share(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words, uint64_t *out, size_t *out_words, rl_answer *a)
{
	rl_question shared = *q;
	rl_decision *d = &a->decision;
	rl_evaluation ev;
	rl_outcome outcome;
	unsigned i;

	shared.share = 0;
	rl_evaluation_init(&ev, q, now, at_us, state, words);
	for (i = 0; i < q->n_limits; i++) {
		uint64_t limit = q->limits[i].limit, left = rl_limiter_left(&ev, i) + (q->owes ? q->debts[i].n : 0);

		left = left < limit ? left : limit;
		if (left > 0) {
			shared.limits[i].limit = limit - left + (left > q->share ? left / q->share : 1);
			shared.limits[i].ban = RL_BAN_NONE;
		}
	}
	outcome = rl_limiter_decide(&shared, now, at_us, state, words, out, out_words, a);
	d->limit = q->limits[d->limit_index].limit;
	if (d->reason == RL_TOO_EXPENSIVE && ev.ctx[d->limit_index].cost + q->leave <= d->limit) {
		d->reason = RL_LIMITED;
		d->retry_after_us = d->reset_after_us;
	}
	return outcome;
}

rl_outcome rl_limiter_decide(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words, uint64_t *out, size_t *out_words, rl_answer *a)
{
	rl_evaluation ev;

	if (is_stale(q, now)) {
		return RL_WRITE_STALE;
	}
	if (RL_UNLIKELY(q->share > 0)) {
		return decide_share(q, now, at_us, state, words, out, out_words, a);
	}
	rl_evaluation_init(&ev, q, now, at_us, state, words);
	switch (q->op) {
		case RL_OP_CONSUME:
		case RL_OP_RESERVE:
		case RL_OP_ACQUIRE:
			return consume(&ev, out, out_words, a);
		case RL_OP_PEEK:
			consume(&ev, out, out_words, a);
			return RL_WRITE_NOTHING;
		case RL_OP_SETTLE:
		case RL_OP_RELEASE:
		case RL_OP_RENEW:
			return rl_limiter_change_permit(&ev, out, out_words, a);
		case RL_OP_CANCEL:
			return rl_limiter_cancel(&ev, out, out_words, &a->found);
		case RL_OP_CREDIT:
			return rl_limiter_credit(&ev, out, out_words);
		case RL_OP_BAN: {
			int64_t end_us = rl_limiter_ban_end_us(&ev, q->ban, q->ban_us);

			return end_us > now->mono_us ? rl_limiter_write_with_ban(&ev, true, end_us, out, out_words)
										 : RL_WRITE_NOTHING;
		}
		case RL_OP_UNBAN:
			a->found = ev.banned;
			return ev.banned ? rl_limiter_write_with_ban(&ev, false, 0, out, out_words) : RL_WRITE_NOTHING;
		case RL_OP_RESET:
			a->found = ev.banned || ev.is_live || ev.state.level > 0;
			return state != NULL ? RL_WRITE_DELETE : RL_WRITE_NOTHING;
		case RL_OP_MIRROR:
			return rl_limiter_mirror(&ev, state, words, out, out_words);
		case RL_OP_LEASE: /* leases exist on Redis only */
			break;
	}
	return RL_WRITE_NOTHING;
}
