/* src/shm/table: The table: each identity has an entry, and in it a word.
 *
 * Implements the table: a lock-free hash table with open addressing, from an identity's hash to its entry.
 *
 * A bucket has four entries. A search probes eight buckets, from the bucket and the entry that the hash names. An entry
 * is
 *
 *     fingerprint: 52 bits of hash | terms (8) | 0 | last permit gone | taken | kind
 *     word:        a counter (core/algorithm/counter.h), a limiter's state (state_word.h), or where its record is (record.h)
 *
 * An entry changes only by one compare-and-swap of both halves, so a state never lands under another identity. A used
 * entry never becomes empty again, so an empty entry ends a search.
 *
 * Insertions into a stripe are serialized, so that an identity never gets two entries. A worker publishes an insert
 * descriptor by one swap of the stripe's control word. The descriptor has the fingerprint and its entry. Every worker
 * that finds a descriptor completes it first (helping), so no worker ever waits. A killed or stopped worker leaves at
 * most a pending descriptor. */
#ifndef RL_SHM_TABLE_H
#define RL_SHM_TABLE_H

#include "../../core/algorithm/counter.h"
#include "position.h"
#include "../record/record.h"
#include "../segment/segment.h"

#define RL_PROBE_BUCKETS 8
#define RL_PROBE_ENTRIES (RL_PROBE_BUCKETS * RL_ENTRIES_PER_BUCKET)

static inline rl_position rl_position_of(const rl_segment *s, uint64_t high, uint64_t low, bool record)
{
	rl_position p;

	/* The low half chooses the bucket: it leaves the processor's vector registers first, and the bucket is needed
	 * first. */
	p.home = (uint64_t) (((unsigned __int128) low * s->n_buckets) >> 64);
	p.fp = (high & ~RL_FP_LOW) | RL_FP_TAKEN | (record ? RL_FP_KIND : 0);
	return p;
}

/* Returns the entry of a bucket to probe first. Most identities are there, which the branch predictor learns. */
static inline unsigned rl_fp_first(uint64_t fp)
{
	return (unsigned) (fp >> 62);
}

_Static_assert(RL_ENTRIES_PER_BUCKET == 4, "two bits name an entry of a bucket");

/* Returns the generation of the identities of this hash. Several identities share one: an invalidation drops the
 * entries of all of them. */
static inline uint64_t *rl_deny_generation(const rl_segment *s, uint64_t low)
{
	return &s->generations[low >> 4 & (s->n_generations - 1)];
}

/* A ban that begins adds this to the generation. It ends no deny entry, which has the low bits alone (mirror_mark.h). */
#define RL_GENERATION_BAN (UINT64_C(1) << 32)

/* Returns the position of a key in the embedded store. record: the position of a limiter, not of a counter. */
rl_position rl_shm_position(const rl_segment *s, const rl_key *key, bool record);

/* Does the same in a store that may be the fallback of another one (rl_shm_fallback()), and has places of its own. */
rl_position rl_shm_position_in(const rl_segment *s, const rl_store *store, const rl_key *key, bool record);

/* Returns the entry of an identity, or NULL. Its content may change at any time: every change is a swap that compares with the
 * content as it was read. */
rl_entry *rl_table_find(const rl_segment *s, rl_position p);

/* Does the same, without a structure that its caller keeps in memory. */
rl_entry *rl_table_find_at(const rl_segment *s, uint64_t home, uint64_t fp);

/* Does the same, and inserts an ended, empty entry for an identity that has none, which may take the entry of another one. now_us is
 * the segment's time. */
rl_entry *rl_table_claim(const rl_segment *s, rl_position p, int64_t now_us);

/* Returns whether an entry still has what was read of it: its fingerprint, and then its word. In this order, and with a reference or a
 * word that does not return, the two were there together, and so was what was read of a record in between. */
static inline bool rl_entry_has(const rl_entry *entry, uint64_t fp, uint64_t word)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return rl_load(&entry->pair.a) == fp && rl_load(&entry->pair.b) == word;
}

/* Removes every identity, also those that calls insert in the meantime behind the scan, as far as it finds them. */
void rl_table_clear(const rl_segment *s);

#endif
