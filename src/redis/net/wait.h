/* The clock that deadlines are told by, and waiting until one of them. */
#ifndef RL_REDIS_WAIT_H
#define RL_REDIS_WAIT_H

#include "../../core/limit.h"

/* Microseconds of a clock that nobody can set. */
int64_t rl_redis_clock_us(void);

/* Waits until a file is ready for one of the poll() events: 1, or 0 when the deadline has come, or -1 with errno. */
int rl_redis_wait(int fd, short events, int64_t deadline_us);

/* Does nothing for so long. */
void rl_redis_pause(int ms);

#endif
