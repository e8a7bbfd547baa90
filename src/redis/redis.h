/* src/redis: The Redis store: one script call is one decision.
 *
 * Declares the Redis store: one persistent connection per thread and server, one script call per decision. This header is
 * the facade of src/redis: pool.c, redis_store.c, inspect.c and scan.c define its functions. */
#ifndef RL_REDIS_H
#define RL_REDIS_H

#include "../store.h"
#include "dsn/dsn.h"

/* The connections of one thread, freed with it. After a fork the child never uses its parent's connections. */
typedef struct rl_redis_pool rl_redis_pool;

rl_redis_pool *rl_redis_pool_new(void);
void rl_redis_pool_free(rl_redis_pool *pool);

/* Returns the store of a DSN, creates it on first use; the store connects at its first question. Its keys have the prefix from
 * this call on. The pool owns the store. Returns NULL, with a message in e, for an invalid DSN. */
rl_store *rl_redis_pool_store(rl_redis_pool *pool, const char *dsn, size_t dsn_len, const char *prefix,
	size_t prefix_len, rl_error *e);

/* Gives the keys of all stores of the pool the prefix from this call on. */
void rl_redis_pool_set_prefix(rl_redis_pool *pool, const char *prefix, size_t prefix_len);

const rl_redis_options *rl_redis_store_options(const rl_store *store);

/* Names the server of a store: an id without secrets, which stores on the same connections share, and its text for messages. */
typedef struct {
	const char *id;
	const char *label;
} rl_redis_server_name;

rl_redis_server_name rl_redis_store_server(const rl_store *store);

/* A server's bound, and its policy when it is full. */
typedef struct {
	uint64_t maxmemory; /* bytes; 0: no bound */
	char policy[32];    /* maxmemory-policy; "": the user has no right to INFO */
} rl_redis_eviction;

/* Asks the server of a store (in a cluster: of its prefix, as a key), within the store's timeout, about its eviction, and to run a script
 * that it does not have. A server that refuses the script is RL_MISCONFIGURED. */
rl_status rl_redis_store_inspect(rl_store *store, rl_redis_eviction *eviction, rl_error *e);

/* A place among the keys of a store: at a cursor of the server that has a slot. Zeroed: the beginning. */
typedef struct {
	unsigned slot;
	uint64_t cursor;
	bool at_end;
} rl_redis_scan_position;

typedef void (*rl_redis_take_key)(void *context, const rl_key *key);

/* Reads the next page of a store's keys (SCAN) within the store's timeouts, and advances the position; a key may come twice.
 * Calls take for each key that has the store's prefix and the form of this project's. The keys are valid during that call. */
rl_status rl_redis_store_scan(rl_store *store, rl_redis_scan_position *position, rl_redis_take_key take, void *context,
	rl_error *e);

/* Returns the version of hiredis that was linked, such as "0.14.1". */
const char *rl_redis_client_version(void);

#endif
