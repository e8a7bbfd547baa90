/* Keeps a batch of permits that another store has leased to this machine: their number, and the end of their validity.
 * It is one word beside its fingerprint (core/algorithm/counter.h: the end and the count), so a worker takes permits by one
 * compare-and-swap. A worker that dies before its answer loses its permits. No permit is given twice.
 *
 * A batch ends by the clock that continues while the machine sleeps. A hypervisor that pauses the machine stops that
 * clock, but not the wall clock, once it is set right. So a batch also ends when the wall clock and that clock have
 * come apart. */
#ifndef RL_SHM_LEASE_ENTRY_H
#define RL_SHM_LEASE_ENTRY_H

#include <stdbool.h>

#include "deny_entry.h"

/* The distance of the two clocks at which a batch ends. A batch may outlive its end by so much, if a machine was
 * paused. */
#define RL_LEASE_APART_MAX_US (RL_US_PER_MS + RL_US_PER_MS / 4)

/* The position of a machine's batch. */
typedef struct {
	rl_position position;
	uint64_t epoch; /* counts the steps of the machine's clocks; no later epoch finds a batch of an earlier one */
} rl_lease_position;

/* A reading of the clocks. */
typedef struct {
	int64_t now_us; /* of the segment's time, by the clock that continues while the machine sleeps */
	uint64_t epoch;
} rl_lease_now;

typedef struct {
	uint32_t left;   /* without those that were taken */
	int64_t left_us; /* until the batch ends */
	int64_t end_us;  /* of the segment's time */
} rl_lease_entry;

/* Returns the latest epoch, without a clock read. Needs a segment, as do the functions below. */
uint64_t rl_lease_epoch(void);

/* Reads the clocks. Begins a new epoch if, since the last reading on this machine, a clock was stepped, or one stood
 * still while the other continued. */
rl_lease_now rl_lease_now_read(void);

/* Returns the position of a key's batch, as of this generation (deny_entry.h). m: the store and the limit. */
rl_lease_position rl_lease_position_of(const rl_key *key, rl_deny_key m, uint64_t epoch);

/* Takes n permits, or (peek) checks for so many. Returns false if there are too few. */
bool rl_lease_entry_take(rl_lease_position p, uint32_t n, bool peek, rl_lease_entry *seen);

/* Adds n permits that are valid until end_us of the segment's time. Together with earlier permits they are valid until
 * the earlier end. They are lost when there is no room, and when the epoch is over. */
void rl_lease_entry_put(rl_lease_position p, uint32_t n, int64_t end_us);

#endif
