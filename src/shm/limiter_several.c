/* Decides a call of several limits of one identity. */
#include "../core/several_limits.h"

#include "fast_call.h"
#include "limiter_fast.h"

/* Decides several limits, of which one may be a log: its next state may need a record of another size. */
static rl_try_result several_of_any_size(const rl_segment *s, const rl_fast_call *call, unsigned n,
	const rl_fast_seen *at, const uint64_t *state, rl_decision *d)
{
	uint64_t next[RL_SEVERAL_WORDS_MAX];
	size_t words;

	if (!rl_several_decide(call->limit, n, call->cost, &call->now, state, at->words, next, RL_SEVERAL_WORDS_MAX, &words,
			d)) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&at->seen);
	}
	return rl_fast_publish_new(s, call, at, next, words, words);
}

/* Decides several limits. The next state is written into the record that takes the place of the published one. */
static rl_try_result several_try(const rl_segment *s, const rl_fast_call *call, unsigned n, bool any_size,
	rl_decision *d)
{
	uint64_t state[RL_SEVERAL_WORDS_MAX];
	rl_record *record;
	rl_fast_seen at;
	size_t words;

	if (!rl_fast_find(s, call->place, RL_SINGLE_WORDS, &at) || at.words > RL_SEVERAL_WORDS_MAX) {
		return RL_TRY_LEFT;
	}
	rl_fast_copy(state, at.record->state, at.words);
	record = any_size ? NULL : rl_record_replace_begin(s, at.seen.entry, at.words);
	if (RL_UNLIKELY(record == NULL)) {
		return several_of_any_size(s, call, n, &at, state, d);
	}
	if (!rl_several_decide(call->limit, n, call->cost, &call->now, state, at.words, record->state, at.words, &words,
			d)) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&at.seen);
	}
	return rl_fast_replace_end(s, call, &at, record);
}

bool rl_limiter_fast_several(const rl_key *key, const rl_limit *limits, unsigned n, uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call = {.limit = limits, .cost = cost};
	rl_try_result result;
	unsigned algorithms = rl_fast_algorithms(limits, n);
	bool wall = (algorithms & 1u << RL_CALENDAR_WINDOW) != 0, any_size = (algorithms & 1u << RL_SLIDING_LOG) != 0;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	rl_fast_read_clock(s, &call, wall);
	call.place = rl_fast_place(s, key);
	while (RL_UNLIKELY((result = several_try(s, &call, n, any_size, d)) != RL_TRY_DECIDED)) {
		if (result == RL_TRY_LEFT) {
			return false;
		}
		rl_fast_read_clock(s, &call, wall);
	}
	return rl_fast_count(d);
}
