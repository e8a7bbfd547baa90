/* The allocator of records: a size-class (slab) allocator over pages of 16 KB that reclaims, moves and evicts. A page has
 * records of one class; a class of more than a page takes a run of pages. Pages go from any class to any other. */
#ifndef RL_SHM_RECORD_ALLOC_H
#define RL_SHM_RECORD_ALLOC_H

#include "../segment/segment.h"

/* Returns the unit of a record of the class (size_classes.h), owned by this thread. Takes, in this order: a record that is
 * free, lost by a dead worker, or has an ended state; a page that is free or can be emptied without a loss; a partly used
 * state; an exhausted one. Never gives up a running ban (ban_share.h). Returns 0 if there is nothing to take. Looks at a bounded number of
 * pages and records, whatever the size of the segment. */
uint64_t rl_record_alloc(const rl_segment *s, unsigned class, int64_t now_us);

/* Forgets where this thread was looking: a forked child begins where the last worker found something. */
void rl_record_alloc_after_fork(void);

#endif
