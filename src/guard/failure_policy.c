#include "failure_policy.h"

#include <stdio.h>
#include <string.h>

#include "debt.h"
#include "multi_key/multi_key.h"

const char *const rl_on_failure_names[4] = {"local", "allow", "deny", "throw"};

bool rl_failure_policy_parse(const char *text, size_t len, rl_failure_policy *policy)
{
	static const char before[] = "local:1/";
	size_t at = sizeof before - 1;
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof rl_on_failure_names / sizeof *rl_on_failure_names; i++) {
		if (len == strlen(rl_on_failure_names[i]) && memcmp(text, rl_on_failure_names[i], len) == 0) {
			*policy = (rl_failure_policy){.on_failure = (rl_on_failure) i};
			return true;
		}
	}
	if (len <= at || len > at + 5 || memcmp(text, before, at) != 0 || text[at] == '0') {
		return false;
	}
	for (; at < len; at++) {
		if (text[at] < '0' || text[at] > '9') {
			return false;
		}
		n = n * 10 + (unsigned) (text[at] - '0');
	}
	if (n < 2 || n > RL_SHARE_MAX) {
		return false;
	}
	*policy = (rl_failure_policy){.on_failure = RL_ON_FAILURE_LOCAL, .share = (uint16_t) n};
	return true;
}

/* Returns whether the policy answers for a store that returned this status. */
static bool policy_applies(const rl_guard *g, rl_status status)
{
	switch (status) {
		case RL_UNAVAILABLE:
			return g->policy.on_failure != RL_ON_FAILURE_THROW;
		case RL_MISCONFIGURED: /* under "deny" an exception shows the mistake; a refusal of every call would hide it */
			return g->policy.on_failure == RL_ON_FAILURE_LOCAL || g->policy.on_failure == RL_ON_FAILURE_ALLOW;
		default:
			return false;
	}
}

/* Finds the fallback. Its counts are apart as those of the Redis store are: by DSN, database and prefix. A Redis store
 * that could not be made has its DSN's. */
static bool policy_fallback(const rl_guard *g, rl_store *fallback)
{
	uint64_t id[2];

	rl_guard_store_id(g, id);
	return g->policy.on_failure == RL_ON_FAILURE_LOCAL && !rl_guard_is_embedded(g) && rl_shm_fallback(fallback, id);
}

/* Decides without a count. */
static void policy_decide(const rl_guard *g, uint64_t limit, rl_decision *d)
{
	d->reason = RL_STORE_UNAVAILABLE;
	d->source = rl_guard_is_embedded(g) || !g->store ? RL_FROM_SHM : RL_FROM_REDIS;
	d->accepted = g->policy.on_failure == RL_ON_FAILURE_ALLOW;
	d->limit_index = 0;
	d->n_left = 0;
	d->level = 0;
	d->limit = limit;
	d->remaining = d->accepted ? limit : 0;
	d->retry_after_us = d->accepted ? 0 : g->retry_delay_us;
	d->reset_after_us = d->retry_after_us;
}

/* Returns the least cost that passes limit i; 0: the limit is skipped. */
static uint64_t policy_cost(const rl_question *q, uint8_t i)
{
	return q->costs ? q->costs[i] : q->at_least > 0 ? q->at_least : q->cost;
}

/* Refuses a cost above a limit: it can never pass, in any store. */
static void policy_refuse_too_expensive(const rl_question *q, rl_decision *d)
{
	for (uint8_t i = 0; i < q->n_limits; i++) {
		uint64_t cost = policy_cost(q, i);

		if (cost > 0 && cost + q->leave > q->limits[i].limit) {
			d->reason = RL_TOO_EXPENSIVE;
			d->accepted = false;
			d->limit_index = i;
			d->limit = q->limits[i].limit;
			d->remaining = d->remaining > d->limit ? d->limit : d->remaining;
			d->retry_after_us = RL_NEVER;
			d->reset_after_us = 0;
			return;
		}
	}
}

/* Returns the cost of a call that passes: all of it, or the part that the limits allow at the most. */
static uint64_t policy_granted(const rl_question *q)
{
	uint64_t granted = q->costs ? q->costs[0] : q->cost;

	for (uint8_t i = 0; q->at_least > 0 && i < q->n_limits; i++) {
		uint64_t most = q->limits[i].limit - q->leave;

		granted = most < granted ? most : granted;
	}
	return granted;
}

/* Adds to the message that the command took effect in the fallback only. So it ends with the outage, and is not
 * done. */
static void policy_say_only_here(rl_error *e)
{
	char reason[sizeof e->message];

	memcpy(reason, e->message, sizeof reason);
	snprintf(e->message, sizeof e->message, "not done in Redis, only on this machine until Redis is back: %.180s",
		reason);
}

/* A peek decides nothing. */
static void policy_note_fallback(bool counts)
{
	if (counts) {
		rl_stat_add(RL_STAT_FALLBACKS);
	}
}

static rl_status policy_ask_part(void *context, const rl_key *key, const rl_question *part, rl_answer *a, rl_error *e)
{
	rl_store *store = context;

	return store->ops->ask(store, key, part, a, e);
}

rl_status rl_failure_policy_ask_embedded(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a,
	rl_error *e)
{
	rl_status status;

	if (!rl_multi_key_is_asked(q)) {
		return store->ops->ask(store, key, q, a, e);
	}
	status = rl_multi_key_decide(&(rl_multi_key){policy_ask_part, store, true}, key, q, a, e);
	a->decision.source = RL_FROM_SHM;
	if (status == RL_OK && rl_op_counts(q->op)) {
		rl_shm_count_decision(&a->decision, a->found);
	}
	return status;
}

rl_status rl_failure_policy_apply(const rl_guard *g, rl_status status, const rl_key *key, const rl_question *q,
	rl_answer *a, rl_error *e)
{
	rl_store fallback;

	if (status == RL_OK) {
		return RL_OK;
	}
	if (!policy_applies(g, status)) {
		if (status == RL_STALE_BOUNDARIES) {
			a->decision.source = RL_FROM_REDIS; /* that is, not the fallback: see rl_guard_retry() */
		}
		return status;
	}
	if (policy_fallback(g, &fallback)) {
		rl_error ours;
		rl_debt debts[RL_LIMITS_MAX];
		rl_question shared;
		const rl_question *asked = q;
		rl_status local;

		if (g->policy.share > 0) {
			shared = rl_debts_share(g, key, q, debts);
			asked = &shared;
		}
		local = rl_failure_policy_ask_embedded(&fallback, key, asked, a, &ours);

		if (local == RL_STALE_BOUNDARIES) {
			e->now_us = ours.now_us;
			a->decision.source = RL_FROM_LOCAL;
			return local;
		}
		if (local == RL_OK && !rl_op_is_decision(q->op)) {
			policy_say_only_here(e);
			return status;
		}
		if (local == RL_OK) {
			a->decision.source = RL_FROM_LOCAL;
			policy_note_fallback(rl_op_counts(q->op));
			if (rl_op_counts(q->op) && e->unexecuted) {
				rl_debts_add(g, key, q, a);
			}
			return RL_OK;
		}
	}
	if (!rl_op_is_decision(q->op)) {
		return status;
	}
	policy_decide(g, q->limits[0].limit, &a->decision);
	policy_refuse_too_expensive(q, &a->decision);
	a->granted = a->decision.accepted ? policy_granted(q) : 0;
	a->wait_us = 0;
	policy_note_fallback(rl_op_counts(q->op));
	return RL_OK;
}

rl_status rl_failure_policy_count(const rl_guard *g, rl_status status, bool peek, const rl_key *key,
	const rl_counter_question *q, rl_decision *d, const rl_error *e)
{
	rl_store fallback;
	rl_error ignored;

	if (!policy_applies(g, status)) {
		return status;
	}
	bool local = policy_fallback(g, &fallback);
	rl_counter_question shared = local && g->policy.share > 0 ? rl_debts_share_counter(g, &fallback, key, q) : *q;

	if (local && (peek ? fallback.ops->peek : fallback.ops->count)(&fallback, key, &shared, d, &ignored) == RL_OK) {
		d->source = RL_FROM_LOCAL;
		d->limit = q->limit;
		if (!peek && d->accepted && e->unexecuted) {
			rl_debts_add_counter(g, key, q, d);
		}
	} else {
		policy_decide(g, q->limit, d);
	}
	policy_note_fallback(!peek);
	return RL_OK;
}

rl_status rl_failure_policy_command(const rl_guard *g, rl_status status, const rl_key *key, const rl_counter_command *c,
	bool *found, rl_error *e)
{
	rl_store fallback;
	rl_error ignored;

	if (policy_applies(g, status) && policy_fallback(g, &fallback)
		&& fallback.ops->command(&fallback, key, c, found, &ignored) == RL_OK) {
		policy_say_only_here(e);
	}
	return status;
}
