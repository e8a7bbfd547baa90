/* Declares what a concurrent limit has beside the functions of every algorithm. */
#ifndef RL_CORE_CONCURRENT_H
#define RL_CORE_CONCURRENT_H

#include "single_limit.h"

/* Writes the limit state with the end of a permit's place moved to for_us from now, and returns its words; 0: the place is
 * gone. Requires a limit state of a concurrent limit. */
size_t rl_concurrent_renew(const rl_limit_ctx *c, const rl_held *held, int64_t for_us, uint64_t *out);

/* ---- A state of one concurrent limit alone: the usual case, as in single_limit.h ---- */

#define RL_SINGLE_PLACES            64                   /* in a state, at most */
#define RL_SINGLE_PLACES_HEAD_WORDS (RL_SINGLE_HEAD + 2) /* the words of a state before its places */
#define RL_SINGLE_PLACES_WORDS      (RL_SINGLE_PLACES_HEAD_WORDS + 3 * RL_SINGLE_PLACES)

/* The next state. An odd number of words has a 0 behind it. */
typedef struct {
	size_t words;
	uint64_t state[RL_SINGLE_PLACES_WORDS];
} rl_single_places;

/* A call that takes a place, or gives places back. */
typedef struct {
	const rl_limit *limit;
	uint64_t number; /* the permit's */
	uint64_t owner;
	uint64_t cost;
	int64_t now_us;
	bool rough; /* now is the latest that it can be */
} rl_single_place;

/* Takes a place as an acquire: fills in d but its source, and the next state. Of a refusal that is the present state, without places
 * that are over: dead workers may hold the others. head: the first words of a state; places: what follows, up to a state of so many
 * words. The places may change meanwhile: then the answer and the next state mean nothing. Returns false where only
 * rl_limiter_decide() can decide. */
bool rl_single_take_place(const rl_single_place *call, const uint64_t *head, const uint64_t *places, size_t words,
	rl_single_places *next, rl_decision *d);

/* Gives a permit's places back, as a release. Returns false where only rl_limiter_decide() can decide: also where they are gone,
 * and where a rough moment does not show which places are held. Where rl_limiter_decide() would remove the state, the next one has
 * no place and is over: the identity keeps its entry for the next call, until another one needs it. */
bool rl_single_free_place(const rl_single_place *call, const uint64_t *head, const uint64_t *places, size_t words,
	rl_single_places *next);

/* ---- Places of dead workers ---- */

/* Drops, in a copy of a state, the places of all owners that are gone. Returns whether there were any. */
bool rl_concurrent_drop(uint64_t *words, size_t n_words, bool (*is_gone)(uint64_t owner, void *context), void *context);

#endif
