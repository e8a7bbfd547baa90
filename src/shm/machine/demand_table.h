/* Keeps how often this machine asks Redis about its most frequent identities (shm/machine/demand.h), for leases. The table
 * has a fixed size and no locks. An identity has one of the words of a small set, by its hash. An identity that was
 * asked about once gives its word to the next one. Two identities of one tag share a word: that changes the size of a batch. */
#ifndef RL_SHM_DEMAND_TABLE_H
#define RL_SHM_DEMAND_TABLE_H

#include <stdint.h>

#include "../table/position.h"

/* Counts a request of this cost. Returns the permits to take ahead with it; 0: none. p: the position of the identity's batch. now_us:
 * of the segment's time. Needs a segment. */
uint32_t rl_demand_table_ask(rl_position p, uint64_t cost, int64_t now_us);

/* Counts permits that were taken ahead. */
void rl_demand_table_add(rl_position p, uint32_t permits);

#endif
