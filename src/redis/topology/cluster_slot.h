/* Maps keys to Redis Cluster's hash slots, and reads the replies that contain slots. */
#ifndef RL_REDIS_CLUSTER_SLOT_H
#define RL_REDIS_CLUSTER_SLOT_H

#include "../dsn/dsn.h"
#include "reply.h"

#define RL_REDIS_SLOTS 16384

/* Returns the slot of a key: the hash of the text between its first { and the next }, if that is not empty, or else of the
 * whole key, as in any Redis client. */
unsigned rl_redis_slot(const char *key, size_t len);

/* Takes a range of slots and the address of its owner. */
typedef void (*rl_redis_take_slots)(void *context, unsigned first, unsigned last, const rl_redis_address *address);

/* Reads the reply to CLUSTER SLOTS of the node at asked; asked replaces an address that the server does not know. Returns
 * false, without a call of take, for an invalid reply. */
bool rl_redis_slots_read(const redisReply *reply, const rl_redis_address *asked, rl_redis_take_slots take,
	void *context);

/* Reads an error reply of the node at asked: "MOVED 3999 127.0.0.1:6381" or "ASK …". */
bool rl_redis_moved_read(const char *text, const rl_redis_address *asked, unsigned *slot, rl_redis_address *address);

#endif
