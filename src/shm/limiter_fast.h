/* Decides a call of one ordinary limit on the fast path: by the state of an identity that has one. A function that returns
 * false has changed nothing and counted nothing; rl_store_ops.ask then decides. */
#ifndef RL_SHM_LIMITER_FAST_H
#define RL_SHM_LIMITER_FAST_H

#include "../core/tagged_limits.h"
#include "../store.h"
#include "place.h"

/* Decides a consume: fills in d as rl_store_ops.ask does. limit: with up-to-date boundaries, if it is a calendar window.
 * verdict_only: the times in d need not be right. */
bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, bool verdict_only, rl_decision *d);

/* Does the same for n limits, which share the key's state. */
bool rl_limiter_fast_several(const rl_key *key, const rl_limit *limits, unsigned n, uint64_t cost, rl_decision *d);

/* Takes the part of a question about several keys, as an acquire does. It is no decision of its own, so it is not counted. */
bool rl_limiter_fast_part(const rl_key *key, const rl_tagged_call *part, rl_decision *d);

/* Takes a place of a concurrent limit as an acquire does: with the permit's number, for this thread. Fills in d. place: receives
 * that of the key. */
bool rl_limiter_fast_acquire(const rl_key *key, const rl_limit *limit, uint64_t cost, uint64_t number, rl_place *place,
	rl_decision *d);

/* Gives a permit's places back, which it held until now. place: of the key; with an fp of 0, receives it. */
bool rl_limiter_fast_release(const rl_key *key, rl_place *place, const rl_limit *limit, uint64_t number);

#endif
