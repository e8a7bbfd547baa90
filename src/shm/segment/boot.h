/* Boot: which boot of the machine this process runs in, and how far its time namespace shifts the clocks. */
#ifndef RL_SHM_BOOT_H
#define RL_SHM_BOOT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a number for this boot. Where /proc is hidden it is made from the moment of the boot by the wall clock, to the
 * second, and rl_boot_is_known() is false for it. */
uint64_t rl_boot_now(void);

bool rl_boot_is_known(uint64_t boot);

/* True unless the two are certainly of different boots. Moments of a boot may differ by a minute: the wall clock is set
 * now and then. A known number and a moment cannot be compared. */
bool rl_boot_may_be_same(uint64_t a, uint64_t b);

/* Reads by how many microseconds this process' CLOCK_MONOTONIC and CLOCK_BOOTTIME are ahead of the machine's (0 without a
 * time namespace of its own, and where /proc is hidden). False: the process cannot find out, because its children will
 * be in another time namespace than it is itself. */
bool rl_boot_clock_offsets(int64_t *monotonic_us, int64_t *boottime_us);

#endif
