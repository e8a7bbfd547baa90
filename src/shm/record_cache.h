/* The records that this thread works with: where it gets them, and how it publishes what it wrote. */
#ifndef RL_SHM_RECORD_CACHE_H
#define RL_SHM_RECORD_CACHE_H

#include "record.h"

/* A record of this thread's own that holds at least so many words of state, for the given entry. NULL: no room, or this
 * thread has no worker. now_us is the segment's time. */
rl_record *rl_record_get(const rl_segment *s, const rl_entry *entry, size_t words, int64_t now_us);

/* Gives one back that was taken and not published. */
void rl_record_put(const rl_segment *s, rl_record *record);

/* Publishes: swaps the entry from (fp, ref) to (new_fp, the record). The record that it held before becomes this thread's
 * own. False: the entry has changed, the record is still this thread's own. */
bool rl_record_publish(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t ref, uint64_t new_fp,
	rl_record *record);

/* Bytes of the record area, and of it what is handed out. */
void rl_record_area_use(const rl_segment *s, uint64_t *bytes, uint64_t *used);

/* Lets go of what this thread keeps for its next decisions. */
void rl_record_cache_flush(void);
void rl_record_cache_after_fork(void);

#endif
