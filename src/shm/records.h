/* The records that this thread works with: where it gets them, and how it publishes what it wrote. */
#ifndef RL_SHM_RECORDS_H
#define RL_SHM_RECORDS_H

#include "record.h"

/* A record of this thread's own that holds at least so many words of state, for the given cell. NULL: no room, or this
 * thread has no desk. now_us is the segment's time. */
rl_record *rl_record_take(const rl_segment *s, const rl_cell *cell, size_t words, int64_t now_us);

/* Gives one back that was taken and not published. */
void rl_record_give(const rl_segment *s, rl_record *record);

/* Publishes: swaps the cell from (fp, ref) to (new_fp, the record). The record that it held before becomes this thread's
 * own. False: the cell has changed, the record is still this thread's own. */
bool rl_record_publish(const rl_segment *s, rl_cell *cell, uint64_t fp, uint64_t ref, uint64_t new_fp, rl_record *record);

/* Bytes of the record area, and of it what is handed out. */
void rl_records_use(const rl_segment *s, uint64_t *bytes, uint64_t *used);

/* Lets go of what this thread keeps for its next decisions. */
void rl_records_leave_thread(void);
void rl_records_forget_after_fork(void);

#endif
