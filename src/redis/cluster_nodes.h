/* A cluster's nodes as far as they are known, and which slot is whose. */
#ifndef RL_REDIS_CLUSTER_NODES_H
#define RL_REDIS_CLUSTER_NODES_H

#include "server.h"
#include "cluster_slot.h"

/* More nodes than a cluster can have; what goes beyond that is not a cluster's map. */
#define RL_REDIS_NODES_MAX 1024

typedef struct {
	rl_redis_server server; /* first */
	bool seed;              /* from the DSN: never forgotten */
	bool listed;            /* in the newest map, or named since */
	bool lost;              /* did not answer when it was last needed: asked for the map last */
	rl_status refusal;      /* of this call: why it cannot be connected */
} rl_redis_node;

/* All zeroes: none is known. */
typedef struct {
	rl_redis_node *at[RL_REDIS_NODES_MAX]; /* NULL: free */
	size_t n;                              /* places that were ever used */
	uint16_t owner[RL_REDIS_SLOTS];        /* its place, and 1; 0: not known */
} rl_redis_nodes;

/* The node at an address, a new one of this DSN if need be; NULL when there is no room for it. */
rl_redis_node *rl_redis_nodes_need(rl_redis_nodes *nodes, const rl_redis_dsn *dsn, const rl_redis_address *address);

/* Any node that may be asked in this call, one that is connected if there is one, one that is lost if there is no other. */
rl_redis_node *rl_redis_nodes_any(const rl_redis_nodes *nodes);

rl_redis_node *rl_redis_nodes_owner(const rl_redis_nodes *nodes, unsigned slot);
bool rl_redis_nodes_owns_any(const rl_redis_nodes *nodes, const rl_redis_node *n);

/* n: NULL when it is not known whose they are. */
void rl_redis_nodes_give(rl_redis_nodes *nodes, unsigned first, unsigned last, const rl_redis_node *n);

/* A new map begins: no slot is anybody's, and no node is listed. */
void rl_redis_nodes_unlist(rl_redis_nodes *nodes);

/* Forgets the nodes that the newest map does not list; seeds stay. */
void rl_redis_nodes_forget(rl_redis_nodes *nodes);

void rl_redis_nodes_free(rl_redis_nodes *nodes);

#endif
