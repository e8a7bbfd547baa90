/* What stands between a question and its store: what this machine's memory can answer instead (recall.h), the breaker
 * (breaker.h, trip.h), the failure policy (policy.h). Whoever asks gets a decision, or a reason to throw. */
#ifndef RL_GUARD_H
#define RL_GUARD_H

#include "breaker.h"

/* ratelimit.on_failure */
typedef enum {
	RL_ON_FAILURE_LOCAL, /* the embedded store decides until Redis is back; refuses where there is none */
	RL_ON_FAILURE_ALLOW,
	RL_ON_FAILURE_DENY,
	RL_ON_FAILURE_THROW,
} rl_on_failure;

/* By rl_on_failure. */
extern const char *const rl_on_failure_names[4];

typedef struct {
	rl_store *store; /* NULL: there is none to be had */
	rl_on_failure on_failure;
	rl_breaker *breaker; /* what this machine knows of it; NULL for the embedded store */
	int64_t
		retry_delay_us; /* how long a server that failed is left alone; what a refusal by policy tells as its retry after */
	int64_t ask_timeout_us; /* how long the store may take for an answer */
	int64_t deny_cache_us;  /* how long a refusal of a server's is remembered; 0: not at all */
} rl_guard;

/* Is its store this machine's memory? */
bool rl_guard_is_embedded(const rl_guard *g);

/* Each asks the store; where it cannot answer, on_failure does. RL_OK: the answer is complete (its reason may be
 * RL_STORE_UNAVAILABLE). RL_STALE_BOUNDARIES is handed through. Anything else is to be thrown, with e->message: on_failure is
 * "throw"; or the key holds something foreign; or the server refuses us for good and on_failure is "deny" or "throw";
 * or it is something to be done rather than decided (cancel, refund, ban, unban, reset, forget), on_failure is "allow"
 * or "deny", and nothing has been done. */
rl_status rl_guard_count(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e);
rl_status rl_guard_peek(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e);
rl_status rl_guard_reset(const rl_guard *g, const rl_key *key, bool *found, rl_error *e);
rl_status rl_guard_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);

/* Asks again after RL_STALE_BOUNDARIES, with better boundaries and the same a: whoever said so, not the store that had failed
 * before it (nobody knows whether that one has counted). */
rl_status rl_guard_retry(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);

/* As rl_guard_ask(), each on its own; the first status that is not RL_OK. */
rl_status rl_guard_ask_many(const rl_guard *g, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
	rl_status *status, rl_error *e);

#endif
