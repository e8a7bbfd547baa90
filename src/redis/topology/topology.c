#include "topology.h"

#include "handshake.h"

rl_redis_topology *rl_redis_topology_new(const rl_redis_dsn *dsn)
{
	switch (dsn->kind) {
		case RL_REDIS_SENTINEL:
			return rl_redis_sentinel_new(dsn);
		case RL_REDIS_CLUSTER:
			return rl_redis_cluster_new(dsn);
		case RL_REDIS_SINGLE:
			break;
	}
	return rl_redis_single_new(dsn);
}

void rl_redis_topology_free(rl_redis_topology *t)
{
	if (t) {
		rl_redis_tls_context_free(t->tls);
		t->ops->free(t);
	}
}

typedef rl_status (
	*topology_opener)(rl_redis_server *s, rl_redis_tls_context *tls, rl_redis_deadline deadline, rl_error *e);

static rl_status topology_open_by(topology_opener open, rl_redis_topology *t, rl_redis_server *s,
	rl_redis_deadline deadline, rl_error *e)
{
	if (t->dsn->tls.on && !t->tls) {
		t->tls = rl_redis_tls_context_new(&t->dsn->tls, s->label, e);
		if (!t->tls) {
			return RL_MISCONFIGURED;
		}
	}
	rl_status status = open(s, t->tls, deadline, e);
	if (status == RL_MISCONFIGURED && t->tls) {
		/* Certificates are renewed while workers run, so the next connection reads the files again. */
		rl_redis_tls_context_free(t->tls);
		t->tls = NULL;
	}
	return status;
}

rl_status rl_redis_topology_handshake(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline, rl_error *e)
{
	return topology_open_by(rl_redis_handshake, t, s, deadline, e);
}

rl_status rl_redis_topology_open(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline, rl_error *e)
{
	return topology_open_by(rl_redis_server_open, t, s, deadline, e);
}
