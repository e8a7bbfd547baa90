/* Reassigns pages from one size class to another: empties them by claiming, moving and evicting their records. */
#ifndef RL_SHM_PAGE_REASSIGN_H
#define RL_SHM_PAGE_REASSIGN_H

#include "../segment/segment.h"

#define RL_TRY_RECYCLE 4 /* pages tried in one walk, before a free page is taken */

/* The states that an allocation may give up. Running bans are never evicted; they are moved. */
typedef enum { RL_LOSE_NOTHING, RL_LOSE_PARTIAL, RL_LOSE_EXHAUSTED } rl_max_loss;

typedef struct {
	int64_t now_us;
	rl_max_loss loss;
	unsigned moves; /* records that may be moved out of one page */
} rl_page_request;

/* Returns whether the page's records could all be claimed, moved or evicted. Only looks: an attempt that fails must not cost a
 * live state. */
bool rl_page_can_empty(const rl_segment *s, uint64_t page, unsigned class, const rl_page_request *rq);

/* Makes a page HELD by this thread, as number offset of a run, whatever it is now. Returns false if it cannot be emptied.
 * Sets rq->moves to 0 if there is no place to move records to. */
bool rl_page_hold(const rl_segment *s, uint64_t page, uint64_t offset, rl_page_request *rq);

/* Takes a page from another class and gives it to this one. Walks on over the pages, and tries to empty so many of them. */
bool rl_page_reassign(const rl_segment *s, unsigned class, unsigned tries, const rl_page_request *rq);

/* ---- Runs: pages in a row for a record of more than a page (run_alloc.c) ---- */

/* Makes a run of free pages, and gives it to the class. Returns false if none was found near this thread's hand. */
bool rl_run_take_free(const rl_segment *s, unsigned class, const rl_page_request *rq);

/* Makes a run of pages that have to be emptied first, and gives it to the class. Returns false if none could be. */
bool rl_run_take_used(const rl_segment *s, unsigned class, const rl_page_request *rq);

#endif
