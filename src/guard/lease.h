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

/* Return the place of the machine's batch. Must precede the request to Redis. */
rl_lease_position rl_lease_position_for(const uint64_t store_id[2], const rl_key *key, const rl_question *q,
	uint64_t epoch);
rl_lease_position rl_lease_position_counter(const uint64_t store_id[2], const rl_key *key, const rl_counter_question *q,
	uint64_t epoch);

/* Decides from the batch. Returns false if the batch has too few permits. */
bool rl_lease_take(rl_lease_position p, const rl_question *q, rl_answer *a);

/* Does so for a counter. */
bool rl_lease_take_counter(rl_lease_position p, const rl_counter_question *q, bool peek, rl_decision *d);

/* Returns the question for Redis that stands for a consume. wanted: the most permits of the batch. */
rl_question rl_lease_question(const rl_question *q, uint32_t wanted);

/* Keeps the permits that Redis leased beside the call's own cost. began_us: the moment before the request, by
 * rl_lease_now_read(). */
void rl_lease_keep(rl_lease_position p, int64_t began_us, const rl_question *q, rl_answer *a);

/* Keeps the permits that Redis leased beside a counter's call. */
void rl_lease_keep_counter(rl_lease_position p, int64_t began_us, uint32_t leased, rl_decision *d);

#endif
