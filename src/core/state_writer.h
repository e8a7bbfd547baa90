/* Writes a limiter's next state: a ban if there is one, the limits' limit states in their order, then the limit states that no limit took.
 * What is over is left out. */
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
	uint32_t used;  /* of the limit of which most is: what it was, or the caller's to say */
	bool exhausted; /* is a limit used up? The caller's to say */
} rl_state_writer;

/* out has room for rl_limiter_size() words. */
void rl_state_writer_init(rl_state_writer *w, const rl_evaluation *ev, uint64_t *out);

/* Before all limit states: a ban that begins now (limit: the one that began it, NULL: begun by hand), or the one that is running,
 * if one is. */
void rl_state_writer_put_ban(rl_state_writer *w, int64_t end_us, const rl_limit *limit);
void rl_state_writer_keep_ban(rl_state_writer *w);

/* Keeps a limit state of so many words that was written at w->out + w->at. Returns it; NULL: it is over. */
const uint64_t *rl_state_writer_put_limit(rl_state_writer *w, size_t words);

/* Keeps a limit state as it was; NULL: there was none. */
void rl_state_writer_keep_limit(rl_state_writer *w, const uint64_t *limit_state);

/* Returns the words of the state; 0: nothing is left to remember. */
size_t rl_state_writer_finish(rl_state_writer *w);

#endif
