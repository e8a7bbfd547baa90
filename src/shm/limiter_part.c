/* Takes the parts of a question about several keys. */
#include "../core/tagged_limits.h"

#include "fast_call.h"
#include "limiter_fast.h"

/* Decides a part whose next state needs a record of another size: its marks make it longer or shorter. */
static RL_NOINLINE rl_try_result part_try_any_size(const rl_segment *s, const rl_fast_call *call,
	const rl_fast_seen *at, const rl_tagged_call *part, rl_decision *d)
{
	uint64_t state[RL_SEVERAL_WORDS_MAX], next[RL_SEVERAL_WORDS_MAX + 1];
	size_t words;

	rl_fast_copy(state, at->record->state, at->words);
	if (!rl_tagged_decide(part, &call->now, state, at->words, next, RL_SEVERAL_WORDS_MAX, &words, d)) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&at->seen);
	}
	next[words] = 0;
	return rl_fast_replace_sized(s, call, at, next, words);
}

/* Decides a part. The next state is written into the record that takes the place of the published one. */
static rl_try_result part_try(const rl_segment *s, const rl_fast_call *call, const rl_tagged_call *part, rl_decision *d)
{
	uint64_t state[RL_FAST_KEPT_WORDS];
	rl_record *record;
	rl_fast_seen at;
	size_t words;

	if (!rl_fast_find(s, call->place, RL_SINGLE_WORDS, &at) || at.words > RL_SEVERAL_WORDS_MAX) {
		return RL_TRY_LEFT;
	}
	record = RL_LIKELY(at.words <= RL_FAST_KEPT_WORDS) ? rl_record_replace_begin(s, at.seen.entry, at.words) : NULL;
	if (RL_UNLIKELY(record == NULL)) {
		return part_try_any_size(s, call, &at, part, d);
	}
	rl_fast_copy(state, at.record->state, at.words);
	if (RL_UNLIKELY(!rl_tagged_decide(part, &call->now, state, at.words, record->state, at.words, &words, d))) {
		return words == 0 ? part_try_any_size(s, call, &at, part, d) : RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&at.seen);
	}
	return rl_fast_replace_end(s, call, &at, record);
}

bool rl_limiter_parts_begin(rl_limiter_parts *parts, const rl_key *keys, unsigned n, const rl_limit *limits,
	unsigned n_limits)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call;
	unsigned i;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	parts->wall = (rl_fast_algorithms(limits, n_limits) & 1u << RL_CALENDAR_WINDOW) != 0;
	rl_fast_read_clock(s, &call, parts->wall); /* before the hash: see limiter_store.c */
	parts->now = call.now;
	parts->is_read = true;
	for (i = 0; i < n; i++) {
		parts->places[i] = rl_fast_place(s, &keys[i]);
		__builtin_prefetch(&s->buckets[parts->places[i].home], 0, 3);
	}
	return true;
}

bool rl_limiter_parts_take(rl_limiter_parts *parts, unsigned i, const rl_tagged_call *part, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call = {.place = parts->places[i], .now = parts->now};
	rl_try_result result = RL_TRY_RACED;

	if (RL_LIKELY(parts->is_read)) {
		result = part_try(s, &call, part, d);
	}
	while (RL_UNLIKELY(result == RL_TRY_RACED)) {
		rl_fast_read_clock(s, &call, parts->wall);
		result = part_try(s, &call, part, d);
	}
	parts->is_read = result == RL_TRY_DECIDED;
	d->source = RL_FROM_SHM;
	return result == RL_TRY_DECIDED;
}
