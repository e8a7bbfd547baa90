/* Takes a part of a question about several keys. */
#include "../core/tagged_limits.h"

#include "fast_call.h"
#include "limiter_fast.h"

static rl_try_result part_try(const rl_segment *s, const rl_fast_call *call, const rl_tagged_call *part, rl_decision *d)
{
	uint64_t state[RL_SEVERAL_WORDS_MAX], next[RL_SEVERAL_WORDS_MAX + 1];
	rl_fast_seen at;
	size_t words;

	if (!rl_fast_find(s, &call->place, RL_SINGLE_WORDS, &at) || at.words > RL_SEVERAL_WORDS_MAX) {
		return RL_TRY_LEFT;
	}
	rl_fast_copy(state, at.record->state, at.words);
	if (!rl_tagged_decide(part, &call->now, state, at.words, next, RL_SEVERAL_WORDS_MAX, &words, d)) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&at.seen);
	}
	next[words] = 0;
	return rl_fast_replace_sized(s, call, &at, next, words); /* marks make it longer or shorter */
}

bool rl_limiter_fast_part(const rl_key *key, const rl_tagged_call *part, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call = {.limit = part->limits};
	rl_try_result result;
	bool wall = (rl_fast_algorithms(part->limits, part->n) & 1u << RL_CALENDAR_WINDOW) != 0;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	do {
		rl_fast_read_clock(s, &call, wall); /* before the hash: see limiter_store.c */
		call.place = rl_fast_place(s, key);
		result = part_try(s, &call, part, d);
	} while (RL_UNLIKELY(result == RL_TRY_RACED));
	d->source = RL_FROM_SHM;
	return result == RL_TRY_DECIDED;
}
