/* The hash of a limiter's name alone, computed once: half of the work for the hash of each identity (hash.h). */
#ifndef RL_SHM_NAME_HASH_H
#define RL_SHM_NAME_HASH_H

#include "../../store.h"

typedef struct {
	uint64_t sum[2]; /* of the name's blocks */
	uint64_t shape;  /* of a key with this name and an int identity; 0: there is no such hash */
} rl_name_hash;

/* Computes the hash of a name for the process' segment. Without a segment, or where its hash has no part of the name alone, sets the
 * shape to 0. */
void rl_name_hash_make(rl_space space, const char *name, size_t name_len, rl_name_hash *h);

#endif
