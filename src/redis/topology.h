/* Which server decides about a key: the only one, the one that the sentinels name, or a node of a cluster. */
#ifndef RL_REDIS_TOPOLOGY_H
#define RL_REDIS_TOPOLOGY_H

#include "server.h"

typedef struct rl_redis_topology rl_redis_topology;

/* What an error reply asks for, where it says that nothing was executed. */
typedef enum {
	RL_REDIRECT_NONE,        /* it is no such reply */
	RL_REDIRECT_MOVED,       /* ask again: the server for the key is another one now */
	RL_REDIRECT_ASK,         /* ask again, this once, at another server, after ASKING */
	RL_REDIRECT_RETRY_LATER, /* ask again after a moment */
} rl_redis_redirection;

typedef struct {
	/* A call begins: servers that it was not told of may be forgotten, those that it is told of stay until the next. NULL
	 * itself: none is ever forgotten. */
	void (*begin)(rl_redis_topology *t);

	/* The server for a slot, with a connection that can be used; NULL when something has to be done first. */
	rl_redis_server *(*get_ready)(rl_redis_topology *t, unsigned slot);

	/* Does it: finds the server, connects. NULL, with *status and the reason in e, when that cannot be. */
	rl_redis_server *(
		*connect)(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline, rl_status *status, rl_error *e);

	/* Judges an error reply. *to: the other server, for RL_REDIRECT_ASK (not connected yet, maybe). */
	rl_redis_redirection (
		*redirect)(rl_redis_topology *t, rl_redis_server *from, const redisReply *reply, rl_redis_server **to);

	/* The label of the server for a slot, as far as is known; NULL where it is not. NULL itself: there is one server. */
	const char *(*label_of_slot)(const rl_redis_topology *t, unsigned slot);

	/* A server did not answer. NULL itself: it will be connected anew, and that is all. */
	void (*on_lost)(rl_redis_topology *t, rl_redis_server *server);

	void (*free)(rl_redis_topology *t);
} rl_redis_topology_ops;

struct rl_redis_topology {
	const rl_redis_topology_ops *ops;
	const rl_redis_dsn *dsn;
	rl_redis_tls_context *tls; /* made when it is first needed */
	bool has_slots;            /* does the slot of a key matter? */
};

/* NULL when there is no memory. The DSN is borrowed. */
rl_redis_topology *rl_redis_topology_new(const rl_redis_dsn *dsn);
void rl_redis_topology_free(rl_redis_topology *t);

/* The three kinds; see there. */
rl_redis_topology *rl_redis_single_new(const rl_redis_dsn *dsn);
rl_redis_topology *rl_redis_sentinel_new(const rl_redis_dsn *dsn);
rl_redis_topology *rl_redis_cluster_new(const rl_redis_dsn *dsn);

/* Connects a server of the topology, in clear or over TLS as the DSN says, and greets it. */
rl_status rl_redis_topology_handshake(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline,
	rl_error *e);

/* The same without a greeting. */
rl_status rl_redis_topology_open(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline, rl_error *e);

#endif
