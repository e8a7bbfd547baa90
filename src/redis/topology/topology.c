#include "topology.h"

#include "server.h"

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
