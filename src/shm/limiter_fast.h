/* Decides a call of one ordinary limit on the fast path: by the state of an identity that has one. A function that returns
 * false has changed nothing and counted nothing; rl_store_ops.ask then decides. */
#ifndef RL_SHM_LIMITER_FAST_H
#define RL_SHM_LIMITER_FAST_H

#include "../store.h"

/* Decides a consume: fills in d as rl_store_ops.ask does. limit: with up-to-date boundaries, if it is a calendar window. */
bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d);

typedef enum {
	RL_VERDICT_NONE, /* nothing has changed: rl_store_ops.ask */
	RL_VERDICT_ADMITTED,
	RL_VERDICT_REFUSED, /* by the limit, which begins no ban */
} rl_verdict_kind;

typedef struct {
	rl_verdict_kind kind;
	bool near; /* admitted: less than a tenth of the limit remains; of a bucket as of the coarse clock's last tick */
} rl_verdict;

/* Does the same, and returns the verdict alone: by the coarse clocks, where they leave no doubt. */
rl_verdict rl_limiter_verdict(const rl_key *key, const rl_limit *limit, uint64_t cost);

#endif
