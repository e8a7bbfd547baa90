/* Finds the entry of an identity, and confirms what was read of it. Private to src/shm. */
#ifndef RL_SHM_ENTRY_SEEN_H
#define RL_SHM_ENTRY_SEEN_H

#include "table.h"

/* The result of one attempt to decide. */
typedef enum {
	RL_TRY_DECIDED,
	RL_TRY_RACED,  /* another worker was faster */
	RL_TRY_LEFT,   /* nothing has changed, and another function decides */
	RL_TRY_ABSENT, /* the identity has no entry */
} rl_try_result;

/* The content of an entry as one attempt has read it. */
typedef struct {
	rl_entry *entry; /* NULL: the identity has none */
	uint64_t fp, word;
} rl_entry_seen;

/* Finds an identity's entry: first where its fingerprint names it. Returns false if there is none. home, fp: of its place, which is
 * no structure here: two words that were just written do not leave the store buffer as one load of 16 bytes. */
RL_INLINE bool rl_entry_find(const rl_segment *s, uint64_t home, uint64_t fp, rl_entry_seen *seen)
{
	seen->entry = &s->buckets[home].entries[rl_fp_first(fp)];
	seen->fp = rl_load(&seen->entry->pair.a);
	if (RL_UNLIKELY(!rl_fp_is(seen->fp, fp))) {
		seen->entry = rl_table_find_at(s, home, fp);
		if (seen->entry == NULL) {
			return false;
		}
		seen->fp = rl_load(&seen->entry->pair.a);
		if (!rl_fp_is(seen->fp, fp)) {
			return false;
		}
	}
	seen->word = rl_load(&seen->entry->pair.b);
	return true;
}

/* Ends a refusal: it writes nothing, and holds if what was read was one state. */
RL_INLINE rl_try_result rl_entry_refused(const rl_entry_seen *seen)
{
	return RL_LIKELY(rl_entry_has(seen->entry, seen->fp, seen->word)) ? RL_TRY_DECIDED : RL_TRY_RACED;
}

#endif
