/* Defines a limiter's state in the embedded store: a list of words.
 *
 *     0      number of limit states (8) | exhausted (1) | - | level, a count of bans that escalate (16, from 16 on) | used (32, high)
 *     1      when the whole state is over, us
 *     2      the end of the ban, us; 0: none
 *     3      the limit that began it, 0: by hand: algorithm (3) | mark (13) | - | a hash of its period and rate (40, high)
 *     4      when the level is forgotten, us
 *
 * Then the limit states, each:
 *
 *     0      algorithm (3) | mark (13) | words, this one and the notes included (16) | a number of the algorithm's (32, high)
 *     1      the tag, which a permit of it names, 0: none (48) | number of notes (16, high)
 *     2      period
 *     then   the algorithm's own words, and two words for each note: a moment, a number (notes.h)
 *
 * Readers trust nothing in a state, since it may come from a file. It does not change while it is read: the store passes a
 * private copy. */
#ifndef RL_CORE_STATE_H
#define RL_CORE_STATE_H

#include "../limit/decision.h"

enum { RL_STATE_EXPIRES = 1, RL_STATE_BAN_END, RL_STATE_BAN_LIMIT, RL_STATE_FORGET, RL_STATE_HEAD_WORDS };

#define RL_STATE_LIMITS_MAX (2 * RL_LIMITS_MAX)

#define RL_STATE_LIMITS_MASK UINT64_C(0xff)
#define RL_STATE_EXHAUSTED   UINT64_C(0x100)
#define RL_STATE_LEVEL_AT    16
#define RL_STATE_LEVEL_MASK  (UINT64_C(0xffff) << RL_STATE_LEVEL_AT)
#define RL_STATE_USED_AT     32

/* Returns whether a state has a ban, which may be over. */
static inline bool rl_state_has_ban(const uint64_t *state)
{
	return state[RL_STATE_BAN_END] != 0;
}

static inline uint16_t rl_state_level(uint64_t head)
{
	return (uint16_t) (head >> RL_STATE_LEVEL_AT);
}

/* Returns whether a state has nothing but a ban, and perhaps its level. */
static inline bool rl_state_is_lone_ban(const uint64_t *state)
{
	return rl_state_has_ban(state) && (state[0] & RL_STATE_LIMITS_MASK) == 0;
}

static inline bool rl_state_is_exhausted(uint64_t head)
{
	return (head & RL_STATE_EXHAUSTED) != 0;
}

static inline uint32_t rl_state_used(uint64_t head)
{
	return (uint32_t) (head >> RL_STATE_USED_AT);
}

#define RL_STATE_BAN_ALGORITHM UINT64_C(0x7)
#define RL_STATE_BAN_MARK_AT   3
#define RL_STATE_BAN_HASH_AT   24

/* Returns the word by which a ban's limit is recognized. Of two limits that have one by chance, the first is named. */
static inline uint64_t rl_state_ban_limit(const rl_limit *limit, uint32_t mark)
{
	uint64_t period = limit->algorithm == RL_CALENDAR_WINDOW ? limit->period : (uint64_t) limit->period_us;
	uint64_t hash = (period * UINT64_C(0x9e3779b97f4a7c15) ^ limit->rate) * UINT64_C(0xbf58476d1ce4e5b9);

	return (uint64_t) limit->algorithm | (uint64_t) mark << RL_STATE_BAN_MARK_AT
		| hash >> RL_STATE_BAN_HASH_AT << RL_STATE_BAN_HASH_AT;
}

enum { RL_LIMIT_STATE_TAG = 1, RL_LIMIT_STATE_PERIOD, RL_LIMIT_STATE_HEAD_WORDS };

#define RL_LIMIT_STATE_MARK_AT  3
#define RL_LIMIT_STATE_WORDS_AT 16
#define RL_LIMIT_STATE_NOTES_AT 48
#define RL_LIMIT_STATE_MARK     (((UINT64_C(1) << RL_MARK_BITS) - 1) << RL_LIMIT_STATE_MARK_AT)
#define RL_NOTE_WORDS           2

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
	return (size_t) (limit_state[0] >> RL_LIMIT_STATE_WORDS_AT & 0xffff);
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

/* Returns 0 for a limit state without a tag. */
static inline uint64_t rl_limit_state_tag(const uint64_t *limit_state)
{
	return limit_state[RL_LIMIT_STATE_TAG] & RL_TAG_MASK;
}

static inline size_t rl_limit_state_n_notes(const uint64_t *limit_state)
{
	return (size_t) (limit_state[RL_LIMIT_STATE_TAG] >> RL_LIMIT_STATE_NOTES_AT);
}

/* Returns the words before the notes: the head's and the algorithm's own. */
static inline size_t rl_limit_state_own_words(const uint64_t *limit_state)
{
	return rl_limit_state_words(limit_state) - RL_NOTE_WORDS * rl_limit_state_n_notes(limit_state);
}

/* Writes the first words of a limit state without a tag. own: its words before the notes. Returns all its words. */
static inline size_t rl_limit_state_begin(rl_algorithm algorithm, uint64_t period, size_t own, size_t n_notes,
	uint32_t number, uint64_t *out)
{
	size_t words = own + RL_NOTE_WORDS * n_notes;

	out[0] = rl_limit_state_head(algorithm, words, number);
	out[RL_LIMIT_STATE_TAG] = (uint64_t) n_notes << RL_LIMIT_STATE_NOTES_AT;
	out[RL_LIMIT_STATE_PERIOD] = period;
	return words;
}

static inline uint32_t rl_limit_state_number(const uint64_t *limit_state)
{
	return (uint32_t) (limit_state[0] >> 32);
}

typedef struct {
	bool ban;
	bool exhausted;
	uint32_t used;
	int64_t ban_end_us;
	uint64_t ban_limit;
	uint16_t level; /* 0: none */
	int64_t forget_at_us;
	unsigned n_limits;
	const uint64_t *limit_states[RL_STATE_LIMITS_MAX];
} rl_state;

/* Returns whether a state has n limit states, no ban and no level. */
static inline bool rl_state_has_limits_alone(const uint64_t *state, unsigned n)
{
	return (state[0] & (RL_STATE_LIMITS_MASK | RL_STATE_LEVEL_MASK)) == n && !rl_state_has_ban(state);
}

/* Returns the first word of a state of n limits without a level. used: of the fullest one. */
static inline uint64_t rl_state_head(unsigned n, bool exhausted, uint64_t used)
{
	return n | (exhausted ? RL_STATE_EXHAUSTED : 0) | (used < UINT32_MAX ? used : UINT32_MAX) << RL_STATE_USED_AT;
}

/* Writes the first words of a state without a ban and without a level. */
static inline void rl_state_begin(unsigned n, bool exhausted, uint64_t used, int64_t expires_us, uint64_t *state)
{
	state[0] = rl_state_head(n, exhausted, used);
	state[RL_STATE_EXPIRES] = (uint64_t) expires_us;
	state[RL_STATE_BAN_END] = 0;
	state[RL_STATE_BAN_LIMIT] = 0;
	state[RL_STATE_FORGET] = 0;
}

bool rl_state_any_needs_wall(const uint64_t *words, size_t n);

/* Returns whether a part of the state ends by the wall clock. */
static inline bool rl_state_needs_wall(const uint64_t *words, size_t n)
{
	/* Most states have one limit state. */
	if (n > RL_STATE_HEAD_WORDS && (words[0] & RL_STATE_LIMITS_MASK) == 1) {
		return rl_limit_state_algorithm(words + RL_STATE_HEAD_WORDS) == RL_CALENDAR_WINDOW;
	}
	return rl_state_any_needs_wall(words, n);
}

/* Parses a state. Leaves out a malformed part and everything behind it. */
void rl_state_read(const uint64_t *words, size_t n, rl_state *state);

#endif
