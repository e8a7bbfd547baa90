/* Claims records for this thread, one at a time: free ones, lost ones, and evicted ones. */
#ifndef RL_SHM_RECORD_CLAIM_H
#define RL_SHM_RECORD_CLAIM_H

#include "record_internal.h"

/* Sets this thread's hazard pointer, scanning_page, to the page. Returns whether the page is of the class: then no worker
 * reassigns it before rl_page_scan_end(). The caller calls rl_page_scan_end() in both cases. */
bool rl_page_scan_begin(const rl_segment *s, uint64_t page, unsigned class);

/* Clears this thread's hazard pointer. */
void rl_page_scan_end(void);

/* Returns whether the hazard pointer of another live worker names the page. */
bool rl_page_is_being_scanned(const rl_segment *s, uint64_t page);

/* Swaps a record's owner word from owner to this thread. Returns false, without a change, if it is another one. */
static inline bool rl_record_claim(const rl_segment *s, rl_record *r, uint64_t owner)
{
	return __atomic_compare_exchange_n(&r->owner, &owner, rl_owner_me(s), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Frees a record of this thread's own. */
static inline void rl_record_free(rl_record *r)
{
	__atomic_store_n(&r->owner, 0, __ATOMIC_RELEASE);
}

typedef enum { RL_REC_BUSY, RL_REC_CLAIMED, RL_REC_LIVE } rl_record_inspection;

/* Claims a record unless another worker has it or its state is live. any_spare: also claims the spares of live workers.
 * RL_REC_LIVE: *seen and *worth are set. */
rl_record_inspection rl_record_inspect(const rl_segment *s, rl_record *r, int64_t now_us, bool any_spare,
	rl_publication *seen, rl_record_worth *worth);

/* Takes a record out of the entry in which it was seen, and claims it. Returns false if the entry has another reference: a
 * later state of the same record has not been judged. live: counts an eviction. */
bool rl_record_evict(const rl_segment *s, rl_record *r, const rl_publication *seen, bool live);

#endif
