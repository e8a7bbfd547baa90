/* src/redis/topology: The server that decides about a key.
 *
 * Finds the server that decides about a key: the only one, the master that the sentinels name, or a cluster node. */
#ifndef RL_REDIS_TOPOLOGY_H
#define RL_REDIS_TOPOLOGY_H

#include "server.h"

typedef struct rl_redis_topology rl_redis_topology;

/* The next step after an error reply which implies that nothing was executed. */
typedef enum {
	RL_REDIRECT_NONE,        /* not such a reply */
	RL_REDIRECT_MOVED,       /* ask again: another server has the key now */
	RL_REDIRECT_ASK,         /* ask again, once, at another server, after ASKING */
	RL_REDIRECT_RETRY_LATER, /* ask again after a pause */
} rl_redis_redirection;

typedef struct {
	/* Begins a call. Frees servers that the topology no longer has; every server returned from now on stays valid until the
	 * next begin(). NULL: servers are never freed. */
	void (*begin)(rl_redis_topology *t);

	/* Returns the server of a slot if its connection is usable; NULL if connect() is needed first. */
	rl_redis_server *(*get_ready)(rl_redis_topology *t, unsigned slot);

	/* Finds and connects the server of a slot. Returns NULL, with *status and the reason in e, on failure. */
	rl_redis_server *(
		*connect)(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline, rl_status *status, rl_error *e);

	/* Classifies an error reply. Sets *to to the other server for RL_REDIRECT_ASK; it may not be connected yet. NULL: every reply is
	 * RL_REDIRECT_NONE. */
	rl_redis_redirection (
		*redirect)(rl_redis_topology *t, rl_redis_server *from, const redisReply *reply, rl_redis_server **to);

	/* Returns the label of the slot's server, or NULL if it is not known. A NULL function: one server has all slots. */
	const char *(*label_of_slot)(const rl_redis_topology *t, unsigned slot);

	/* Reports that a server did not answer. NULL: the server is reconnected, nothing else. */
	void (*on_lost)(rl_redis_topology *t, rl_redis_server *server);

	void (*free)(rl_redis_topology *t);
} rl_redis_topology_ops;

struct rl_redis_topology {
	const rl_redis_topology_ops *ops;
	const rl_redis_dsn *dsn;
	rl_redis_tls_context *tls; /* created on first use */
};

/* Returns whether the slot of a key decides its server. */
static inline bool rl_redis_topology_has_slots(const rl_redis_topology *t)
{
	return t->ops->label_of_slot != NULL;
}

/* Create the three kinds of topology of a DSN, which stays borrowed: single.c, sentinel.c, cluster.c. NULL: there is no memory. */
rl_redis_topology *rl_redis_single_new(const rl_redis_dsn *dsn);
rl_redis_topology *rl_redis_sentinel_new(const rl_redis_dsn *dsn);
rl_redis_topology *rl_redis_cluster_new(const rl_redis_dsn *dsn);
void rl_redis_topology_free(rl_redis_topology *t);

/* Begins a call of one exchange, and returns the server of a slot, connected. Returns NULL as connect() does. */
rl_redis_server *rl_redis_topology_server(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline,
	rl_status *status, rl_error *e);

/* Connects a server of the topology, with TLS if the DSN asks for it. Its first replies must follow: their status goes through
 * rl_redis_topology_opened(). */
rl_status rl_redis_topology_open(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline, rl_error *e);

/* Returns the status of a new connection. A rejection makes the next connection read the certificates again. */
rl_status rl_redis_topology_opened(rl_redis_topology *t, rl_status status);

/* ---- The handshake of a new connection: AUTH, HELLO, SELECT ---- */

/* Appends AUTH as one command. Returns false, without a command, if the login is not given. */
bool rl_redis_write_login(rl_redis_buffer *b, const rl_redis_login *login);

/* Connects, authenticates, checks the server's version and role, and selects the database: the latter three in one write,
 * all under one deadline. RL_OK: the server is usable. */
rl_status rl_redis_topology_handshake(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline,
	rl_error *e);

#endif
