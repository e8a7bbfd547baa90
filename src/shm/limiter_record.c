/* Decides a call of one limit by its record: a state that is no word, or one of terms that no word has. */
#include "../core/single_limit.h"
#include "../core/single_sliding.h"

#include "ban_word.h"
#include "fast_call.h"

/* Decides a window or a bucket. */
RL_INLINE rl_try_result record_few_words(const rl_segment *s, const rl_fast_call *call, rl_algorithm algorithm,
	rl_decision *d)
{
	uint64_t state[RL_SINGLE_WORDS];
	rl_single_state next;
	rl_fast_seen at;

	if (!rl_fast_find(s, &call->place, RL_SINGLE_WORDS, &at)) {
		return RL_TRY_LEFT;
	}
	rl_fast_copy_head(state, at.record->state, RL_SINGLE_WORDS);
	if (RL_UNLIKELY(!rl_single_decide(algorithm, call->limit, call->cost, &call->now, state, &next, d))) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&at.seen);
	}
	return rl_fast_replace(s, call, &at, next.state, RL_SINGLE_WORDS, RL_SINGLE_WORDS);
}

static rl_try_result record_fixed_window(const rl_segment *s, const rl_fast_call *call, rl_decision *d)
{
	return record_few_words(s, call, RL_FIXED_WINDOW, d);
}

static rl_try_result record_calendar_window(const rl_segment *s, const rl_fast_call *call, rl_decision *d)
{
	return record_few_words(s, call, RL_CALENDAR_WINDOW, d);
}

static rl_try_result record_token_bucket(const rl_segment *s, const rl_fast_call *call, rl_decision *d)
{
	return record_few_words(s, call, RL_TOKEN_BUCKET, d);
}

/* Writes the state's own words, in front of its limit state. */
static inline void record_write_head(uint64_t *state, const rl_single_outcome *outcome)
{
	state[0] = outcome->head;
	state[1] = (uint64_t) outcome->expires_us;
}

/* Decides a sliding log: its moments go from record to record, without a copy in between. */
static rl_try_result record_log(const rl_segment *s, const rl_fast_call *call, rl_decision *d)
{
	uint64_t head[RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD];
	rl_single_log_state next;
	rl_fast_seen at;
	rl_record *record;

	if (!rl_fast_find(s, &call->place, RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD, &at)) {
		return RL_TRY_LEFT;
	}
	rl_fast_copy_head(head, at.record->state, RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD);
	if (!rl_single_is_plain(head)
		|| !rl_single_log(call->limit, call->cost, &call->now, head + RL_SINGLE_HEAD,
			(const uint32_t *) (const void *) (at.record->state + RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD),
			at.words - RL_SINGLE_HEAD, &next, d)) {
		return RL_TRY_LEFT;
	}
	if (!d->accepted) {
		return rl_entry_refused(&at.seen);
	}
	record = rl_record_get(s, at.seen.entry, RL_SINGLE_HEAD + next.words, call->now.mono_us);
	if (RL_UNLIKELY(record == NULL)) {
		return RL_TRY_LEFT;
	}
	record_write_head(record->state, &next.outcome);
	rl_single_write_log(&next, record->state + RL_SINGLE_HEAD);
	return rl_fast_publish(s, &call->place, &at, record);
}

/* Publishes the next state of a sliding window where this thread has no record of its size. */
static RL_COLD rl_try_result record_publish_sliding(const rl_segment *s, const rl_place *place, int64_t now_us,
	const rl_fast_seen *at, const uint64_t *next)
{
	enum { WORDS = RL_SINGLE_HEAD + RL_SINGLE_SLIDING_WORDS };
	rl_fast_call call = {.place = *place, .now.mono_us = now_us};

	return rl_fast_publish_new(s, &call, at, next, WORDS, WORDS);
}

RL_INLINE rl_try_result record_sliding_window(const rl_segment *s, const rl_place *place, const rl_limit *limit,
	uint64_t cost, int64_t now_us, rl_decision *d)
{
	enum { WORDS = RL_SINGLE_HEAD + RL_SINGLE_SLIDING_WORDS };
	uint64_t stack[WORDS], *next;
	rl_single_sliding o;
	rl_try_result result;
	rl_record *record;
	rl_fast_seen at;
	size_t i;

	if (!rl_fast_find(s, place, WORDS, &at)) {
		return RL_TRY_LEFT;
	}
	/* The state is copied once: into the record that takes the place of the published one. There it becomes the next one. */
	record = rl_record_replace_begin(s, at.seen.entry, at.words);
	next = RL_LIKELY(record != NULL) ? record->state : stack;
	RL_UNROLL(11)
	for (i = 0; i < WORDS; i += 2) {
		memcpy(&next[i], &at.record->state[i], 2 * sizeof *next);
	}
	if (!rl_single_is_plain(next) || !rl_single_sliding_decide(limit, cost, now_us, next + RL_SINGLE_HEAD, &o)) {
		return RL_TRY_LEFT;
	}
	if (RL_UNLIKELY(!o.accepted)) {
		result = rl_entry_refused(&at.seen);
	} else {
		record_write_head(next, &o.next);
		result = RL_LIKELY(record != NULL) ? rl_fast_replace_end(s, place, &at, record)
										   : record_publish_sliding(s, place, now_us, &at, next);
	}
	rl_single_sliding_answer(&o, limit, d);
	return result;
}

/* A function of its own: one for all algorithms has more to save and to store before the swap. */
RL_NOINLINE bool rl_limiter_fast_sliding(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_try_result result;
	rl_place p;

	do {
		int64_t now_us = rl_segment_us(s, rl_clock_mono_us()); /* before the hash */

		p = rl_fast_place(s, key);
		result = record_sliding_window(s, &p, limit, cost, now_us, d);
	} while (RL_UNLIKELY(result == RL_TRY_RACED));
	return RL_LIKELY(result == RL_TRY_DECIDED) ? rl_fast_count(d) : rl_ban_word_refuses(p, limit, cost, d);
}

static inline rl_try_result record_by_algorithm(const rl_segment *s, const rl_fast_call *call, rl_decision *d)
{
	switch (call->limit->algorithm) {
		case RL_FIXED_WINDOW:
			return record_fixed_window(s, call, d);
		case RL_CALENDAR_WINDOW:
			return record_calendar_window(s, call, d);
		case RL_TOKEN_BUCKET:
			return record_token_bucket(s, call, d);
		case RL_SLIDING_LOG:
			return record_log(s, call, d);
		default:
			return RL_TRY_LEFT;
	}
}

bool rl_limiter_fast_record(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call = {.limit = limit, .cost = cost};
	bool wall = limit->algorithm == RL_CALENDAR_WINDOW;
	rl_try_result result;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	rl_fast_read_clock(s, &call, wall); /* before the hash: see limiter_store.c */
	call.place = rl_fast_place(s, key);
	while (RL_UNLIKELY((result = record_by_algorithm(s, &call, d)) == RL_TRY_RACED)) {
		rl_fast_read_clock(s, &call, wall);
	}
	return result == RL_TRY_DECIDED ? rl_fast_count(d) : rl_ban_word_refuses(call.place, limit, cost, d);
}
