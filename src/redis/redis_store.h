/* Declares the store of one DSN: what the pool owns and the store operations use. */
#ifndef RL_REDIS_STORE_H
#define RL_REDIS_STORE_H

#include "script_call.h"

/* A power of two. */
#define RL_REDIS_REFUSED 256

typedef struct rl_redis_store {
	rl_store base;               /* first: an rl_store is one of these */
	struct rl_redis_store *next; /* in its pool */
	char *name;                  /* the whole DSN: another password is another store */
	size_t name_len;
	rl_redis_dsn dsn;
	rl_redis_session session;
	rl_redis_wire question;
	int connect_timeout_ms;
	int timeout_ms;
	char *key; /* the prefix, and behind it room for the rest of a key */
	size_t prefix_len;
	int64_t clock_ahead_us;             /* Redis' clock minus the local one, by the last answer */
	uint32_t refused[RL_REDIS_REFUSED]; /* the identities that doHandle() refused last, by their hashes */
} rl_redis_store;

/* Returns NULL, with the reason in e, for an invalid DSN. */
rl_redis_store *rl_redis_store_new(const char *dsn, size_t dsn_len, rl_error *e);
void rl_redis_store_free(rl_redis_store *store);

/* Applies the settings. Returns false, with the reason in e, when there is no memory for the prefix. */
bool rl_redis_store_configure(rl_redis_store *store, const rl_redis_settings *settings, rl_error *e);

#endif
