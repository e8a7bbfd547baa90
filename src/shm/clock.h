/* The embedded store's clocks. Durations run on the monotonic clock, which nobody can set; what is said in calendar
 * time is compared with the wall clock. A test may freeze both (shm.h). */
#ifndef RL_SHM_CLOCK_H
#define RL_SHM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "../core/decision.h"
#include "../compiler.h"

typedef struct {
	bool frozen;
	rl_now now;
} rl_clock_test;

extern RL_HIDDEN RL_THREAD_LOCAL rl_clock_test rl_clock_frozen;

/* Both clocks, to the microsecond. */
rl_now rl_clock_read(void);

/* The same, but the wall clock only where it is wanted: reading a clock exactly is a tenth of a decision. */
rl_now rl_clock_read_for(bool wall);

/* The monotonic clock as it is, whatever a test has stopped. */
int64_t rl_clock_true_us(void);

/* The clock that goes on while the machine sleeps, likewise. Never behind the monotonic one. */
int64_t rl_clock_boot_us(void);

/* The wall clock alone. */
int64_t rl_clock_wall_us(void);

/* How far the coarse clock is trusted: whatever it says, the true time is at most this much later. A tick is 1 to 10
 * ms; the rest is for a virtual machine whose timekeeping core was taken away for a while. */
#define RL_CLOCK_COARSE_SLACK_MS 64

/* The monotonic clock as of the last tick: a fifth of the price of the exact one. */
static inline int64_t rl_clock_coarse_ms(void)
{
	struct timespec ts;

#ifdef CLOCK_MONOTONIC_COARSE
	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
#else
	clock_gettime(CLOCK_MONOTONIC, &ts);
#endif
	return (int64_t) ts.tv_sec * 1000 + (int64_t) ((uint32_t) ts.tv_nsec / 1000000u);
}

#endif
