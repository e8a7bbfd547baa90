/* The table: from an identity's hash to its entry.
 *
 * Four entries to a line, eight lines to look in, beginning with the line and the entry that the hash names. A entry is
 *
 *     fingerprint: 60 bits of hash | 0 | last permit gone | taken | kind
 *     word:        a counter (core/plain.h), or where the record is (record.h)
 *
 * A entry is changed only by one compare-and-swap of both halves, so a state never lands under another identity. A entry
 * that was ever used never becomes empty again: what is behind it stays within reach, and an empty entry ends a search.
 *
 * That an identity has one entry and not two is what insertions take turns for, without anybody ever waiting: who wants
 * to insert writes down, by one swap of the stripe's control, which fingerprint goes into which entry; whoever finds such
 * a descriptor carries it out before doing anything else. A killed or stopped worker leaves at most a descriptor that the next one
 * carries out. */
#ifndef RL_SHM_TABLE_H
#define RL_SHM_TABLE_H

#include "../core/counter.h"
#include "place.h"
#include "segment.h"

#define RL_FP_KIND  UINT64_C(1) /* the word says where a record is, not what a counter is */
#define RL_FP_TAKEN UINT64_C(2) /* never clear in a fingerprint: tells it from an empty or a freed entry */
#define RL_FP_EXHAUSTED                                                                                                \
 UINT64_C(4) /* the last permit was given: worth more than an untouched window when room is short */
#define RL_FP_LOW UINT64_C(15)

#define RL_PROBE_BUCKETS 8
#define RL_PROBE_ENTRIES (RL_PROBE_BUCKETS * RL_ENTRIES_PER_BUCKET)

static inline bool rl_fp_is(uint64_t fp, uint64_t wanted)
{
	return ((fp ^ wanted) & ~RL_FP_EXHAUSTED) == 0;
}

static inline rl_place rl_place_of(const rl_segment *s, uint64_t high, uint64_t low, bool record)
{
	rl_place p;

	/* The low half is the sooner out of the processor's vector registers, and the line is wanted first. */
	p.home = (uint64_t) (((unsigned __int128) low * s->n_buckets) >> 64);
	p.fp = (high & ~RL_FP_LOW) | RL_FP_TAKEN | (record ? RL_FP_KIND : 0);
	return p;
}

/* Which entry of a line an identity is looked for in first: most are found there, wherever the others of its line are,
 * and a processor guesses so. */
static inline unsigned rl_fp_first(uint64_t fp)
{
	return (unsigned) (fp >> 62);
}

_Static_assert(RL_ENTRIES_PER_BUCKET == 4, "two bits name a cell of a line");

/* The entry of an identity, or NULL. What it holds may change before the caller looks again: every change is made by a
 * swap that names what was seen. */
rl_entry *rl_table_find(const rl_segment *s, rl_place p);

/* The same; makes a entry, ended and empty, for an identity that has none. now_us is the segment's time. NULL when there
 * is no room: every entry in reach is a ban. */
rl_entry *rl_table_claim(const rl_segment *s, rl_place p, int64_t now_us);

/* Takes an identity out of its entry, and frees its record. False when the entry no longer holds (fp, word). */
bool rl_table_remove(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word);

#endif
