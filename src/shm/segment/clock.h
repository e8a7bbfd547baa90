/* The embedded store's clocks. Durations run on the monotonic clock, which cannot be set; calendar times are compared
 * with the wall clock. A test may freeze both (shm.h). */
#ifndef RL_SHM_CLOCK_H
#define RL_SHM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "../../core/limit/decision.h"
#include "../../compiler.h"

typedef struct {
	bool frozen;
	rl_now now;
} rl_clock_test;

extern RL_HIDDEN RL_THREAD_LOCAL rl_clock_test rl_clock_frozen;

/* Reads both clocks, to the microsecond. */
rl_now rl_clock_read(void);

/* Does the same, but reads the wall clock only if wall is true: an exact read of a clock is a tenth of a decision. */
rl_now rl_clock_read_for(bool wall);

/* Reads the monotonic clock alone. */
int64_t rl_clock_mono_us(void);

/* Reads the monotonic clock, even where a test has frozen it. */
int64_t rl_clock_true_us(void);

/* How much more this process' time namespace shifts CLOCK_BOOTTIME than CLOCK_MONOTONIC. Start-up sets it. */
extern RL_HIDDEN int64_t rl_clock_boot_ahead_us;

/* Reads the clock that goes on while the machine sleeps, even where a test has frozen the others. Without that shift: it
 * is ahead of the monotonic one by the time asleep, and never behind it. */
int64_t rl_clock_boot_us(void);

/* Reads the wall clock alone. */
int64_t rl_clock_wall_us(void);

/* How far behind the true time the coarse clock may be. A tick is 1 to 10 ms; the rest is for a virtual machine whose
 * timekeeping core did not run for a while. */
#define RL_CLOCK_COARSE_SLACK_MS 64

#ifdef CLOCK_MONOTONIC_COARSE
# define RL_COARSE(clock) clock##_COARSE
#else
# define RL_COARSE(clock) clock
#endif

static inline struct timespec rl_clock_timespec(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts;
}

/* Reads the monotonic clock as of the last tick, for a fifth of the price of the exact one. */
static inline int64_t rl_clock_coarse_ms(void)
{
	struct timespec ts = rl_clock_timespec(RL_COARSE(CLOCK_MONOTONIC));

	return (int64_t) ts.tv_sec * 1000 + (int64_t) ((uint32_t) ts.tv_nsec / 1000000u);
}

/* Reads the wall clock as of the last tick, in microseconds. */
static inline int64_t rl_clock_coarse_wall_us(void)
{
	struct timespec ts = rl_clock_timespec(RL_COARSE(CLOCK_REALTIME));

	return (int64_t) ts.tv_sec * 1000000 + (int64_t) ((uint32_t) ts.tv_nsec / 1000u);
}

/* The clock of applications' own tests: of this thread, and of the processes that it forks afterwards. */
void rl_clock_freeze(int64_t wall_us);
bool rl_clock_advance(int64_t us); /* false: further ahead of the true time than a counter's end could be told */
void rl_clock_unfreeze(void);
bool rl_clock_is_frozen(void);

#endif
