/* Defines the guard and the failure policy's names. The files of src/guard share them, and src/php holds them. */
#ifndef RL_GUARD_TYPES_H
#define RL_GUARD_TYPES_H

#include "../shm/machine/breaker_table.h"
#include "../shm/store/shm.h"
#include "../store.h"

typedef enum {
	RL_ON_FAILURE_LOCAL, /* the embedded store decides until Redis is back; refuses where there is none */
	RL_ON_FAILURE_ALLOW,
	RL_ON_FAILURE_DENY,
	RL_ON_FAILURE_THROW,
} rl_on_failure;

#define RL_SHARE_MAX 10000

/* The failure policy: a value of ratelimit.on_failure. */
typedef struct rl_failure_policy {
	rl_on_failure on_failure;
	uint16_t share; /* local: the machines that share what was left; 0: each takes all of it */
} rl_failure_policy;

/* Parses a policy: a word, or "local:1/N" with N from 2 to RL_SHARE_MAX. Returns false for any other text, and changes nothing. */
bool rl_failure_policy_parse(const char *text, size_t len, rl_failure_policy *policy);

/* The settings' words, by rl_on_failure. Defined in failure_policy.c. */
extern const char *const rl_on_failure_names[4];

typedef struct rl_guard {
	rl_store *store; /* NULL: it could not be made */
	rl_failure_policy policy;
	rl_breaker_name breaker; /* the store's server; id 0 for the embedded store */
	int64_t
		retry_delay_us; /* time until a failed server gets the next request; also the retryAfter of on_failure=deny */
	int64_t ask_timeout_us; /* the store's time for an answer */
	int64_t deny_cache_us;  /* the longest life of a deny cache entry; 0: no deny cache */
	bool auto_lease;        /* lease=auto */
} rl_guard;

/* Returns whether the guard's store is the embedded store. */
static inline bool rl_guard_is_embedded(const rl_guard *g)
{
	return g->store && g->store == rl_shm_store();
}

/* Returns the id of the guard's store, or of the place that its counts would have. */
static inline void rl_guard_store_id(const rl_guard *g, uint64_t id[2])
{
	id[0] = g->store ? g->store->id[0] : g->breaker.id;
	id[1] = g->store ? g->store->id[1] : 0;
}

#endif
