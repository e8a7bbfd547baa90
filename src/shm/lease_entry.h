/* Keeps a batch of permits that another store has leased to this machine: how many are left, and until when they hold. It
 * is one word beside its fingerprint (core/counter.h: the end and the count), so taking some is one compare-and-swap. A
 * permit is given once or, when its taker dies before it answers, lost. It is never given twice.
 *
 * A batch ends by the clock that goes on while the machine sleeps. That one stands still while a hypervisor has the
 * machine paused, and the wall clock does not, once it is set right. So a batch also ends when the wall clock and that
 * clock have come apart. */
#ifndef RL_SHM_LEASE_ENTRY_H
#define RL_SHM_LEASE_ENTRY_H

#include <stdbool.h>

#include "deny_entry.h"

/* How far the two clocks may come apart before a batch ends: by so much it may outlive its end, if a machine was paused. */
#define RL_LEASE_APART_MAX_US (RL_US_PER_MS + RL_US_PER_MS / 4)

/* Where a machine keeps its batch. */
typedef struct {
	rl_place place;
	uint64_t epoch; /* counts the steps of the machine's clocks; a batch of before is never found again */
} rl_lease_place;

/* A reading of the clocks. */
typedef struct {
	int64_t now_us; /* of the segment's time, by the clock that goes on while the machine sleeps */
	uint64_t epoch;
} rl_lease_now;

typedef struct {
	uint32_t left;   /* without those that were taken */
	int64_t left_us; /* until the batch ends */
} rl_lease_entry;

/* Returns the epoch that was seen last, without reading a clock. There must be a segment, here and below. */
uint64_t rl_lease_epoch(void);

/* Reads the clocks. Begins a new epoch when one of them has been stepped since the last reading on this machine, or has
 * stood still while the other went on. */
rl_lease_now rl_lease_now_read(void);

/* Returns the place of a key's batch, as of this generation (deny_entry.h). m: the store and the limit. */
rl_lease_place rl_lease_place_of(const rl_key *key, rl_deny_key m, uint64_t epoch);

/* Takes n permits, or (peek) looks whether there are so many. False: there are not. */
bool rl_lease_entry_take(rl_lease_place p, uint32_t n, bool peek, rl_lease_entry *seen);

/* Adds n permits that hold until end_us of the segment's time. With those that are left already they hold until the
 * earlier end. They are lost when there is no room, and when the epoch is over. */
void rl_lease_entry_put(rl_lease_place p, uint32_t n, int64_t end_us);

#endif
