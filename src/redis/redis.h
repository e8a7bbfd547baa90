/* The Redis store: one persistent hiredis connection per thread and server, one script call per decision. */
#ifndef RL_REDIS_H
#define RL_REDIS_H

#include "../store.h"

/* The connections of one thread. Freed with it. After a fork the child leaves its parent's connections alone. */
typedef struct rl_redis_pool rl_redis_pool;

typedef struct {
	int connect_timeout_ms; /* for the connection, its greeting included: one deadline over all of it */
	int timeout_ms;         /* for one question, from the first byte sent to the last one read: one deadline */
	int spin_us;        /* how long a reply is looked for again and again before the process sleeps; 0: not at all */
	const char *prefix; /* of every key; borrowed for the call */
	size_t prefix_len;
} rl_redis_settings;

rl_redis_pool *rl_redis_pool_new(void);
void rl_redis_pool_free(rl_redis_pool *pool);

/* The store behind a DSN, made when it is asked for the first time; connects only when it is asked a question. The
 * settings hold from this call on. Owned by the pool. NULL, with a message, for a DSN that is none. */
rl_store *rl_redis_pool_store(rl_redis_pool *pool, const char *dsn, size_t dsn_len, const rl_redis_settings *settings,
	rl_error *e);

/* The settings hold for all of its stores from here on. */
void rl_redis_pool_configure(rl_redis_pool *pool, const rl_redis_settings *settings);

/* Is it a DSN that rl_redis_pool_store() takes? False, with the reason (which never shows a password). */
bool rl_redis_dsn_check(const char *dsn, size_t dsn_len, rl_error *e);

/* The DSN with its password masked, for phpinfo() and messages. Always terminated. */
void rl_redis_dsn_mask(const char *dsn, size_t dsn_len, char *out, size_t out_size);

/* "0.14.1": the library that was linked. */
const char *rl_redis_client_version(void);

/* Can it speak TLS? */
bool rl_redis_has_tls(void);

#endif
