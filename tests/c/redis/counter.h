/* The counter on a Redis of its own, as its tests call it. */
#ifndef RL_TEST_REDIS_COUNTER_H
#define RL_TEST_REDIS_COUNTER_H

#include "src/redis/redis_store.h"
#include "check.h"
#include "server.h"

static redis_server server;
static rl_redis_pool *pool;
static rl_store *store;
static rl_error e;

/* Patient with a slow machine; impatient where a timeout is what is tested, within this slack. */
#define PATIENT   "connect_timeout=30000&timeout=30000"
#define IMPATIENT "connect_timeout=1000&timeout=300"
#define SLACK_US  5000000

static inline rl_store *store_of(const char *dsn, const char *prefix)
{
	return rl_redis_pool_store(pool, dsn, strlen(dsn), prefix, strlen(prefix), &e);
}

/* Returns the store of the server with these options. */
static inline rl_store *store_with(const char *options)
{
	char dsn[256];

	snprintf(dsn, sizeof dsn, "%s?%s", server.dsn, options);
	return store_of(dsn, "act:limit:");
}

static inline rl_key int_key(const char *name, int64_t id)
{
	return (rl_key){.space = RL_SPACE_ACTION, .is_int = true, .name = name, .name_len = strlen(name), .int_id = id};
}

static rl_decision d;
static bool verdict_only; /* a call may be answered without its numbers */

static inline rl_status take(const char *name, uint32_t seconds, uint32_t number, rl_ban_kind ban, int64_t ban_s)
{
	rl_key key = int_key(name, 7);
	rl_counter_question q = {.seconds = seconds,
		.limit = number,
		.ban = ban,
		.ban_s = ban_s,
		.verdict_only = verdict_only};

	memset(&d, 0xee, sizeof d);
	strcpy(e.message, "(no message)");
	return store->ops->count(store, &key, &q, &d, &e);
}

static inline bool is_between(int64_t n, int64_t least, int64_t most)
{
	return n >= least && n <= most;
}

/* Returns the number of the server's connections. */
static inline int connections(void)
{
	int n = 0;
	const char *list = redis_server_do(&server, "CLIENT LIST TYPE normal");
	for (const char *p = list; (p = strstr(p, "id=")); p++) {
		n += p == list || p[-1] == '\n';
	}
	return n;
}

static inline void begin(void)
{
	signal(SIGPIPE, SIG_DFL);
	redis_server_start(&server);
	pool = rl_redis_pool_new();
	store = store_with(PATIENT);
}

static inline int end(void)
{
	rl_redis_pool_free(pool);
	redis_server_stop(&server);
	return checks_report();
}

#endif
