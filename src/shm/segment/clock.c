#include "clock.h"

RL_THREAD_LOCAL rl_clock_test rl_clock_frozen;
int64_t rl_clock_boot_ahead_us;

static int64_t read_us(clockid_t id)
{
	struct timespec ts = rl_clock_timespec(id);

	return (int64_t) ts.tv_sec * RL_US_PER_SECOND + ts.tv_nsec / 1000;
}

rl_now rl_clock_read_for(bool wall)
{
	rl_now now;

	if (RL_UNLIKELY(rl_clock_frozen.frozen)) {
		now = rl_clock_frozen.now;
	} else {
		now.mono_us = read_us(CLOCK_MONOTONIC);
		now.wall_us = wall ? read_us(CLOCK_REALTIME) : 0;
	}
	return now;
}

rl_now rl_clock_read(void)
{
	return rl_clock_read_for(true);
}

int64_t rl_clock_true_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}

int64_t rl_clock_boot_us(void)
{
#ifdef CLOCK_BOOTTIME
	return read_us(CLOCK_BOOTTIME) - rl_clock_boot_ahead_us;
#else
	return read_us(CLOCK_MONOTONIC);
#endif
}

int64_t rl_clock_wall_us(void)
{
	return RL_UNLIKELY(rl_clock_frozen.frozen) ? rl_clock_frozen.now.wall_us : read_us(CLOCK_REALTIME);
}

/* Seventeen years; a counter's word holds a little more. */
#define RL_CLOCK_AHEAD_MAX_US (17 * RL_PERIOD_MAX_US / 10)

/* Returns a whole number of milliseconds below the wall clock minus the monotonic one: the same one for each freeze at the
 * present, in every process, so that bookings of several frozen moments keep their distances. */
static int64_t present_offset_us(void)
{
	int64_t before_us, wall_us, after_us, offset_us;
	int tries = 10;

	do {
		before_us = read_us(CLOCK_MONOTONIC);
		wall_us = read_us(CLOCK_REALTIME);
		after_us = read_us(CLOCK_MONOTONIC);
	} while (after_us - before_us > 10 && --tries > 0);
	offset_us = wall_us - after_us;
	return offset_us - offset_us % RL_US_PER_MS - 2 * RL_US_PER_MS;
}

/* Both clocks are frozen at the same fraction of a millisecond. An end that is rounded up to a millisecond is then rounded
 * alike on both, and the result of a test depends on nothing but the moment that it chose. */
void rl_clock_freeze(int64_t wall_us)
{
	int64_t mono_us = rl_clock_frozen.frozen ? rl_clock_frozen.now.mono_us : read_us(CLOCK_MONOTONIC);
	int64_t phase_us = (wall_us - mono_us) % RL_US_PER_MS;
	int64_t present_us = wall_us - present_offset_us();

	if (present_us >= mono_us && present_us - mono_us < 4 * RL_US_PER_MS) {
		rl_clock_frozen.now.mono_us = present_us;
	} else {
		rl_clock_frozen.now.mono_us = mono_us + (phase_us < 0 ? phase_us + RL_US_PER_MS : phase_us);
	}
	rl_clock_frozen.now.wall_us = wall_us;
	rl_clock_frozen.frozen = true;
}

bool rl_clock_advance(int64_t us)
{
	if (rl_clock_frozen.now.mono_us + us - read_us(CLOCK_MONOTONIC) > RL_CLOCK_AHEAD_MAX_US) {
		return false;
	}
	rl_clock_frozen.now.mono_us += us;
	rl_clock_frozen.now.wall_us += us;
	return true;
}

int64_t rl_clock_mono_us(void)
{
	return RL_UNLIKELY(rl_clock_frozen.frozen) ? rl_clock_frozen.now.mono_us : read_us(CLOCK_MONOTONIC);
}

void rl_clock_unfreeze(void)
{
	rl_clock_frozen.frozen = false;
}

bool rl_clock_is_frozen(void)
{
	return rl_clock_frozen.frozen;
}
