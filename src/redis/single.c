/* One server, always the same. */
#include <stdlib.h>

#include "topology.h"

typedef struct {
	rl_redis_topology base; /* first */
	rl_redis_server server;
} single;

static rl_redis_server *ready(rl_redis_topology *t, unsigned slot)
{
	rl_redis_server *server = &((single *) t)->server;

	(void) slot;
	return rl_redis_connection_is_usable(&server->connection) ? server : NULL;
}

static rl_redis_server *connect_server(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline, rl_status *status, rl_error *e)
{
	rl_redis_server *server = &((single *) t)->server;

	(void) slot;
	*status = rl_redis_topology_meet(t, server, deadline, e);
	server->fresh = true;
	return *status == RL_OK ? server : NULL;
}

static rl_redis_redirection redirect(rl_redis_topology *t, rl_redis_server *from, const redisReply *reply, rl_redis_server **to)
{
	(void) t;
	(void) from;
	(void) reply;
	(void) to;
	return RL_REDIS_NOWHERE;
}

static void free_single(rl_redis_topology *t)
{
	rl_redis_server_free(&((single *) t)->server);
	free(t);
}

static const rl_redis_topology_ops ops = {
	.ready = ready, .connect = connect_server, .redirect = redirect, .free = free_single,
};

rl_redis_topology *rl_redis_single_new(const rl_redis_dsn *dsn)
{
	single *s = calloc(1, sizeof *s);

	if (!s) {
		return NULL;
	}
	s->base = (rl_redis_topology) {.ops = &ops, .dsn = dsn};
	rl_redis_server_init(&s->server, dsn, RL_REDIS_AS_MASTER, dsn->addresses, false);
	return &s->base;
}
