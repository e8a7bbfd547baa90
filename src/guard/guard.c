#include "guard.h"

#include "../shm/shm.h"
#include "policy.h"
#include "recall.h"
#include "trip.h"

const char *const rl_on_failure_names[4] = {"local", "allow", "deny", "throw"};

bool rl_guard_is_embedded(const rl_guard *g)
{
	return g->store && g->store == rl_shm_store();
}

/* May the store be asked about this key? */
static rl_status may_ask(const rl_guard *g, const rl_key *key, rl_attempt *attempt, rl_error *e)
{
	return rl_trip_may(g, rl_trip_server(g, key), attempt, e);
}

/* How it went. */
static rl_status went(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_status status, bool peek,
	const rl_decision *d, const rl_error *e)
{
	rl_trip_tell(g, key, attempt, status, e);
	if (!rl_guard_is_embedded(g)) {
		rl_trip_count(status, peek, d);
	}
	return status;
}

static rl_status plain(const rl_guard *g, bool peek, const rl_key *key, const rl_plain_question *q, rl_decision *d,
	rl_error *e)
{
	rl_attempt attempt;
	rl_recall recall;
	rl_status status;
	rl_store *other;

	if (rl_recall_plain(&recall, g, key, q, peek, d)) {
		return RL_OK;
	}
	status = may_ask(g, key, &attempt, e);
	if (status == RL_OK) {
		status = (peek ? g->store->ops->peek : g->store->ops->plain)(g->store, key, q, d, e);
		if (went(g, key, &attempt, status, peek, d, e) == RL_OK) {
			rl_recall_learn_plain(&recall, g, attempt.began_us, d);
		}
	}
	if (!rl_policy_answers(g, status)) {
		return status;
	}
	other = rl_policy_stand_in(g);
	if (other && (peek ? other->ops->peek : other->ops->plain)(other, key, q, d, e) == RL_OK) {
		d->source = RL_FROM_LOCAL;
	} else {
		rl_policy_decide(g, q->number, d);
	}
	rl_shm_count(RL_COUNT_FALLBACKS);
	return RL_OK;
}

rl_status rl_guard_plain(const rl_guard *g, const rl_key *key, const rl_plain_question *q, rl_decision *d, rl_error *e)
{
	return plain(g, false, key, q, d, e);
}

rl_status rl_guard_peek(const rl_guard *g, const rl_key *key, const rl_plain_question *q, rl_decision *d, rl_error *e)
{
	return plain(g, true, key, q, d, e);
}

rl_status rl_guard_forget(const rl_guard *g, const rl_key *key, bool *found, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = may_ask(g, key, &attempt, e);
	rl_store *other;

	if (status == RL_OK) {
		status = went(g, key, &attempt, g->store->ops->forget(g->store, key, found, e), true, NULL, e);
	}
	rl_recall_forget(g, key);
	other = rl_policy_answers(g, status) ? rl_policy_stand_in(g) : NULL;
	if (other && other->ops->forget(other, key, found, e) == RL_OK) {
		rl_shm_count(RL_COUNT_FALLBACKS);
		return RL_OK;
	}
	return status;
}

/* Asks the store itself. */
static rl_status ask_store(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_question lease;

	if (!rl_recall_wants_lease(g, q)) {
		return g->store->ops->ask(g->store, key, q, a, e);
	}
	lease = rl_lease_question(q);
	return g->store->ops->ask(g->store, key, &lease, a, e);
}

rl_status rl_guard_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_recall recall;
	rl_status status;

	/* It is this memory, and has no breaker. */
	if (rl_guard_is_embedded(g)) {
		return rl_policy_or_otherwise(g, g->store->ops->ask(g->store, key, q, a, e), key, q, a, e);
	}
	if (rl_recall_answers(&recall, g, key, q, a)) {
		return RL_OK;
	}
	status = may_ask(g, key, &attempt, e);
	if (status == RL_OK) {
		bool decided = q->op == RL_OP_CONSUME || q->op == RL_OP_RESERVE;

		status = ask_store(g, key, q, a, e);
		went(g, key, &attempt, status, !decided, &a->decision, e);
		if (status == RL_OK && rl_policy_has_decision(q->op)) {
			rl_recall_learn(&recall, g, attempt.began_us, a);
		}
	}
	/* Also where the server is left alone: the stand-in does it then. */
	if (!rl_policy_has_decision(q->op)) {
		rl_recall_forget(g, key);
	}
	return rl_policy_or_otherwise(g, status, key, q, a, e);
}

rl_status rl_guard_ask_again(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	if (a->decision.source != RL_FROM_LOCAL) {
		return rl_guard_ask(g, key, q, a, e);
	}
	return rl_policy_or_otherwise(g, RL_UNAVAILABLE, key, q, a, e);
}
