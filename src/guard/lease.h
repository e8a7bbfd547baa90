/* Leased permits (Limit::leased(), lease): this machine takes a batch of permits from Redis, which counts them as taken, and
 * decides from its own memory while they last. All machines together never exceed the limit: a permit is counted before it
 * is given, and given only while the window lasts that it was counted in. When the machine dies, or the window ends, what
 * is left of the batch is lost.
 *
 * An automatic lease has no number: core/demand.h has the size of its batches. It is valid for RL_LEASE_AUTO_US at most, and
 * only a consume takes from it. Any limiter or counter may have one; where its permits could not be given exactly, Redis
 * decides each call. */
#ifndef RL_GUARD_LEASE_H
#define RL_GUARD_LEASE_H

#include "../shm/lease_entry.h"

/* Returns whether the question's limit leases permits. Then it is the limiter's only limit, and has no ban. */
static inline bool rl_lease_is_asked(const rl_question *q)
{
	return q->limits[0].lease > 0 && (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK || q->op == RL_OP_ACQUIRE);
}

/* Returns whether the machine may take permits for the question by itself. It is a call of one identity with one cost and
 * nothing to leave, whose limits are all large fixed or calendar windows, or one large sliding window or bucket. */
bool rl_lease_is_auto(const rl_question *q);

/* Returns the longest life of such a batch. */
int64_t rl_lease_auto_us(const rl_question *q);

/* Return the place of the machine's batch. Must precede the request to Redis. */
rl_lease_place rl_lease_place_auto(const uint64_t store_id[2], const rl_key *key, const rl_question *q, uint64_t epoch);
rl_lease_place rl_lease_place_counter(const uint64_t store_id[2], const rl_key *key, const rl_counter_question *q,
	uint64_t epoch);
rl_lease_place rl_lease_place_for(const uint64_t store_id[2], const rl_key *key, const rl_question *q, uint64_t epoch);

/* Decides from the batch. Returns false if the batch has too few permits. An acquire's permit then holds them. */
bool rl_lease_take(rl_lease_place p, const rl_question *q, rl_answer *a);

/* Does so for a counter. */
bool rl_lease_take_counter(rl_lease_place p, const rl_counter_question *q, bool peek, rl_decision *d);

/* Returns the question for Redis that stands for a consume or an acquire. wanted: the most permits of the batch. valid_us: its
 * longest life; 0: its window's. */
rl_question rl_lease_question(const rl_question *q, uint32_t wanted, int64_t valid_us);

/* Keeps the permits that Redis leased beside the call's own cost; an acquire's permit holds that cost. began_us: the moment
 * before the request, by rl_lease_now_read(). valid_us: as above. */
void rl_lease_keep(rl_lease_place p, int64_t began_us, int64_t valid_us, const rl_question *q, rl_answer *a);

/* Keeps the permits that Redis leased beside a counter's call. */
void rl_lease_keep_counter(rl_lease_place p, int64_t began_us, uint32_t leased, rl_decision *d);

/* Returns whether a permit's part is of a batch, and not of a state in the store: rl_held.tag then names the batch's
 * place, place is its end, and moved_us its epoch. No other part of a window has moved_us. */
static inline bool rl_lease_is_held(const rl_question *q)
{
	return q->limits[0].lease > 0 && q->held[0].moved_us != 0;
}

/* Settles a permit that holds a part of a batch. Returns false if the batch is over, or was dropped, or has too few permits
 * for a higher true cost: then nothing has changed. */
bool rl_lease_settle(const uint64_t store_id[2], const rl_key *key, const rl_question *q, rl_answer *a);

#endif
