/* Looking for a record to write into: one that is free, or was lost by a worker that died, or holds a state that has ended;
 * then a new page of them; then the one that costs least to lose. */
#ifndef RL_SHM_RECORD_ALLOC_H
#define RL_SHM_RECORD_ALLOC_H

#include "segment.h"

/* The unit of a record of the given class (classes.h), owned by this thread; 0 when there is none to be had. */
uint64_t rl_record_alloc(const rl_segment *s, unsigned class, int64_t now_us);

/* A child goes on where the last worker found something, not where its parent was when it forked. */
void rl_record_alloc_after_fork(void);

#endif
