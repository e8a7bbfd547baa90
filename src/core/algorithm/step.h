/* One call of one limit, decided. Each algorithm has one step: from a state and a call to this result, and to the next state
 * (window.h, bucket.h, log_view.h, sliding_ring.h). The general way, the usual one and a state of one word decode into the typed
 * state, call the step, and encode again. A caller that reads the verdict alone inlines the step, and the compiler leaves out the
 * rest. */
#ifndef RL_CORE_STEP_H
#define RL_CORE_STEP_H

#include "../../compiler.h"
#include "algorithm.h"

typedef struct {
	bool accepted;    /* only then the state changes */
	bool exhausted;   /* accepted, and no permit remains */
	bool near;        /* accepted, and less than a tenth of the limit remains */
	uint64_t used;    /* after the call */
	int64_t retry_us; /* until the call passes; accepted: until the next one with a cost of 1 does */
	int64_t reset_us; /* until the limit has all its permits again */
} rl_step;

/* Returns the permits that remain, of a limit that may have been lowered. */
RL_INLINE uint64_t rl_step_remaining(const rl_step *s, const rl_limit *limit)
{
	return s->used < limit->limit ? limit->limit - s->used : 0;
}

/* Fills in the answer of the embedded store. Each field by itself: for a whole structure compilers write "rep stos", which takes
 * 10 ns. */
RL_INLINE void rl_step_answer(const rl_step *s, const rl_limit *limit, rl_decision *d)
{
	d->reason = s->accepted ? RL_ACCEPTED : RL_LIMITED;
	d->source = RL_FROM_SHM;
	d->ban_begun = false;
	d->accepted = s->accepted;
	d->limit_index = 0;
	d->n_left = 0;
	d->level = 0;
	d->limit = limit->limit;
	d->remaining = rl_step_remaining(s, limit);
	d->retry_after_us = s->retry_us;
	d->reset_after_us = s->reset_us;
}

#endif
