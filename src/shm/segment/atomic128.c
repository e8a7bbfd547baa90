/* Detects, when the module is loaded, whether this aarch64 processor has the LSE instructions. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "atomic128.h"

#if defined(__aarch64__) && !defined(__ARM_FEATURE_ATOMICS)
#include <sys/auxv.h>

#ifndef HWCAP_ATOMICS
# define HWCAP_ATOMICS (1UL << 8)
#endif

bool rl_pair_has_lse;

__attribute__((constructor)) static void atomic128_detect(void)
{
	rl_pair_has_lse = (getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0;
}
#endif
