/* Desks: each thread that decides has one for itself. It keeps its statistics there, so that counting is an ordinary
 * store on a line that nobody else writes, and says there what it is in the middle of.
 *
 * A worker is held by a robust mutex that its owner locks for life and that nobody ever waits for: others only *try* it,
 * which tells whether the owner still lives, in whatever process or container. The kernel marks it when the owner dies,
 * however it dies. The next thread takes the worker over, counters and all, under a new epoch. */
#ifndef RL_SHM_WORKER_H
#define RL_SHM_WORKER_H

#include <pthread.h>

#include "segment.h"

struct rl_worker {
	_Alignas(64) pthread_mutex_t alive;
	uint32_t state;         /* RL_DESK_* */
	uint32_t epoch;         /* counts up whenever somebody sits down (odd) or gets up (even) */
	uint64_t journal;       /* the unit of the record that its owner is about to take out of a entry, or 0 (record.c) */
	uint64_t scanning_page; /* 1 + the page in which its owner looks for a record, or 0 (hunt.c) */
	uint64_t stats[RL_STATS];
	uint64_t entries_used; /* entries that it was the first ever to use */
};

#define RL_WORKER_BYTES 192
_Static_assert(sizeof(rl_worker) <= RL_WORKER_BYTES, "a desk has three cache lines at the most");

enum {
	RL_WORKER_NEW = 0,
	RL_WORKER_SETTING_UP = 1,
	RL_WORKER_READY = 2,
};

/* This thread's worker; NULL until it has claimed one. */
extern RL_HIDDEN RL_THREAD_LOCAL rl_worker *rl_worker_self;

/* Claims a worker for this thread, if it has none. NULL when all are taken. */
rl_worker *rl_worker_register(void);

/* Gives this thread's worker back. */
void rl_worker_unregister(void);

/* After a fork: the parent's worker is not the child's. */
void rl_worker_after_fork(void);

rl_worker *rl_worker_at(const rl_segment *s, uint64_t i);

/* How many workers were ever used: the first so many. */
uint64_t rl_workers_used(const rl_segment *s);

/* Did somebody sit down here and not get up again? (Who was killed still counts, until the next one takes the worker.) */
bool rl_worker_is_active(const rl_worker *w);

/* Is the worker's owner of that epoch gone for good? Marks the worker as left when it finds it so. */
bool rl_worker_is_dead(rl_worker *w, uint32_t epoch);

/* Only this thread writes its counters: no locked instruction, yet no torn value for whoever reads. */
static inline void rl_worker_stat_add(rl_worker *w, rl_stat which)
{
	__atomic_store_n(&w->stats[which], w->stats[which] + 1, __ATOMIC_RELAXED);
}

#endif
