/* The step of a token bucket, by the generic cell rate algorithm (GCRA). The bucket's TAT is the moment at which it will be full;
 * the backlog is the time until then. An admission adds the time that its permits take to refill; a call passes while the
 * backlog is then no more than that of an empty bucket.
 *
 * All times are whole units: 1 / parts us, of which one permit takes a whole number, too. permit / parts is period / rate. A limit
 * state has them as they are; a state of one word in lowest terms, so that its TAT fits: a permit of 360,000 s / 16,777,215 takes
 * 8 * 10^9 units of 1 / 372,827 us. A decision compares and adds. Only the answer divides. */
#ifndef RL_CORE_BUCKET_H
#define RL_CORE_BUCKET_H

#include <string.h>

#include "notes.h"
#include "step.h"

/* A time in units: a rate and a cost have 40 bits, a time in us 50. */
typedef unsigned __int128 rl_units;

#define RL_UNITS_PER(n, by) (((n) + (by) -1) / (by)) /* rounded up */

/* The same in us. In lowest terms most units are whole ones, which need no division. */
#define RL_UNITS_US(n, parts) ((int64_t) ((parts) == 1 ? (n) : RL_UNITS_PER(n, parts)))

/* The step, on one kind of numbers. Requires a cost of at most the limit, and numbers to which a whole bucket can be added. */
#define RL_BUCKET_STEP(name, number)                                                                                   \
 RL_INLINE rl_step name(rl_bucket_units units, number *backlog, uint64_t limit, uint64_t cost)                         \
 {                                                                                                                     \
  number all = (number) limit * units.permit;        /* of an empty bucket */                                          \
  number spare = all - (number) cost * units.permit; /* the largest backlog with which the call passes */              \
  number used;                                                                                                         \
  rl_step s = {.accepted = *backlog <= spare};                                                                         \
                                                                                                                       \
  if (RL_LIKELY(s.accepted)) {                                                                                         \
   *backlog += (number) cost * units.permit;                                                                           \
   spare = all - units.permit; /* of the next call, with a cost of 1 */                                                \
   s.exhausted = *backlog > spare;                                                                                     \
   s.near = *backlog > (number) (limit - (limit + 9) / 10) * units.permit;                                             \
  }                                                                                                                    \
  used = RL_UNITS_PER(*backlog, units.permit);                                                                         \
  s.used = used < (number) RL_LIMIT_MAX ? (uint64_t) used : (uint64_t) RL_LIMIT_MAX;                                   \
  s.retry_us = *backlog > spare ? RL_UNITS_US(*backlog - spare, units.parts) : 0;                                      \
  s.reset_us = RL_UNITS_US(*backlog, units.parts);                                                                     \
  return s;                                                                                                            \
 }

RL_BUCKET_STEP(rl_bucket_small_step, uint64_t)

/* The step on any numbers. In token_bucket.c. */
RL_COLD rl_step rl_bucket_large_step(rl_bucket_units units, rl_units *backlog, uint64_t limit, uint64_t cost);

/* Returns whether the numbers of a step fit 64 bits. */
RL_INLINE bool rl_bucket_is_small(rl_bucket_units units, uint64_t limit, uint64_t backlog)
{
	uint64_t all;

	return !__builtin_mul_overflow(limit, units.permit, &all) && (all | backlog) >> 63 == 0;
}

/* Decides a call now. Requires a cost of at most the limit. */
RL_INLINE rl_step rl_bucket_step(rl_bucket_units units, rl_units *backlog, uint64_t limit, uint64_t cost)
{
	uint64_t small = (uint64_t) *backlog;
	rl_units large = *backlog;
	rl_step s;

	if (RL_LIKELY(large >> 64 == 0 && rl_bucket_is_small(units, limit, small))) {
		s = rl_bucket_small_step(units, &small, limit, cost);
		*backlog = small;
		return s;
	}
	s = rl_bucket_large_step(units, &large, limit, cost);
	*backlog = large;
	return s;
}

/* ---- Units in lowest terms ---- */

/* Returns the greatest common divisor, by which a period and a rate become units. Neither is 0. */
RL_INLINE uint64_t rl_bucket_divisor(uint64_t period, uint64_t rate)
{
	while (rate != 0) {
		uint64_t rest = period % rate;

		period = rate;
		rate = rest;
	}
	return period;
}

/* Notes the units of a limit that is a token bucket, for the fast path. */
static inline void rl_bucket_prepare(rl_limit *limit)
{
	limit->divisor = rl_bucket_divisor((uint64_t) limit->period_us, limit->rate);
	limit->units = (rl_bucket_units){(uint64_t) limit->period_us / limit->divisor, limit->rate / limit->divisor};
}

/* ---- The limit state ---- */

/* The TAT's microseconds, and what is left of it in units. */
enum { RL_BUCKET_RATE = RL_LIMIT_STATE_HEAD_WORDS, RL_BUCKET_TAT, RL_BUCKET_FRAC, RL_BUCKET_WORDS };

/* Returns the backlog at t; 0 if the bucket is full. */
RL_INLINE rl_units rl_bucket_backlog(uint64_t rate, int64_t tat_us, uint64_t frac, int64_t t_us)
{
	return tat_us >= t_us ? (rl_units) (uint64_t) (tat_us - t_us) * rate + frac : 0;
}

/* Returns the units of a limit as its state has them. */
RL_INLINE rl_bucket_units rl_bucket_units_of(const rl_limit *limit)
{
	return (rl_bucket_units){.permit = (uint64_t) limit->period_us, .parts = limit->rate};
}

/* Reads the backlog of a limit's bucket. Returns false for a limit state with another rate, or with marks. */
RL_INLINE bool rl_bucket_read(const rl_limit *limit, const uint64_t *limit_state, int64_t now_us, rl_units *backlog)
{
	*backlog = rl_bucket_backlog(limit->rate, rl_moment(limit_state[RL_BUCKET_TAT]), limit_state[RL_BUCKET_FRAC],
		now_us);
	return limit_state[0] == rl_limit_state_head(RL_TOKEN_BUCKET, RL_BUCKET_WORDS, 0)
		&& (int64_t) limit_state[RL_LIMIT_STATE_PERIOD] == limit->period_us
		&& limit_state[RL_BUCKET_RATE] == limit->rate && limit_state[RL_BUCKET_FRAC] < limit->rate;
}

/* Returns whether the TAT that another store's answer tells of counts: the later one does, unless the latest answer has an earlier one. */
RL_INLINE bool rl_bucket_mirrors(int64_t tat_us, int64_t now_us, const rl_told *answer, const rl_told_limit *told)
{
	int64_t told_us = now_us + told->full_us;

	return told_us > tat_us || (answer->is_latest && told_us + RL_TOLD_SLACK_US < tat_us);
}

/* Writes a TAT into a limit state. */
RL_INLINE void rl_bucket_put(uint64_t tat_us, uint64_t frac, uint64_t *out)
{
	out[RL_BUCKET_TAT] = tat_us;
	out[RL_BUCKET_FRAC] = frac;
}

/* Writes the limit state with this backlog at t. */
RL_INLINE void rl_bucket_write(rl_bucket_units units, int64_t t_us, rl_units backlog, uint64_t *out)
{
	uint64_t us, frac;

	if (RL_LIKELY(backlog >> 64 == 0)) {
		us = (uint64_t) backlog / units.parts;
		frac = (uint64_t) backlog % units.parts;
	} else {
		us = (uint64_t) (backlog / units.parts);
		frac = (uint64_t) (backlog - (rl_units) us * units.parts);
	}
	rl_limit_state_begin(RL_TOKEN_BUCKET, units.permit, RL_BUCKET_WORDS, 0, 0, out);
	out[RL_BUCKET_RATE] = units.parts;
	rl_bucket_put((uint64_t) (t_us + (int64_t) us), frac, out);
}

/* ---- The marks of a limit state with a tag; token_bucket.c has their rules ---- */

/* The notes: the number of the last take; then a backlog in us and its number for each mark. Both increase. */
enum { RL_BUCKET_MARKS_MAX = 8 };

/* Returns the number of a take that follows. */
RL_INLINE uint64_t rl_bucket_next_take(const rl_notes *marks)
{
	return marks->n > 0 ? marks->words[0] + 1 : 1;
}

/* Writes the notes after one more take or give-back, with the mark of the backlog that it finds or leaves. marks: at most
 * RL_BUCKET_MARKS_MAX of them, or none at all. Returns how many notes these are. */
RL_INLINE size_t rl_bucket_mark(rl_notes marks, uint64_t backlog_us, uint64_t *out)
{
	size_t n = marks.n;

	while (n > 1 && marks.words[RL_NOTE_WORDS * (n - 1)] >= backlog_us) {
		n--;
	}
	if (n > 0) {
		memcpy(out, marks.words, RL_NOTE_WORDS * n * sizeof *out);
	} else {
		out[1] = 0;
		n = 1;
	}
	out[0] = rl_bucket_next_take(&marks);
	if (n <= RL_BUCKET_MARKS_MAX) {
		out[RL_NOTE_WORDS * n++] = backlog_us;
	}
	out[RL_NOTE_WORDS * n - 1] = out[0];
	return n;
}

#endif
