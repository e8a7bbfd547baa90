/* Declares the clock of deadlines, and waits for one. */
#ifndef RL_REDIS_WAIT_H
#define RL_REDIS_WAIT_H

#include "../../core/limit/limit.h"

/* Returns microseconds of the monotonic clock. */
int64_t rl_redis_clock_us(void);

/* Waits until a descriptor is ready for one of the poll() events. Returns 1, or 0 after the deadline, or -1 with errno. */
int rl_redis_wait(int fd, short events, int64_t deadline_us);

/* Sleeps. */
void rl_redis_pause(int ms);

#endif
