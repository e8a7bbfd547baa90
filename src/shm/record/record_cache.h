/* A thread's record cache (as malloc's tcache): gets records to write into, publishes them, and keeps what it swaps out. */
#ifndef RL_SHM_RECORD_CACHE_H
#define RL_SHM_RECORD_CACHE_H

#include "record.h"

/* Returns a record of this thread's own for the entry, with room for at least so many words of state. Returns NULL if there
 * is no room, or if this thread has no worker. now_us is the segment's time. */
rl_record *rl_record_get(const rl_segment *s, const rl_entry *entry, size_t words, int64_t now_us);

/* Returns whether records for so many words of state have this room (rl_record_at()). */
bool rl_record_has_room(size_t room, size_t words);

/* Takes back a record of rl_record_get() that was not published. */
void rl_record_put(const rl_segment *s, rl_record *record);

/* Publishes a record of rl_record_get() for this entry: swaps the entry from (fp, ref) to (new_fp, the record). The entry's
 * old record becomes this thread's own. Returns the new reference, or 0 if the entry has changed; the record then still is this thread's
 * own. */
uint64_t rl_record_publish(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t ref, uint64_t new_fp,
	rl_record *record);

typedef enum {
	RL_REPLACED,
	RL_REPLACE_RACED,  /* the entry has changed */
	RL_REPLACE_NO_OWN, /* this thread has no record of that size at hand: rl_record_get() */
} rl_replace_result;

/* Does what rl_record_get() and rl_record_publish() do, for an entry whose record has room for so many words (rl_record_at()) and
 * a state that fits into it, of an even number of words. The usual case: this thread's own record has that size. */
rl_replace_result rl_record_replace(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t ref, size_t room,
	uint64_t new_fp, const uint64_t *state, size_t words);

/* Measures the record area: its bytes, and the bytes of the pages that are in use. */
void rl_record_area_use(const rl_segment *s, uint64_t *bytes, uint64_t *used);

/* Frees all records of this thread's cache. */
void rl_record_cache_flush(void);

/* Empties the cache of a forked child: its records are the parent's. */
void rl_record_cache_after_fork(void);

#endif
