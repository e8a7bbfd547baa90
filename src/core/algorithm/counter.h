/* The word of a fixed window, so that one compare-and-swap is one decision: that of the counter of doHandle() and check(), which is
 * decided here, and that of a limiter with one fixed window (shm/table/state_word.h).
 *
 *     63 ........ 25   24    23 ...... 0
 *     end in ms        ban   count
 *
 * The end is in milliseconds of the store's own time: 39 bits hold 17 years, ten of them for a window. A word whose end has
 * passed is no state, whatever its count is. The end may be a ban's; a limiter's bans are words of their own (shm/table/ban_word.h). */
#ifndef RL_CORE_COUNTER_H
#define RL_CORE_COUNTER_H

#include "window.h"

#define RL_COUNTER_COUNT_BITS 24
#define RL_COUNTER_COUNT_MASK ((UINT64_C(1) << RL_COUNTER_COUNT_BITS) - 1)
#define RL_COUNTER_BAN        (UINT64_C(1) << RL_COUNTER_COUNT_BITS)
#define RL_COUNTER_END_SHIFT  (RL_COUNTER_COUNT_BITS + 1)
#define RL_COUNTER_END_MAX_MS ((INT64_C(1) << (64 - RL_COUNTER_END_SHIFT)) - 1)

_Static_assert(RL_COUNTER_MAX <= (INT64_C(1) << RL_COUNTER_COUNT_BITS) - 1, "a count must hold every limit");
_Static_assert(2 * RL_SECONDS_MAX * RL_MS_PER_SECOND > RL_COUNTER_END_MAX_MS
		&& RL_SECONDS_MAX * RL_MS_PER_SECOND + RL_SECONDS_MAX * RL_MS_PER_SECOND / 2 < RL_COUNTER_END_MAX_MS,
	"a store's time may run five years and still hold the longest window");

static inline uint64_t rl_counter_pack(int64_t end_ms, bool ban, uint32_t count)
{
	return (uint64_t) end_ms << RL_COUNTER_END_SHIFT | (ban ? RL_COUNTER_BAN : 0) | count;
}

static inline int64_t rl_counter_end_ms(uint64_t word)
{
	return (int64_t) (word >> RL_COUNTER_END_SHIFT);
}

static inline bool rl_counter_is_ban(uint64_t word)
{
	return (word & RL_COUNTER_BAN) != 0;
}

static inline uint32_t rl_counter_count(uint64_t word)
{
	return (uint32_t) (word & RL_COUNTER_COUNT_MASK);
}

/* Decodes the window. A ban has a count above each limit of a counter, so that the step refuses. */
RL_INLINE rl_window rl_counter_window(uint64_t word)
{
	return (rl_window){
		.end_us = rl_counter_end_ms(word) * RL_US_PER_MS,
		.count = word & (RL_COUNTER_BAN | RL_COUNTER_COUNT_MASK),
	};
}

/* Encodes a window. Returns false if a number does not fit. */
RL_INLINE bool rl_counter_of_window(rl_window w, uint64_t *word)
{
	uint64_t end_ms = (uint64_t) w.end_us / RL_US_PER_MS;

	*word = end_ms << RL_COUNTER_END_SHIFT | w.count;
	return w.count <= RL_COUNTER_COUNT_MASK && end_ms <= RL_COUNTER_END_MAX_MS
		&& (uint64_t) w.end_us % RL_US_PER_MS == 0;
}

/* Decides q on a word at now (both clocks in us; the word's end and now_us are on the same one). Returns the word that
 * replaces it: the same word if the decision writes nothing. Fills every field of d but the source. */
uint64_t rl_counter_decide(uint64_t word, const rl_counter_question *q, int64_t now_us, int64_t wall_us,
	rl_decision *d);

/* Returns the word of what another store has answered; the same word if it tells nothing new. leased: the permits that it counted
 * beside the call's own. Of one window the earlier end counts, and the larger count, unless the answer is the latest one. */
uint64_t rl_counter_mirror(uint64_t word, const rl_counter_question *q, int64_t now_us, const rl_told *answer,
	const rl_decision *d, uint32_t leased);

/* Returns the word of a ban by hand, which replaces any word; 0 if the ban is over now. */
uint64_t rl_counter_ban(const rl_counter_command *c, int64_t now_us, int64_t wall_us);

#endif
