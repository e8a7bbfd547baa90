/* Decides usual calls by the identity's record: a state that is no word, or one of terms that no word has. One limit, several, and a
 * part of a question about several keys. */
#include <stdlib.h>

#include "../table/ban_word.h"
#include "fast_call.h"
#include "limiter_fast.h"
#include "../../core/decide/usual_step.h"
#include "../segment/clock.h"

/* Decides by a state. alone: the algorithm of the only limit of a consume, where the caller knows it; 0: any usual call. */
RL_INLINE rl_usual_result record_usual(rl_algorithm alone, const rl_usual_call *usual, const rl_now *now,
	uint64_t *state, size_t words, uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	if (alone == 0) {
		return rl_usual_decide(usual, now, state, words, next, room, next_words, d);
	}
	return RL_LIKELY(rl_usual_has(state, words, 1))
		? rl_usual_alone(alone, usual->limits, usual->cost, now, state, words, next, room, next_words, d)
		: RL_USUAL_LEFT;
}

/* Decides by a private copy of the record, with so much room for the next state. */
RL_INLINE rl_try_result record_decide(rl_algorithm alone, const rl_segment *s, const rl_fast_call *call,
	const rl_usual_call *usual, const rl_fast_seen *at, uint64_t *state, uint64_t *next, size_t room,
	rl_usual_result *result, rl_decision *d)
{
	size_t words;

	rl_fast_copy(state, at->record->state, at->words);
	*result = record_usual(alone, usual, &call->now, state, at->words, next, room, &words, d);
	if (RL_UNLIKELY(*result != RL_USUAL_ADMITTED || usual->peeks)) {
		return *result == RL_USUAL_REFUSED || *result == RL_USUAL_ADMITTED ? rl_entry_refused(&at->seen) : RL_TRY_LEFT;
	}
	next[words] = 0;
	return rl_fast_replace_sized(s, call, at, next, words, usual->held != NULL);
}

/* Decides where one of the states is longer: by logs of hundreds of moments. */
static RL_COLD rl_try_result record_try_long(const rl_segment *s, const rl_fast_call *call, const rl_usual_call *usual,
	const rl_fast_seen *at, rl_decision *d)
{
	size_t room = at->words + RL_LIMITS_MAX * (RL_USUAL_WORDS_MAX + (size_t) RL_LOG_LIMIT_MAX);
	uint64_t *state = malloc((at->words + room + 1) * sizeof *state);
	rl_try_result result = RL_TRY_LEFT;
	rl_usual_result usual_result;

	if (state != NULL) {
		result = record_decide(0, s, call, usual, at, state, state + at->words, room, &usual_result, d);
	}
	free(state);
	return result;
}

/* Decides where both states are short, as nearly always; where one is not, the usual result is RL_USUAL_NO_ROOM. */
RL_INLINE rl_try_result record_try_short(rl_algorithm alone, const rl_segment *s, const rl_fast_call *call,
	const rl_usual_call *usual, rl_fast_seen *at, rl_usual_result *usual_result, rl_decision *d)
{
	uint64_t state[RL_USUAL_WORDS_MAX], next[RL_USUAL_WORDS_MAX + 1];
	rl_try_result result = rl_fast_find(s, &call->position, at);

	*usual_result = RL_USUAL_LEFT;
	if (RL_UNLIKELY(result != RL_TRY_DECIDED)) {
		return result;
	}
	*usual_result = RL_USUAL_NO_ROOM;
	return RL_LIKELY(at->words <= RL_USUAL_WORDS_MAX)
		? record_decide(alone, s, call, usual, at, state, next, RL_USUAL_WORDS_MAX, usual_result, d)
		: RL_TRY_LEFT;
}

RL_INLINE rl_try_result record_try(const rl_segment *s, const rl_fast_call *call, const rl_usual_call *usual,
	rl_decision *d)
{
	rl_usual_result usual_result;
	rl_fast_seen at;
	rl_try_result result = record_try_short(0, s, call, usual, &at, &usual_result, d);

	return RL_UNLIKELY(usual_result == RL_USUAL_NO_ROOM) ? record_try_long(s, call, usual, &at, d) : result;
}

/* Decides at a later moment, while other workers are faster. */
static RL_NOINLINE rl_try_result record_try_later(const rl_segment *s, rl_fast_call *call, const rl_usual_call *usual,
	bool wall, rl_decision *d)
{
	rl_try_result result;

	do {
		rl_fast_read_clock(s, call, wall);
		result = record_try(s, call, usual, d);
	} while (RL_UNLIKELY(result == RL_TRY_RACED));
	return result;
}

RL_INLINE bool record_decides(const rl_segment *s, rl_fast_call *call, const rl_usual_call *usual, bool wall,
	rl_decision *d)
{
	rl_try_result result = record_try(s, call, usual, d);

	if (RL_UNLIKELY(result == RL_TRY_RACED)) {
		result = record_try_later(s, call, usual, wall, d);
	}
	return (RL_LIKELY(result == RL_TRY_DECIDED)
			   || (result == RL_TRY_ABSENT && rl_limiter_begin(call->position, &call->now, usual, d)))
		&& rl_fast_count(d);
}

bool rl_limiter_fast_several(const rl_key *key, const rl_name_hash *name, bool wall, const rl_usual_call *usual,
	rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call;

	if (RL_UNLIKELY(rl_worker_self == NULL && rl_worker_register() == NULL)) {
		return false;
	}
	rl_fast_read_clock(s, &call, wall); /* before the hash: see limiter_store.c */
	call.position = rl_fast_position_by(s, key, name);
	return record_decides(s, &call, usual, wall, d);
}

/* Refuses a consume of one limit, if the identity's word is a running ban, and counts it. Returns false, and has changed nothing,
 * for any other state. Without a limit state the limit admits
 * any cost from the ban's end on. */
static bool ban_word_refuses(rl_position p, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_entry_seen seen;
	rl_terms t;
	int64_t left_us;

	if (!rl_entry_find(s, p.home, p.fp, &seen)) {
		return false;
	}
	rl_terms_read(rl_terms_at(s, seen.fp), &t);
	if (!rl_terms_are_ban(&t) || cost > limit->limit) {
		return false;
	}
	left_us = (int64_t) rl_ban_word_end(seen.word) - rl_segment_us(s, rl_clock_mono_us());
	if (left_us <= 0 || rl_entry_refused(&seen) != RL_TRY_DECIDED) {
		return false;
	}
	rl_step_answer(&(rl_step){.used = limit->limit, .retry_us = left_us, .reset_us = left_us}, limit, d);
	d->reason = RL_BANNED;
	d->level = (uint16_t) rl_ban_word_level(seen.word);
	return rl_fast_count(d);
}

bool rl_limiter_record_at(rl_position position, int64_t now_us, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_usual_call usual = {.limits = limit, .n = 1, .cost = cost};
	rl_fast_call call = {.position = position, .now.mono_us = now_us};
	bool wall = limit->algorithm == RL_CALENDAR_WINDOW;

	if (wall) {
		rl_fast_read_clock(s, &call, wall);
	}
	return record_decides(s, &call, &usual, wall, d) || ban_word_refuses(position, limit, cost, d);
}

/* Decides where one attempt with short states does not. */
static RL_NOINLINE bool record_alone_slowly(rl_try_result result, rl_fast_call call, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	if (result == RL_TRY_RACED) {
		rl_fast_read_clock(&rl_shm, &call, false);
	}
	return rl_limiter_record_at(call.position, call.now.mono_us, limit, cost, d);
}

/* Decides one limit of an algorithm without a word: what several keep in memory stays in registers. */
RL_INLINE bool record_alone(rl_algorithm algorithm, const rl_key *key, const rl_name_hash *name, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_usual_call usual = {.limits = limit, .n = 1, .cost = cost};
	rl_usual_result usual_result;
	rl_fast_call call;
	rl_fast_seen at;
	rl_try_result result;

	rl_fast_read_clock(s, &call, false); /* before the hash: see limiter_store.c */
	call.position = rl_fast_position_by(s, key, name);
	result = record_try_short(algorithm, s, &call, &usual, &at, &usual_result, d);
	return RL_LIKELY(result == RL_TRY_DECIDED) ? rl_fast_count(d) : record_alone_slowly(result, call, limit, cost, d);
}

/* A function for each algorithm: one for both has more registers to save. Where it is not hot, gcc copies the counters of a sliding
 * window by "rep movs", which takes 20 ns more. */
static RL_HOT RL_NOINLINE bool record_log(const rl_key *key, const rl_name_hash *name, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	return record_alone(RL_SLIDING_LOG, key, name, limit, cost, d);
}

static RL_HOT RL_NOINLINE bool record_sliding(const rl_key *key, const rl_name_hash *name, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	return record_alone(RL_SLIDING_WINDOW, key, name, limit, cost, d);
}

bool rl_limiter_record(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	switch (limit->algorithm) {
		case RL_SLIDING_LOG:
			return record_log(key, name, limit, cost, d);
		case RL_SLIDING_WINDOW:
			return record_sliding(key, name, limit, cost, d);
		default:
			return false;
	}
}

bool rl_limiter_admit_by_record(rl_position position, const rl_limit *limit, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_usual_call usual = {.limits = limit, .n = 1, .cost = 1};
	rl_fast_call call = {.position = position};
	rl_decision decided;
	rl_step step;

	if (rl_worker_self == NULL || limit->algorithm != RL_FIXED_WINDOW) {
		return false;
	}
	rl_fast_read_latest(s, &call);
	if (!call.coarse || record_try(s, &call, &usual, &decided) != RL_TRY_DECIDED || !decided.accepted) {
		return false;
	}
	step = (rl_step){.accepted = true,
		.exhausted = decided.remaining == 0,
		.used = limit->limit - decided.remaining,
		.reset_us = decided.reset_after_us + RL_CLOCK_COARSE_SLACK_MS * RL_US_PER_MS};
	step.retry_us = step.exhausted ? step.reset_us : 0;
	rl_fast_admitted(&step, limit, d);
	return true;
}

/* ---- Parts of a question about several keys ---- */

/* Returns whether an undo of what the part takes leaves a mark. */
static bool part_leaves_marks(const rl_limit *limits, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (rl_algorithm_of(limits[i].algorithm)->undo_marks) {
			return true;
		}
	}
	return false;
}

bool rl_limiter_part(const rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a)
{
	const rl_segment *s = &rl_shm;
	bool takes = q->op == RL_OP_ACQUIRE, wall = rl_limiter_needs_wall(q);
	rl_held ignored[RL_LIMITS_MAX];
	rl_usual_call usual = {.limits = q->limits,
		.n = q->n_limits,
		.cost = q->cost,
		.costs = q->costs,
		.peeks = !takes,
		.held = takes ? q->held : ignored};
	rl_fast_call call;
	rl_try_result result;

	if ((takes ? q->part == RL_PART_TENTATIVE && part_leaves_marks(q->limits, q->n_limits)
			   : q->op != RL_OP_PEEK || q->part != RL_PART_TENTATIVE)
		|| (q->leave | q->at_least | (uint64_t) q->max_wait_us | store->id[0] | store->id[1]) != 0) {
		return false;
	}
	rl_fast_read_clock(s, &call, wall); /* before the hash: see limiter_store.c */
	call.position = rl_fast_position(s, key);
	result = record_try(s, &call, &usual, &a->decision);
	if (RL_UNLIKELY(result == RL_TRY_RACED)) {
		result = record_try_later(s, &call, &usual, wall, &a->decision);
	}
	a->found = false;
	return result == RL_TRY_DECIDED;
}
