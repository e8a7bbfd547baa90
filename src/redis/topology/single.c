/* The topology of one server, always the same. */
#include <stdlib.h>

#include "topology.h"

typedef struct {
	rl_redis_topology base; /* first */
	rl_redis_server server;
} single_topology;

static rl_redis_server *single_get_ready(rl_redis_topology *t, unsigned slot)
{
	rl_redis_server *server = &((single_topology *) t)->server;

	(void) slot;
	return rl_redis_connection_is_usable(&server->connection) ? server : NULL;
}

static rl_redis_server *single_connect(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline,
	rl_status *status, rl_error *e)
{
	rl_redis_server *server = &((single_topology *) t)->server;

	(void) slot;
	*status = rl_redis_topology_handshake(t, server, deadline, e);
	return *status == RL_OK ? server : NULL;
}

static void single_free(rl_redis_topology *t)
{
	rl_redis_server_free(&((single_topology *) t)->server);
	free(t);
}

static const rl_redis_topology_ops single_ops = {
	.get_ready = single_get_ready,
	.connect = single_connect,
	.free = single_free,
};

rl_redis_topology *rl_redis_single_new(const rl_redis_dsn *dsn)
{
	single_topology *s = calloc(1, sizeof *s);

	if (!s) {
		return NULL;
	}
	s->base = (rl_redis_topology){.ops = &single_ops, .dsn = dsn};
	rl_redis_server_init(&s->server, dsn, RL_REDIS_AS_MASTER, dsn->addresses);
	return &s->base;
}
