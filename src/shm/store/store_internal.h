/* Declares what the files of the embedded store share: shm_store.c (counters, the store as a whole) and limiter_store.c
 * (limiters). Private to src/shm. */
#ifndef RL_SHM_STORE_INTERNAL_H
#define RL_SHM_STORE_INTERNAL_H

#include "../table/entry_seen.h"
#include "../process/worker.h"
#include "mirror_mark.h"

/* Fills in the store's functions. */
void rl_shm_store_init(rl_segment *s);

/* Returns whether an answer of another store may still be written. To be called after its state was read, and before it is swapped: so
 * a ban or a command that came after the question is in that state, or the mark has ended. begins: the answer begins a ban, and ends
 * the marks of older ones. */
bool rl_shm_mark_holds(rl_mirror_mark *mark, bool begins);

rl_status rl_shm_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);
rl_status rl_shm_ask_many(rl_store *store, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e);

#endif
