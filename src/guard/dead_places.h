/* Gives back what killed workers of this machine hold in a Redis: the concurrent places of their permits, which the
 * segment keeps for each worker (shm/machine/held_places.h). */
#ifndef RL_GUARD_DEAD_PLACES_H
#define RL_GUARD_DEAD_PLACES_H

#include "guard_types.h"

/* Gives back places of killed workers in the guard's store, if a search is due. To be called before a request to it. */
void rl_dead_places_give_back(const rl_guard *g);

/* Notes what an acquire with a concurrent limit may take. To be called before its request, as the worker may be killed
 * at any instruction. */
void rl_dead_places_note(const rl_guard *g, const rl_key *key, const rl_question *q);

/* Keeps that note if the acquire was admitted. Otherwise forgets it; without a reply, leaves the places to the next search. */
void rl_dead_places_note_answer(const rl_guard *g, const rl_key *key, const rl_question *q, rl_status status,
	const rl_answer *a);

/* Notes what a settle, release or renew has changed. status: its result. */
void rl_dead_places_note_change(const rl_guard *g, const rl_key *key, const rl_question *q, rl_status status,
	const rl_answer *a);

#endif
