/* A batch of permits that another store has handed out to this machine: how many are left, and until when they hold. One
 * word beside its fingerprint (core/plain.h: the end, and the count), so taking some is one compare-and-swap: a permit is
 * given once or, when its taker dies before it says so, lost; never given twice. */
#ifndef RL_SHM_LEASE_ENTRY_H
#define RL_SHM_LEASE_ENTRY_H

#include "table.h"

/* The clock that batches end by, in us of the segment's time: unlike the others it goes on while the machine sleeps. */
int64_t rl_lease_now_us(void);

typedef struct {
	uint32_t left; /* without those that were taken */
	int64_t end_us;
	int64_t now_us; /* when it was looked */
} rl_lease_entry;

/* Takes n, or (peek) looks whether there are so many. False: there are not. There must be a segment. */
bool rl_lease_entry_take(rl_place p, uint32_t n, bool peek, rl_lease_entry *seen);

/* Puts n there that hold until end_us; those that are there already hold no longer then either. If there is no room they are
 * lost. */
void rl_lease_entry_put(rl_place p, uint32_t n, int64_t end_us);

#endif
