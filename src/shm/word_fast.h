/* Decides a call by a one-word state: on the fast path of a limiter with one limit. Returns RL_TRY_LEFT
 * where the identity has no word of these terms, or the word alone does not decide. Private to src/shm. */
#ifndef RL_SHM_WORD_FAST_H
#define RL_SHM_WORD_FAST_H

#include "counter_fast.h"
#include "entry_seen.h"
#include "state_word.h"

/* Finds an identity's word of a window's terms. base: receives that of its count. */
RL_INLINE bool rl_word_find(const rl_segment *s, rl_place p, rl_algorithm algorithm, const rl_limit *limit,
	rl_entry_seen *seen, uint64_t *base)
{
	return RL_LIKELY(rl_entry_find(s, p.home, p.fp, seen))
		&& RL_LIKELY(rl_terms_are(s, seen->fp, algorithm, limit, base));
}

/* Finds an identity's word of a bucket's terms. */
RL_INLINE bool rl_word_find_bucket(const rl_segment *s, rl_place p, const rl_limit *limit, rl_bucket_units *units,
	rl_entry_seen *seen)
{
	return RL_LIKELY(rl_entry_find(s, p.home, p.fp, seen)) && RL_LIKELY(rl_terms_are_bucket(s, seen->fp, limit, units));
}

RL_INLINE rl_try_result rl_word_admitted(const rl_entry_seen *seen, rl_place p, bool exhausted, uint64_t word)
{
	uint64_t fp = p.fp | (seen->fp & RL_FP_TERMS);

	if (RL_UNLIKELY(exhausted)) {
		RL_KEEP_BRANCH(); /* the swap does not wait for the terms, the limit and a bucket's clock */
		fp |= RL_FP_EXHAUSTED;
	}
	return RL_LIKELY(rl_pair_cas(&seen->entry->pair, seen->fp, seen->word, fp, word)) ? RL_TRY_DECIDED : RL_TRY_RACED;
}

/* Decides a bucket whose numbers take 128 bits. In limiter_fast.c. */
RL_COLD rl_try_result rl_word_decide_wide_bucket(rl_entry_seen seen, rl_place p, const rl_limit *limit, uint64_t cost,
	rl_now now, rl_decision *d);

/* Decides a bucket. The answer follows the swap: each store before that delays it. */
RL_INLINE rl_try_result rl_word_decide_bucket(const rl_segment *s, rl_place p, const rl_limit *limit, uint64_t cost,
	const rl_now *now, rl_decision *d)
{
	rl_bucket_units units;
	rl_bucket_call c;
	rl_entry_seen seen;
	uint64_t tat, spare;

	if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, &seen))) {
		return RL_TRY_ABSENT;
	}
	if (RL_UNLIKELY(!rl_terms_are_bucket(s, seen.fp, limit, &units) || cost > limit->limit)) {
		return RL_TRY_LEFT;
	}
	if (RL_UNLIKELY(!rl_bucket_begin(limit, units, cost, now->mono_us, seen.word, &c))) {
		return rl_word_decide_wide_bucket(seen, p, limit, cost, *now, d);
	}
	if (RL_UNLIKELY(c.backlog > c.all - c.of_cost)) {
		if (limit->ban != RL_BAN_NONE || !rl_bucket_is_sound(units, c.tat)) {
			return RL_TRY_LEFT;
		}
		rl_bucket_answer(limit, units, false, c.backlog, c.all - c.of_cost, d);
		return rl_entry_refused(&seen);
	}
	c.backlog += c.of_cost;
	spare = c.all - units.permit;
	if (RL_UNLIKELY(__builtin_add_overflow(c.tat, c.of_cost, &tat) || !rl_bucket_is_sound(units, tat))) {
		return RL_TRY_LEFT;
	}
	if (RL_UNLIKELY(rl_word_admitted(&seen, p, c.backlog > spare, tat) == RL_TRY_RACED)) {
		return RL_TRY_RACED;
	}
	rl_bucket_answer(limit, units, true, c.backlog, spare, d);
	return RL_TRY_DECIDED;
}

/* A window of a word. left_us: until it ends; 0 or less: the word alone does not decide. */
typedef struct {
	uint64_t count; /* above the base */
	int64_t left_us;
	unsigned count_bits;
} rl_word_window;

/* Returns when the fixed window of a word ends, on the segment's time. */
RL_INLINE int64_t rl_word_fixed_end(uint64_t word)
{
	return (int64_t) (word >> RL_WORD_FIXED_COUNT_BITS);
}

RL_INLINE rl_word_window rl_word_fixed_window(uint64_t word, const rl_now *now)
{
	return (rl_word_window){
		.count = rl_word_low(word, RL_WORD_FIXED_COUNT_BITS),
		.left_us = rl_word_fixed_end(word) - now->mono_us,
		.count_bits = RL_WORD_FIXED_COUNT_BITS,
	};
}

/* Returns when the calendar window of a word ends, by the wall clock. */
RL_INLINE int64_t rl_word_calendar_end(uint64_t word)
{
	return (int64_t) rl_word_low(word >> RL_WORD_CALENDAR_COUNT_BITS, RL_WORD_CALENDAR_END_BITS) * RL_US_PER_SECOND;
}

/* The limit's boundaries must be around now: another window than the clock's may not be the word's. */
RL_INLINE rl_word_window rl_word_calendar_window(uint64_t word, const rl_limit *limit, const rl_now *now)
{
	int64_t end_us = rl_word_calendar_end(word);
	bool sure = now->wall_us >= limit->boundary[0] && now->wall_us < limit->boundary[1] && end_us <= limit->boundary[2];

	return (rl_word_window){
		.count = rl_word_low(word, RL_WORD_CALENDAR_COUNT_BITS),
		.left_us = RL_LIKELY(sure) ? end_us - now->wall_us : 0,
		.count_bits = RL_WORD_CALENDAR_COUNT_BITS,
	};
}

/* Decides a window. The answer follows the swap: each store before that delays it. */
RL_INLINE rl_try_result rl_word_decide_window(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, uint64_t base, rl_word_window w, rl_decision *d)
{
	uint64_t used = base + w.count + cost;

	if (RL_UNLIKELY(w.left_us <= 0 || cost > limit->limit)) {
		return RL_TRY_LEFT;
	}
	if (RL_UNLIKELY(used > limit->limit)) {
		if (limit->ban != RL_BAN_NONE) {
			return RL_TRY_LEFT;
		}
		rl_single_answer(d, limit, false, base + w.count, w.left_us, w.left_us);
		return rl_entry_refused(seen);
	}
	if (RL_UNLIKELY((w.count + cost) >> w.count_bits != 0)) {
		return RL_TRY_LEFT;
	}
	if (RL_UNLIKELY(rl_word_admitted(seen, p, used == limit->limit, seen->word + cost) == RL_TRY_RACED)) {
		return RL_TRY_RACED;
	}
	rl_single_answer(d, limit, true, used, used < limit->limit ? 0 : w.left_us, w.left_us);
	return RL_TRY_DECIDED;
}

/* Decides by the exact clock: by the wall clock alone, if the limit is a calendar window. Fills in d as rl_single_decide(). */
RL_INLINE rl_try_result rl_word_decide(const rl_segment *s, rl_place p, rl_algorithm algorithm, const rl_limit *limit,
	uint64_t cost, const rl_now *now, rl_decision *d)
{
	rl_entry_seen seen;
	uint64_t base;

	if (algorithm == RL_TOKEN_BUCKET) {
		return rl_word_decide_bucket(s, p, limit, cost, now, d);
	}
	if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, &seen))) {
		return RL_TRY_ABSENT;
	}
	if (RL_UNLIKELY(!rl_terms_are(s, seen.fp, algorithm, limit, &base))) {
		return RL_TRY_LEFT;
	}
	return rl_word_decide_window(&seen, p, limit, cost, base,
		algorithm == RL_FIXED_WINDOW ? rl_word_fixed_window(seen.word, now)
									 : rl_word_calendar_window(seen.word, limit, now),
		d);
}

/* ---- The verdict alone, by the coarse clocks ---- */

/* Now lies between two moments: a verdict is sure if it is that of both. */
typedef struct {
	int64_t early_us, late_us;
} rl_word_span;

#define RL_WORD_SLACK_US (RL_CLOCK_COARSE_SLACK_MS * RL_US_PER_MS)

/* The result of one attempt to reach a verdict, in two registers: each store before a swap delays it. */
typedef struct {
	rl_try_result result;
	bool accepted;
	bool near; /* less than a tenth of the limit remains */
} rl_word_verdict_result;

#define RL_WORD_NO_VERDICT ((rl_word_verdict_result){.result = RL_TRY_LEFT})

RL_INLINE rl_word_verdict_result rl_word_refuse(const rl_entry_seen *seen, const rl_limit *limit)
{
	return (rl_word_verdict_result){
		.result = limit->ban == RL_BAN_NONE ? rl_entry_refused(seen) : RL_TRY_LEFT,
	};
}

RL_INLINE rl_word_verdict_result rl_word_admit(const rl_entry_seen *seen, rl_place p, bool exhausted, bool near,
	uint64_t word)
{
	return (rl_word_verdict_result){
		.result = rl_word_admitted(seen, p, exhausted, word),
		.accepted = true,
		.near = near,
	};
}

/* Returns whether less than a tenth of a number remains. */
RL_INLINE bool rl_word_near(uint64_t remaining, uint64_t number)
{
	return remaining * 10 < number;
}

/* Decides a call in a window that surely runs: its state does not depend on the moment. base, count_bits: of the word's count. */
RL_INLINE rl_word_verdict_result rl_word_count(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, uint64_t base, unsigned count_bits)
{
	uint64_t above = rl_word_low(seen->word, count_bits) + cost, used = base + above;

	if (RL_UNLIKELY(used > limit->limit)) {
		return rl_word_refuse(seen, limit);
	}
	if (RL_UNLIKELY(above >> count_bits != 0)) {
		return RL_WORD_NO_VERDICT;
	}
	return rl_word_admit(seen, p, used == limit->limit, rl_word_near(limit->limit - used, limit->limit),
		seen->word + cost);
}

RL_INLINE rl_word_verdict_result rl_word_verdict_fixed(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, uint64_t base, rl_word_span now)
{
	if (RL_UNLIKELY(rl_word_fixed_end(seen->word) <= now.late_us)) {
		return RL_WORD_NO_VERDICT;
	}
	return rl_word_count(seen, p, limit, cost, base, RL_WORD_FIXED_COUNT_BITS);
}

/* now: of the wall clock. */
RL_INLINE rl_word_verdict_result rl_word_verdict_calendar(const rl_entry_seen *seen, rl_place p, const rl_limit *limit,
	uint64_t cost, uint64_t base, rl_word_span now)
{
	int64_t end_us = rl_word_calendar_end(seen->word);

	if (RL_UNLIKELY(now.early_us < limit->boundary[0] || now.late_us >= limit->boundary[1] || end_us <= now.late_us
			|| end_us > limit->boundary[2])) {
		return RL_WORD_NO_VERDICT;
	}
	return rl_word_count(seen, p, limit, cost, base, RL_WORD_CALENDAR_COUNT_BITS);
}

/* Decides by a bucket that is surely not full: its next TAT does not depend on the moment. */
RL_INLINE rl_word_verdict_result rl_word_verdict_bucket(const rl_segment *s, rl_place p, const rl_limit *limit,
	uint64_t cost, rl_word_span now)
{
	uint64_t of_cost, all, begin, early, late, next, far;
	rl_bucket_units units;
	rl_entry_seen seen;

	if (RL_UNLIKELY(!rl_word_find_bucket(s, p, limit, &units, &seen) || !rl_bucket_is_sound(units, seen.word)
			|| __builtin_mul_overflow(limit->limit, units.permit, &all)
			|| __builtin_mul_overflow((uint64_t) now.late_us, units.parts, &begin) || seen.word <= begin
			|| __builtin_add_overflow(seen.word - begin, (uint64_t) (now.late_us - now.early_us) * units.parts, &early)
			|| early > UINT64_MAX / 2 || all > UINT64_MAX / 2)) {
		return RL_WORD_NO_VERDICT;
	}
	late = seen.word - begin; /* the backlog at the later moment, and before at the earlier one */
	of_cost = cost * units.permit;
	if (RL_UNLIKELY(late > all - of_cost)) {
		return rl_word_refuse(&seen, limit);
	}
	/* Neither whether it passes nor whether a next one would is in doubt. */
	if (RL_UNLIKELY(early > all - of_cost
			|| (early + of_cost > all - units.permit && late + of_cost <= all - units.permit)
			|| __builtin_add_overflow(seen.word, of_cost, &next) || !rl_bucket_is_sound(units, next))) {
		return RL_WORD_NO_VERDICT;
	}
	early += of_cost;
	far = limit->limit - (limit->limit + 9) / 10; /* the most permits that may be used while a tenth remains */
	return rl_word_admit(&seen, p, early > all - units.permit, early > far * units.permit, next);
}

/* Decides by the coarse clocks where their span leaves no doubt. Of a bucket, near holds for the earlier moment of the span. */
RL_INLINE rl_word_verdict_result rl_word_verdict(const rl_segment *s, rl_place p, rl_algorithm algorithm,
	const rl_limit *limit, uint64_t cost, rl_word_span now)
{
	rl_entry_seen seen;
	uint64_t base;

	if (algorithm == RL_TOKEN_BUCKET) {
		return rl_word_verdict_bucket(s, p, limit, cost, now);
	}
	if (RL_UNLIKELY(!rl_entry_find(s, p.home, p.fp, &seen))) {
		return (rl_word_verdict_result){.result = RL_TRY_ABSENT};
	}
	if (RL_UNLIKELY(!rl_terms_are(s, seen.fp, algorithm, limit, &base))) {
		return RL_WORD_NO_VERDICT;
	}
	return algorithm == RL_FIXED_WINDOW ? rl_word_verdict_fixed(&seen, p, limit, cost, base, now)
										: rl_word_verdict_calendar(&seen, p, limit, cost, base, now);
}

#endif
