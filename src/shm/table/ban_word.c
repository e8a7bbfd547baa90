#include "ban_word.h"

#define END_BITS    48
#define LEVEL_BITS  10
#define LIMIT_BITS  40
#define FORGET_BITS 24

_Static_assert(END_BITS + LEVEL_BITS + RL_WORD_BIRTH_BITS == 64, "a ban is one word");
_Static_assert(LIMIT_BITS + FORGET_BITS == 64 && LIMIT_BITS + RL_STATE_BAN_HASH_AT == 64, "terms have any limit");

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
	uint64_t end = rl_ban_word_end(word), level = rl_ban_word_level(word);
	uint64_t forget = end + (t->more >> LIMIT_BITS) * RL_US_PER_SECOND;

	rl_state_begin(0, false, 0, (int64_t) (level > 0 ? forget : end), state);
	state[0] |= level << RL_STATE_LEVEL_AT;
	state[RL_STATE_BAN_END] = end;
	state[RL_STATE_BAN_LIMIT] = (t->algorithm & RL_STATE_BAN_ALGORITHM) | t->more << RL_STATE_BAN_HASH_AT;
	state[RL_STATE_FORGET] = level > 0 ? forget : 0;
	return RL_STATE_HEAD_WORDS;
}

bool rl_ban_word_pack(const uint64_t *state, size_t words, uint64_t was, rl_terms *t, uint64_t *word)
{
	uint64_t again[RL_WORD_STATE_WORDS], birth = was * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RL_WORD_BIRTH_BITS);
	uint64_t end = state[RL_STATE_BAN_END], level = rl_state_level(state[0]), hints;
	uint64_t forget_s = level > 0 ? (state[RL_STATE_FORGET] - end) / RL_US_PER_SECOND : 0;

	if (end >> END_BITS != 0 || forget_s >> FORGET_BITS != 0) {
		return false;
	}
	*t = (rl_terms){
		.algorithm = (rl_algorithm) (RL_TERMS_BAN | (state[RL_STATE_BAN_LIMIT] & RL_STATE_BAN_ALGORITHM)),
		.more = state[RL_STATE_BAN_LIMIT] >> RL_STATE_BAN_HASH_AT | forget_s << LIMIT_BITS,
	};
	*word = birth << (64 - RL_WORD_BIRTH_BITS) | rl_word_low(level, LEVEL_BITS) << END_BITS | end;
	/* Another kind of state, and numbers that do not fit, unfold to another state. */
	hints = RL_STATE_EXHAUSTED | (uint64_t) UINT32_MAX << RL_STATE_USED_AT;
	return rl_ban_terms_are_sound(t) && rl_ban_word_unpack(t, *word, again) == words && again[0] == (state[0] & ~hints)
		&& memcmp(again + 1, state + 1, (words - 1) * sizeof *state) == 0;
}
