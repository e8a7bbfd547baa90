#include "multi_key.h"

#include <string.h>

/* So often a call takes its parts anew, after another one gave back what had refused it. */
#define ROUNDS_MAX 16

/* A question about several keys, and its part about one of them. */
typedef struct {
	const rl_multi_key *over;
	const rl_key *keys;
	const rl_question *q;
	uint64_t tag; /* of what is taken in this round */
	rl_question part;
	uint8_t index[RL_LIMITS_MAX]; /* of the part's limits in the question */
	uint64_t costs[RL_LIMITS_MAX];
	rl_held held[RL_LIMITS_MAX];
	rl_debt debts[RL_LIMITS_MAX];
	rl_left left[RL_LIMITS_MAX]; /* of the question's limits, as the last answers about each said */
} multi_call;

/* Begins without clearing the part, which is large. */
static void multi_begin(multi_call *c, const rl_multi_key *over, const rl_key *keys, const rl_question *q)
{
	c->over = over;
	c->keys = keys;
	c->q = q;
	c->tag = q->tag;
}

/* Gives what is taken from now on another tag. A window of the last one may be gone, and another call may hold a part of it, which
 * it must not give back to a window that this call begins anew. */
static void multi_next_tag(multi_call *c)
{
	uint64_t z = c->tag + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z = (z ^ z >> 31) & RL_TAG_MASK;
	c->tag = z != 0 ? z : 1;
}

/* Makes the part of one key. A peek asks for what is left as it is, and not after a call that another part may refuse. */
static void part_make(multi_call *c, unsigned group, rl_op op, rl_part kind, bool bans)
{
	const rl_question *q = c->q;
	rl_question *part = &c->part;
	unsigned n = 0;

	memcpy(part, q, offsetof(rl_question, limits));
	for (unsigned i = 0; i < q->n_limits; i++) {
		if (q->limits[i].identity != group) {
			continue;
		}
		c->index[n] = (uint8_t) i;
		part->limits[n] = q->limits[i];
		part->limits[n].identity = 0;
		if (!bans) {
			part->limits[n].ban = RL_BAN_NONE;
		}
		if (q->costs != NULL) {
			c->costs[n] = q->costs[i];
		}
		if (q->owes) {
			c->debts[n] = q->debts[i];
		}
		if (op != RL_OP_ACQUIRE && op != RL_OP_PEEK && q->held != NULL) {
			c->held[n] = q->held[i];
		}
		n++;
	}
	part->op = op;
	part->n_limits = (uint8_t) n;
	part->n_keys = 1;
	part->as_is = op == RL_OP_PEEK;
	part->part = kind;
	part->tag = c->tag;
	part->costs = q->costs != NULL ? c->costs : NULL;
	part->held = c->held;
	if (q->owes) {
		part->debts = c->debts;
	}
}

/* Asks the part that was made, and names its deciding limit as the question does. */
static rl_status part_ask_made(multi_call *c, unsigned group, rl_answer *a, rl_error *e)
{
	rl_status status = c->over->ask(c->over->context, &c->keys[group], &c->part, a, e);

	for (unsigned own = 0; status == RL_OK && own < c->part.n_limits; own++) {
		(void) rl_decision_left(&a->decision, own, &c->left[c->index[own]]);
	}
	if (status == RL_OK) {
		a->decision.limit_index = c->index[a->decision.limit_index];
	}
	return status;
}

/* Asks the part of a key. */
static rl_status part_ask(multi_call *c, unsigned group, rl_op op, rl_part kind, bool bans, rl_answer *a, rl_error *e)
{
	part_make(c, group, op, kind, bans);

	rl_status status = part_ask_made(c, group, a, e);
	for (unsigned own = 0; status == RL_OK && op == RL_OP_ACQUIRE && a->decision.accepted && own < c->part.n_limits;
		 own++) {
		c->q->held[c->index[own]] = c->held[own];
	}
	return status;
}

/* Gives back what the part of a key took, as if it had never been. A part whose key does not answer stays charged. */
static void part_undo(multi_call *c, unsigned group)
{
	rl_answer ignored;
	rl_error e;

	part_make(c, group, RL_OP_SETTLE, RL_PART_PLAIN, false);
	c->part.cost = 0;
	c->part.costs = NULL;
	(void) c->over->ask(c->over->context, &c->keys[group], &c->part, &ignored, &e);
}

/* Returns whether all limits of the part are skipped. */
static bool part_is_skipped(const multi_call *c)
{
	bool skipped = c->part.costs != NULL;

	for (unsigned own = 0; skipped && own < c->part.n_limits; own++) {
		skipped = c->costs[own] == 0;
	}
	return skipped;
}

/* Returns whether a decision's limit precedes another one's: it has less left, or as much and is the first. */
static bool is_tighter(const rl_decision *d, const rl_decision *than)
{
	return d->remaining < than->remaining || (d->remaining == than->remaining && d->limit_index < than->limit_index);
}

/* Replaces an answer by another part's, but for what each limit has left. */
static void answer_by(rl_answer *a, const rl_answer *part)
{
	memcpy(&a->decision, &part->decision, offsetof(rl_decision, left));
	memcpy(&a->found, &part->found, sizeof *a - offsetof(rl_answer, found));
}

static int64_t later_of(int64_t us, int64_t other_us)
{
	return other_us > us ? other_us : us;
}

/* Completes the answer of a call that passes. next_us: the time until the next one with a cost of 1 does. */
static void multi_pass(const rl_question *q, int64_t next_us, rl_answer *a)
{
	a->decision.retry_after_us = next_us;
	a->granted = q->costs != NULL ? q->costs[a->decision.limit_index] : q->cost;
	a->wait_us = 0;
	a->found = false;
}

/* ---- Judging ---- */

/* Returns whether a decision decides in the place of another one, both without bans that begin. */
static bool decides_before(const rl_decision *d, const rl_decision *than)
{
	if (d->reason != than->reason) {
		return d->reason > than->reason; /* too expensive, banned, limited, accepted */
	}
	switch (d->reason) {
		case RL_TOO_EXPENSIVE:
			return d->limit_index < than->limit_index;
		case RL_BANNED:
			return d->reset_after_us > than->reset_after_us;
		case RL_LIMITED:
			return d->retry_after_us > than->retry_after_us
				|| (d->retry_after_us == than->retry_after_us && d->limit_index < than->limit_index);
		default:
			return is_tighter(d, than);
	}
}

static bool has_bans(const rl_question *q)
{
	for (unsigned i = 0; i < q->n_limits; i++) {
		if (q->limits[i].ban != RL_BAN_NONE) {
			return true;
		}
	}
	return false;
}

/* Finds the ban that ends last, of those that the refusing parts would begin. parts: their answers without bans. Returns its key;
 * n_keys: none. */
static unsigned judge_bans(multi_call *c, const rl_answer parts[], rl_answer *ban, rl_status *status, rl_error *e)
{
	unsigned begun = c->q->n_keys;
	rl_left before[RL_LIMITS_MAX], last[RL_LIMITS_MAX];
	rl_answer a;

	*status = RL_OK;
	memcpy(before, c->left, sizeof before);
	memcpy(last, c->left, sizeof last);
	for (unsigned group = 0; group < c->q->n_keys && *status == RL_OK; group++) {
		bool has_ban = false;

		for (unsigned i = 0; i < c->q->n_limits; i++) {
			has_ban = has_ban || (c->q->limits[i].identity == group && c->q->limits[i].ban != RL_BAN_NONE);
		}
		if (parts[group].decision.reason != RL_LIMITED || !has_ban) {
			continue;
		}
		memcpy(c->left, before, sizeof before);
		*status = part_ask(c, group, RL_OP_PEEK, RL_PART, true, &a, e);
		if (*status != RL_OK || a.decision.reason != RL_BANNED || !a.found) {
			continue;
		}
		if (begun == c->q->n_keys || a.decision.reset_after_us > ban->decision.reset_after_us
			|| (a.decision.reset_after_us == ban->decision.reset_after_us
				&& a.decision.limit_index < ban->decision.limit_index)) {
			begun = group;
			answer_by(ban, &a);
			memcpy(last, c->left, sizeof last);
		}
	}
	memcpy(c->left, last, sizeof last);
	return begun;
}

/* Begins the ban of a key. Sets *passes if its part does now, and gives that part back. */
static rl_status judge_begin_ban(multi_call *c, unsigned group, rl_answer *a, bool *passes, rl_error *e)
{
	multi_next_tag(c);

	rl_status status = part_ask(c, group, RL_OP_ACQUIRE, RL_PART, true, a, e);
	*passes = status == RL_OK && a->decision.accepted;
	if (*passes) {
		part_undo(c, group);
	}
	return status;
}

/* Notes what each limit has left after a call that passes. */
static rl_status judge_left_after(multi_call *c, rl_error *e)
{
	rl_status status = RL_OK;
	rl_answer a;

	for (unsigned group = 0; group < c->q->n_keys && status == RL_OK; group++) {
		part_make(c, group, RL_OP_PEEK, RL_PART, false);
		c->part.as_is = false;
		status = part_ask_made(c, group, &a, e);
	}
	return status;
}

/* Judges all parts together, and begins the ban of a refusal. brief: the answer of a call that passes is not needed. Sets *passes if
 * none refuses. */
static rl_status multi_judge(multi_call *c, bool brief, rl_answer *a, bool *passes, rl_error *e)
{
	rl_answer parts[RL_LIMITS_MAX], ban;
	int64_t retry_us = 0, next_us = 0;
	unsigned begun = c->q->n_keys;
	rl_status status;
	bool first = true;

	*passes = false;
	for (unsigned group = 0; group < c->q->n_keys; group++) {
		status = part_ask(c, group, RL_OP_PEEK, brief ? RL_PART_PLAIN : RL_PART, false, &parts[group], e);
		if (status != RL_OK) {
			return status;
		}
		const rl_decision *d = &parts[group].decision;
		bool skipped = d->accepted && part_is_skipped(c);
		if (!d->accepted) {
			retry_us = later_of(retry_us, d->retry_after_us);
		} else if (!skipped) {
			next_us = later_of(next_us, d->retry_after_us);
		}
		if (!skipped && (first || decides_before(d, &a->decision))) {
			answer_by(a, &parts[group]);
			first = false;
		}
	}
	if (a->decision.accepted) {
		multi_pass(c->q, next_us, a);
		*passes = true;
		return brief ? RL_OK : judge_left_after(c, e);
	}
	if (a->decision.reason == RL_LIMITED && has_bans(c->q)) {
		begun = judge_bans(c, parts, &ban, &status, e);
		if (status == RL_OK && begun < c->q->n_keys && c->q->op != RL_OP_PEEK) {
			status = judge_begin_ban(c, begun, &ban, passes, e);
		}
		if (status != RL_OK || *passes) {
			return status;
		}
	}
	if (begun < c->q->n_keys && ban.decision.reason == RL_BANNED) {
		answer_by(a, &ban);
		answer_by(&parts[begun], &ban);
		retry_us = 0;
		for (unsigned group = 0; group < c->q->n_keys; group++) {
			if (!parts[group].decision.accepted) {
				retry_us = later_of(retry_us, parts[group].decision.retry_after_us);
			}
		}
	} else {
		begun = c->q->n_keys;
	}
	a->decision.retry_after_us = retry_us;
	a->granted = 0;
	a->wait_us = 0;
	a->found = begun < c->q->n_keys;
	return RL_OK;
}

/* ---- Taking ---- */

/* Takes all parts in turn, or none. Sets *refused if a limit refuses, with that answer in a. plain: takes all but the last only where
 * giving them back leaves no trace; else a->not_plain is set. */
static rl_status take_parts(multi_call *c, bool plain, rl_answer *a, bool *refused, rl_error *e)
{
	unsigned last = c->q->n_keys - 1u;
	rl_answer other, *part = a; /* the first part that is not skipped is decided in place */
	int64_t next_us = 0;

	*refused = false;
	for (unsigned group = 0; group <= last; group++) {
		rl_status status = part_ask(c, group, RL_OP_ACQUIRE, plain && group < last ? RL_PART_PLAIN : RL_PART, false,
			part, e);
		if (status != RL_OK || !part->decision.accepted) {
			*refused = status == RL_OK;
			if (part != a) {
				answer_by(a, part);
			}
			while (group-- > 0) {
				part_undo(c, group);
			}
			return status;
		}
		if (part_is_skipped(c)) {
			continue;
		}
		next_us = later_of(next_us, part->decision.retry_after_us);
		if (part == a) {
			part = &other;
		} else if (is_tighter(&part->decision, &a->decision)) {
			answer_by(a, part);
		}
	}
	multi_pass(c->q, next_us, a);
	return RL_OK;
}

/* Takes all parts, or none. One that costs a round trip, or cannot be given back without a trace, is taken when the later ones have been
 * asked. */
static rl_status multi_take(multi_call *c, rl_answer *a, bool *refused, rl_error *e)
{
	if (c->over->is_cheap) {
		a->not_plain = false;
		rl_status status = take_parts(c, true, a, refused, e);
		if (status != RL_OK || !*refused || !a->not_plain) {
			return status;
		}
	}
	for (unsigned group = 1; group < c->q->n_keys; group++) {
		rl_status status = part_ask(c, group, RL_OP_PEEK, RL_PART_PLAIN, false, a, e);
		if (status != RL_OK || !a->decision.accepted) {
			*refused = status == RL_OK;
			return status;
		}
	}
	return take_parts(c, false, a, refused, e);
}

/* Takes all parts, or says why none. */
static rl_status multi_acquire(multi_call *c, rl_answer *a, rl_error *e)
{
	bool refused, passes;

	for (unsigned round = 1;; round++) {
		rl_status status = multi_take(c, a, &refused, e);
		if (status != RL_OK || !refused) {
			return status;
		}
		rl_answer refusal;
		answer_by(&refusal, a);
		status = multi_judge(c, true, a, &passes, e);
		if (status != RL_OK || !passes) {
			return status;
		}
		if (round == ROUNDS_MAX) {
			answer_by(a, &refusal);
			a->granted = 0;
			return RL_OK;
		}
		multi_next_tag(c);
	}
}

/* Says what all limits have left. */
static void multi_set_left(const multi_call *c, rl_decision *d)
{
	d->n_left = c->q->n_limits;
	memcpy(d->left, c->left, d->n_left * sizeof *d->left);
}

rl_status rl_multi_key_decide(const rl_multi_key *over, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	multi_call c;
	bool passes;
	rl_status status;

	multi_begin(&c, over, keys, q);
	status = q->op == RL_OP_PEEK ? multi_judge(&c, false, a, &passes, e) : multi_acquire(&c, a, e);
	if (status == RL_OK) {
		multi_set_left(&c, &a->decision);
	}
	return status;
}

/* ---- Commands, and changes of a permit ---- */

rl_status rl_multi_key_change(const rl_multi_key *over, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	multi_call c;
	rl_status first = RL_OK;
	int64_t next_us = 0;
	bool found = true, any = false;

	multi_begin(&c, over, keys, q);
	for (unsigned group = 0; group < q->n_keys; group++) {
		rl_answer part = {.found = false};
		rl_error mine;
		rl_status status = part_ask(&c, group, q->op, RL_PART, true, &part, &mine);

		if (status != RL_OK) {
			if (first == RL_OK || status == RL_STALE_BOUNDARIES) {
				first = status;
				*e = mine;
			}
			if (q->op == RL_OP_CREDIT && status == RL_STALE_BOUNDARIES && group == 0) {
				return status; /* nothing is credited yet, and a later one has the boundaries of the first */
			}
			continue;
		}
		for (unsigned own = 0; q->op == RL_OP_SETTLE && own < c.part.n_limits; own++) {
			q->held[c.index[own]].cost = q->costs != NULL ? c.costs[own] : q->cost;
		}
		found = found && part.found;
		next_us = later_of(next_us, part.decision.retry_after_us);
		if (!any || is_tighter(&part.decision, &a->decision)) {
			answer_by(a, &part);
			any = true;
		}
	}
	if (first == RL_OK) {
		multi_pass(q, next_us, a);
		multi_set_left(&c, &a->decision);
		a->found = found;
	}
	return first;
}
