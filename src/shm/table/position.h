/* Names the position of an identity's entry in the table, without the layout of the segment: src/guard keeps it between a
 * lookup and the answer of another store. */
#ifndef RL_SHM_POSITION_H
#define RL_SHM_POSITION_H

#include <stdint.h>

/* A hashed key. */
typedef struct {
	uint64_t home; /* the bucket to begin with */
	uint64_t fp;   /* the fingerprint, without RL_FP_EXHAUSTED */
} rl_position;

#endif
