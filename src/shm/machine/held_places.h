/* Keeps what each worker of this machine holds in another store: the concurrent places of its permits. When a worker is
 * killed, another one finds them here, and gives them back.
 *
 * Each worker slot has one record in the embedded store's table, a list of places, which changes by copy-on-write. The
 * list stays with the slot: a later worker of the slot keeps the places that the dead one held. A place is noted before it
 * is taken. One that finds no room here (RL_STAT_UNNOTED), or that is evicted, ends by its own time
 * alone. */
#ifndef RL_SHM_HELD_PLACES_H
#define RL_SHM_HELD_PLACES_H

#include <stdbool.h>

#include "../../store.h"

/* The places of one permit in the state of one key. */
typedef struct {
	const rl_key *key;
	uint64_t store_id[2]; /* rl_store.id */
	uint64_t number;      /* the permit's */
	int64_t for_us;       /* from now until they end */
} rl_held_place;

/* Notes places of this thread, with a new end if they are noted already. Does nothing without a segment or a worker. */
void rl_held_place_note(const rl_held_place *held);

/* Forgets places of this thread, which have ended. */
void rl_held_place_forget(const rl_held_place *held);

/* Leaves places of this thread to the next search, as if their worker was dead: they could not be given back. */
void rl_held_place_abandon(const rl_held_place *held);

/* A place whose worker is gone. A copy: nothing in it points into the segment. */
typedef struct {
	uint64_t slot; /* of the worker; a search goes on from here */
	uint64_t number;
	rl_key key; /* its bytes are in the next member */
	char bytes[2 * RL_NAME_MAX];
} rl_dead_place;

/* Returns whether a search for places in a store is due. At most once a second, one thread of the machine finds it due. */
bool rl_dead_places_are_due(const uint64_t store_id[2]);

/* Finds the next place in this store whose worker is gone, from found->slot on: 0 at first. Asks the kernel. */
bool rl_dead_place_find(const uint64_t store_id[2], rl_dead_place *found);

/* Forgets a place that was found. */
void rl_dead_place_forget(const uint64_t store_id[2], const rl_dead_place *found);

/* Lets the next call of rl_dead_places_are_due() in this thread be due: the search was not finished. */
void rl_dead_places_again(void);

#endif
