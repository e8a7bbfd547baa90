/* Keeps the text of a subject in the segment. A text has a checksum, so a reader never shows one that two workers have
 * written at a time, that a killed worker has left half written, or damage. */
#ifndef RL_SHM_SUBJECT_TEXT_H
#define RL_SHM_SUBJECT_TEXT_H

#include "../segment/monitor_entries.h"

/* Returns the hash of a name and an int identity, by the hash of the name. Never 0. */
static inline uint64_t rl_subject_int_key(uint64_t name_id, int64_t id)
{
	uint64_t x = (name_id ^ (uint64_t) id) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 32) * (name_id | 1);
	x ^= x >> 29;
	return x != 0 ? x : 1;
}

/* Returns the same for any identity. */
uint64_t rl_subject_key(const rl_segment *s, uint64_t name_id, const rl_key *key);

/* Writes the text of a key, unless it is there. */
void rl_subject_complete(const rl_segment *s, rl_subject_text *text, uint64_t id, rl_kind kind, const rl_key *key);

/* Frees those of n entries whose first word is a key; 0: is any. Wipes their texts out of the memory. */
void rl_subject_forget(const rl_segment *s, rl_pair *entries, uint64_t n, uint64_t key,
	rl_subject_text *(*text_of)(const rl_segment *s, const rl_pair *entry));

/* Reads the text of a key. Returns false if there is none. A text of this key that is damaged is forgotten, so that the next
 * worker writes it again. */
bool rl_subject_read(const rl_segment *s, rl_subject_text *text, uint64_t id, rl_subject *out);

#endif
