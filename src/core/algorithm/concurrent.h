/* Declares what a concurrent limit has beside the functions of every algorithm. */
#ifndef RL_CORE_CONCURRENT_H
#define RL_CORE_CONCURRENT_H

#include "algorithm.h"

/* Writes the limit state with the end of a permit's place moved to for_us from now, and returns its words; 0: the place is
 * gone. Requires a limit state of a concurrent limit. */
size_t rl_concurrent_renew(const rl_limit_ctx *c, const rl_held *held, int64_t for_us, uint64_t *out);

/* ---- Places of dead workers ---- */

/* Drops, in a copy of a concurrent limit state, the places of all owners that are gone. Returns whether there were any. */
bool rl_concurrent_drop(uint64_t *limit_state, bool (*is_gone)(uint64_t owner, void *context), void *context);

#endif
