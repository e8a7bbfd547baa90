#include "attempt.h"

#include "../shm/shm.h"

#include <stdio.h>

rl_breaker *rl_breaker_for(const rl_guard *g, const rl_key *key)
{
	const char *label = g->breaker && g->store->ops->server ? g->store->ops->server(g->store, key) : NULL;
	rl_breaker *part = label ? rl_breaker_of_node(g->breaker, label) : NULL;

	return part ? part : g->breaker;
}

static int64_t probe_timeout_us(const rl_guard *g)
{
	return g->ask_timeout_us > g->retry_delay_us ? g->ask_timeout_us : g->retry_delay_us;
}

rl_status rl_attempt_begin(const rl_guard *g, rl_breaker *breaker, rl_attempt *attempt, rl_error *e)
{
	e->question_only = false;
	if (!g->store) {
		snprintf(e->message, sizeof(e->message), "no store could be made: a warning said why when PHP started");
		return RL_UNAVAILABLE;
	}
	return rl_guard_is_embedded(g) ? RL_OK : rl_breaker_allow(breaker, probe_timeout_us(g), attempt, e);
}

/* What a status says of the server, rather than of the question. */
static rl_attempt_result how_it_went(rl_status status, const rl_error *e)
{
	switch (status) {
		case RL_UNAVAILABLE:
			return e->question_only ? RL_ATTEMPT_OK : RL_ATTEMPT_FAILED;
		case RL_MISCONFIGURED:
			return e->question_only ? RL_ATTEMPT_OK : RL_ATTEMPT_REJECTED;
		default:
			return RL_ATTEMPT_OK;
	}
}

static void tell_breaker(const rl_guard *g, const rl_attempt *attempt, rl_attempt_result how, const rl_error *e)
{
	rl_breaker_record(attempt->breaker, attempt, how, e->message, g->retry_delay_us,
		rl_on_failure_names[g->on_failure]);
}

/* The question was asked without knowing of whom. If that is known by now the cluster is well, and the node is not. */
static bool tell_node(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_attempt_result how,
	const rl_error *e)
{
	rl_breaker *node = rl_breaker_for(g, key);
	rl_attempt at_node;
	rl_error unsaid;

	if (node == attempt->breaker || node == g->breaker) {
		return false;
	}
	if (rl_breaker_allow(node, probe_timeout_us(g), &at_node, &unsaid) == RL_OK) {
		tell_breaker(g, &at_node, how, e);
	}
	if (attempt->breaker == g->breaker) {
		tell_breaker(g, attempt, RL_ATTEMPT_OK, e);
	}
	return true;
}

void rl_attempt_end(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_status status,
	const rl_error *e)
{
	rl_attempt_result how = how_it_went(status, e);

	if (!rl_guard_is_embedded(g) && (how == RL_ATTEMPT_OK || !tell_node(g, key, attempt, how, e))) {
		tell_breaker(g, attempt, how, e);
	}
}

void rl_attempt_count(rl_status status, bool peek, const rl_decision *d)
{
	switch (status) {
		case RL_OK:
			rl_stat_add(RL_STAT_REDIS_DECISIONS);
			if (!peek && d && !d->accepted) {
				rl_stat_add(RL_STAT_REDIS_REFUSALS);
			}
			break;
		case RL_STALE_BOUNDARIES:
			break;
		default:
			rl_stat_add(RL_STAT_REDIS_ERRORS);
			break;
	}
}
