#include "together.h"

#include <string.h>

#include "attempt.h"
#include "dead_places.h"
#include "failure_policy.h"
#include "guard.h"
#include "local_cache.h"
#include "../shm/limiter_fast.h"

/* So often a call takes its parts anew, after another one gave back what had refused it. */
#define ROUNDS_MAX 16

typedef struct together together;

typedef rl_status (*ask_part)(together *t, const rl_key *key, rl_answer *a, rl_error *e);

struct together {
	const rl_guard *g; /* NULL: the store is an embedded one */
	rl_store *store;
	ask_part ask;
	const rl_key *keys;
	const rl_question *q;
	uint64_t tag; /* of what is taken in this round */
	bool is_fast; /* the fast path may take parts */
	rl_limiter_parts fast;
	/* The question about one key. */
	unsigned group;
	rl_question part;
	uint8_t index[RL_LIMITS_MAX]; /* of the part's limits in the question */
	uint64_t costs[RL_LIMITS_MAX];
	rl_held held[RL_LIMITS_MAX];
};

/* ---- One part ---- */

/* Makes the part of a question about one of its keys. bans: with the bans of its limits. */
static void part_make(together *t, unsigned group, rl_op op, bool bans)
{
	const rl_question *q = t->q;
	rl_question *part = &t->part;

	t->group = group;
	memcpy(part, q, offsetof(rl_question, limits));
	part->op = op;
	part->n_keys = 1;
	part->part = RL_PART;
	part->tag = t->tag;
	part->n_limits = 0;
	part->held = t->held;
	if (q->costs != NULL) {
		part->costs = t->costs;
	}
	for (unsigned i = 0; i < q->n_limits; i++) {
		if (q->limits[i].identity != group) {
			continue;
		}
		unsigned own = part->n_limits++;
		t->index[own] = (uint8_t) i;
		part->limits[own] = q->limits[i];
		part->limits[own].identity = 0;
		if (!bans) {
			part->limits[own].ban = RL_BAN_NONE;
		}
		if (q->costs != NULL) {
			t->costs[own] = q->costs[i];
		}
		if (q->held != NULL) {
			t->held[own] = q->held[i];
		}
	}
}

/* Asks the part, and names its deciding limit as the question does. */
static rl_status part_ask(together *t, rl_answer *a, rl_error *e)
{
	rl_status status = t->ask(t, &t->keys[t->group], a, e);

	if (status == RL_OK) {
		a->decision.limit_index = t->index[a->decision.limit_index];
	}
	return status;
}

/* Returns what the permit holds of the part to the question. */
static void part_keep_held(const together *t)
{
	for (unsigned own = 0; own < t->part.n_limits; own++) {
		t->q->held[t->index[own]] = t->held[own];
	}
}

/* Returns whether all limits of the part are skipped. */
static bool part_is_skipped(const together *t)
{
	bool skipped = t->part.costs != NULL;

	for (unsigned own = 0; skipped && own < t->part.n_limits; own++) {
		skipped = t->costs[own] == 0;
	}
	return skipped;
}

static bool part_has_ban(const together *t, unsigned group)
{
	for (unsigned i = 0; i < t->q->n_limits; i++) {
		if (t->q->limits[i].identity == group && t->q->limits[i].ban != RL_BAN_NONE) {
			return true;
		}
	}
	return false;
}

static rl_status ask_embedded(together *t, const rl_key *key, rl_answer *a, rl_error *e)
{
	return t->store->ops->ask(t->store, key, &t->part, a, e);
}

/* Asks one node of a cluster. Its circuit breaker and the statistics have it as a question of its own. */
static rl_status ask_node(together *t, const rl_key *key, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = rl_attempt_begin(&attempt, t->g, key, e);

	if (status == RL_OK) {
		status = t->store->ops->ask(t->store, key, &t->part, a, e);
		if (status == RL_OK) {
			rl_dead_places_note(t->g, key, &t->part, a);
		}
		rl_attempt_end(&attempt, status, NULL, e);
	}
	if (t->part.op == RL_OP_SETTLE) {
		rl_dead_places_note_change(t->g, key, &t->part, status, a);
	}
	return status;
}

/* Begins without clearing the part, which is large. */
static void together_init(together *t, const rl_guard *g, rl_store *store, const rl_key *keys, const rl_question *q)
{
	t->g = g;
	t->store = store;
	t->ask = g != NULL ? ask_node : ask_embedded;
	t->keys = keys;
	t->q = q;
	t->tag = q->tag;
	t->is_fast = false;
}

/* Lets the fast path take parts: those of the embedded store itself, without a wish beside the cost. */
static void together_allow_fast(together *t)
{
	const rl_question *q = t->q;

	t->is_fast = t->store == rl_shm_store() && !q->carries && q->leave == 0 && q->at_least == 0 && q->max_wait_us == 0;
}

/* Gives what is taken from now on another tag. A window of the last one may be gone, and another call may hold a part of it, which
 * it must not give back to a window that this call begins anew. */
static void together_next_tag(together *t)
{
	uint64_t z = t->tag + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z = (z ^ z >> 31) & RL_TAG_MASK;
	t->tag = z != 0 ? z : 1;
}

/* ---- Decisions ---- */

/* Returns whether a decision's limit precedes another one's: it has less left, or as much and is the first. */
static bool is_tighter(const rl_decision *d, const rl_decision *than)
{
	return d->remaining < than->remaining || (d->remaining == than->remaining && d->limit_index < than->limit_index);
}

static int64_t later_of(int64_t us, int64_t other_us)
{
	return other_us > us ? other_us : us;
}

static void set_granted(const rl_question *q, rl_answer *a)
{
	a->granted = q->costs != NULL ? q->costs[a->decision.limit_index] : q->cost;
	a->wait_us = 0;
	a->found = false;
}

/* Gives back what the parts of the first n keys took, as if it had never been. A part whose key does not answer stays charged. */
static void together_undo(together *t, unsigned n)
{
	for (unsigned group = 0; group < n; group++) {
		rl_answer ignored;
		rl_error e;

		part_make(t, group, RL_OP_SETTLE, false);
		t->part.cost = 0;
		t->part.costs = NULL;
		(void) t->ask(t, &t->keys[group], &ignored, &e);
	}
}

/* Finds the limits of a key. Returns false if others are between them. */
static bool part_find(const rl_question *q, unsigned group, unsigned *first, unsigned *n)
{
	unsigned i = 0;

	while (i < q->n_limits && q->limits[i].identity != group) {
		i++;
	}
	*first = i;
	while (i < q->n_limits && q->limits[i].identity == group) {
		i++;
	}
	*n = i - *first;
	while (i < q->n_limits && q->limits[i].identity != group) {
		i++;
	}
	return i == q->n_limits;
}

/* Returns whether an undo of what the part takes leaves a mark. */
static bool part_marks(const rl_limit *limits, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (rl_algorithm_of(limits[i].algorithm)->undo_marks) {
			return true;
		}
	}
	return false;
}

/* Takes the part of a key as part_take() does, on the fast path. Returns false, and has changed nothing, where that cannot. */
static bool part_take_fast(together *t, unsigned group, bool plain, rl_answer *a)
{
	const rl_question *q = t->q;
	rl_tagged_call part;
	unsigned first, n;

	if (!part_find(q, group, &first, &n) || (plain && part_marks(q->limits + first, n))) {
		return false;
	}
	part = (rl_tagged_call){.limits = q->limits + first,
		.n = n,
		.cost = q->cost,
		.costs = q->costs != NULL ? q->costs + first : NULL,
		.held = q->held + first};
	if (!rl_limiter_parts_take(&t->fast, group, &part, &a->decision)) {
		return false;
	}
	a->decision.limit_index = (uint8_t) (a->decision.limit_index + first);
	a->granted = 0;
	a->wait_us = 0;
	a->found = false;
	a->not_plain = false;
	return true;
}

/* Takes the part of a key. Sets *skipped if the part was taken, but all its limits are skipped. */
static rl_status part_take(together *t, unsigned group, bool plain, rl_answer *a, bool *skipped, rl_error *e)
{
	rl_status status;

	*skipped = false;
	if (t->is_fast && part_take_fast(t, group, plain, a)) {
		return RL_OK;
	}
	part_make(t, group, RL_OP_ACQUIRE, false);
	if (plain) {
		t->part.part = RL_PART_PLAIN;
	}
	status = part_ask(t, a, e);
	if (status == RL_OK && a->decision.accepted) {
		part_keep_held(t);
		*skipped = part_is_skipped(t);
	}
	return status;
}

/* Takes all parts in turn, or none. Sets *refused if a limit refuses, with that answer in a. plain: takes them only where giving them
 * back leaves no trace; else *not_plain is set. */
static rl_status take_parts(together *t, bool plain, rl_answer *a, bool *refused, bool *not_plain, rl_error *e)
{
	const rl_question *q = t->q;
	rl_answer other, *part = a; /* the first part that is not skipped is decided in place */
	int64_t next_us = 0;

	t->is_fast = t->is_fast && rl_limiter_parts_begin(&t->fast, t->keys, q->n_keys, q->limits, q->n_limits);
	for (unsigned group = 0; group < q->n_keys; group++) {
		bool skipped;
		rl_status status = part_take(t, group, plain && group + 1u < q->n_keys, part, &skipped, e);
		if (status != RL_OK || !part->decision.accepted) {
			*refused = true;
			*not_plain = status == RL_OK && plain && part->not_plain;
			if (part != a) {
				*a = *part;
			}
			together_undo(t, group);
			return status;
		}
		if (skipped) {
			continue;
		}
		next_us = later_of(next_us, part->decision.retry_after_us);
		if (part == a) {
			part = &other;
		} else if (is_tighter(&part->decision, &a->decision)) {
			*a = *part;
		}
	}
	a->decision.retry_after_us = next_us;
	set_granted(q, a);
	return RL_OK;
}

/* Takes all parts, or none. A part that cannot be given back without a trace is taken when the later ones have been asked. */
static rl_status together_take(together *t, rl_answer *a, bool *refused, rl_error *e)
{
	bool not_plain = false;
	rl_status status;

	*refused = false;
	if (t->g == NULL) {
		status = take_parts(t, true, a, refused, &not_plain, e);
		if (!not_plain) {
			return status;
		}
	}
	*refused = false;
	for (unsigned group = 1; group < t->q->n_keys; group++) {
		part_make(t, group, RL_OP_PEEK, false);
		status = part_ask(t, a, e);
		if (status != RL_OK || !a->decision.accepted) {
			*refused = true;
			return status;
		}
	}
	return take_parts(t, false, a, refused, &not_plain, e);
}

/* Asks for the ban that a refusing part would begin. Sets *end_us to its time from now; 0: none. */
static rl_status ask_ban(together *t, unsigned group, rl_op op, rl_answer *a, int64_t *end_us, rl_error *e)
{
	rl_status status;

	part_make(t, group, op, true);
	status = part_ask(t, a, e);
	*end_us = status == RL_OK && a->decision.reason == RL_BANNED && a->found ? a->decision.reset_after_us : 0;
	return status;
}

/* Begins the ban that ends last, of those that the refusing parts would begin. parts: their answers without bans. Sets *begun to its
 * group, n_keys: none; *changed if that part passes now. */
static rl_status together_begin_ban(together *t, const rl_answer parts[], rl_answer *a, unsigned *begun, bool *changed,
	rl_error *e)
{
	int64_t last_us = 0, end_us;
	rl_answer ban;

	*begun = t->q->n_keys;
	for (unsigned group = 0; group < t->q->n_keys; group++) {
		if (parts[group].decision.reason != RL_LIMITED || !part_has_ban(t, group)) {
			continue;
		}
		rl_status status = ask_ban(t, group, RL_OP_PEEK, &ban, &end_us, e);
		if (status != RL_OK) {
			return status;
		}
		if (end_us > last_us
			|| (end_us > 0 && end_us == last_us && ban.decision.limit_index < a->decision.limit_index)) {
			last_us = end_us;
			*begun = group;
			*a = ban;
		}
	}
	if (*begun == t->q->n_keys || t->q->op == RL_OP_PEEK) {
		return RL_OK;
	}
	unsigned group = *begun;
	together_next_tag(t);
	rl_status status = ask_ban(t, group, RL_OP_ACQUIRE, a, &end_us, e);
	if (status == RL_OK && a->decision.accepted) {
		part_keep_held(t);
		part_make(t, group, RL_OP_SETTLE, false);
		t->part.cost = 0;
		t->part.costs = NULL;
		status = t->ask(t, &t->keys[group], &ban, e);
		*changed = true;
	}
	return status;
}

/* Returns whether a refusal decides in the place of another one, both without bans that begin. */
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

/* Judges all parts together. Sets *passes if none refuses. */
static rl_status together_judge(together *t, rl_answer *a, bool *passes, rl_error *e)
{
	rl_answer parts[RL_LIMITS_MAX];
	int64_t retry_us = 0, next_us = 0;
	unsigned begun = t->q->n_keys;
	bool first = true;

	*passes = false;
	for (unsigned group = 0; group < t->q->n_keys; group++) {
		part_make(t, group, RL_OP_PEEK, false);
		rl_status status = part_ask(t, &parts[group], e);
		if (status != RL_OK) {
			return status;
		}
		const rl_decision *d = &parts[group].decision;
		if (!d->accepted) {
			retry_us = later_of(retry_us, d->retry_after_us);
		} else if (!part_is_skipped(t)) {
			next_us = later_of(next_us, d->retry_after_us);
		}
		if (!(d->accepted && part_is_skipped(t)) && (first || decides_before(d, &a->decision))) {
			*a = parts[group];
			first = false;
		}
	}
	if (a->decision.accepted) {
		a->decision.retry_after_us = next_us;
		set_granted(t->q, a);
		*passes = true;
		return RL_OK;
	}
	if (a->decision.reason == RL_LIMITED) {
		rl_answer ban;
		rl_status status = together_begin_ban(t, parts, &ban, &begun, passes, e);
		if (status != RL_OK || *passes) {
			return status;
		}
		if (begun < t->q->n_keys && ban.decision.reason == RL_BANNED) {
			*a = ban;
			retry_us = ban.decision.retry_after_us;
			for (unsigned group = 0; group < t->q->n_keys; group++) {
				if (group != begun && !parts[group].decision.accepted) {
					retry_us = later_of(retry_us, parts[group].decision.retry_after_us);
				}
			}
		} else {
			begun = t->q->n_keys;
		}
	}
	a->decision.retry_after_us = retry_us;
	a->granted = 0;
	a->wait_us = 0;
	a->found = begun < t->q->n_keys;
	return RL_OK;
}

static rl_status together_decide(together *t, rl_answer *a, rl_error *e)
{
	rl_status status;
	bool refused, passes;

	if (t->q->op == RL_OP_PEEK) {
		return together_judge(t, a, &passes, e);
	}
	for (unsigned round = 1;; round++) {
		rl_answer refusal;

		status = together_take(t, a, &refused, e);
		if (status != RL_OK || !refused) {
			return status;
		}
		refusal = *a;
		status = together_judge(t, a, &passes, e);
		if (status != RL_OK || !passes) {
			return status;
		}
		if (round == ROUNDS_MAX) {
			*a = refusal;
			a->granted = 0;
			return RL_OK;
		}
		together_next_tag(t);
	}
}

/* ---- Commands, and changes of a permit ---- */

static rl_status together_credit(together *t, rl_answer *a, rl_error *e)
{
	rl_status first = RL_OK;

	for (unsigned group = 0; group < t->q->n_keys; group++) {
		rl_error mine;

		part_make(t, group, RL_OP_CREDIT, true);
		rl_status status = rl_guard_ask(t->g, &t->keys[group], &t->part, a, &mine);
		if (status != RL_OK && first == RL_OK) {
			first = status;
			*e = mine;
		}
		if (status == RL_STALE_BOUNDARIES && group == 0) {
			return status; /* a later one has the boundaries of the first */
		}
	}
	return first;
}

rl_status rl_together_change(const rl_guard *g, rl_source from, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	together t;
	rl_status first = RL_OK;
	int64_t next_us = 0;
	bool found = true, any = false;

	together_init(&t, g, g->store, keys, q);
	for (unsigned group = 0; group < q->n_keys; group++) {
		rl_answer part;
		rl_error mine;

		part_make(&t, group, q->op, true);
		rl_status status = rl_guard_change(g, from, &keys[group], &t.part, &part, &mine);
		if (status != RL_OK) {
			if (first == RL_OK || status == RL_STALE_BOUNDARIES) {
				first = status;
				*e = mine;
			}
			continue;
		}
		for (unsigned own = 0; q->op == RL_OP_SETTLE && own < t.part.n_limits; own++) {
			q->held[t.index[own]].cost = q->costs != NULL ? t.costs[own] : q->cost;
		}
		part.decision.limit_index = t.index[part.decision.limit_index];
		found = found && part.found;
		next_us = later_of(next_us, part.decision.retry_after_us);
		if (!any || is_tighter(&part.decision, &a->decision)) {
			*a = part;
			any = true;
		}
	}
	if (first == RL_OK) {
		a->decision.retry_after_us = next_us;
		set_granted(q, a);
		a->found = found;
	}
	return first;
}

/* ---- Stores ---- */

rl_status rl_together_ask_embedded(rl_store *store, const rl_key *keys, const rl_question *q, rl_answer *a, rl_error *e)
{
	together t;
	rl_status status;

	together_init(&t, NULL, store, keys, q);
	together_allow_fast(&t);
	status = together_decide(&t, a, e);

	a->decision.source = RL_FROM_SHM;
	if (status == RL_OK && rl_op_counts(q->op)) {
		rl_shm_count_decision(&a->decision, a->found);
	}
	return status;
}

/* Notes what an acquire holds in each state, for the case that this worker dies. */
static void note_places(together *t, const rl_answer *a)
{
	for (unsigned group = 0; group < t->q->n_keys; group++) {
		part_make(t, group, RL_OP_ACQUIRE, false);
		rl_dead_places_note(t->g, &t->keys[group], &t->part, a);
	}
}

static rl_status ask_server(together *t, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = rl_attempt_begin(&attempt, t->g, t->keys, e);

	if (status == RL_OK) {
		status = t->store->ops->ask_together(t->store, t->keys, t->q->n_keys, t->q, a, e);
		rl_attempt_end(&attempt, status, rl_op_counts(t->q->op) ? &a->decision : NULL, e);
		if (status == RL_OK && t->q->op == RL_OP_ACQUIRE && a->decision.accepted) {
			note_places(t, a);
		}
	}
	return status;
}

rl_status rl_together_ask(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_answer *a, rl_error *e)
{
	together t;
	rl_status status;

	if (rl_guard_is_embedded(g) && q->op != RL_OP_CREDIT) {
		status = rl_together_ask_embedded(g->store, keys, q, a, e);
		return rl_failure_policy_apply(g, status, keys, q, a, e);
	}
	together_init(&t, g, g->store, keys, q);
	if (q->op == RL_OP_CREDIT) {
		return together_credit(&t, a, e);
	}
	if (g->store == NULL || g->store->ops->is_one_server(g->store)) {
		rl_dead_places_give_back(g);
		status = ask_server(&t, a, e);
	} else {
		rl_dead_places_give_back(g);
		status = together_decide(&t, a, e);
		a->decision.source = RL_FROM_REDIS;
	}
	return rl_failure_policy_apply(g, status, keys, q, a, e);
}
