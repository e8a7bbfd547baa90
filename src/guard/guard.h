/* src/guard: Between a question and a store that may fail: cache, breaker, policy.
 *
 * Passes a question of src/php to its store and returns the answer. The answer comes from the local cache
 * (local_cache.h), from the store if its circuit breaker allows the attempt (attempt.h), or from the failure policy
 * (failure_policy.h). Includes breaker.h, whose states and log lines src/php shows. */
#ifndef RL_GUARD_H
#define RL_GUARD_H

#include "breaker.h"
#include "guard_types.h"

/* Each of these asks the store. If the store cannot answer, the failure policy does.
 *
 * RL_OK: the answer is complete; its reason may be RL_STORE_UNAVAILABLE. RL_STALE_BOUNDARIES: as in store.h. The caller
 * throws any other status, with e->message. The cases are:
 *   - on_failure is "throw".
 *   - The key holds a value that ratelimit did not write (RL_WRONG_TYPE).
 *   - The server rejects us, as with a wrong password, and on_failure is "deny".
 *   - A command (cancel, credit, ban, unban, reset) did not take effect in the store. Under "local" it took effect in the
 *     fallback, which decides until Redis is back. */
rl_status rl_guard_count(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e);
rl_status rl_guard_peek(const rl_guard *g, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e);
rl_status rl_guard_command(const rl_guard *g, const rl_key *key, const rl_counter_command *c, bool *found, rl_error *e);

/* Asks about one key; of a question about several keys, as in rl_guard_retry() and rl_guard_change(), key is the first of them. */
rl_status rl_guard_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);

/* Asks again after RL_STALE_BOUNDARIES, with better boundaries and the same a. It asks the store that returned that
 * status. A store that had failed before gets no second request, because it may have counted. */
rl_status rl_guard_retry(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);

/* Changes what a permit holds: settle, release, renew. from: the source of the decision that admitted it, which has what
 * it holds: the fallback, whatever Redis does meanwhile; or the machine's batch, while that lasts; or else the store. No
 * policy answers in its place: the caller throws any status but RL_OK and RL_STALE_BOUNDARIES. */
rl_status rl_guard_change(const rl_guard *g, rl_source from, const rl_key *key, const rl_question *q, rl_answer *a,
	rl_error *e);

/* Asks a question about each of n keys, each as rl_guard_ask() does, with one write to each server. A question that may lease permits
 * is that of all keys. Returns the first status that is not RL_OK. */
rl_status rl_guard_ask_many(const rl_guard *g, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e);

#endif
