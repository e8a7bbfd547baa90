/* Declares the Redis store: one persistent connection per thread and server, one script call per decision. This header is
 * the facade of src/redis: pool.c, dsn/dsn.c, dsn/label.c and net/tls.c define its functions. */
#ifndef RL_REDIS_H
#define RL_REDIS_H

#include "../store.h"

/* The connections of one thread, freed with it. After a fork the child never uses its parent's connections. */
typedef struct rl_redis_pool rl_redis_pool;

typedef struct {
	int connect_timeout_ms; /* to connect, the handshake included: one deadline */
	int timeout_ms;         /* for one question, from the first byte sent to the last one read: one deadline */
	const char *prefix;     /* of every key; borrowed for the call */
	size_t prefix_len;
} rl_redis_settings;

rl_redis_pool *rl_redis_pool_new(void);
void rl_redis_pool_free(rl_redis_pool *pool);

/* Returns the store of a DSN, creates it on first use; the store connects at its first question. Applies the settings from
 * this call on. The pool owns the store. Returns NULL, with a message in e, for an invalid DSN. */
rl_store *rl_redis_pool_store(rl_redis_pool *pool, const char *dsn, size_t dsn_len, const rl_redis_settings *settings,
	rl_error *e);

/* Applies the settings to all stores of the pool from this call on. */
void rl_redis_pool_configure(rl_redis_pool *pool, const rl_redis_settings *settings);

/* Returns whether rl_redis_pool_store() accepts the DSN; if not, sets e to the reason, which never contains a password. */
bool rl_redis_dsn_check(const char *dsn, size_t dsn_len, rl_error *e);

/* Writes the DSN with its password masked, for phpinfo() and messages. Always terminates it. */
void rl_redis_dsn_mask(const char *dsn, size_t dsn_len, char *out, size_t out_size);

/* A server's bound, and its policy when it is full. */
typedef struct {
	uint64_t maxmemory; /* bytes; 0: no bound */
	char policy[32];    /* maxmemory-policy; "": the user has no right to INFO */
} rl_redis_eviction;

/* Asks the server of a store (in a cluster: of slot 0) about its eviction, within the timeout. */
rl_status rl_redis_store_eviction(rl_store *store, int timeout_ms, rl_redis_eviction *eviction, rl_error *e);

/* A place among the keys of a store: at a cursor of the server that has a slot. Zeroed: the beginning. */
typedef struct {
	unsigned slot;
	uint64_t cursor;
	bool at_end;
} rl_redis_scan_position;

typedef void (*rl_redis_take_key)(void *context, const rl_key *key);

/* Reads the next page of a store's keys (SCAN), and advances the position; a key may come twice. Calls take for each key that
 * has the settings' prefix and the form of this project's. The keys are valid during that call. */
rl_status rl_redis_store_scan(rl_store *store, int timeout_ms, rl_redis_scan_position *position, rl_redis_take_key take,
	void *context, rl_error *e);

/* Returns the version of hiredis that was linked, such as "0.14.1". */
const char *rl_redis_client_version(void);

/* Returns whether the build supports TLS. */
bool rl_redis_has_tls(void);

#endif
