#include "mirror_mark.h"

#include "../../core/algorithm/counter.h"
#include "../record/record.h"
#include "../segment/clock.h"
#include "../table/entry_seen.h"
#include "../table/state_word.h"
#include "fast_call.h"
#include "store_internal.h"

rl_mirror_mark rl_shm_mirror_mark(const uint64_t id[2], const rl_key *key, bool record)
{
	const rl_segment *s = &rl_shm;
	uint64_t high, low;
	rl_mirror_mark mark = {.word = 0};
	const rl_entry *entry;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	mark.generation = rl_deny_generation(s, low);
	mark.seen = __atomic_load_n(mark.generation, __ATOMIC_SEQ_CST);
	mark.position = rl_position_of(s, high ^ id[0], low ^ id[1], record);
	entry = rl_table_find(s, mark.position);
	if (entry != NULL) {
		mark.fp = rl_load(&entry->pair.a);
		mark.word = rl_load(&entry->pair.b);
		if (rl_fp_has_record(mark.fp)) {
			rl_record_prefetch(s, mark.word); /* it is on its way during the request */
		}
	}
	return mark;
}

bool rl_shm_mark_holds(rl_mirror_mark *mark, bool begins)
{
	uint64_t seen = mark->seen;

	if (RL_LIKELY(!begins)) {
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		return rl_load(mark->generation) == seen;
	}
	if (!__atomic_compare_exchange_n(mark->generation, &seen, seen + RL_GENERATION_BAN, false, __ATOMIC_SEQ_CST,
			__ATOMIC_SEQ_CST)) {
		return false;
	}
	mark->seen += RL_GENERATION_BAN;
	return true;
}

void rl_shm_mirror_renew_counter(const uint64_t id[2], const rl_key *key)
{
	const rl_segment *s = &rl_shm;
	rl_position p;
	rl_entry_seen seen;

	if (rl_worker_register() == NULL) {
		return;
	}
	p = rl_shm_mirror_mark(id, key, false).position;
	/* A counter is its word: it ends a millisecond later. */
	while (rl_entry_find(s, p.home, p.fp, &seen) && rl_counter_end_ms(seen.word) < RL_COUNTER_END_MAX_MS
		&& !rl_pair_cas(&seen.entry->pair, seen.fp, seen.word, seen.fp,
			seen.word + (UINT64_C(1) << RL_COUNTER_END_SHIFT))) {
	}
}

/* Copies the state of a mark's entry; of a word it sets the terms. Returns its words; 0: it is no usual one. */
static size_t copy_usual(const rl_segment *s, const rl_fast_call *call, rl_fast_seen *at, uint64_t *state, rl_terms *t)
{
	if (!rl_fp_has_record(at->seen.fp)) {
		at->words = rl_word_unfold(s, at->seen.fp, at->seen.word, call->now.mono_us, state, t);
		return at->words;
	}
	if (rl_fast_find_record(s, at) != RL_TRY_DECIDED || at->words > RL_USUAL_WORDS_MAX) {
		return 0;
	}
	rl_fast_copy(state, at->record->state, at->words);
	return at->words;
}

/* Publishes the next state, whose terms are those of the word. */
static rl_try_result publish_usual(const rl_segment *s, const rl_fast_call *call, const rl_fast_seen *at,
	const rl_terms *t, uint64_t *next, size_t words)
{
	uint64_t word = 0;

	if (rl_fp_has_record(at->seen.fp)) {
		next[words] = 0;
		return rl_fast_replace_sized(s, call, at, next, words, false);
	}
	if (!rl_word_pack(t, next, at->seen.word, &word)) {
		return RL_TRY_LEFT;
	}
	return rl_pair_cas(&at->seen.entry->pair, at->seen.fp, at->seen.word,
			   rl_fast_fp(&call->position, next) | (at->seen.fp & RL_FP_TERMS), word)
		? RL_TRY_DECIDED
		: RL_TRY_RACED;
}

/* Writes an answer into a state of few words, or a word. */
static rl_try_result write_usual(const rl_segment *s, const rl_fast_call *call, rl_fast_seen *at, rl_mirror_mark *mark,
	const rl_question *q, rl_told *answer)
{
	uint64_t state[RL_USUAL_WORDS_MAX], next[RL_USUAL_WORDS_MAX + 1];
	rl_terms t;
	size_t words = copy_usual(s, call, at, state, &t);
	rl_outcome outcome;

	if (words == 0
		|| !rl_usual_mirror(q, answer, &call->now, state, words, next, RL_USUAL_WORDS_MAX, &words, &outcome)) {
		return RL_TRY_LEFT;
	}
	if (outcome == RL_WRITE_NOTHING) {
		return rl_entry_refused(&at->seen);
	}
	return rl_shm_mark_holds(mark, false) ? publish_usual(s, call, at, &t, next, words) : RL_TRY_DECIDED;
}

/* Writes an answer into the word of a fixed window, the most usual state: without unfolding it. */
static rl_try_result write_window(const rl_fast_call *call, const rl_entry_seen *seen, rl_mirror_mark *mark,
	const rl_question *q, rl_told *answer)
{
	const rl_told_limit *told = &answer->limits[0];
	int64_t now_us = call->now.mono_us;
	rl_window w = rl_word_window(RL_FIXED_WINDOW, seen->word);
	uint64_t word = 0;

	if (w.end_us <= now_us || !rl_told_is_usual(answer, 0)) {
		return RL_TRY_LEFT;
	}
	if (!rl_window_mirror(&w, rl_window_told(told, now_us), q->limits[0].period_us, answer,
			rl_told_lowers(&q->limits[0], answer, told))) {
		return RL_TRY_DECIDED;
	}
	if (!rl_counter_of_window(w, &word)) {
		return RL_TRY_LEFT;
	}
	return word == seen->word || !rl_shm_mark_holds(mark, false)
			|| rl_pair_cas(&seen->entry->pair, seen->fp, seen->word,
				call->position.fp | (seen->fp & RL_FP_TERMS) | (w.count >= q->limits[0].limit ? RL_FP_EXHAUSTED : 0),
				word)
		? RL_TRY_DECIDED
		: RL_TRY_RACED;
}

bool rl_shm_mirror_usual(rl_mirror_mark *mark, const rl_question *q, rl_told *answer)
{
	const rl_segment *s = &rl_shm;
	bool wall = rl_limiter_needs_wall(q), is_window = q->n_limits == 1 && q->limits[0].algorithm == RL_FIXED_WINDOW;
	rl_fast_call call = {.position = mark->position};
	rl_try_result result;
	rl_fast_seen at;

	do {
		rl_fast_read_clock(s, &call, wall);
		if (!rl_entry_find(s, call.position.home, call.position.fp, &at.seen)) {
			return false;
		}
		rl_mirror_mark_compare(mark, at.seen.fp, at.seen.word, answer);
		result = is_window && rl_terms_are(s, at.seen.fp, RL_FIXED_WINDOW, &q->limits[0])
			? write_window(&call, &at.seen, mark, q, answer)
			: write_usual(s, &call, &at, mark, q, answer);
	} while (result == RL_TRY_RACED);
	return result == RL_TRY_DECIDED;
}

void rl_shm_mirror_counter(rl_mirror_mark *mark, const rl_counter_question *q, const rl_decision *d, rl_told *answer,
	uint32_t leased)
{
	const rl_segment *s = &rl_shm;
	rl_position p = mark->position;

	while (rl_worker_register() != NULL) {
		int64_t now_us = rl_segment_us(s, rl_clock_mono_us());
		rl_entry_seen seen;
		uint64_t next, fp;
		bool ban, runs;

		if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, &seen))) {
			(void) rl_table_claim(s, p, now_us);
			continue;
		}
		rl_mirror_mark_compare(mark, seen.fp, seen.word, answer);
		next = rl_counter_mirror(seen.word, q, now_us, answer, d, leased);
		ban = rl_counter_is_ban(next);
		runs = rl_counter_end_ms(seen.word) > now_us / RL_US_PER_MS;
		fp = p.fp | (ban || d->remaining == 0 ? RL_FP_EXHAUSTED : 0);
		if (next == seen.word || !rl_shm_mark_holds(mark, ban && !(runs && rl_counter_is_ban(seen.word)))) {
			return;
		}
		if (rl_pair_cas(&seen.entry->pair, seen.fp, seen.word, fp, next)) {
			return;
		}
	}
}
