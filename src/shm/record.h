/* Records: states that do not fit a entry's word. A record is never changed while somebody can find it: who decides
 * writes the next state into a record of its own, and swaps the entry's reference from the old one to the new. The old
 * one is then its own, to write the next state into. Nothing is locked, and a worker that stops or dies in the middle
 * leaves the old state standing.
 *
 * A record's owner word says whose it is:
 *     0                nobody's: free
 *     worker and epoch   of whoever wrote it last. It is *published* when the entry that it names refers to it; otherwise
 *                      it is that worker's own, or, when the epoch is over, lost by one who died, and anybody's to claim.
 * Who takes a record out of a entry notes it in its worker's journal first, so that between the swap and the new owner
 * word nobody takes it for lost. */
#ifndef RL_SHM_RECORD_H
#define RL_SHM_RECORD_H

#include "segment.h"

typedef struct {
	uint64_t owner;
	uint64_t meta;    /* the entry it is for, and its size: see records.c */
	uint64_t state[]; /* core/state.h */
} rl_record;

#define RL_RECORD_HEAD_WORDS 2

/* A reference: 26 bits of unit, and 38 that tell it from every other that a entry ever held: the publisher's worker and its
 * count of publications (owner.h). Unit 0 is no record; the rest is then the turn of the insertion. */
#define RL_REF_UNIT_BITS   26
#define RL_REF_UNIT_MASK   ((UINT64_C(1) << RL_REF_UNIT_BITS) - 1)
#define RL_REF_COUNT_BITS  24
#define RL_REF_WORKER_BITS 14

_Static_assert(RL_REF_UNIT_BITS + RL_REF_COUNT_BITS + RL_REF_WORKER_BITS == 64, "a reference is one word");

static inline uint64_t rl_ref_none(uint32_t turn)
{
	return (uint64_t) turn << RL_REF_UNIT_BITS;
}

static inline uint64_t rl_ref_unit(uint64_t ref)
{
	return ref & RL_REF_UNIT_MASK;
}

/* The record that a reference names, and how many words of state it holds; NULL for none, and for a reference that leads
 * outside. Its content may change under the reader's eyes: it counts only if the entry still held the reference after. */
rl_record *rl_record_at(const rl_segment *s, uint64_t ref, size_t *words);

/* What would be lost with a record, for the table to choose by. */
typedef struct {
	int64_t expires_us; /* the segment's time */
	uint32_t used;
	bool ban; /* it is running */
	bool exhausted;
} rl_record_worth;

rl_record_worth rl_record_worth_of(const rl_segment *s, uint64_t ref, int64_t now_us);

/* Swaps a entry from (fp, word) to (new_fp, new_word). A record that it held is then this thread's own: *old, else NULL.
 * False: the entry has changed, and nothing else has. */
bool rl_record_swap(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, uint64_t new_fp,
	uint64_t new_word, rl_record **old);

/* The same, for a record that is to be free then. */
bool rl_record_retire(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, uint64_t new_fp,
	uint64_t new_word);

#endif
