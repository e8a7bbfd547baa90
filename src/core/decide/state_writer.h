/* Writes a limiter's next state: the ban, if any, the limits' limit states in their order, then those that no limit
 * matched. Leaves out what is over. */
#ifndef RL_CORE_STATE_WRITER_H
#define RL_CORE_STATE_WRITER_H

#include "evaluation.h"

typedef struct {
	const rl_evaluation *evaluation;
	uint64_t *out;
	size_t at; /* where the next words go */
	bool ban;
	unsigned n_limits;
	int64_t expires_at_us;
	int64_t forget_at_us; /* of the level */
	uint16_t level;       /* defaults to the old one */
	uint32_t used;        /* highest used() of all limits; set by the caller, defaults to the old value */
	bool exhausted;       /* a limit is used up; set by the caller */
} rl_state_writer;

/* Requires room for rl_limiter_size() words in out. */
void rl_state_writer_init(rl_state_writer *w, const rl_evaluation *ev, uint64_t *out);

/* Write the ban: one that begins now (by limit i; n_limits: by hand), or the running one, if any. */
void rl_state_writer_put_ban(rl_state_writer *w, int64_t end_us, unsigned i);
void rl_state_writer_keep_ban(rl_state_writer *w);

/* Keeps the limit state of so many words that the caller has written at w->out + w->at, as that of limit i, with this tag
 * (0: none). Returns it, or NULL if it is over. */
const uint64_t *rl_state_writer_put_limit(rl_state_writer *w, unsigned i, size_t words, uint64_t tag);

/* Copies the limit state of limit i, with its tag, if it has one. */
void rl_state_writer_keep_limit(rl_state_writer *w, unsigned i);

/* Returns the words of the state, or 0 if nothing is left to keep. */
size_t rl_state_writer_finish(rl_state_writer *w);

#endif
