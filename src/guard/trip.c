#include "trip.h"

#include "../shm/shm.h"

#include <stdio.h>

rl_server *rl_trip_server(const rl_guard *g, const rl_key *key)
{
	const char *label = g->server && g->store->ops->server ? g->store->ops->server(g->store, key) : NULL;
	rl_server *part = label ? rl_server_part(g->server, label) : NULL;

	return part ? part : g->server;
}

static int64_t hold_us(const rl_guard *g)
{
	return g->patience_us > g->retry_delay_us ? g->patience_us : g->retry_delay_us;
}

rl_status rl_trip_may(const rl_guard *g, rl_server *server, rl_attempt *attempt, rl_error *e)
{
	e->only_this = false;
	if (!g->store) {
		snprintf(e->message, sizeof(e->message), "no store could be made: a warning said why when PHP started");
		return RL_UNAVAILABLE;
	}
	return rl_guard_is_embedded(g) ? RL_OK : rl_breaker_may_ask(server, hold_us(g), attempt, e);
}

/* What a status says of the server, rather than of the question. */
static rl_how_it_went how_it_went(rl_status status, const rl_error *e)
{
	switch (status) {
		case RL_UNAVAILABLE:
			return e->only_this ? RL_WENT_WELL : RL_WENT_SILENT;
		case RL_MISCONFIGURED:
			return e->only_this ? RL_WENT_WELL : RL_WENT_REFUSED;
		default:
			return RL_WENT_WELL;
	}
}

static void tell_breaker(const rl_guard *g, const rl_attempt *attempt, rl_how_it_went how, const rl_error *e)
{
	rl_breaker_went(attempt->server, attempt, how, e->message, g->retry_delay_us, rl_on_failure_names[g->on_failure]);
}

/* The question was asked without knowing of whom. If that is known by now the cluster is well, and the node is not. */
static bool tell_node(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_how_it_went how, const rl_error *e)
{
	rl_server *node = rl_trip_server(g, key);
	rl_attempt at_node;
	rl_error unsaid;

	if (node == attempt->server || node == g->server) {
		return false;
	}
	if (rl_breaker_may_ask(node, hold_us(g), &at_node, &unsaid) == RL_OK) {
		tell_breaker(g, &at_node, how, e);
	}
	if (attempt->server == g->server) {
		tell_breaker(g, attempt, RL_WENT_WELL, e);
	}
	return true;
}

void rl_trip_tell(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_status status, const rl_error *e)
{
	rl_how_it_went how = how_it_went(status, e);

	if (!rl_guard_is_embedded(g) && (how == RL_WENT_WELL || !tell_node(g, key, attempt, how, e))) {
		tell_breaker(g, attempt, how, e);
	}
}

void rl_trip_count(rl_status status, bool peek, const rl_decision *d)
{
	switch (status) {
		case RL_OK:
			rl_shm_count(RL_COUNT_REDIS_DECISIONS);
			if (!peek && d && !d->accepted) {
				rl_shm_count(RL_COUNT_REDIS_REFUSALS);
			}
			break;
		case RL_STALE:
			break;
		default:
			rl_shm_count(RL_COUNT_REDIS_ERRORS);
			break;
	}
}
