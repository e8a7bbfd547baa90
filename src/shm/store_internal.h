/* What store.c and limiter.c have in common. */
#ifndef RL_SHM_STORE_INTERNAL_H
#define RL_SHM_STORE_INTERNAL_H

#include "worker.h"
#include "table.h"

/* Where a key's entry is to be looked for. record: a limiter's, not a counter's. */
rl_place rl_shm_place(const rl_segment *s, const rl_key *key, bool record);

/* Why a thread without a worker cannot decide. */
rl_status rl_shm_no_worker(rl_error *e);

/* For stats(). */
void rl_stat_add_decision(const rl_decision *d, bool ban_begun);

rl_status rl_shm_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);
rl_status rl_shm_ask_many(rl_store *store, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
	rl_status *status, rl_error *e);

#endif
