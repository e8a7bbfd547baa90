#ifndef RL_SHM_STORE_H
#define RL_SHM_STORE_H

#include "segment.h"

/* Fills in the store's functions. */
void rl_shm_store_init(rl_segment *s);

#endif
