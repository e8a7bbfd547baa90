/* Declares the store of one DSN: what the pool owns and the store operations use. */
#ifndef RL_REDIS_STORE_H
#define RL_REDIS_STORE_H

#include "script_call.h"
#include "redis.h"

/* A power of two. */
#define RL_REDIS_REFUSED 256

/* The connections to one place, which all stores whose DSNs differ in rl_redis_options alone share. The pool owns it. */
typedef struct rl_redis_link {
	struct rl_redis_link *next;     /* in its pool */
	char id[RL_REDIS_SHA1_HEX + 1]; /* by rl_redis_dsn_connection() */
	rl_redis_dsn dsn;
	rl_redis_session session;
	int64_t clock_ahead_us; /* Redis' clock minus the local one, by the last answer */
} rl_redis_link;

typedef struct rl_redis_store {
	rl_store base;               /* first: an rl_store is one of these */
	struct rl_redis_store *next; /* in its pool */
	char *name;                  /* the whole DSN */
	size_t name_len;
	rl_redis_link *link;
	rl_redis_options options;
	rl_redis_wire question;
	char *key; /* the prefix, and behind it room for the rest of a key */
	size_t prefix_len;
	uint32_t refused[RL_REDIS_REFUSED]; /* the identities that doHandle() refused last, by their hashes */
} rl_redis_store;

/* Returns NULL when there is no memory. The link stays borrowed. */
rl_redis_store *rl_redis_store_new(const char *dsn, size_t dsn_len, rl_redis_link *link,
	const rl_redis_options *options);
void rl_redis_store_free(rl_redis_store *store);

/* Sets the prefix of the keys, and the store's id. Returns false, and changes nothing, when there is no memory. */
bool rl_redis_store_set_prefix(rl_redis_store *store, const char *prefix, size_t prefix_len);

#endif
