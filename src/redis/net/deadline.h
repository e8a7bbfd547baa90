/* How long things may take: one bound over all connecting that a call has to do, one over all asking. */
#ifndef RL_REDIS_DEADLINE_H
#define RL_REDIS_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* When it is over, and how long it was. */
typedef struct {
	int64_t at_us; /* of rl_redis_clock_us() */
	int timeout_ms;
	bool whole; /* it was made just now: nobody has waited yet */
} rl_redis_deadline;

rl_redis_deadline rl_redis_deadline_in(int timeout_ms);

/* A part of what is left: for one of several servers that may all be silent. */
rl_redis_deadline rl_redis_deadline_share(rl_redis_deadline whole, unsigned parts);

/* Of one call. */
typedef struct {
	int connect_timeout_ms;
	int64_t connect_left_us;
	rl_redis_deadline answer; /* at_us 0: nothing was asked yet */
	int timeout_ms;
} rl_redis_budget;

rl_redis_budget rl_redis_budget_of(int connect_timeout_ms, int timeout_ms);

/* Connecting begins: returns when it has to be over, and *start for when it is. It does not count as asking. */
rl_redis_deadline rl_redis_budget_connect(const rl_redis_budget *b, int64_t *start);
void rl_redis_budget_connected(rl_redis_budget *b, int64_t start);

/* When the answer has to be there. The time runs from the first call on, whose deadline is whole. */
rl_redis_deadline rl_redis_budget_answer(rl_redis_budget *b);

#endif
