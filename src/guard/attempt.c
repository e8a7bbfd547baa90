#include "attempt.h"

#include <stdio.h>

const rl_breaker_name *rl_attempt_server(const rl_guard *g, const rl_key *key, rl_breaker_name *node)
{
	const char *label = g->store ? g->store->ops->server(g->store, key) : NULL;

	if (!label) {
		return &g->breaker;
	}
	*node = rl_breaker_name_of_node(&g->breaker, label);
	return node;
}

static int64_t attempt_timeout_us(const rl_guard *g)
{
	return g->ask_timeout_us > g->retry_delay_us ? g->ask_timeout_us : g->retry_delay_us;
}

rl_status rl_attempt_begin_at(rl_attempt *t, const rl_guard *g, const rl_breaker_name *server, rl_error *e)
{
	t->g = g;
	t->key = NULL;
	e->question_only = false;
	e->unexecuted = true;
	if (!g->store) {
		snprintf(e->message, sizeof(e->message),
			"the store could not be set up when PHP started: see the warning in the error log");
		return RL_UNAVAILABLE;
	}
	return rl_breaker_allow(server, attempt_timeout_us(g), &t->call, e);
}

rl_status rl_attempt_begin(rl_attempt *t, const rl_guard *g, const rl_key *key, rl_error *e)
{
	rl_status status = rl_attempt_begin_at(t, g, rl_attempt_server(g, key, &t->node), e);

	t->key = key;
	return status;
}

/* Translates a status, which is about a question, into a result, which is about the server. */
static rl_attempt_result attempt_result(rl_status status, const rl_error *e)
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

static void attempt_report(const rl_guard *g, const rl_breaker_call *call, rl_attempt_result result, const rl_error *e)
{
	rl_breaker_record(call, result, e->message, g->retry_delay_us, rl_on_failure_names[g->policy.on_failure]);
}

/* Reports a failure to the node that failed, if the attempt began without the node's name or at another node. Then the
 * cluster as a whole answered. Returns false if the attempt began at that node, or the node is still unknown. */
static bool record_at_node(const rl_attempt *t, const rl_key *key, rl_attempt_result result, const rl_error *e)
{
	rl_breaker_name node;
	const rl_breaker_name *server = rl_attempt_server(t->g, key, &node);
	rl_breaker_call at_node;
	rl_error ignored;

	if (server == &t->g->breaker || (t->call.server && server->id == t->call.server->id)) {
		return false;
	}
	if (rl_breaker_allow(server, attempt_timeout_us(t->g), &at_node, &ignored) == RL_OK) {
		attempt_report(t->g, &at_node, result, e);
	}
	if (t->call.server == &t->g->breaker) {
		attempt_report(t->g, &t->call, RL_ATTEMPT_OK, e);
	}
	return true;
}

void rl_attempt_record(const rl_attempt *t, const rl_key *key, rl_status status, const rl_error *e)
{
	rl_attempt_result result = attempt_result(status, e);

	if (result == RL_ATTEMPT_OK || !record_at_node(t, key, result, e)) {
		attempt_report(t->g, &t->call, result, e);
	}
}

void rl_attempt_count(const rl_key *key, rl_status status, const rl_decision *decided)
{
	switch (status) {
		case RL_OK:
			if (decided && rl_stat_has_space(key->space)) {
				rl_stat_add(RL_STAT_REDIS_DECISIONS);
				if (!rl_stat_is_admission(decided)) {
					rl_stat_add(RL_STAT_REDIS_REFUSALS);
				}
			}
			break;
		case RL_STALE_BOUNDARIES:
			break;
		default:
			rl_stat_add(RL_STAT_REDIS_ERRORS);
			break;
	}
}

void rl_attempt_end(const rl_attempt *t, rl_status status, const rl_decision *decided, const rl_error *e)
{
	rl_attempt_record(t, t->key, status, e);
	rl_attempt_count(t->key, status, decided);
}

rl_status rl_attempt_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = rl_attempt_begin(&attempt, g, key, e);

	if (status == RL_OK) {
		status = g->store->ops->ask(g->store, key, q, a, e);
		rl_attempt_end(&attempt, status, NULL, e);
	}
	return status;
}
