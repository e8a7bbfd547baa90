#include "guard.h"

#include "attempt.h"
#include "dead_places.h"
#include "debt.h"
#include "failure_policy.h"
#include "local_cache.h"
#include "mirror.h"
#include "multi_key/multi_key.h"

#include <stdio.h>

/* The embedded store is this memory: it has no breaker, and needs no cache. */

/* Asks the store itself about a counter, with what this machine owes, or for a batch of permits if it takes some ahead. */
static rl_status guard_ask_counter(const rl_guard *g, rl_local_cache *cache, const rl_counter_debt *debt, bool peek,
	const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e)
{
	rl_counter_question asked = *q;
	rl_status status;

	if (peek) {
		return g->store->ops->peek(g->store, key, q, d, e);
	}
	asked.lease = rl_local_cache_want_counter(cache);
	asked.debt = debt->debt.n > 0 ? &debt->debt : NULL;
	status = g->store->ops->count(g->store, key, &asked, d, e);
	rl_debts_end_counter(debt, g, key, status, e);
	return status;
}

static rl_status guard_counter(const rl_guard *g, bool peek, const rl_key *key, const rl_counter_question *q,
	rl_decision *d, rl_error *e)
{
	rl_local_cache cache;
	rl_attempt attempt;
	rl_counter_debt debt;
	rl_mirror_mark mark;
	rl_status status;

	if (rl_guard_is_embedded(g)) {
		status = (peek ? g->store->ops->peek : g->store->ops->count)(g->store, key, q, d, e);
		return status == RL_OK ? RL_OK : rl_failure_policy_count(g, status, peek, key, q, d, e);
	}
	if (rl_local_cache_lookup_counter(&cache, g, key, q, peek, d)) {
		return RL_OK;
	}
	rl_dead_places_give_back(g);
	status = rl_attempt_begin(&attempt, g, key, e);
	if (status == RL_OK && !peek) {
		status = rl_debts_take_counter(&debt, g, key, q, &attempt.call, e);
	}
	if (status == RL_OK) {
		mark = rl_mirror_begin(g, key, false);
		status = guard_ask_counter(g, &cache, &debt, peek, key, q, d, e);
		rl_attempt_end(&attempt, status, peek ? NULL : d, e);
		if (status == RL_OK) {
			rl_local_cache_store_counter(&cache, g, attempt.call.began_us, d);
			if (!peek) {
				rl_mirror_note_counter(mark, &(rl_mirror_answer){g, key, attempt.call.began_us, d, d->leased}, q);
			}
			return RL_OK;
		}
	}
	return rl_failure_policy_count(g, status, peek, key, q, d, e);
}

rl_status rl_guard_count(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	return guard_counter(g, false, key, q, d, e);
}

rl_status rl_guard_peek(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e)
{
	return guard_counter(g, true, key, q, d, e);
}

rl_status rl_guard_command(const rl_guard *g, const rl_key *key, const rl_counter_command *c, bool *found, rl_error *e)
{
	rl_attempt attempt;
	rl_status status;

	if (rl_guard_is_embedded(g)) {
		return g->store->ops->command(g->store, key, c, found, e);
	}
	status = rl_attempt_begin(&attempt, g, key, e);
	if (status == RL_OK) {
		status = g->store->ops->command(g->store, key, c, found, e);
		rl_attempt_end(&attempt, status, NULL, e);
	}
	rl_local_cache_invalidate(g, key);
	if (c->op == RL_OP_RESET) {
		rl_debts_drop_counter(g, key);
	}
	if (status == RL_OK) {
		rl_mirror_command_counter(g, key, c, *found);
	}
	return status == RL_OK ? RL_OK : rl_failure_policy_command(g, status, key, c, found, e);
}

/* Begins an attempt to ask a store about one or several keys, with what this machine owes of their limits. */
static rl_status guard_begin(rl_attempt *attempt, rl_debts *debts, const rl_guard *g, const rl_key *keys,
	const rl_question *q, rl_error *e)
{
	rl_status status = rl_attempt_begin(attempt, g, keys, e);

	return status == RL_OK ? rl_debts_take(debts, g, keys, q, &attempt->call, e) : status;
}

static rl_status guard_ask_with_debts(const rl_guard *g, const rl_debts *debts, const rl_key *keys,
	const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_status status = g->store->ops->ask(g->store, keys, RL_UNLIKELY(debts->any) ? &debts->question : q, a, e);

	rl_debts_end(debts, g, keys, q, status, e);
	return status;
}

/* Asks the store itself: with what this machine owes; or for a batch, where it takes permits ahead. */
static rl_status guard_ask_store(const rl_guard *g, rl_local_cache *cache, const rl_attempt *attempt,
	const rl_debts *debts, const rl_question *q, rl_answer *a, rl_error *e)
{
	uint32_t wanted = rl_local_cache_want(cache, q);
	rl_question lease;

	if (wanted == 0 || rl_debts_exist(attempt->call.began_us)) {
		return guard_ask_with_debts(g, debts, attempt->key, q, a, e);
	}
	lease = rl_lease_question(q, wanted);
	return g->store->ops->ask(g->store, attempt->key, &lease, a, e);
}

/* Asks Redis about one key, and notes its answer on this machine. decides: the answer is a decision of its own, which counts. */
static rl_status guard_ask_redis(const rl_guard *g, rl_local_cache *cache, bool decides, const rl_key *key,
	const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_debts debts;
	rl_mirror_mark mark;
	rl_status status = guard_begin(&attempt, &debts, g, key, q, e);

	if (status != RL_OK) {
		return status;
	}
	rl_dead_places_note(g, key, q);
	mark = rl_mirror_begin(g, key, true);
	status = guard_ask_store(g, cache, &attempt, &debts, q, a, e);
	rl_dead_places_note_answer(g, key, q, status, a);
	rl_attempt_end(&attempt, status, decides && rl_op_counts(q->op) ? &a->decision : NULL, e);
	if (status == RL_OK && rl_op_is_decision(q->op)) {
		rl_local_cache_store(cache, g, attempt.call.began_us, q, a);
		rl_mirror_note(mark, &(rl_mirror_answer){g, key, attempt.call.began_us, &a->decision, a->leased}, q, NULL);
	}
	return status;
}

/* ---- Several keys ---- */

/* Asks one node of a cluster about its part, past the local cache. Its circuit breaker has it as a question of its own. */
static rl_status guard_ask_node(void *context, const rl_key *key, const rl_question *part, rl_answer *a, rl_error *e)
{
	const rl_guard *g = context;
	rl_local_cache none = {.leases = false};
	rl_status status = guard_ask_redis(g, &none, false, key, part, a, e);

	if (part->op == RL_OP_SETTLE) {
		rl_dead_places_note_change(g, key, part, status, a);
	}
	return status;
}

static rl_status guard_credit_part(void *context, const rl_key *key, const rl_question *part, rl_answer *a, rl_error *e)
{
	return rl_guard_ask(context, key, part, a, e);
}

/* Makes the part of one key. index: of its limits in the question. */
static rl_question guard_part(const rl_question *q, unsigned group, uint8_t index[RL_LIMITS_MAX])
{
	rl_question part = *q;

	part.n_limits = 0;
	part.n_keys = 1;
	for (unsigned i = 0; i < q->n_limits; i++) {
		if (q->limits[i].identity == group) {
			index[part.n_limits] = (uint8_t) i;
			part.limits[part.n_limits++] = q->limits[i];
		}
	}
	return part;
}

/* Notes what an acquire may take in each state; with its answer, what it has taken. The places of a permit have one number. */
static void guard_note_places(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_status status,
	const rl_answer *a)
{
	for (unsigned group = 0; q->op == RL_OP_ACQUIRE && group < q->n_keys; group++) {
		uint8_t index[RL_LIMITS_MAX];
		rl_question part = guard_part(q, group, index);

		if (a == NULL) {
			rl_dead_places_note(g, &keys[group], &part);
		} else {
			rl_dead_places_note_answer(g, &keys[group], &part, status, a);
		}
	}
}

/* Asks the one server of all keys. */
static rl_status guard_ask_at_once(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	rl_mirror_mark marks[RL_LIMITS_MAX];
	rl_attempt attempt;
	rl_debts debts;
	rl_status status = guard_begin(&attempt, &debts, g, keys, q, e);

	if (status == RL_OK) {
		guard_note_places(g, keys, q, RL_OK, NULL);
		for (unsigned group = 0; group < q->n_keys; group++) {
			marks[group] = rl_mirror_begin(g, &keys[group], true);
		}
		status = guard_ask_with_debts(g, &debts, keys, q, a, e);
		guard_note_places(g, keys, q, status, a);
		rl_attempt_end(&attempt, status, rl_op_counts(q->op) ? &a->decision : NULL, e);
	}
	for (unsigned group = 0; status == RL_OK && group < q->n_keys; group++) {
		uint8_t index[RL_LIMITS_MAX];
		rl_question part = guard_part(q, group, index);

		rl_mirror_note(marks[group], &(rl_mirror_answer){g, &keys[group], attempt.call.began_us, &a->decision, 0},
			&part, index);
	}
	return status;
}

static rl_status guard_ask_keys(const rl_guard *g, const rl_key *keys, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_status status;

	if (q->op == RL_OP_CREDIT) {
		return rl_multi_key_change(&(rl_multi_key){guard_credit_part, (void *) g, false}, keys, q, a, e);
	}
	if (rl_guard_is_embedded(g)) {
		status = rl_failure_policy_ask_embedded(g->store, keys, q, a, e);
		return rl_failure_policy_apply(g, status, keys, q, a, e);
	}
	rl_dead_places_give_back(g);
	if (g->store == NULL || g->store->ops->asks_at_once(g->store)) {
		status = guard_ask_at_once(g, keys, q, a, e);
	} else {
		status = rl_multi_key_decide(&(rl_multi_key){guard_ask_node, (void *) g, false}, keys, q, a, e);
		a->decision.source = RL_FROM_REDIS;
		if (status == RL_OK && rl_op_counts(q->op)) {
			rl_attempt_count(keys, status, &a->decision);
		}
	}
	return rl_failure_policy_apply(g, status, keys, q, a, e);
}

/* ---- Questions ---- */

rl_status rl_guard_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_local_cache cache;
	rl_status status;

	if (rl_multi_key_is_asked(q)) {
		return guard_ask_keys(g, key, q, a, e);
	}
	if (rl_guard_is_embedded(g)) {
		return rl_failure_policy_apply(g, g->store->ops->ask(g->store, key, q, a, e), key, q, a, e);
	}
	if (rl_local_cache_lookup(&cache, g, key, q, a)) {
		return RL_OK;
	}
	rl_dead_places_give_back(g);
	status = guard_ask_redis(g, &cache, true, key, q, a, e);
	/* Commands run this also where the breaker allowed no attempt: then the fallback carries the command out. */
	if (!rl_op_is_decision(q->op)) {
		rl_local_cache_invalidate(g, key);
		if (q->op == RL_OP_RESET) {
			rl_debts_drop(g, key, q);
		}
		if (status == RL_OK) {
			rl_mirror_command(g, key, q);
		}
	}
	return rl_failure_policy_apply(g, status, key, q, a, e);
}

rl_status rl_guard_retry(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	if (a->decision.source != RL_FROM_LOCAL) {
		return rl_guard_ask(g, key, q, a, e);
	}
	return rl_failure_policy_apply(g, RL_UNAVAILABLE, key, q, a, e);
}

/* ---- What a permit holds ---- */

/* Changes what the fallback holds, also if Redis is back and the policy is another one now. */
static rl_status guard_change_local(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	uint64_t id[2];
	rl_store fallback;
	rl_status status;

	rl_guard_store_id(g, id);
	if (!rl_shm_fallback(&fallback, id)) {
		snprintf(e->message, sizeof e->message, "the shared memory in which the permit was counted is gone");
		return RL_UNAVAILABLE;
	}
	rl_debts_forgive(g, key, q);
	status = fallback.ops->ask(&fallback, key, q, a, e);
	a->decision.source = RL_FROM_LOCAL;
	return status;
}

/* The guard of a change, and the source that counted the permit. */
typedef struct {
	const rl_guard *g;
	rl_source from;
} guard_change_of;

static rl_status guard_change_part(void *context, const rl_key *key, const rl_question *part, rl_answer *a, rl_error *e)
{
	const guard_change_of *of = context;

	return rl_guard_change(of->g, of->from, key, part, a, e);
}

rl_status rl_guard_change(const rl_guard *g, rl_source from, const rl_key *key, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	rl_status status;

	if (rl_multi_key_is_asked(q)) {
		return rl_multi_key_change(&(rl_multi_key){guard_change_part, &(guard_change_of){g, from}, false}, key, q, a,
			e);
	}
	if (from == RL_FROM_LOCAL) {
		return guard_change_local(g, key, q, a, e);
	}
	if (rl_guard_is_embedded(g)) {
		return g->store->ops->ask(g->store, key, q, a, e);
	}
	status = rl_attempt_ask(g, key, q, a, e);
	rl_dead_places_note_change(g, key, q, status, a);
	rl_local_cache_invalidate(g, key);
	return status;
}
