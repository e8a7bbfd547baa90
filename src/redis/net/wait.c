#include "deadline.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <time.h>

int64_t rl_redis_clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * RL_US_PER_SECOND + now.tv_nsec / 1000;
}

int rl_redis_wait(int fd, short events, int64_t deadline_us)
{
	for (;;) {
		int64_t left_us = deadline_us - rl_redis_clock_us();
		int64_t left_ms = left_us <= 0 ? 0 : (left_us + RL_US_PER_MS - 1) / RL_US_PER_MS;
		struct pollfd p = {.fd = fd, .events = events};
		int ready = poll(&p, 1, left_ms > INT_MAX ? INT_MAX : (int) left_ms);

		if (ready > 0) {
			return 1;
		}
		if (ready == 0 && left_us <= 0) {
			return 0;
		}
		if (ready < 0 && errno != EINTR && errno != EAGAIN) {
			return -1;
		}
	}
}

void rl_redis_pause(int ms)
{
	(void) poll(NULL, 0, ms);
}
