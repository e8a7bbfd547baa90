#include "topology.h"

#include "server.h"

void rl_redis_topology_free(rl_redis_topology *t)
{
	if (t) {
		rl_redis_tls_context_free(t->tls);
		t->ops->free(t);
	}
}

rl_redis_server *rl_redis_topology_server(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline,
	rl_status *status, rl_error *e)
{
	rl_redis_server *server;

	if (t->ops->begin) {
		t->ops->begin(t);
	}
	server = t->ops->get_ready(t, slot);
	return server ? server : t->ops->connect(t, slot, deadline, status, e);
}

rl_status rl_redis_topology_open(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline, rl_error *e)
{
	if (t->dsn->tls.on && !t->tls) {
		t->tls = rl_redis_tls_context_new(&t->dsn->tls, s->label, e);
		if (!t->tls) {
			return RL_MISCONFIGURED;
		}
	}
	s->close_after = false;
	return rl_redis_topology_opened(t,
		rl_redis_connection_open(&s->connection, &s->address, &s->resolver, t->tls, deadline, s->label, e));
}

/* Certificates are renewed while workers run. With TLS 1.3 a server rejects the client's after the connection is open. */
rl_status rl_redis_topology_opened(rl_redis_topology *t, rl_status status)
{
	if (status == RL_MISCONFIGURED) {
		rl_redis_tls_context_free(t->tls);
		t->tls = NULL;
	}
	return status;
}
