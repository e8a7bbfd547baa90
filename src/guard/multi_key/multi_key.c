#include "multi_key.h"

#include <string.h>

/* So often a call takes its parts anew, after another one gave back what had refused it. */
#define ROUNDS_MAX 16

/* A question about several keys, its part about one of them, and the last answer of each part. */
typedef struct {
	const rl_multi_key *over;
	const rl_key *keys;
	const rl_question *q;
	uint64_t tag;     /* of what is taken in this round */
	bool as_is;       /* a peek asks for what is left as it is, not after a call that another part may refuse */
	rl_status status; /* of the part that was asked last */
	rl_error *e;      /* its reason, if it is not RL_OK */
	rl_question part;
	uint8_t index[RL_LIMITS_MAX]; /* of the part's limits in the question */
	uint64_t costs[RL_LIMITS_MAX];
	rl_debt debts[RL_LIMITS_MAX];
	rl_held held[RL_LIMITS_MAX];
	rl_answer answers[RL_LIMITS_MAX]; /* by key; their deciding limits are named as in the question */
} multi_call;

/* Begins without clearing the part and the answers, which are large. */
static void multi_begin(multi_call *c, const rl_multi_key *over, const rl_key *keys, const rl_question *q, rl_error *e)
{
	c->over = over;
	c->keys = keys;
	c->q = q;
	c->tag = q->tag;
	c->as_is = true;
	c->status = RL_OK;
	c->e = e;
}

/* ---- One part ---- */

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
	part->as_is = op == RL_OP_PEEK && c->as_is;
	part->part = kind;
	part->tag = c->tag;
	part->costs = q->costs != NULL ? c->costs : NULL;
	part->held = c->held;
	if (op == RL_OP_SETTLE) { /* a machine has no share of what is given back */
		part->owes = false;
		part->share = 0;
	} else if (q->owes) {
		part->debts = c->debts;
	}
}

/* Asks the part of a key. bans: its limits have their bans. Returns whether it passes; false, too, where it fails. */
static bool part_ask(multi_call *c, unsigned group, rl_op op, rl_part kind, bool bans)
{
	rl_answer *a = &c->answers[group];

	part_make(c, group, op, kind, bans);
	c->status = c->over->ask(c->over->context, &c->keys[group], &c->part, a, c->e);
	if (c->status != RL_OK) {
		return false;
	}
	a->decision.limit_index = c->index[a->decision.limit_index];
	for (unsigned own = 0; op == RL_OP_ACQUIRE && a->decision.accepted && own < c->part.n_limits; own++) {
		c->q->held[c->index[own]] = c->held[own];
	}
	return a->decision.accepted;
}

/* Gives back what the parts of these keys took, as if it had never been. A part whose key does not answer stays charged. The next round
 * has another tag, an even one. For a window of this one may be gone, and another call may hold a part of it: that must not go back to a
 * window that the next round begins. */
static void parts_undo(multi_call *c, unsigned group, unsigned end)
{
	rl_answer ignored;
	rl_error e;

	for (; group < end; group++) {
		part_make(c, group, RL_OP_SETTLE, RL_PART_TENTATIVE, false);
		c->part.cost = 0;
		c->part.costs = NULL;
		(void) c->over->ask(c->over->context, &c->keys[group], &c->part, &ignored, &e);
	}
	c->tag = ((c->tag * UINT64_C(0x5851f42d4c957f2d)) & RL_TAG_MASK) | 2;
}

/* ---- The answer of all ---- */

static bool answer_begins_ban(const rl_answer *a)
{
	return a->decision.reason == RL_BANNED && a->found;
}

/* Returns whether an answer decides in the place of one of an earlier key. The reasons have their order: too expensive, banned, limited,
 * accepted. A ban that runs precedes one that begins. */
static bool decides_before(const rl_answer *a, const rl_answer *than)
{
	const rl_decision *d = &a->decision, *other = &than->decision;
	int64_t more = 0;

	if (d->reason != other->reason) {
		return d->reason > other->reason;
	}
	if (d->reason == RL_ACCEPTED) {
		more = (int64_t) (other->remaining - d->remaining);
	} else if (d->reason == RL_LIMITED) {
		more = d->retry_after_us - other->retry_after_us;
	} else if (d->reason == RL_BANNED) {
		if (a->found != than->found) {
			return than->found;
		}
		more = d->reset_after_us - other->reset_after_us;
	}
	return more > 0 || (more == 0 && (d->reason != RL_BANNED || a->found) && d->limit_index < other->limit_index);
}

/* Returns whether a part decides nothing: all its limits are skipped, and no ban refuses. */
static bool part_is_skipped(const multi_call *c, unsigned group)
{
	const rl_question *q = c->q;
	bool skipped = q->costs != NULL && c->answers[group].decision.accepted
		&& (q->op == RL_OP_ACQUIRE || q->op == RL_OP_PEEK);

	for (unsigned i = 0; skipped && i < q->n_limits; i++) {
		skipped = q->limits[i].identity != group || q->costs[i] == 0;
	}
	return skipped;
}

/* Returns the key whose part decides. after_us: the longest time to wait of the parts that refuse, and of those that pass. */
static unsigned deciding_part(const multi_call *c, int64_t after_us[2])
{
	unsigned n = c->q->n_keys, by = n;

	after_us[false] = after_us[true] = 0;
	for (unsigned group = 0; group < n; group++) {
		const rl_decision *d = &c->answers[group].decision;

		if (part_is_skipped(c, group)) {
			continue;
		}
		if (d->retry_after_us > after_us[d->accepted]) {
			after_us[d->accepted] = d->retry_after_us;
		}
		if (by == n || decides_before(&c->answers[group], &c->answers[by])) {
			by = group;
		}
	}
	return by < n ? by : 0;
}

/* Answers by all parts. */
static void multi_answer(const multi_call *c, rl_answer *a)
{
	const rl_question *q = c->q;
	rl_decision *d = &a->decision;
	int64_t after_us[2];
	const rl_answer *by = &c->answers[deciding_part(c, after_us)];
	unsigned n_of[RL_LIMITS_MAX] = {0};

	memcpy(d, &by->decision, offsetof(rl_decision, left));
	d->retry_after_us = after_us[d->accepted];
	d->n_left = q->n_limits;
	for (unsigned i = 0; i < q->n_limits; i++) {
		unsigned group = q->limits[i].identity;

		(void) rl_decision_left(&c->answers[group].decision, n_of[group]++, &d->left[i]);
	}
	a->granted = !d->accepted ? 0 : q->costs != NULL ? q->costs[d->limit_index] : q->cost;
	a->wait_us = 0;
	a->found = !d->accepted && by->found;
}

/* ---- Judging and taking ---- */

/* Judges all parts together, and begins the ban of a refusal, of one part at most. all: else the first key is not asked where the others
 * pass, and their answers are of no use. Returns whether none refuses. */
static bool multi_judge(multi_call *c, bool all)
{
	bool peeks = c->q->op == RL_OP_PEEK, passes = true;
	unsigned n = c->q->n_keys, by;
	int64_t after_us[2];

	for (unsigned at = 1; at < n || (at == n && (all || !passes)); at++) {
		passes = part_ask(c, at % n, RL_OP_PEEK, peeks ? RL_PART : RL_PART_TENTATIVE, true) && passes;
		if (c->status != RL_OK) {
			return false;
		}
	}
	by = passes ? n : deciding_part(c, after_us);
	for (unsigned group = 0; by < n && group < n && c->status == RL_OK; group++) {
		if (!answer_begins_ban(&c->answers[group]) || (peeks && group == by)) {
			continue;
		}
		if (group != by) {
			(void) part_ask(c, group, RL_OP_PEEK, RL_PART, false);
		} else if (part_ask(c, group, RL_OP_ACQUIRE, RL_PART, true)) {
			parts_undo(c, group, group + 1);
			passes = true;
		}
	}
	return passes && c->status == RL_OK;
}

/* Takes all parts in turn, or none. plain: takes all but the last only where giving them back leaves no trace. */
static bool multi_take(multi_call *c, bool plain)
{
	unsigned n = c->q->n_keys, group = 0;

	while (
		group < n && part_ask(c, group, RL_OP_ACQUIRE, plain && group + 1 < n ? RL_PART_TENTATIVE : RL_PART, false)) {
		group++;
	}
	if (group < n) {
		parts_undo(c, 0, group);
	}
	return group == n;
}

/* Takes all parts, or none. Parts that cost a round trip, or cannot be given back without a trace, are taken when the later ones have
 * been asked. */
static void multi_acquire(multi_call *c)
{
	bool cheap = c->over->is_cheap, taken = cheap && multi_take(c, true);

	for (unsigned round = 0; !taken && c->status == RL_OK && round < ROUNDS_MAX; round++) {
		if (!multi_judge(c, cheap || round > 0)) {
			return;
		}
		taken = multi_take(c, false);
	}
}

rl_status rl_multi_key_decide(const rl_multi_key *over, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	multi_call c;

	multi_begin(&c, over, keys, q, e);
	if (q->op != RL_OP_PEEK) {
		multi_acquire(&c);
	} else if (multi_judge(&c, true)) {
		c.as_is = false;
		(void) multi_judge(&c, true);
	}
	if (c.status == RL_OK) {
		multi_answer(&c, a);
	}
	return c.status;
}

/* ---- Commands, and changes of a permit ---- */

rl_status rl_multi_key_change(const rl_multi_key *over, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	multi_call c;
	rl_error mine;
	rl_status first = RL_OK;
	bool found = true;

	multi_begin(&c, over, keys, q, &mine);
	for (unsigned group = 0; group < q->n_keys; group++) {
		c.answers[group] = (rl_answer){.decision.accepted = true};
		(void) part_ask(&c, group, q->op, RL_PART, true);
		if (c.status == RL_OK) {
			for (unsigned own = 0; q->op == RL_OP_SETTLE && own < c.part.n_limits; own++) {
				q->held[c.index[own]].cost = q->costs != NULL ? c.costs[own] : q->cost;
			}
			found = found && c.answers[group].found;
		} else if (first == RL_OK || c.status == RL_STALE_BOUNDARIES) {
			first = c.status;
			*e = mine;
			if (q->op == RL_OP_CREDIT && first == RL_STALE_BOUNDARIES && group == 0) {
				break; /* nothing is credited yet, and a later one has the boundaries of the first */
			}
		}
	}
	if (first == RL_OK) {
		multi_answer(&c, a);
		a->found = found;
	}
	return first;
}
