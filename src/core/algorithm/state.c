#include "state.h"

#include "../../compiler.h"
#include "algorithm.h"

void rl_state_read(const uint64_t *words, size_t n, rl_state *state)
{
	uint64_t head;
	size_t at = RL_STATE_HEAD_WORDS;
	unsigned i;

	state->ban = state->exhausted = false;
	state->used = 0;
	state->level = 0;
	state->forget_at_us = INT64_MIN;
	state->n_limits = 0;
	if (words == NULL || n < RL_STATE_HEAD_WORDS) {
		return;
	}
	head = words[0];
	state->exhausted = rl_state_is_exhausted(head);
	state->used = rl_state_used(head);
	state->ban = rl_state_has_ban(words);
	state->ban_end_us = rl_moment(words[RL_STATE_BAN_END]);
	state->ban_limit = words[RL_STATE_BAN_LIMIT];
	state->level = rl_state_level(head);
	if (state->level > 0) {
		state->forget_at_us = rl_moment(words[RL_STATE_FORGET]);
	}
	for (i = 0; i < (head & RL_STATE_LIMITS_MASK) && i < RL_STATE_LIMITS_MAX && n - at >= RL_LIMIT_STATE_HEAD_WORDS;
		 i++) {
		const rl_algorithm_ops *ops = rl_algorithm_of((unsigned) rl_limit_state_algorithm(words + at));
		size_t size = rl_limit_state_words(words + at);

		if (ops == NULL || size > n - at
			|| size < ops->words_min + RL_NOTE_WORDS * rl_limit_state_n_notes(words + at)) {
			return;
		}
		state->limit_states[state->n_limits++] = words + at;
		at += size;
	}
}

bool rl_state_any_needs_wall(const uint64_t *words, size_t n)
{
	size_t at = RL_STATE_HEAD_WORDS;

	while (at < n && rl_limit_state_words(words + at) > 0) {
		if (rl_limit_state_algorithm(words + at) == RL_CALENDAR_WINDOW) {
			return true;
		}
		at += rl_limit_state_words(words + at);
	}
	return false;
}
