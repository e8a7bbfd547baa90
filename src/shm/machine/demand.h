/* Estimates how often this machine asks Redis about an identity, and so how many permits it should take ahead. Arithmetic on
 * one word, without a clock:
 *
 *     63 ...... 48   47 ..... 24   23      22 ........ 0
 *     tag            begin in ms   known   permits
 *
 * The permits are those that the machine has used, or taken ahead, since the begin. A measure needs a second request within
 * RL_DEMAND_STALE_MS of its begin (known). So an identity that is asked about rarely never takes permits ahead. */
#ifndef RL_SHM_DEMAND_H
#define RL_SHM_DEMAND_H

#include <stdbool.h>
#include <stdint.h>

/* A batch is the demand of so many milliseconds. */
#define RL_DEMAND_BATCH_MS 200

/* The shortest measure that leads to a batch. During a request for a batch, other workers so take none of their own. */
#define RL_DEMAND_MEASURE_MS 10

/* The fewest permits of such a measure. Chance alone brings a few calls of a rare identity together. */
#define RL_DEMAND_EVIDENCE 8

/* An older measure begins anew. It is longer than a batch is valid: the next measure includes what a batch left unused. */
#define RL_DEMAND_STALE_MS 1500

/* The smallest batch: a smaller one saves no more than its request costs. */
#define RL_DEMAND_BATCH_MIN 2

#define RL_DEMAND_PERMITS_MAX ((UINT64_C(1) << 23) - 1)

typedef struct {
	uint64_t word;
	uint32_t wanted; /* the permits to take ahead; 0, or from RL_DEMAND_BATCH_MIN on */
} rl_demand;

/* Returns whether the word measures the identity of this tag. No word of an identity is 0. */
bool rl_demand_is_of(uint64_t word, uint16_t tag);

/* Returns the word after a request of this cost, and the batch for that request. */
rl_demand rl_demand_ask(uint64_t word, uint16_t tag, int64_t now_ms, uint64_t cost);

/* Returns the word after so many permits were taken ahead. */
uint64_t rl_demand_add(uint64_t word, uint32_t permits);

/* Returns the milliseconds since the measure's begin if another identity may have the word; -1: it may not. */
int64_t rl_demand_spare_ms(uint64_t word, int64_t now_ms);

#endif
