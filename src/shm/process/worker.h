/* src/shm/process: The processes that share the memory: how they find it, and which of them are alive.
 *
 * Workers: the registration of each thread that decides. A worker has its statistics there, so that counting is an
 * ordinary store on a cache line that no other thread writes, and it notes there which record or page it is working on.
 *
 * A thread holds its slot by a lock of its process (liveness.h), which ends with the process. The next thread takes the
 * slot over, counters and all, under a new epoch. */
#ifndef RL_SHM_WORKER_H
#define RL_SHM_WORKER_H

#include "../segment/segment.h"
#include "worker_stats.h"

struct rl_worker {
	_Alignas(64) union {
		struct {
			uint32_t epoch; /* +1 on register and on unregister: odd while the slot is taken */
			uint32_t inode; /* of the ticket on which its owner has the lock (rl_liveness_inode()) */
		};
		uint64_t claim; /* both, as the supported processors order bytes: the process that swaps it has the slot */
	};
	uint64_t journal; /* the unit of the record that its owner is about to take out of an entry, or 0 (record.c) */
	uint64_t scanning_page; /* 1 + the page in which its owner looks for a record, or 0 (record_claim.c) */
	uint64_t stats[RL_STATS];
	uint64_t entries_used; /* entries that it was the first ever to use */
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the epoch is the lower half of a claim");

_Static_assert(sizeof(rl_worker) <= RL_WORKER_BYTES, "a worker has three cache lines at the most");

/* This thread's worker; NULL until it is registered. */
extern RL_HIDDEN RL_THREAD_LOCAL rl_worker *rl_worker_self;

/* Registers this thread, if it is not registered. Registers it anew if it has lost its slot: only other code of this
 * process that closes descriptors which are not its own can bring that about. NULL when there is no slot. */
rl_worker *rl_worker_register(void);

/* Writes why rl_worker_register() has just returned NULL. */
void rl_worker_explain(char *message, size_t size);

/* Sets the function that rl_worker_register() calls when a slot was lost: it forgets what this thread held under it. */
void rl_worker_on_lost(void (*forget)(void));

/* Sets the function that makes the ticket of a user's segment again, if it was removed: registration calls it. */
void rl_worker_on_ticket(void (*keep)(void));

/* Goes on with the locks on another ticket. False: not now, and nothing has changed. */
bool rl_worker_move(int fd);

/* Gives this thread's slot back. */
void rl_worker_unregister(void);

/* Forgets the worker of the parent, after a fork. */
void rl_worker_after_fork(void);

/* Returns the worker of a slot below n_workers. */
rl_worker *rl_worker_at(const rl_segment *s, uint64_t i);

/* Returns how many slots were ever used: the first so many. Never more than n_workers. */
uint64_t rl_workers_used(const rl_segment *s);

/* True: a live thread is registered in the slot. Asks the kernel. */
bool rl_worker_is_active(rl_worker *w);

/* True: the worker's owner of that epoch is gone for good. Asks the kernel, unless the epoch has changed; frees the slot of
 * a dead owner. False where the answer is not to be had. */
bool rl_worker_is_dead(rl_worker *w, uint32_t epoch);

/* Names a worker in a state: its slot, counted from 1, in the upper half, and its epoch. */
static inline uint64_t rl_owner_slot(uint64_t owner)
{
	return (owner >> 32) - 1;
}

/* Returns this thread's name as an owner; 0 when it has no worker slot. Registers the thread. */
uint64_t rl_owner_self(void);

/* Returns whether the slot still has the epoch of the owner. */
bool rl_owner_has_slot(uint64_t owner);

/* True: the owner is gone for good, as by rl_worker_is_dead(), or names no slot. */
bool rl_owner_is_gone(uint64_t owner);

/* Adds one to a counter. Only this thread writes its counters: an ordinary store does, and no reader sees a torn value. */
static inline void rl_worker_stat_add(rl_worker *w, rl_stat which)
{
	__atomic_store_n(&w->stats[which], w->stats[which] + 1, __ATOMIC_RELAXED);
}

#endif
