/* Keeps the totals of the last hour: the sums of all workers' counts, once a minute. The first thread that reads the exact
 * clock in a minute, on a slow path, writes them. Readers check them: a writer may be stopped half-way and go on later. */
#ifndef RL_SHM_HISTORY_H
#define RL_SHM_HISTORY_H

#include "../segment/monitor_layout.h"
#include "../process/worker_stats.h"
#include "../segment/meters.h"

struct rl_segment;

#define RL_HISTORY_MINUTE_US (60 * RL_US_PER_SECOND)

/* Sums, at a moment. */
typedef struct {
	int64_t us; /* the segment's time */
	int64_t wall_us;
	uint64_t totals[RL_TOTALS];
} rl_history_point;

/* Writes the sums of up to the last 61 minutes, the oldest first, and those of now, which are the last. Sums never fall. Returns
 * their number; 0: there is no segment. */
size_t rl_history_read(rl_history_point points[RL_HISTORY_ROOM + 1]);

/* ---- Private to src/shm ---- */

/* Returns a moment of the segment's time on the wall clock. */
int64_t rl_history_wall_us(const struct rl_segment *s, int64_t us);

/* Writes the totals, if no thread has done so in this minute of the segment's time. */
void rl_history_note(const struct rl_segment *s, int64_t us);

#endif
