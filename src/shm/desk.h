/* Desks: each thread that decides has one for itself. It keeps its statistics there, so that counting is an ordinary
 * store on a line that nobody else writes, and says there what it is in the middle of.
 *
 * A desk is held by a robust mutex that its owner locks for life and that nobody ever waits for: others only *try* it,
 * which tells whether the owner still lives, in whatever process or container. The kernel marks it when the owner dies,
 * however it dies. The next thread takes the desk over, counters and all, under a new epoch. */
#ifndef RL_SHM_DESK_H
#define RL_SHM_DESK_H

#include <pthread.h>

#include "segment.h"

struct rl_desk {
	_Alignas(64) pthread_mutex_t life;
	uint32_t state;        /* RL_DESK_* */
	uint32_t epoch;        /* counts up whenever somebody sits down (odd) or gets up (even) */
	uint64_t journal;      /* the unit of the record that its owner is about to take out of a cell, or 0 (record.c) */
	uint64_t hunting;      /* 1 + the page in which its owner looks for a record, or 0 (hunt.c) */
	uint64_t counts[RL_COUNTS];
	uint64_t publications; /* numbers the references that its owners publish (owner.h) */
	uint64_t slots_used;   /* cells that it was the first ever to use */
};

#define RL_DESK_BYTES 192
_Static_assert(sizeof(rl_desk) <= RL_DESK_BYTES, "a desk has three cache lines at the most");

enum {
	RL_DESK_NEW = 0,
	RL_DESK_SETTING_UP = 1,
	RL_DESK_READY = 2,
};

/* This thread's desk; NULL until it has claimed one. */
extern RL_HIDDEN RL_THREAD_LOCAL rl_desk *rl_my_desk;

/* Claims a desk for this thread, if it has none. NULL when all are taken. */
rl_desk *rl_desk_claim(void);

/* Gives this thread's desk back. */
void rl_desk_release(void);

/* After a fork: the parent's desk is not the child's. */
void rl_desk_forget_after_fork(void);

rl_desk *rl_desk_at(const rl_segment *s, uint64_t i);

/* How many desks were ever used: the first so many. */
uint64_t rl_desks_used(const rl_segment *s);

/* Did somebody sit down here and not get up again? (Who was killed still counts, until the next one takes the desk.) */
bool rl_desk_is_taken(const rl_desk *d);

/* Is the desk's owner of that epoch gone for good? Marks the desk as left when it finds it so. */
bool rl_desk_is_left(rl_desk *d, uint32_t epoch);

/* Only this thread writes its counters: no locked instruction, yet no torn value for whoever reads. */
static inline void rl_desk_count(rl_desk *d, rl_count which)
{
	__atomic_store_n(&d->counts[which], d->counts[which] + 1, __ATOMIC_RELAXED);
}

#endif
