/* One-word states of a lone ban: a limiter's state of nothing but a ban, by a limit or by hand, with its level. Private to src/shm.
 *
 *     word     birth (6, high) | level (10) | end (48), us
 *     terms    a: RL_TERMS_BAN | algorithm of the limit that began it, 0: by hand (8, low)
 *              b: the hash of its period and rate (40, low) | from the end until the level is forgotten, s (24)
 *
 * The fold is exact, but for one hint of an eviction: the permits that were used before. A ban whose numbers do not fit is a record.
 * birth is a hash of the entry's word before: a ban until one moment distinguishes itself from an earlier one until the same moment. */
#ifndef RL_SHM_BAN_WORD_H
#define RL_SHM_BAN_WORD_H

#include "state_word.h"

/* In an algorithm of terms: they are those of a ban. */
#define RL_TERMS_BAN 0x80

/* Returns whether these are the terms of a ban. */
RL_INLINE bool rl_terms_are_ban(const rl_terms *t)
{
	return (t->algorithm & RL_TERMS_BAN) != 0;
}

/* Returns whether the terms of a ban are not damaged. */
bool rl_ban_terms_are_sound(const rl_terms *t);

/* Does what rl_word_unpack() does, for the terms of a ban. */
size_t rl_ban_word_unpack(const rl_terms *t, uint64_t word, uint64_t *state);

/* Folds a state with a ban and no limit state. was: the entry's word. Sets the terms. Returns false if it is to be a record. */
bool rl_ban_word_pack(const uint64_t *state, size_t words, uint64_t was, rl_terms *t, uint64_t *word);

/* Return a word's end in us of the segment's time, and its level. */
uint64_t rl_ban_word_end(uint64_t word);
unsigned rl_ban_word_level(uint64_t word);

#endif
