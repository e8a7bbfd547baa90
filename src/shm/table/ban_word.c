#include "ban_word.h"

#define END_BITS    48
#define LEVEL_BITS  10
#define RATE_BITS   40
#define FORGET_BITS 24

_Static_assert(END_BITS + LEVEL_BITS + RL_WORD_BIRTH_BITS == 64, "a ban is one word");
_Static_assert(RATE_BITS + FORGET_BITS == 64 && (uint64_t) RL_LIMIT_MAX >> RATE_BITS == 0, "terms have any rate");

uint64_t rl_ban_word_end(uint64_t word)
{
	return rl_word_low(word, END_BITS);
}

unsigned rl_ban_word_level(uint64_t word)
{
	return (unsigned) rl_word_low(word >> END_BITS, LEVEL_BITS);
}

bool rl_ban_terms_are_sound(const rl_terms *t)
{
	return (t->algorithm & ~(unsigned) RL_TERMS_BAN) <= RL_ALGORITHMS;
}

size_t rl_ban_word_unpack(const rl_terms *t, uint64_t word, uint64_t *state)
{
	uint64_t *ban = state + RL_STATE_HEAD_WORDS, *level = ban + RL_STATE_BAN_WORDS,
			 rate = rl_word_low(t->more, RATE_BITS);

	ban[0] = rl_ban_word_end(word);
	ban[1] = rl_state_ban_limit(t->algorithm & ~(unsigned) RL_TERMS_BAN, 0, rate);
	ban[2] = t->period;
	state[0] = RL_STATE_BAN;
	state[1] = ban[0];
	if (rl_ban_word_level(word) == 0) {
		return RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS;
	}
	level[0] = rl_limit_state_head(0, RL_STATE_LEVEL_WORDS, rl_ban_word_level(word));
	level[1] = ban[0] + (t->more >> RATE_BITS) * RL_US_PER_SECOND;
	state[0] |= RL_STATE_LEVEL;
	state[1] = level[1];
	return RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS + RL_STATE_LEVEL_WORDS;
}

bool rl_ban_word_pack(const uint64_t *state, size_t words, uint64_t was, rl_terms *t, uint64_t *word)
{
	const uint64_t *ban = state + RL_STATE_HEAD_WORDS, *level = ban + RL_STATE_BAN_WORDS;
	uint64_t again[RL_WORD_STATE_WORDS], birth = was * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RL_WORD_BIRTH_BITS);
	bool has_level = words == RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS + RL_STATE_LEVEL_WORDS;
	uint64_t forget_s = has_level ? (level[1] - ban[0]) / RL_US_PER_SECOND : 0, hints;

	if (words < RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS || ban[0] >> END_BITS != 0 || forget_s >> FORGET_BITS != 0) {
		return false;
	}
	*t = (rl_terms){
		.algorithm = (rl_algorithm) (RL_TERMS_BAN | (ban[1] & 0xff)),
		.period = ban[2],
		.more = rl_state_ban_rate(ban[1]) | forget_s << RATE_BITS,
	};
	*word = birth << (64 - RL_WORD_BIRTH_BITS)
		| rl_word_low(has_level ? rl_limit_state_number(level) : 0, LEVEL_BITS) << END_BITS | ban[0];
	/* Another kind of state, and numbers that do not fit, unfold to another state. */
	hints = RL_STATE_EXHAUSTED | (uint64_t) UINT32_MAX << RL_STATE_USED_AT;
	return rl_ban_terms_are_sound(t) && rl_ban_word_unpack(t, *word, again) == words && again[0] == (state[0] & ~hints)
		&& memcmp(again + 1, state + 1, (words - 1) * sizeof *state) == 0;
}
