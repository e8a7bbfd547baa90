/* Keeps a table of callers in the segment: an entry for each, and the text of its subject. A text has a checksum, so a reader never
 * shows one that two workers have written at a time, that a killed worker has left half written, or damage. */
#ifndef RL_SHM_SUBJECT_TEXT_H
#define RL_SHM_SUBJECT_TEXT_H

#include "../segment/monitor_entries.h"

/* The refused callers (refusal_sketch.c), or the bans (ban_list.c). */
typedef struct {
	rl_pair *entries;  /* in sets of RL_HITTERS_WAYS. a: the caller's key, which names its set; 0: free */
	uint64_t n;        /* a power of two */
	char *texts;       /* what each entry has beside it */
	size_t text_bytes; /* of one entry */
	size_t text_at;    /* of its text in them */
} rl_subject_table;

static inline rl_pair *rl_subject_set(const rl_subject_table *t, uint64_t key)
{
	return t->entries + (key >> 32 & (t->n / RL_HITTERS_WAYS - 1)) * RL_HITTERS_WAYS;
}

static inline rl_subject_text *rl_subject_text_of(const rl_subject_table *t, const rl_pair *entry)
{
	return (rl_subject_text *) (void *) (t->texts + (size_t) (entry - t->entries) * t->text_bytes + t->text_at);
}

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

/* Frees the entry of a caller, or all entries. Wipes their texts out of the memory. */
void rl_subject_forget(const rl_subject_table *t, uint64_t name_id, const rl_key *key);
void rl_subject_clear(const rl_subject_table *t);

/* Reads the text of a key. Returns false if there is none. A text of this key that is damaged is forgotten, so that the next
 * worker writes it again. */
bool rl_subject_read(const rl_segment *s, rl_subject_text *text, uint64_t id, rl_subject *out);

/* Inserts a row of so many bytes into n rows, which are sorted: the largest rank first, an int64_t at this offset. There is room for so
 * many; the last one falls out. Returns the number of rows. */
size_t rl_subject_insert(void *rows, size_t n, size_t room, const void *row, size_t bytes, size_t rank_at);

#endif
