#include "state.h"

#include "../../compiler.h"
#include "algorithm.h"

void rl_state_read(const uint64_t *words, size_t n, rl_state *state)
{
	uint64_t head;
	size_t at = RL_STATE_HEAD_WORDS;
	unsigned i, n_limits;

	state->ban = false;
	state->exhausted = false;
	state->used = 0;
	state->level = 0;
	state->forget_at_us = INT64_MIN;
	state->n_limits = 0;
	if (words == NULL || n < RL_STATE_HEAD_WORDS) {
		return;
	}
	head = words[0];
	if (rl_state_has_ban(head)) {
		if (n - at < RL_STATE_BAN_WORDS) {
			return;
		}
		state->ban = true;
		state->ban_end_us = (int64_t) words[at];
		state->ban_algorithm = (uint8_t) (words[at + 1] & 0xff);
		state->ban_mark = (uint16_t) (words[at + 1] >> 8 & 0xffff);
		state->ban_rate = rl_state_ban_rate(words[at + 1]);
		state->ban_period = (int64_t) words[at + 2];
		at += RL_STATE_BAN_WORDS;
	}
	state->exhausted = rl_state_is_exhausted(head);
	state->used = rl_state_used(head);
	n_limits = (unsigned) (head & RL_STATE_LIMITS_MASK);
	for (i = 0; i < n_limits && i < RL_STATE_LIMITS_MAX && at < n; i++) {
		const rl_algorithm_ops *ops = rl_algorithm_of((unsigned) rl_limit_state_algorithm(words + at));
		size_t size = rl_limit_state_words(words + at);

		if (ops == NULL || size > n - at || size < ops->words_min
			|| (RL_UNLIKELY((words[at] & (RL_LIMIT_STATE_TAGGED | RL_LIMIT_STATE_WIDE)) != 0)
				&& size < ops->words_min + rl_limit_state_is_tagged(words + at) + rl_limit_state_is_wide(words + at))) {
			return;
		}
		state->limit_states[state->n_limits++] = words + at;
		at += size;
	}
	if (RL_UNLIKELY(rl_state_has_level(head)) && i == n_limits && at < n && n - at >= RL_STATE_LEVEL_WORDS) {
		state->level = (uint16_t) rl_limit_state_number(words + at);
		state->forget_at_us = rl_moment(words[at + 1]);
	}
}

bool rl_state_any_needs_wall(const uint64_t *words, size_t n)
{
	size_t at = RL_STATE_HEAD_WORDS + (n > 0 && rl_state_has_ban(words[0]) ? RL_STATE_BAN_WORDS : 0);

	while (at < n && rl_limit_state_words(words + at) > 0) {
		if (rl_limit_state_algorithm(words + at) == RL_CALENDAR_WINDOW) {
			return true;
		}
		at += rl_limit_state_words(words + at);
	}
	return false;
}
