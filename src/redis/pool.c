#include "redis_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rl_redis_pool {
	rl_redis_store *first; /* the store used last, which is nearly always the next one, too */
};

#define TEXT(macro)     TEXT_OF(macro)
#define TEXT_OF(tokens) #tokens

rl_redis_pool *rl_redis_pool_new(void)
{
	rl_redis_connection_watch_forks();
	return calloc(1, sizeof(rl_redis_pool));
}

void rl_redis_pool_free(rl_redis_pool *pool)
{
	if (!pool) {
		return;
	}
	for (rl_redis_store *store = pool->first, *next; store; store = next) {
		next = store->next;
		rl_redis_store_free(store);
	}
	free(pool);
}

static bool pool_is_named(const rl_redis_store *store, const char *dsn, size_t dsn_len)
{
	return store->name_len == dsn_len && memcmp(store->name, dsn, dsn_len) == 0;
}

static rl_redis_store *pool_find(rl_redis_pool *pool, const char *dsn, size_t dsn_len)
{
	for (rl_redis_store **at = &pool->first; *at; at = &(*at)->next) {
		rl_redis_store *store = *at;

		if (pool_is_named(store, dsn, dsn_len)) {
			*at = store->next;
			store->next = pool->first;
			pool->first = store;
			return store;
		}
	}
	return NULL;
}

rl_store *rl_redis_pool_store(rl_redis_pool *pool, const char *dsn, size_t dsn_len, const rl_redis_settings *settings,
	rl_error *e)
{
	rl_redis_store *store = pool_find(pool, dsn, dsn_len);

	if (!store) {
		store = rl_redis_store_new(dsn, dsn_len, e);
		if (!store) {
			return NULL;
		}
		store->next = pool->first;
		pool->first = store;
	}
	return rl_redis_store_configure(store, settings, e) ? &store->base : NULL;
}

void rl_redis_pool_configure(rl_redis_pool *pool, const rl_redis_settings *settings)
{
	rl_error ignored;

	for (rl_redis_store *store = pool->first; store; store = store->next) {
		(void) rl_redis_store_configure(store, settings, &ignored);
	}
}

const char *rl_redis_client_version(void)
{
	return TEXT(HIREDIS_MAJOR) "." TEXT(HIREDIS_MINOR) "." TEXT(HIREDIS_PATCH);
}
