/* Defines a limiter's state in the embedded store: a list of words.
 *
 *     0      number of limit states (8) | ban (1) | exhausted (1) | level (1) | - | used (32, high)
 *     1      when the whole state is over, us
 *     2-4    only with a ban: its end; the algorithm (8 low), mark (16) and rate (8 high bits from 24 on, 32 low bits from 32 on);
 *            the period of the limit that began it
 *     then   the limit states: algorithm (3) | wide (1) | tagged (1) | mark (13) | words, this one included (14) | a number (32, high), then
 *            its own words, and with tagged the tag (48), which a permit of it names. wide: a number exceeds 32 bits, and the
 *            algorithm's words have their larger form
 *     then   only with level: a part as a limit state's, with the algorithm 0. Its number is the level, a count of bans that
 *            escalate; its word is when that is forgotten, us
 *
 * Readers trust nothing in a state, since it may come from a file. It does not change while it is read: the store passes a
 * private copy. */
#ifndef RL_CORE_STATE_H
#define RL_CORE_STATE_H

#include "../limit/decision.h"

#define RL_STATE_HEAD_WORDS  2
#define RL_STATE_BAN_WORDS   3
#define RL_STATE_LEVEL_WORDS 2
#define RL_STATE_LIMITS_MAX  (2 * RL_LIMITS_MAX)

#define RL_STATE_LIMITS_MASK UINT64_C(0xff)
#define RL_STATE_BAN         UINT64_C(0x100)
#define RL_STATE_EXHAUSTED   UINT64_C(0x200)
#define RL_STATE_LEVEL       UINT64_C(0x400)
#define RL_STATE_USED_AT     32

static inline bool rl_state_has_ban(uint64_t head)
{
	return (head & RL_STATE_BAN) != 0;
}

static inline bool rl_state_has_level(uint64_t head)
{
	return (head & RL_STATE_LEVEL) != 0;
}

/* Returns whether a state has nothing but a ban, and perhaps its level. */
static inline bool rl_state_is_lone_ban(uint64_t head)
{
	return rl_state_has_ban(head) && (head & RL_STATE_LIMITS_MASK) == 0;
}

static inline bool rl_state_is_exhausted(uint64_t head)
{
	return (head & RL_STATE_EXHAUSTED) != 0;
}

static inline uint32_t rl_state_used(uint64_t head)
{
	return (uint32_t) (head >> RL_STATE_USED_AT);
}

/* Returns the period by which a ban's limit is recognized, together with its algorithm and rate: words 3 and 4. */
static inline int64_t rl_state_ban_period(const rl_limit *limit)
{
	return limit->algorithm == RL_CALENDAR_WINDOW ? (int64_t) limit->period : limit->period_us;
}

/* Returns the word of a ban that names its limit's algorithm, mark and rate. */
static inline uint64_t rl_state_ban_limit(unsigned algorithm, uint32_t mark, uint64_t rate)
{
	return rate << 32 | (rate >> 32 & 0xff) << 24 | (uint64_t) mark << 8 | algorithm;
}

static inline uint64_t rl_state_ban_rate(uint64_t ban_limit)
{
	return ban_limit >> 32 | (ban_limit >> 24 & 0xff) << 32;
}

#define RL_LIMIT_STATE_WIDE     UINT64_C(0x8)
#define RL_LIMIT_STATE_TAGGED   UINT64_C(0x10)
#define RL_LIMIT_STATE_MARK_AT  5
#define RL_LIMIT_STATE_WORDS_AT 18
#define RL_LIMIT_STATE_MARK     (((UINT64_C(1) << RL_MARK_BITS) - 1) << RL_LIMIT_STATE_MARK_AT)

_Static_assert(RL_LIMIT_STATE_MARK_AT + RL_MARK_BITS == RL_LIMIT_STATE_WORDS_AT, "the mark is below the words");

/* Returns a limit state's first word, without a mark. */
static inline uint64_t rl_limit_state_head(rl_algorithm algorithm, size_t words, uint32_t number)
{
	return (uint64_t) algorithm | (uint64_t) words << RL_LIMIT_STATE_WORDS_AT | (uint64_t) number << 32;
}

static inline rl_algorithm rl_limit_state_algorithm(const uint64_t *limit_state)
{
	return (rl_algorithm) (limit_state[0] & 0x7);
}

static inline size_t rl_limit_state_words(const uint64_t *limit_state)
{
	return (size_t) (limit_state[0] >> RL_LIMIT_STATE_WORDS_AT & 0x3fff);
}

/* Returns the mark of the limit that wrote it; 0: none. */
static inline uint32_t rl_limit_state_mark(const uint64_t *limit_state)
{
	return (uint32_t) ((limit_state[0] & RL_LIMIT_STATE_MARK) >> RL_LIMIT_STATE_MARK_AT);
}

static inline void rl_limit_state_set_mark(uint64_t *limit_state, uint32_t mark)
{
	limit_state[0] = (limit_state[0] & ~RL_LIMIT_STATE_MARK) | (uint64_t) mark << RL_LIMIT_STATE_MARK_AT;
}

static inline bool rl_limit_state_is_wide(const uint64_t *limit_state)
{
	return (limit_state[0] & RL_LIMIT_STATE_WIDE) != 0;
}

static inline bool rl_limit_state_is_tagged(const uint64_t *limit_state)
{
	return (limit_state[0] & RL_LIMIT_STATE_TAGGED) != 0;
}

/* Returns the words that belong to the algorithm: all but the tag. */
static inline size_t rl_limit_state_own_words(const uint64_t *limit_state)
{
	return rl_limit_state_words(limit_state) - rl_limit_state_is_tagged(limit_state);
}

/* Returns 0 for a limit state without a tag. */
static inline uint64_t rl_limit_state_tag(const uint64_t *limit_state)
{
	return rl_limit_state_is_tagged(limit_state) ? limit_state[rl_limit_state_own_words(limit_state)] & RL_TAG_MASK : 0;
}

static inline uint32_t rl_limit_state_number(const uint64_t *limit_state)
{
	return (uint32_t) (limit_state[0] >> 32);
}

/* The number of a limit state that holds a list: n entries (16 bits, low), of which the last ahead (16 bits, high) are
 * booked and have not come. */
static inline uint32_t rl_limit_state_number_of(uint32_t n, uint32_t ahead)
{
	return (n & 0xffff) | ahead << 16;
}

static inline uint32_t rl_limit_state_n(uint32_t number)
{
	return number & 0xffff;
}

static inline uint32_t rl_limit_state_ahead(uint32_t number)
{
	return number >> 16;
}

#define RL_BUCKET_RATE_BITS 48 /* of a token bucket's word with its rate; above them the high bits of its fraction */

typedef struct {
	bool ban;
	bool exhausted;
	uint32_t used;
	int64_t ban_end_us;
	/* The limit that began the ban: its algorithm (0: begun by hand), mark, period and rate. */
	uint8_t ban_algorithm;
	uint16_t ban_mark;
	int64_t ban_period;
	uint64_t ban_rate;
	uint16_t level; /* 0: none */
	int64_t forget_at_us;
	unsigned n_limits;
	const uint64_t *limit_states[RL_STATE_LIMITS_MAX];
} rl_state;

/* Returns whether a state has n limit states, no ban and no level. */
static inline bool rl_state_is_plain(uint64_t head, unsigned n)
{
	return (head & (RL_STATE_LIMITS_MASK | RL_STATE_BAN | RL_STATE_LEVEL)) == n;
}

bool rl_state_any_needs_wall(const uint64_t *words, size_t n);

/* Returns whether a part of the state ends by the wall clock. */
static inline bool rl_state_needs_wall(const uint64_t *words, size_t n)
{
	/* Most states have one limit state, and no ban. */
	if (n > RL_STATE_HEAD_WORDS && (words[0] & (RL_STATE_LIMITS_MASK | RL_STATE_BAN)) == 1) {
		return rl_limit_state_algorithm(words + RL_STATE_HEAD_WORDS) == RL_CALENDAR_WINDOW;
	}
	return rl_state_any_needs_wall(words, n);
}

/* Parses a state. Leaves out a malformed part and everything behind it. */
void rl_state_read(const uint64_t *words, size_t n, rl_state *state);

#endif
