/* Declares what the files of the embedded store share: shm_store.c (counters, the store as a whole) and limiter_store.c
 * (limiters). Private to src/shm. */
#ifndef RL_SHM_STORE_INTERNAL_H
#define RL_SHM_STORE_INTERNAL_H

#include "../table/table.h"
#include "mirror_mark.h"
#include "../segment/worker.h"

/* Fills in the store's functions. */
void rl_shm_store_init(rl_segment *s);

/* Makes the ticket of a user's segment again, if it was removed. */
void rl_shm_keep_ticket(void);

/* Returns the place of a key in the embedded store. record: the place of a limiter, not of a counter. */
rl_place rl_shm_place(const rl_segment *s, const rl_key *key, bool record);

/* Does the same in a store that may be the fallback of another one (rl_shm_fallback()), and has places of its own. */
rl_place rl_shm_place_in(const rl_segment *s, const rl_store *store, const rl_key *key, bool record);

/* Fills in the reason why a thread without a worker cannot decide, and returns the status. */
rl_status rl_shm_no_worker(rl_error *e);

/* Counts a decision for stats(). */
void rl_stat_add_decision(const rl_decision *d, bool ban_begun);

/* Returns whether an answer of another store may still be written. To be called after its state was read, and before it is swapped: so
 * a ban or a command that came after the question is in that state, or the mark has ended. begins: the answer begins a ban, and ends
 * the marks of older ones. */
bool rl_shm_mark_holds(rl_mirror_mark *mark, bool begins);

/* Sums the workers' counts. */
void rl_shm_sum_stats(const rl_segment *s, uint64_t counts[RL_STATS]);

rl_status rl_shm_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);
rl_status rl_shm_ask_many(rl_store *store, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e);

#endif
