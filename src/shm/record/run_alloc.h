/* Takes runs: pages in a row for a record of more than a page. */
#ifndef RL_SHM_RUN_ALLOC_H
#define RL_SHM_RUN_ALLOC_H

#include "page_reassign.h"

/* Makes a run of free pages, and gives it to the class. Returns false if none was found near this thread's hand. */
bool rl_run_take_free(const rl_segment *s, unsigned class, const rl_page_request *rq);

/* Makes a run of pages that have to be emptied first, and gives it to the class. Returns false if none could be. */
bool rl_run_take_used(const rl_segment *s, unsigned class, const rl_page_request *rq);

#endif
