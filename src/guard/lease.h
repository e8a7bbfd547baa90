/* Leased permits (Limit::leased()): this machine takes a batch of permits from Redis, which counts them as taken, and
 * decides from its own memory while they last. Never more than the limit over all machines: a permit is counted before it
 * is given, and given only while the window that it was counted in lasts. What a machine holds when it dies, or when
 * its window ends, is stranded: at most its batch. */
#ifndef RL_GUARD_LEASE_H
#define RL_GUARD_LEASE_H

#include "../shm/deny_entry.h"
#include "../shm/lease_entry.h"

/* Does the question's limit lease? Then it is the limiter's only one, and carries no ban. */
static inline bool rl_lease_is_asked(const rl_question *q)
{
	return q->limits[0].lease > 0 && (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK);
}

/* Where the machine keeps its batch. Found before Redis is asked. */
rl_place rl_lease_place(const uint64_t store_id[2], const rl_key *key, const rl_question *q);

/* Decides from the batch. False: it has not so many. */
bool rl_lease_take(rl_place p, const rl_question *q, rl_decision *d);

/* What Redis is to be asked instead of a consume(). */
rl_question rl_lease_question(const rl_question *q);

/* Keeps what Redis handed out beside the call's own cost. began_us: before it was asked, by rl_lease_now_us(). */
void rl_lease_keep(rl_place p, int64_t began_us, rl_answer *a);

#endif
