/* src/shm/record: States that are larger than a word: pages, records, references.
 *
 * Records: states that do not fit an entry's word. A published record is immutable (copy-on-write): a worker writes the next
 * state into a record of its own and swaps the entry's reference from the old record to the new one. The old record then
 * belongs to that worker, for the state after next. There is no lock, and a worker that stops or dies in the middle leaves
 * the old state in place.
 *
 * A record's owner word is one of
 *     0                        free
 *     epoch << 16 | worker     the last writer, the worker's number counted from 1. The record is *published* if the entry
 *                              that its meta names refers to it. Otherwise it is that worker's own; if the epoch is over, it
 *                              is lost, and any worker may claim it.
 *     RL_OWNER_SPARE | owner   kept by a worker for a later decision. Any worker may claim it.
 *     RL_OWNER_RETIRED         its publication count is used up. Nothing uses it again.
 * A worker notes a record in its journal before it swaps the record out of an entry. So no other worker claims the record as
 * lost between the swap and the new owner word. */
#ifndef RL_SHM_RECORD_H
#define RL_SHM_RECORD_H

#include "../segment/segment.h"

typedef struct {
	uint64_t owner;
	uint64_t meta;    /* entry, size class, publication count: record_internal.h */
	uint64_t state[]; /* core/algorithm/state.h */
} rl_record;

#define RL_RECORD_HEAD_WORDS 2

/* A reference: 26 bits of unit, and above them the record's publication count, 38 bits. A record is never published twice
 * under the same count, so a reference never comes back (no ABA). Unit 0 is no record; the other bits are then the version
 * of the insertion. */
#define RL_REF_COUNT_BITS 38

_Static_assert(RL_REF_UNIT_BITS + RL_REF_COUNT_BITS == 64, "a reference is one word");

static inline uint64_t rl_ref_none(uint32_t version)
{
	return (uint64_t) version << RL_REF_UNIT_BITS;
}

static inline uint64_t rl_ref_unit(uint64_t ref)
{
	return ref & RL_REF_UNIT_MASK;
}

/* Begins to load the record that ref names, of a usual size. A wrong ref loads something else, or nothing. */
static inline void rl_record_prefetch(const rl_segment *s, uint64_t ref)
{
	uintptr_t at = (uintptr_t) s->records + rl_ref_unit(ref) * RL_UNIT_BYTES;
	unsigned line;

	for (line = 0; line < 4; line++) {
		__builtin_prefetch((const void *) (at + 64 * line), 0, 2);
	}
}

/* Returns the record that the entry refers to by ref, and how many words of state it can hold. Returns NULL if ref names no
 * record, leads out of the segment, or names a record that was written for another entry or another publication. The
 * content may change during the read: it counts only if the entry still has the same reference afterwards. */
rl_record *rl_record_at(const rl_segment *s, const rl_entry *entry, uint64_t ref, size_t *words);

/* The worth of a record, which its eviction would lose. Table and allocator choose by it. */
typedef struct {
	int64_t expires_us; /* the segment's time */
	uint32_t used;
	int64_t ban_end_us; /* of a running ban; 0: none */
	bool exhausted;
} rl_record_worth;

rl_record_worth rl_record_worth_of(const rl_segment *s, const rl_entry *entry, uint64_t ref, int64_t now_us);

/* Swaps an entry from (fp, word) to (new_fp, new_word). If the entry had a record, that record becomes this thread's own, and
 * *old is set to it, else to NULL. Returns false, without a change, if the entry has changed. */
bool rl_record_swap(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, uint64_t new_fp,
	uint64_t new_word, rl_record **old);

/* Does the same, and frees the old record. */
bool rl_record_retire(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, uint64_t new_fp,
	uint64_t new_word);

/* Removes an identity from its entry, and frees its record. Returns false if the entry is no longer (fp, word). */
bool rl_record_remove(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word);

/* Does the same, but the record becomes this thread's own: sets *old to it, or to NULL. */
bool rl_record_take_out(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, rl_record **old);

/* ---- ban_share.c ---- */

/* Makes room for a ban that is about to begin in a record of so many words. Looks at eight records at random, by their size, and notes the
 * share of running bans. If that is more than half, looks at 24 more, and evicts those bans among the 32 that end first: twice as much
 * as the new one takes; not that of its own entry, which another worker may just have begun. Requires a worker. */
void rl_ban_share_hold(const rl_segment *s, const rl_entry *own, size_t words, int64_t now_us);

#endif
