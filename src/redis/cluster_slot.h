/* Redis Cluster's slots: which one a key is in, and who has which. */
#ifndef RL_REDIS_CLUSTER_SLOT_H
#define RL_REDIS_CLUSTER_SLOT_H

#include "dsn/dsn.h"
#include "reply.h"

#define RL_REDIS_SLOTS 16384

/* The slot of a key: of what stands between its first { and the next }, if that is anything, or else of all of it. An
 * action or identity that holds both puts its keys together, as it would anywhere else. */
unsigned rl_redis_slot(const char *key, size_t len);

/* Takes a range of slots; asked: the node that answered has them, at this port. */
typedef void (*rl_redis_take_slots)(void *context, unsigned first, unsigned last, const rl_redis_address *address);

/* Reads the answer to CLUSTER SLOTS of the node at asked, which stands for nodes whose address the server does not know.
 * False, and nothing was handed to take, when it is none. */
bool rl_redis_slots_read(const redisReply *reply, const rl_redis_address *asked, rl_redis_take_slots take,
	void *context);

/* Reads "MOVED 3999 127.0.0.1:6381" and "ASK …", of which the error reply of the node at asked is one. */
bool rl_redis_moved_read(const char *text, const rl_redis_address *asked, unsigned *slot, rl_redis_address *address);

#endif
