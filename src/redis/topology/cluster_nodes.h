/* Declares a cluster's known nodes, and the owner of each slot. */
#ifndef RL_REDIS_CLUSTER_NODES_H
#define RL_REDIS_CLUSTER_NODES_H

#include "server.h"
#include "cluster_slot.h"

/* More nodes than a cluster can have. */
#define RL_REDIS_NODES_MAX 1024

typedef struct {
	rl_redis_server server; /* first */
	bool seed;              /* from the DSN: never freed */
	bool listed;            /* in the newest map, or named by a redirect since */
	bool lost;              /* did not answer when it was last used: the map is asked from it last */
	rl_status refusal;      /* of this call: the status of the failed connection */
} rl_redis_node;

/* Valid when zeroed: no node is known. */
typedef struct {
	rl_redis_node *at[RL_REDIS_NODES_MAX]; /* NULL: free */
	size_t n;                              /* entries that were ever used */
	uint16_t owner[RL_REDIS_SLOTS];        /* its index plus 1; 0: not known */
} rl_redis_nodes;

/* Returns the node at an address, and creates it if it is new. Returns NULL when there is no room or memory for it. */
rl_redis_node *rl_redis_nodes_need(rl_redis_nodes *nodes, const rl_redis_dsn *dsn, const rl_redis_address *address);

/* Returns a node that has not failed in this call: a connected one if possible, a lost one if there is no other; or NULL. */
rl_redis_node *rl_redis_nodes_any(const rl_redis_nodes *nodes);

rl_redis_node *rl_redis_nodes_owner(const rl_redis_nodes *nodes, unsigned slot);
bool rl_redis_nodes_owns_any(const rl_redis_nodes *nodes, const rl_redis_node *n);

/* Sets the owner of the slots from first to last. NULL: not known. */
void rl_redis_nodes_give(rl_redis_nodes *nodes, unsigned first, unsigned last, const rl_redis_node *n);

/* Begins a new map: clears every slot's owner, and every node's listed. */
void rl_redis_nodes_unlist(rl_redis_nodes *nodes);

/* Frees the nodes that the newest map does not list; seeds stay. */
void rl_redis_nodes_forget(rl_redis_nodes *nodes);

void rl_redis_nodes_free(rl_redis_nodes *nodes);

#endif
