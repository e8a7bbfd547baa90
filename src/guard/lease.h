/* Leased permits (Limit::leased(), lease): this machine takes a batch of permits from Redis, which counts them as taken, and
 * decides from its own memory while they last. All machines together never exceed the limit: a permit is counted before it
 * is given, and given only while the window lasts that it was counted in. When the machine dies, or the window ends, what
 * is left of the batch is lost.
 *
 * shm/machine/demand.h has the size of a batch. It is valid for RL_LEASE_US at most, and only a consume takes from it. Any limiter or
 * counter may have one; where its permits could not be given exactly, Redis decides each call. */
#ifndef RL_GUARD_LEASE_H
#define RL_GUARD_LEASE_H

#include "../shm/machine/lease_entry.h"

/* Returns whether the machine may take permits ahead for the question. It is a call of one identity with one cost and
 * nothing to leave, whose limits are all large fixed or calendar windows, or one large sliding window or bucket. */
bool rl_lease_is_possible(const rl_question *q);

/* Returns the longest life of such a batch. */
int64_t rl_lease_life_us(const rl_question *q);

/* Return the key of the machine's batch: the store of this id, and the limits. */
rl_deny_key rl_lease_key(const uint64_t store_id[2], const rl_question *q);
rl_deny_key rl_lease_key_counter(const uint64_t store_id[2], const rl_counter_question *q);

/* Decides by what was seen of a batch with enough permits. */
void rl_lease_decide(uint64_t limit, const rl_lease_entry *seen, rl_decision *d);

/* Returns the question for Redis that stands for a consume. wanted: the most permits of the batch. */
rl_question rl_lease_question(const rl_question *q, uint32_t wanted);

/* Returns the time left of a window, or of a sliding window's newest sub-window, in which the call was counted. */
int64_t rl_lease_left_us(const rl_question *q, const rl_decision *d);

/* Keeps the permits that Redis leased beside the call's own cost: for life_us at most, of the left_us in which it has counted them.
 * began_us: the moment before the request, by rl_lease_now_read(). */
void rl_lease_keep(rl_lease_position p, int64_t began_us, uint32_t leased, int64_t life_us, int64_t left_us,
	rl_decision *d);

#endif
