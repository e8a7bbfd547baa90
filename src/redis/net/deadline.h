/* Bounds a call's time: one budget for all its connecting, one for all its questions. */
#ifndef RL_REDIS_DEADLINE_H
#define RL_REDIS_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include "../../core/limit/limit.h"

/* A deadline, and the timeout that it was made from. */
typedef struct {
	int64_t at_us; /* of rl_redis_clock_us() */
	int timeout_ms;
	bool whole; /* made just now: no part of it has been waited for */
} rl_redis_deadline;

rl_redis_deadline rl_redis_deadline_in(int timeout_ms);

/* Returns half of the time left: for one of several servers, each of which may not answer. */
rl_redis_deadline rl_redis_deadline_half(rl_redis_deadline whole);

/* The budget of one call. */
typedef struct {
	int connect_timeout_ms;
	int64_t connect_left_us;
	rl_redis_deadline answer; /* at_us 0: no question was sent yet */
	int timeout_ms;
} rl_redis_budget;

rl_redis_budget rl_redis_budget_of(int connect_timeout_ms, int timeout_ms);

/* Begins to connect: returns its deadline, and sets *start for rl_redis_budget_connected(), which ends it. The time
 * spent to connect is added to the answer's deadline. */
rl_redis_deadline rl_redis_budget_connect(const rl_redis_budget *b, int64_t *start);
void rl_redis_budget_connected(rl_redis_budget *b, int64_t start);

/* Returns the deadline of the answers. Its time runs from the first call on, which returns a whole deadline. */
rl_redis_deadline rl_redis_budget_answer(rl_redis_budget *b);

/* ---- Declares the clock of deadlines, and waits for one ---- */

/* Returns microseconds of the monotonic clock. */
int64_t rl_redis_clock_us(void);

/* Waits until a descriptor is ready for one of the poll() events. Returns 1, or 0 after the deadline, or -1 with errno. */
int rl_redis_wait(int fd, short events, int64_t deadline_us);

/* Sleeps. */
void rl_redis_pause(int ms);

#endif
