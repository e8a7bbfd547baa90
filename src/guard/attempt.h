/* One trip to the store: whose breaker lets it go, and who is told how it went. The embedded store has none. */
#ifndef RL_GUARD_ATTEMPT_H
#define RL_GUARD_ATTEMPT_H

#include "guard.h"

/* Whose breaker it is: in a cluster each node fails by itself, and the others go on. As long as a worker does not know
 * which node decides about a key, the cluster as a whole has one. */
rl_breaker *rl_breaker_for(const rl_guard *g, const rl_key *key);

/* Asked once for each server: may it be asked at all? RL_OK, or what the answer is without asking, with the reason in e. */
rl_status rl_attempt_begin(const rl_guard *g, rl_breaker *breaker, rl_attempt *attempt, rl_error *e);

/* Told once for each server that was asked: what it said about this key, with the reason in e. */
void rl_attempt_end(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_status status,
	const rl_error *e);

/* For stats(): an answer of Redis' about one key, or none. peek: a look is no refusal. */
void rl_attempt_count(rl_status status, bool peek, const rl_decision *d);

#endif
