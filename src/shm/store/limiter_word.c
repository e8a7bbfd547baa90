/* Decides calls of one limit by a one-word state: consume() by the exact clock, and allow() and attributes by the coarse one, where its
 * span leaves no doubt. All by one step for each kind of word, which a caller that reads the verdict alone inlines. */
#include "fast_call.h"
#include "limiter_fast.h"
#include "../table/state_word.h"

#define SLACK_US (RL_CLOCK_COARSE_SLACK_MS * RL_US_PER_MS)

/* Now lies between two moments, which are one for the exact clock. Of the clock that the limit needs. */
typedef struct {
	int64_t early_us, late_us;
} word_span;

/* ---- The steps. The answer follows the swap: each store before that delays it ---- */

RL_INLINE rl_try_result word_admitted(const rl_entry_seen *seen, rl_position p, bool exhausted, uint64_t word)
{
	uint64_t fp = p.fp | (seen->fp & RL_FP_TERMS);

	if (RL_UNLIKELY(exhausted)) {
		RL_KEEP_BRANCH(); /* the swap does not wait for the terms, the limit and a bucket's clock */
		fp |= RL_FP_EXHAUSTED;
	}
	return RL_LIKELY(rl_pair_cas(&seen->entry->pair, seen->fp, seen->word, fp, word)) ? RL_TRY_DECIDED : RL_TRY_RACED;
}

/* Ends a refusal, which may begin a ban. */
RL_INLINE rl_try_result word_refused(const rl_entry_seen *seen, const rl_limit *limit)
{
	return limit->ban == RL_BAN_NONE ? rl_entry_refused(seen) : RL_TRY_LEFT;
}

/* Decides a window that surely runs: its next state does not depend on the moment. The step is that of the earlier one. */
RL_INLINE rl_try_result word_window_step(const rl_segment *s, rl_position p, rl_algorithm algorithm,
	const rl_limit *limit, uint64_t cost, word_span now, rl_step *step)
{
	rl_entry_seen seen;
	rl_window w;

	if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, &seen))) {
		return RL_TRY_ABSENT;
	}
	if (RL_UNLIKELY(!rl_terms_are(s, seen.fp, algorithm, limit) || (cost > 1 && cost > limit->limit))) {
		return RL_TRY_LEFT;
	}
	w = rl_word_window(algorithm, seen.word);
	if (RL_UNLIKELY(algorithm == RL_FIXED_WINDOW
				? w.end_us <= now.late_us
				: !rl_calendar_window_runs(limit, w.end_us, now.early_us, now.late_us))) {
		return RL_TRY_LEFT;
	}
	*step = rl_window_step(&w, limit->limit, cost, now.early_us);
	if (RL_UNLIKELY(!step->accepted)) {
		return word_refused(&seen, limit);
	}
	if (RL_UNLIKELY(w.count >> RL_WORD_COUNT_BITS != 0)) {
		return RL_TRY_LEFT;
	}
	return word_admitted(&seen, p, step->exhausted, seen.word + cost);
}

/* Finds a bucket's word, and its backlog at a moment. */
RL_INLINE rl_try_result word_find_bucket(const rl_segment *s, rl_position p, const rl_limit *limit, uint64_t cost,
	rl_entry_seen *seen, rl_bucket_units *units)
{
	if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, seen))) {
		return RL_TRY_ABSENT;
	}
	return RL_LIKELY(rl_terms_are_bucket(s, seen->fp, limit, units)) && RL_LIKELY(cost <= limit->limit)
			&& rl_word_is_sound(*units, seen->word)
		? RL_TRY_DECIDED
		: RL_TRY_LEFT;
}

/* Ends the step of a bucket, with its next TAT. */
RL_INLINE rl_try_result word_bucket_end(const rl_entry_seen *seen, rl_position p, const rl_limit *limit,
	rl_bucket_units units, const rl_step *step, bool overflows, uint64_t tat)
{
	if (RL_UNLIKELY(!step->accepted)) {
		return word_refused(seen, limit);
	}
	if (RL_UNLIKELY(overflows || !rl_word_is_sound(units, tat))) {
		return RL_TRY_LEFT;
	}
	return word_admitted(seen, p, step->exhausted, tat);
}

/* Decides a bucket whose numbers take 128 bits. */
static RL_COLD rl_try_result word_bucket_large(rl_entry_seen seen, rl_position p, const rl_limit *limit, uint64_t cost,
	uint64_t now_us, rl_bucket_units units, rl_step *step)
{
	rl_units backlog = rl_word_backlog(units, seen.word, (int64_t) now_us), tat;

	*step = rl_bucket_large_step(units, &backlog, limit->limit, cost);
	tat = (rl_units) now_us * units.parts + backlog;
	return word_bucket_end(&seen, p, limit, units, step, tat >> 64 != 0, (uint64_t) tat);
}

/* Decides a bucket at a moment. */
RL_INLINE rl_try_result word_bucket_step(const rl_segment *s, rl_position p, const rl_limit *limit, uint64_t cost,
	int64_t now_us, rl_step *step)
{
	rl_entry_seen seen;
	rl_bucket_units units;
	uint64_t now, backlog, tat;
	bool overflows;
	rl_try_result found = word_find_bucket(s, p, limit, cost, &seen, &units);

	if (RL_UNLIKELY(found != RL_TRY_DECIDED || now_us < 0)) {
		return found == RL_TRY_ABSENT ? found : RL_TRY_LEFT;
	}
	overflows = __builtin_mul_overflow((uint64_t) now_us, units.parts, &now);
	backlog = seen.word > now ? seen.word - now : 0;
	if (RL_UNLIKELY(overflows || !rl_bucket_is_small(units, limit->limit, backlog))) {
		rl_step large;
		rl_try_result result = word_bucket_large(seen, p, limit, cost, (uint64_t) now_us, units, &large);

		*step = large;
		return result;
	}
	*step = rl_bucket_small_step(units, &backlog, limit->limit, cost);
	overflows = __builtin_add_overflow(now, backlog, &tat);
	return word_bucket_end(&seen, p, limit, units, step, overflows, tat);
}

/* Decides a bucket that surely is not full: its next TAT does not depend on the moment. The steps at both ends of the span must agree;
 * the result is that of the earlier one. */
RL_INLINE rl_try_result word_bucket_verdict(const rl_segment *s, rl_position p, const rl_limit *limit, uint64_t cost,
	word_span now, rl_step *step)
{
	rl_entry_seen seen;
	rl_bucket_units units;
	uint64_t begin, late, early, tat;
	rl_step at_late;
	rl_try_result found = word_find_bucket(s, p, limit, cost, &seen, &units);

	if (RL_UNLIKELY(found != RL_TRY_DECIDED)) {
		return found;
	}
	if (RL_UNLIKELY(__builtin_mul_overflow((uint64_t) now.late_us, units.parts, &begin) || seen.word <= begin)) {
		return RL_TRY_LEFT;
	}
	late = seen.word - begin;
	if (RL_UNLIKELY(__builtin_add_overflow(late, (uint64_t) (now.late_us - now.early_us) * units.parts, &early)
			|| !rl_bucket_is_small(units, limit->limit, early))) {
		return RL_TRY_LEFT;
	}
	at_late = rl_bucket_small_step(units, &late, limit->limit, cost);
	*step = rl_bucket_small_step(units, &early, limit->limit, cost);
	if (RL_UNLIKELY(!at_late.accepted)) {
		return word_refused(&seen, limit);
	}
	if (RL_UNLIKELY(!step->accepted || step->exhausted != at_late.exhausted
			|| __builtin_add_overflow(seen.word, cost * units.permit, &tat) || !rl_word_is_sound(units, tat))) {
		return RL_TRY_LEFT;
	}
	return word_admitted(&seen, p, step->exhausted, tat);
}

/* ---- By the exact clock ---- */

/* Reads the one clock that the limit needs. A calendar window in a word does not depend on the segment's time. */
RL_INLINE int64_t word_read_clock(const rl_segment *s, rl_algorithm algorithm)
{
	return algorithm == RL_CALENDAR_WINDOW ? rl_clock_wall_us() : rl_segment_us(s, rl_clock_mono_us());
}

/* Decides where the identity has no word of the limit: by its record, or, if it has no entry, without a state. A calendar window needs both
 * clocks then. */
static RL_NOINLINE bool word_missing(rl_try_result result, rl_position p, int64_t now_us, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	rl_usual_call usual = {.limits = limit, .n = 1, .cost = cost};
	rl_now now = {.mono_us = now_us};

	if (result != RL_TRY_ABSENT) {
		return rl_limiter_record_at(p, now_us, limit, cost, d);
	}
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		now = rl_clock_read_for(true);
		now.mono_us = rl_segment_us(&rl_shm, now.mono_us);
	}
	return rl_limiter_begin(p, &now, &usual, d) && rl_fast_count(d);
}

/* Decides by the word, if the identity has one. */
RL_INLINE bool word_decide(const rl_segment *s, const rl_key *key, const rl_name_hash *name, rl_algorithm algorithm,
	const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	rl_try_result result;
	int64_t now_us;
	rl_position p;
	rl_step step;

	do {
		now_us = word_read_clock(s, algorithm); /* before the hash */
		p = rl_fast_position_by(s, key, name);
		result = algorithm == RL_TOKEN_BUCKET
			? word_bucket_step(s, p, limit, cost, now_us, &step)
			: word_window_step(s, p, algorithm, limit, cost, (word_span){now_us, now_us}, &step);
	} while (RL_UNLIKELY(result == RL_TRY_RACED));
	if (RL_UNLIKELY(result != RL_TRY_DECIDED)) {
		return word_missing(result, p, now_us, limit, cost, d);
	}
	rl_step_answer(&step, limit, d);
	return rl_fast_count(d);
}

/* A function for each algorithm: one for all has more registers to save. */
static RL_HOT RL_NOINLINE bool word_fixed(const rl_key *key, const rl_name_hash *name, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, name, RL_FIXED_WINDOW, limit, cost, d);
}

static RL_NOINLINE bool word_calendar(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	return word_decide(&rl_shm, key, name, RL_CALENDAR_WINDOW, limit, cost, d);
}

static RL_NOINLINE bool word_bucket(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	return word_decide(&rl_shm, key, name, RL_TOKEN_BUCKET, limit, cost, d);
}

/* Registers the worker first. Apart from the rest, which has nothing to save then. */
static RL_COLD bool fast_unregistered(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	return rl_worker_register() != NULL && rl_limiter_fast_named(key, name, limit, cost, d);
}

RL_HOT bool rl_limiter_fast_named(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d)
{
	if (RL_UNLIKELY(rl_worker_self == NULL)) {
		return fast_unregistered(key, name, limit, cost, d);
	}
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
			return word_fixed(key, name, limit, cost, d);
		case RL_CALENDAR_WINDOW:
			return word_calendar(key, name, limit, cost, d);
		case RL_TOKEN_BUCKET:
			return word_bucket(key, name, limit, cost, d);
		default:
			return rl_limiter_record(key, name, limit, cost, d);
	}
}

const rl_name_hash rl_limiter_no_name;

bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	return rl_limiter_fast_named(key, &rl_limiter_no_name, limit, cost, d);
}

/* ---- The verdict alone, by the coarse clock ---- */

#ifdef RL_HASH_HAS_AES
/* Returns when now is, by the coarse clock that the limit needs. */
RL_INLINE word_span word_coarse_span(const rl_segment *s, rl_algorithm algorithm)
{
	int64_t late_us = algorithm == RL_CALENDAR_WINDOW ? rl_clock_coarse_wall_us() + SLACK_US
													  : rl_counter_latest_ms(s) * RL_US_PER_MS;

	return (word_span){.early_us = late_us - SLACK_US, .late_us = late_us};
}

/* Decides where the identity has no entry: by the exact clock. */
static RL_NOINLINE rl_verdict verdict_missing(rl_position p, const rl_limit *limit)
{
	rl_decision d;

	if (!word_missing(RL_TRY_ABSENT, p, word_read_clock(&rl_shm, limit->algorithm), limit, 1, &d)) {
		return RL_VERDICT_NONE;
	}
	return d.remaining * 10 < d.limit ? RL_VERDICT_NEAR : RL_VERDICT_ADMITTED;
}

/* Decides by the word of a hashed identity. Returns no verdict where word and coarse clock do not decide. */
RL_INLINE rl_verdict verdict_at(const rl_segment *s, uint64_t high, uint64_t low, rl_algorithm algorithm,
	const rl_limit *limit)
{
	rl_position p = rl_position_of(s, high, low, true);
	rl_try_result result;
	word_span now;
	rl_step step;

	__builtin_prefetch(&s->buckets[p.home], 0, 3); /* the bucket is on its way during the clock read */
	now = word_coarse_span(s, algorithm);
	result = algorithm == RL_TOKEN_BUCKET ? word_bucket_verdict(s, p, limit, 1, now, &step)
										  : word_window_step(s, p, algorithm, limit, 1, now, &step);
	if (RL_UNLIKELY(result != RL_TRY_DECIDED)) {
		return result == RL_TRY_ABSENT ? verdict_missing(p, limit) : RL_VERDICT_NONE;
	}
	rl_worker_stat_add(rl_worker_self, step.accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return !step.accepted ? RL_VERDICT_REFUSED : step.near ? RL_VERDICT_NEAR : RL_VERDICT_ADMITTED;
}

static RL_NOINLINE rl_verdict verdict_at_calendar(uint64_t high, uint64_t low, const rl_limit *limit)
{
	return verdict_at(&rl_shm, high, low, RL_CALENDAR_WINDOW, limit);
}

static RL_NOINLINE rl_verdict verdict_at_bucket(uint64_t high, uint64_t low, const rl_limit *limit)
{
	return verdict_at(&rl_shm, high, low, RL_TOKEN_BUCKET, limit);
}

/* A fixed window is decided in its caller. */
RL_INLINE rl_verdict verdict_at_any(const rl_segment *s, uint64_t high, uint64_t low, const rl_limit *limit)
{
	if (RL_LIKELY(limit->algorithm == RL_FIXED_WINDOW)) {
		return verdict_at(s, high, low, RL_FIXED_WINDOW, limit);
	}
	return limit->algorithm == RL_CALENDAR_WINDOW ? verdict_at_calendar(high, low, limit)
												  : verdict_at_bucket(high, low, limit);
}
#endif

RL_HOT RL_TARGET_AES rl_verdict rl_limiter_verdict_int(const rl_name_hash *name, int64_t id, const rl_limit *limit)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;

	if (rl_counter_fast_possible(rl_worker_self)) {
		uint64_t high, low;

		rl_hash_aes_named_int(&s->header->hash_key, name, id, &high, &low);
		return verdict_at_any(s, high, low, limit);
	}
#else
	(void) name, (void) id, (void) limit;
#endif
	return RL_VERDICT_NONE;
}

RL_HOT RL_TARGET_AES rl_verdict rl_limiter_verdict_string(const rl_name_hash *name, const char *id, size_t id_len,
	const rl_limit *limit)
{
#ifdef RL_HASH_HAS_AES
	const rl_segment *s = &rl_shm;

	if (rl_counter_fast_possible(rl_worker_self) && RL_LIKELY(rl_load(&s->header->networks_end_ms) == 0)) {
		uint64_t high, low;

		rl_hash_aes_named_string(&s->header->hash_key, name, id, id_len, &high, &low);
		return verdict_at_any(s, high, low, limit);
	}
#else
	(void) name, (void) id, (void) id_len, (void) limit;
#endif
	return RL_VERDICT_NONE;
}

/* ---- At a position that the caller knows ---- */

rl_position rl_limiter_position(const rl_key *key)
{
	return rl_fast_position(&rl_shm, key);
}

bool rl_limiter_admit(rl_position position, const rl_limit *limit, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_try_result result;
	rl_step step;

	if (RL_UNLIKELY(!rl_counter_fast_possible(rl_worker_self))) {
		return false;
	}
	do {
		int64_t late_us = rl_counter_latest_ms(s) * RL_US_PER_MS;

		result = word_window_step(s, position, RL_FIXED_WINDOW, limit, 1, (word_span){late_us - SLACK_US, late_us},
			&step);
	} while (RL_UNLIKELY(result == RL_TRY_RACED));
	if (RL_UNLIKELY(result != RL_TRY_DECIDED) || RL_UNLIKELY(!step.accepted)) {
		return false;
	}
	rl_fast_admitted(&step, limit, d);
	return true;
}
