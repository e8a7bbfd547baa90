#include "redis_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rl_redis_pool {
	rl_redis_store *first; /* the store used last, which is nearly always the next one, too */
	rl_redis_link *links;
};

#define TEXT(macro)     TEXT_OF(macro)
#define TEXT_OF(tokens) #tokens

rl_redis_pool *rl_redis_pool_new(void)
{
	rl_redis_connection_watch_forks();
	return calloc(1, sizeof(rl_redis_pool));
}

static void link_free(rl_redis_link *link)
{
	rl_redis_session_free(&link->session);
	rl_redis_dsn_free(&link->dsn);
	free(link);
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
	for (rl_redis_link *link = pool->links, *next; link; link = next) {
		next = link->next;
		link_free(link);
	}
	free(pool);
}

/* Returns the link of a DSN, which it takes over, or frees if there is such a link. NULL: there is no memory. */
static rl_redis_link *pool_link(rl_redis_pool *pool, rl_redis_dsn *dsn)
{
	rl_redis_link *link = calloc(1, sizeof *link);

	if (!link || !rl_redis_dsn_connection(dsn, link->id)) {
		free(link);
		rl_redis_dsn_free(dsn);
		return NULL;
	}
	for (rl_redis_link *other = pool->links; other; other = other->next) {
		if (memcmp(other->id, link->id, sizeof link->id) == 0) {
			free(link);
			rl_redis_dsn_free(dsn);
			return other;
		}
	}
	link->dsn = *dsn;
	if (!rl_redis_session_init(&link->session, &link->dsn)) {
		link_free(link);
		return NULL;
	}
	link->next = pool->links;
	pool->links = link;
	return link;
}

static rl_redis_store *pool_make(rl_redis_pool *pool, const char *name, size_t name_len, rl_error *e)
{
	rl_redis_dsn dsn;
	rl_redis_options options;
	rl_redis_link *link;
	rl_redis_store *store;

	if (!rl_redis_dsn_parse(&dsn, name, name_len, e)) {
		return NULL;
	}
	options = dsn.options;
	link = pool_link(pool, &dsn);
	store = link ? rl_redis_store_new(name, name_len, link, &options) : NULL;
	if (!store) {
		snprintf(e->message, sizeof e->message, "out of memory");
		return NULL;
	}
	store->next = pool->first;
	pool->first = store;
	return store;
}

static rl_redis_store *pool_find(rl_redis_pool *pool, const char *dsn, size_t dsn_len)
{
	for (rl_redis_store **at = &pool->first; *at; at = &(*at)->next) {
		rl_redis_store *store = *at;

		if (store->name_len == dsn_len && memcmp(store->name, dsn, dsn_len) == 0) {
			*at = store->next;
			store->next = pool->first;
			pool->first = store;
			return store;
		}
	}
	return NULL;
}

rl_store *rl_redis_pool_store(rl_redis_pool *pool, const char *dsn, size_t dsn_len, const char *prefix,
	size_t prefix_len, rl_error *e)
{
	rl_redis_store *store = pool_find(pool, dsn, dsn_len);

	if (!store && !(store = pool_make(pool, dsn, dsn_len, e))) {
		return NULL;
	}
	if (!rl_redis_store_set_prefix(store, prefix, prefix_len)) {
		snprintf(e->message, sizeof e->message, "out of memory");
		return NULL;
	}
	return &store->base;
}

void rl_redis_pool_set_prefix(rl_redis_pool *pool, const char *prefix, size_t prefix_len)
{
	for (rl_redis_store *store = pool->first; store; store = store->next) {
		(void) rl_redis_store_set_prefix(store, prefix, prefix_len);
	}
}

const char *rl_redis_client_version(void)
{
	return TEXT(HIREDIS_MAJOR) "." TEXT(HIREDIS_MINOR) "." TEXT(HIREDIS_PATCH);
}
