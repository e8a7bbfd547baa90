#include "limiter.h"

#include "../compiler.h"
#include "calendar_window.h"
#include "carry.h"
#include "concurrent.h"
#include "state_writer.h"

/* ---- Answers ---- */

static uint64_t left_of(const rl_evaluation *ev, unsigned i)
{
	uint64_t limit = ev->q->limits[i].limit, used = ev->ops[i]->used(&ev->ctx[i]);

	return used < limit ? limit - used : 0;
}

/* Requires remaining to be left_of() this limit. */
static void set_decision(const rl_evaluation *ev, unsigned i, rl_reason reason, uint64_t remaining,
	int64_t retry_after_us, rl_decision *d)
{
	int64_t reset_us = ev->ops[i]->full_at(&ev->ctx[i]) - ev->now->mono_us;

	d->reason = reason;
	d->accepted = reason == RL_ACCEPTED;
	d->limit_index = (uint8_t) i;
	d->level = ev->state.level;
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
	d->level = ev->state.level;
	d->limit = ev->q->limits[i].limit;
	d->remaining = 0;
	d->retry_after_us = retry_at_us - ev->now->mono_us;
	d->reset_after_us = end_us - ev->now->mono_us;
}

/* Returns whether limit i is skipped: its cost is 0, of costs for each limit. A permit's end skips none. */
RL_INLINE bool is_skipped(const rl_evaluation *ev, unsigned i)
{
	return RL_UNLIKELY(ev->q->costs != NULL) && ev->q->costs[i] == 0 && ev->q->op != RL_OP_SETTLE;
}

/* Returns the first moment from t on at which limit i would admit. costs: whether each limit has its own. Where it is a constant
 * false, as in the usual decision, the compiler leaves out what skips a limit. */
RL_INLINE int64_t earliest_of(const rl_evaluation *ev, unsigned i, int64_t t_us, bool costs)
{
	return costs && is_skipped(ev, i) ? t_us : ev->ops[i]->earliest(&ev->ctx[i], t_us);
}

/* Returns the first moment from t on at which all limits would admit. Each round moves to a later moment at which a kept
 * entry runs out, so the loop ends; the bound on rounds is for invalid states. */
static int64_t all_earliest(const rl_evaluation *ev, int64_t t_us)
{
	unsigned i, rounds;

	for (rounds = 0; rounds < RL_LIMITS_MAX * (unsigned) RL_LOG_LIMIT_MAX; rounds++) {
		int64_t before_us = t_us;

		for (i = 0; i < ev->q->n_limits; i++) {
			t_us = earliest_of(ev, i, t_us, true);
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
		case RL_BAN_STEPS:
		case RL_BAN_NONE:
			break;
	}
	return ev->now->mono_us;
}

/* Returns the end of the ban that a limit begins now. */
static int64_t limit_ban_end_us(const rl_evaluation *ev, const rl_limit *limit)
{
	if (limit->ban == RL_BAN_STEPS) {
		uint32_t step = ev->state.level < limit->steps->n ? ev->state.level : limit->steps->n - 1;

		return ev->now->mono_us + limit->steps->us[step];
	}
	return ban_end_us(ev, limit->ban, limit->ban_us);
}

/* Returns the index of the refusing limit whose ban ends last, which begins its ban; n_limits if no limit bans. */
static unsigned ban_to_begin(const rl_evaluation *ev, const int64_t earliest_us[], int64_t *end_us)
{
	unsigned i, which = ev->q->n_limits;

	*end_us = ev->now->mono_us;
	for (i = 0; i < ev->q->n_limits; i++) {
		int64_t us = limit_ban_end_us(ev, &ev->q->limits[i]);

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

/* Returns the tag of the limit state that admit() is about to write: that of the present one, unless that ends here. An
 * acquire gives its number to a limit state without a tag. */
static RL_COLD uint64_t tag_to_write(const rl_evaluation *ev, unsigned i)
{
	const rl_limit_ctx *c = &ev->ctx[i];

	if (c->limit_state != NULL && rl_limit_state_is_tagged(c->limit_state)
		&& (!ev->ops[i]->converts || ev->ops[i]->same_period(c->limit, c->limit_state))) {
		return rl_limit_state_tag(c->limit_state);
	}
	/* A concurrent limit's places have numbers of their own. */
	return ev->q->op == RL_OP_ACQUIRE && c->limit->algorithm != RL_CONCURRENT ? ev->q->tag : 0;
}

/* Prepares limit i for the admission of an acquire. */
static RL_COLD void hold(rl_evaluation *ev, unsigned i)
{
	rl_limit_ctx *c = &ev->ctx[i];

	c->acquire = ev->q;
	c->held = &ev->q->held[i];
	*c->held = (rl_held){.tag = c->tag, .cost = c->cost};
}

/* The limit that has the least left. */
typedef struct {
	unsigned limit_index;
	uint64_t left;
} tightest;

/* Takes limit i into account, after a change, and puts what it uses into the writer. One that is skipped does not decide. */
RL_INLINE void count_used(const rl_evaluation *ev, unsigned i, rl_state_writer *w, tightest *t, bool costs)
{
	uint64_t used = ev->ops[i]->used(&ev->ctx[i]), limit = ev->q->limits[i].limit;

	if (used > w->used) {
		w->used = used < UINT32_MAX ? (uint32_t) used : UINT32_MAX;
	}
	used = used < limit ? limit - used : 0;
	w->exhausted = w->exhausted || used == 0;
	if (used < t->left && !(costs && is_skipped(ev, i))) {
		t->left = used;
		t->limit_index = i;
	}
}

/* Keeps the limit state of a limit that is skipped. A permit holds nothing of it. */
static RL_COLD void keep_skipped(rl_evaluation *ev, unsigned i, rl_state_writer *w)
{
	rl_limit_ctx *c = &ev->ctx[i];
	tightest none = {.left = 0};

	if (ev->q->op == RL_OP_ACQUIRE) {
		ev->q->held[i] = (rl_held){0};
	}
	rl_state_writer_keep_limit(w, c->limit_state);
	count_used(ev, i, w, &none, true);
}

/* Returns the time until a call with a cost of 1 for each limit that is not skipped passes, from the moment that is judged
 * on. left: of the limit that has the least. Changes the costs of all limits. The answer to release and renew has no such
 * time: their questions lack the boundaries of calendar windows. */
static int64_t next_after_us(rl_evaluation *ev, uint64_t left, int64_t at_us)
{
	unsigned i;

	if (left == 0 && ev->q->op != RL_OP_RELEASE && ev->q->op != RL_OP_RENEW) {
		for (i = 0; i < ev->q->n_limits; i++) {
			ev->ctx[i].cost = 1;
		}
		at_us = all_earliest(ev, at_us);
	}
	return at_us > ev->now->mono_us ? at_us - ev->now->mono_us : 0;
}

/* Accepts by the limit that has the least left. judged: a limit that judges the moment; of a turn that comes later, one that is
 * skipped does not. */
static void set_accepted(rl_evaluation *ev, const tightest *t, unsigned judged, rl_decision *d)
{
	set_decision(ev, t->limit_index, RL_ACCEPTED, t->left, next_after_us(ev, t->left, ev->ctx[judged].at_us), d);
}

RL_INLINE rl_outcome admit_all(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a, bool costs)
{
	bool holds = ev->q->op == RL_OP_ACQUIRE;
	tightest t = {.left = UINT64_MAX};
	rl_state_writer w;
	rl_outcome outcome;
	unsigned i;

	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w); /* a booking beyond the end of a running ban is admitted */
	w.used = 0;
	for (i = 0; i < ev->q->n_limits; i++) {
		rl_limit_ctx *c = &ev->ctx[i];

		if (costs && is_skipped(ev, i)) {
			keep_skipped(ev, i, &w);
			continue;
		}
		if (holds || (c->limit_state != NULL && rl_limit_state_is_tagged(c->limit_state))) {
			c->tag = tag_to_write(ev, i);
		}
		if (holds) {
			hold(ev, i);
		}
		c->limit_state = rl_state_writer_put_limit(&w, ev->ops[i]->admit(c, out + w.at), c->tag);
		count_used(ev, i, &w, &t, costs);
	}
	outcome = finish_state(&w, out_words);
	if (costs && t.left == UINT64_MAX) {
		t.left = left_of(ev, 0); /* all are skipped */
	}
	if (costs) {
		a->granted = ev->ctx[t.limit_index].cost;
	}
	set_accepted(ev, &t, costs ? t.limit_index : 0, &a->decision);
	return outcome;
}

static rl_outcome begin_ban(rl_evaluation *ev, unsigned i, int64_t end_us, uint64_t *out, size_t *out_words,
	rl_decision *d)
{
	const rl_limit *limit = &ev->q->limits[i];
	rl_state_writer w;
	unsigned other;

	ev->ctx[i].limit_state = NULL;
	rl_state_writer_init(&w, ev, out);
	if (limit->ban == RL_BAN_STEPS) {
		w.level = ev->state.level += ev->state.level < RL_LEVEL_MAX;
		w.forget_at_us = end_us + limit->steps->forget_us;
	}
	rl_state_writer_put_ban(&w, end_us, limit);
	for (other = 0; other < ev->q->n_limits; other++) {
		rl_state_writer_keep_limit(&w, ev->ctx[other].limit_state);
	}
	set_ban_decision(ev, i, end_us, all_earliest(ev, end_us), d);
	return finish_state(&w, out_words);
}

/* ---- Decisions ---- */

static void set_cost(rl_evaluation *ev, uint64_t cost)
{
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		ev->ctx[i].cost = cost;
	}
}

/* Lets each limit judge its own cost and a share to leave. */
static RL_COLD void set_costs(rl_evaluation *ev, uint64_t leave)
{
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		ev->ctx[i].cost = ev->q->costs[i] + leave;
	}
}

/* Returns the part of the cost that passes now; the least part that is enough if none does. */
static uint64_t part_of_cost(const rl_evaluation *ev)
{
	const rl_question *q = ev->q;
	uint64_t part = q->cost;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		uint64_t left = left_of(ev, i);

		left = left > q->leave ? left - q->leave : 0;
		part = left < part ? left : part;
	}
	return part > q->at_least ? part : q->at_least;
}

/* Returns the first limit without room for the booking of the moment that is judged, and when it has room; n_limits: all
 * have. */
static unsigned limit_without_room(const rl_evaluation *ev, int64_t *room_us)
{
	unsigned i;

	*room_us = INT64_MIN;
	for (i = 0; i < ev->q->n_limits; i++) {
		*room_us = ev->ops[i]->book_at != NULL && !is_skipped(ev, i) ? ev->ops[i]->book_at(&ev->ctx[i]) : INT64_MIN;
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

		if (is_skipped(ev, i)) {
			continue;
		}
		if (c->limit->algorithm == RL_CALENDAR_WINDOW && !rl_calendar_window_around(c, t_us, &shifted[i])) {
			return false;
		}
		c->at_us = t_us;
		c->booking = true;
	}
	for (i = 0; i < ev->q->n_limits; i++) {
		if (earliest_of(ev, i, t_us, true) != t_us) {
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
	t_us = all_earliest(ev, now_us);
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

static rl_outcome refuse(rl_evaluation *ev, const int64_t earliest_us[], unsigned latest, uint64_t *out,
	size_t *out_words, rl_decision *d, bool *begins_ban)
{
	int64_t from_us = ev->ctx[0].at_us, end_us;
	unsigned i;

	if (ev->q->op != RL_OP_RESERVE && (i = ban_to_begin(ev, earliest_us, &end_us)) < ev->q->n_limits) {
		*begins_ban = true;
		return begin_ban(ev, i, end_us, out, out_words, d);
	}
	set_decision(ev, latest, RL_LIMITED, left_of(ev, latest), all_earliest(ev, from_us) - ev->now->mono_us, d);
	return RL_WRITE_NOTHING;
}

/* Returns whether an admission keeps all limit states, in their order and with their periods. Then an undo restores the state. */
static RL_COLD bool is_plain(const rl_evaluation *ev)
{
	const uint64_t *last = NULL;
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		const uint64_t *limit_state = ev->ctx[i].limit_state;

		if (limit_state == NULL) {
			/* The undo may take another limit's state for that of a skipped one. */
			if (is_skipped(ev, i) && ev->q->n_limits > 1) {
				return false;
			}
			continue;
		}
		if (limit_state < last || !ev->ops[i]->same_period(&ev->q->limits[i], limit_state)) {
			return false;
		}
		/* Windows that a clock far ahead began: an admission replaces them. */
		if (ev->q->limits[i].algorithm == RL_CALENDAR_WINDOW && ev->ops[i]->full_at(&ev->ctx[i]) <= ev->now->mono_us) {
			return false;
		}
		if (ev->ops[i]->undo_marks && rl_limit_state_is_tagged(limit_state)) {
			return false;
		}
		last = limit_state;
	}
	return ev->n_unmatched == 0;
}

/* Answers a peek with a cost of 0: the state as it is. Only a ban refuses it. */
static RL_COLD void look(rl_evaluation *ev, rl_decision *d)
{
	tightest t = {.left = UINT64_MAX};
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		uint64_t left = left_of(ev, i);

		if (left < t.left) {
			t = (tightest){i, left};
		}
	}
	set_accepted(ev, &t, 0, d);
}

RL_INLINE rl_outcome consume_as(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a, bool costs)
{
	const rl_question *q = ev->q;
	rl_decision *d = &a->decision;
	int64_t from_us = ev->ctx[0].at_us, earliest_us[RL_LIMITS_MAX], room_us;
	uint64_t cost = q->at_least > 0 ? q->at_least : q->cost;
	bool looks = !costs && q->cost == 0;
	rl_limit shifted[RL_LIMITS_MAX];
	unsigned i, latest = 0;

	a->granted = 0;
	a->wait_us = 0;
	a->found = false;
	a->not_plain = false;
	if (costs) {
		set_costs(ev, q->leave);
	} else if (RL_UNLIKELY(cost + q->leave != q->cost)) {
		set_cost(ev, cost + q->leave);
	}
	for (i = 0; i < q->n_limits; i++) {
		if (RL_UNLIKELY(ev->ctx[i].cost > q->limits[i].limit) && !(costs && is_skipped(ev, i))) {
			set_decision(ev, i, RL_TOO_EXPENSIVE, left_of(ev, i), RL_NEVER, d);
			return RL_WRITE_NOTHING;
		}
	}
	if (RL_UNLIKELY(ev->banned) && from_us < ev->state.ban_end_us) {
		int64_t end_us = ev->state.ban_end_us;

		set_ban_decision(ev, banning_limit(ev), end_us, looks ? end_us : all_earliest(ev, end_us), d);
		return RL_WRITE_NOTHING;
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
		earliest_us[i] = earliest_of(ev, i, from_us, costs);
		if (earliest_us[i] > earliest_us[latest]) {
			latest = i;
		}
	}
	if (earliest_us[latest] != from_us) {
		if (q->max_wait_us == 0 || q->op != RL_OP_ACQUIRE || !find_turn(ev, earliest_us, shifted, &a->wait_us)) {
			return refuse(ev, earliest_us, latest, out, out_words, d, &a->found);
		}
	} else if (q->op == RL_OP_RESERVE && (i = limit_without_room(ev, &room_us)) < q->n_limits) {
		set_decision(ev, i, RL_LIMITED, left_of(ev, i), room_us - ev->now->mono_us, d);
		return RL_WRITE_NOTHING;
	}
	if (RL_UNLIKELY(q->leave > 0)) {
		if (costs) {
			set_costs(ev, 0);
		} else {
			set_cost(ev, cost);
		}
	}
	if (RL_UNLIKELY(q->part == RL_PART_PLAIN) && !is_plain(ev)) {
		a->not_plain = true;
		set_decision(ev, 0, RL_LIMITED, left_of(ev, 0), 0, d);
		return RL_WRITE_NOTHING;
	}
	a->granted = cost;
	return admit_all(ev, out, out_words, a, costs);
}

/* Decides where each limit has a cost of its own. */
static __attribute__((noinline)) rl_outcome consume_costs(rl_evaluation *ev, uint64_t *out, size_t *out_words,
	rl_answer *a)
{
	return consume_as(ev, out, out_words, a, true);
}

static rl_outcome consume(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a)
{
	return RL_UNLIKELY(ev->q->costs != NULL) ? consume_costs(ev, out, out_words, a)
											 : consume_as(ev, out, out_words, a, false);
}

/* ---- Permits ---- */

/* Writes the next limit state of limit i after a permit has ended with its true cost, without the tag. Returns its words;
 * 0: nothing changes. */
static size_t settle_limit(rl_evaluation *ev, unsigned i, uint64_t *out)
{
	const rl_held *held = &ev->q->held[i];
	rl_limit_ctx *c = &ev->ctx[i];
	uint64_t cost = ev->ctx[i].cost;
	bool concurrent = ev->q->limits[i].algorithm == RL_CONCURRENT;

	if (cost > held->cost && !concurrent) {
		c->cost = cost - held->cost;
		c->debt = true;
		c->tag = tag_to_write(ev, i);
		return ev->ops[i]->admit(c, out);
	}
	if (c->limit_state == NULL || held->tag == 0) {
		return 0;
	}
	c->tag = rl_limit_state_tag(c->limit_state);
	if (!concurrent && (cost == held->cost || c->tag != held->tag)) {
		return 0;
	}
	c->undo = ev->q->tag != 0 && ev->q->tag == held->tag;
	return ev->ops[i]->give_back(c, held, held->cost - (concurrent ? 0 : cost), cost == 0, out);
}

/* Writes the next limit state of a concurrent limit. Returns its words; 0: the permit's place is gone. */
static size_t end_or_renew_place(rl_evaluation *ev, unsigned i, uint64_t *out)
{
	const rl_limit_ctx *c = &ev->ctx[i];
	const rl_held *held = &ev->q->held[i];

	if (c->limit_state == NULL || held->tag == 0) {
		return 0;
	}
	return ev->q->op == RL_OP_RENEW
		? rl_concurrent_renew(c, held, ev->q->renew_us > 0 ? ev->q->renew_us : c->limit->period_us, out)
		: ev->ops[i]->give_back(c, held, held->cost, false, out);
}

/* Settle, release and renew: changes what a permit holds. */
static rl_outcome change_permit(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a)
{
	const rl_question *q = ev->q;
	rl_state_writer w;
	rl_outcome outcome;
	tightest t = {.left = UINT64_MAX};
	unsigned i;
	bool any = false;

	a->found = true;
	a->granted = q->cost;
	a->wait_us = 0;
	if (q->costs != NULL) {
		set_costs(ev, 0);
	}
	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w);
	w.used = 0;
	for (i = 0; i < q->n_limits; i++) {
		rl_limit_ctx *c = &ev->ctx[i];
		bool concurrent = q->limits[i].algorithm == RL_CONCURRENT;
		size_t words = 0;

		if (q->op == RL_OP_SETTLE) {
			words = settle_limit(ev, i, out + w.at);
		} else if (concurrent) {
			words = end_or_renew_place(ev, i, out + w.at);
		}
		if (words > 0) {
			c->limit_state = rl_state_writer_put_limit(&w, words, c->tag);
			any = true;
		} else {
			a->found = a->found && !concurrent;
			rl_state_writer_keep_limit(&w, c->limit_state);
		}
		count_used(ev, i, &w, &t, true);
	}
	if (RL_UNLIKELY(q->costs != NULL)) {
		a->granted = q->costs[t.limit_index];
	}
	set_accepted(ev, &t, 0, &a->decision);
	outcome = finish_state(&w, out_words);
	return any ? outcome : RL_WRITE_NOTHING;
}

/* ---- Commands ---- */

static rl_outcome credit(rl_evaluation *ev, uint64_t *out, size_t *out_words)
{
	rl_state_writer w;
	unsigned i;
	bool any = false;

	if (ev->q->costs != NULL) {
		set_costs(ev, 0);
	}
	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w);
	w.used = (uint32_t) rl_take_count(w.used, ev->q->cost);
	for (i = 0; i < ev->q->n_limits; i++) {
		if (is_skipped(ev, i)) {
			rl_state_writer_keep_limit(&w, ev->ctx[i].limit_state);
		} else if (ev->ctx[i].limit_state != NULL) {
			ev->ctx[i].limit_state = rl_state_writer_put_limit(&w, ev->ops[i]->credit(&ev->ctx[i], out + w.at),
				rl_limit_state_tag(ev->ctx[i].limit_state));
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
	if (ev->q->costs != NULL) {
		set_costs(ev, 0);
	}
	rl_state_writer_init(&w, ev, out);
	rl_state_writer_keep_ban(&w);
	w.used = (uint32_t) rl_take_count(w.used, ev->q->cost);
	for (i = 0; i < ev->q->n_limits; i++) {
		size_t words = 0;

		if (is_skipped(ev, i)) {
			rl_state_writer_keep_limit(&w, ev->ctx[i].limit_state);
			continue;
		}
		if (ev->ctx[i].limit_state != NULL && ev->ops[i]->cancel != NULL) {
			words = ev->ops[i]->cancel(&ev->ctx[i], out + w.at);
		}
		if (words == 0) {
			return RL_WRITE_NOTHING;
		}
		rl_state_writer_put_limit(&w, words, rl_limit_state_tag(ev->ctx[i].limit_state));
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

	if (q->op != RL_OP_CONSUME && q->op != RL_OP_PEEK && q->op != RL_OP_CREDIT && q->op != RL_OP_ACQUIRE
		&& q->op != RL_OP_SETTLE && !booking) {
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

/* The most words that a limit state gains: a sliding window's counters, twice if it is converted; a bucket's marks; a large
 * count; a tag. A log gains a head, and its moments grow from 4 bytes to 8. */
#define LIMIT_STATE_WORDS    64
#define SLIDING_WINDOW_WORDS (LIMIT_STATE_WORDS + 32)

size_t rl_limiter_size_max(const rl_question *q, size_t words)
{
	size_t room = RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS + RL_STATE_LEVEL_WORDS + RL_STATE_CARRY_WORDS + 2 * words;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		room += (q->limits[i].algorithm == RL_SLIDING_WINDOW ? SLIDING_WINDOW_WORDS : LIMIT_STATE_WORDS) + words;
		if (q->limits[i].algorithm == RL_SLIDING_LOG) {
			uint64_t cost = q->costs != NULL ? q->costs[i] : q->cost;

			room += words + (cost < RL_LOG_LIMIT_MAX ? (size_t) cost : (size_t) RL_LOG_LIMIT_MAX);
		} else if (q->limits[i].algorithm == RL_FIXED_WINDOW && q->op == RL_OP_ACQUIRE && q->max_wait_us > 0) {
			room += RL_WINDOWS_MAX;
		}
	}
	return room;
}

/* Returns the largest cost that the question may count in this limit. */
static uint64_t cost_at_most(const rl_question *q, unsigned i)
{
	uint64_t cost = q->costs != NULL ? q->costs[i] : q->cost, limit = q->limits[i].limit;

	switch (q->op) {
		case RL_OP_SETTLE:
			return cost;
		case RL_OP_CREDIT:
		case RL_OP_CANCEL:
			return 1; /* only an admission makes a state longer */
		default:
			break;
	}
	if (cost > limit) {
		return q->at_least > 0 ? limit : 1; /* a cost above the limit is never admitted */
	}
	return cost;
}

size_t rl_limiter_size(const rl_question *q, const rl_now *now, const uint64_t *state, size_t words)
{
	rl_evaluation ev;
	size_t room = RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS + RL_STATE_LEVEL_WORDS + RL_STATE_CARRY_WORDS;
	unsigned i;

	rl_evaluation_init(&ev, q, now, now->mono_us, state, words);
	for (i = 0; i < q->n_limits; i++) {
		rl_limit_ctx *c = &ev.ctx[i];

		c->cost = cost_at_most(q, i);
		c->debt = q->op == RL_OP_SETTLE;
		if (q->op == RL_OP_ACQUIRE) {
			c->at_us += q->max_wait_us;
		}
		room += ev.ops[i]->max_words(c) + 1 + (c->limit_state != NULL ? rl_limit_state_words(c->limit_state) : 0);
	}
	return room + words;
}

RL_INLINE rl_outcome decide_evaluated(rl_evaluation *ev, bool exists, uint64_t *out, size_t *out_words, rl_answer *a)
{
	const rl_question *q = ev->q;

	switch (q->op) {
		case RL_OP_CONSUME:
		case RL_OP_RESERVE:
		case RL_OP_ACQUIRE:
			return consume(ev, out, out_words, a);
		case RL_OP_PEEK:
			consume(ev, out, out_words, a);
			return RL_WRITE_NOTHING;
		case RL_OP_SETTLE:
		case RL_OP_RELEASE:
		case RL_OP_RENEW:
			return change_permit(ev, out, out_words, a);
		case RL_OP_CANCEL:
			return cancel(ev, out, out_words, &a->found);
		case RL_OP_CREDIT:
			return credit(ev, out, out_words);
		case RL_OP_BAN:
			return write_with_ban(ev, true, ban_end_us(ev, q->ban, q->ban_us), out, out_words);
		case RL_OP_UNBAN:
			a->found = ev->banned;
			return ev->banned ? write_with_ban(ev, false, 0, out, out_words) : RL_WRITE_NOTHING;
		case RL_OP_RESET:
			a->found = ev->banned || ev->state.n_limits > 0 || ev->state.level > 0;
			return exists ? RL_WRITE_DELETE : RL_WRITE_NOTHING;
		case RL_OP_LEASE: /* leases exist on Redis only */
			break;
	}
	return RL_WRITE_NOTHING;
}

rl_outcome rl_limiter_decide_evaluated(rl_evaluation *ev, bool exists, uint64_t *out, size_t *out_words, rl_answer *a)
{
	return decide_evaluated(ev, exists, out, out_words, a);
}

bool rl_limiter_is_stale(const rl_question *q, const rl_now *now)
{
	return is_stale(q, now);
}

rl_outcome rl_limiter_decide(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words, uint64_t *out, size_t *out_words, rl_answer *a)
{
	rl_evaluation ev;

	if (RL_UNLIKELY(q->carries || (q->part == RL_PART_PLAIN && words > 0 && rl_state_has_carry(state[0])))) {
		return rl_carry_decide(q, now, at_us, state, words, out, out_words, a);
	}
	if (is_stale(q, now)) {
		return RL_WRITE_STALE;
	}
	rl_evaluation_init(&ev, q, now, at_us, state, words);
	return decide_evaluated(&ev, state != NULL, out, out_words, a);
}
