#include "together.h"

#include "../attempt.h"
#include "../dead_places.h"
#include "../failure_policy.h"
#include "../guard.h"
#include "../local_cache.h"
#include "together_part.h"

/* So often a call takes its parts anew, after another one gave back what had refused it. */
#define ROUNDS_MAX 16

static rl_status together_decide(rl_together *t, rl_answer *a, rl_error *e)
{
	rl_status status;
	bool refused, passes;

	if (t->q->op == RL_OP_PEEK) {
		return rl_together_judge(t, a, &passes, e);
	}
	for (unsigned round = 1;; round++) {
		rl_answer refusal;

		status = rl_together_take(t, a, &refused, e);
		if (status != RL_OK || !refused) {
			return status;
		}
		refusal = *a;
		status = rl_together_judge(t, a, &passes, e);
		if (status != RL_OK || !passes) {
			return status;
		}
		if (round == ROUNDS_MAX) {
			*a = refusal;
			a->granted = 0;
			return RL_OK;
		}
		rl_together_next_tag(t);
	}
}

/* ---- Commands, and changes of a permit ---- */

static rl_status together_credit(rl_together *t, rl_answer *a, rl_error *e)
{
	rl_status first = RL_OK;

	for (unsigned group = 0; group < t->q->n_keys; group++) {
		rl_error mine;

		rl_part_make(t, group, RL_OP_CREDIT, true);
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
	rl_together t;
	rl_status first = RL_OK;
	int64_t next_us = 0;
	bool found = true, any = false;

	rl_together_begin(&t, g, g->store, keys, q);
	for (unsigned group = 0; group < q->n_keys; group++) {
		rl_answer part;
		rl_error mine;

		rl_part_make(&t, group, q->op, true);
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
		next_us = rl_later_of(next_us, part.decision.retry_after_us);
		if (!any || rl_is_tighter(&part.decision, &a->decision)) {
			*a = part;
			any = true;
		}
	}
	if (first == RL_OK) {
		a->decision.retry_after_us = next_us;
		rl_set_granted(q, a);
		a->found = found;
	}
	return first;
}

/* ---- Stores ---- */

/* Lets the fast path take parts: those of the embedded store itself, without a wish beside the cost. */
static void together_allow_fast(rl_together *t)
{
	const rl_question *q = t->q;

	t->is_fast = t->store == rl_shm_store() && q->leave == 0 && q->at_least == 0 && q->max_wait_us == 0;
}

rl_status rl_together_ask_embedded(rl_store *store, const rl_key *keys, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_together t;
	rl_status status;

	rl_together_begin(&t, NULL, store, keys, q);
	together_allow_fast(&t);
	status = together_decide(&t, a, e);

	a->decision.source = RL_FROM_SHM;
	if (status == RL_OK && rl_op_counts(q->op)) {
		rl_shm_count_decision(&a->decision, a->found);
	}
	return status;
}

/* Notes what an acquire may take in each state; with its answer, what it has taken. */
static void note_places(rl_together *t, rl_status status, const rl_answer *a)
{
	for (unsigned group = 0; t->q->op == RL_OP_ACQUIRE && group < t->q->n_keys; group++) {
		rl_part_make(t, group, RL_OP_ACQUIRE, false);
		if (a == NULL) {
			rl_dead_places_note(t->g, &t->keys[group], &t->part);
		} else {
			rl_dead_places_note_answer(t->g, &t->keys[group], &t->part, status, a);
		}
	}
}

static rl_status ask_server(rl_together *t, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = rl_attempt_begin(&attempt, t->g, t->keys, e);

	if (status == RL_OK) {
		note_places(t, RL_OK, NULL);
		status = t->store->ops->ask_together(t->store, t->keys, t->q->n_keys, t->q, a, e);
		note_places(t, status, a);
		rl_attempt_end(&attempt, status, rl_op_counts(t->q->op) ? &a->decision : NULL, e);
	}
	return status;
}

rl_status rl_together_ask(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_together t;
	rl_status status;

	if (rl_guard_is_embedded(g) && q->op != RL_OP_CREDIT) {
		status = rl_together_ask_embedded(g->store, keys, q, a, e);
		return rl_failure_policy_apply(g, status, keys, q, a, e);
	}
	rl_together_begin(&t, g, g->store, keys, q);
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
