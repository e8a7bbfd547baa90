/* Writes a limiter's next state: a ban if there is one, the limits' slots in their order, then the slots that no limit took.
 * What is over is left out. */
#ifndef RL_CORE_SCRIBE_H
#define RL_CORE_SCRIBE_H

#include "hearing.h"

typedef struct {
	const rl_hearing *hearing;
	uint64_t *out;
	size_t at;          /* where the next words go */
	bool ban;
	unsigned n_slots;
	int64_t over_at_us;
	uint32_t used;      /* of the limit of which most is: what it was, or the caller's to say */
	bool exhausted;     /* is a limit used up? The caller's to say */
} rl_scribe;

/* out has room for rl_several_room() words. */
void rl_scribe_begin(rl_scribe *w, const rl_hearing *h, uint64_t *out);

/* Before all slots: a ban that begins now (limit: the one that began it, NULL: begun by hand), or the one that is running,
 * if one is. */
void rl_scribe_ban(rl_scribe *w, int64_t end_us, const rl_limit *limit);
void rl_scribe_old_ban(rl_scribe *w);

/* Keeps a slot of so many words that was written at w->out + w->at. Returns it; NULL: it is over. */
const uint64_t *rl_scribe_slot(rl_scribe *w, size_t words);

/* Keeps a slot as it was; NULL: there was none. */
void rl_scribe_old_slot(rl_scribe *w, const uint64_t *slot);

/* Returns the words of the state; 0: nothing is left to remember. */
size_t rl_scribe_end(rl_scribe *w);

#endif
