/* Divides the part of the segment that shows what was decided: metrics, refused callers, bans, the history. Nothing in it
 * has a say in a decision, but for the bans of networks (ban_list.h). */
#ifndef RL_SHM_MONITOR_LAYOUT_H
#define RL_SHM_MONITOR_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* The bounds of a segment's size. */
#define RL_SHM_BYTES_MIN ((size_t) 1 << 20)
#define RL_SHM_BYTES_MAX ((size_t) 1 << 34)

#define RL_NETWORK_WORDS 3 /* a bit for each length of a network, 0 to 128 */

#define RL_NAMES_MAX    256
#define RL_HITTERS_WAYS 8  /* entries of a set of the sketch, and of the table of bans */
#define RL_HISTORY_ROOM 64 /* minutes */

/* The sizes and the offsets of the parts, from the begin of the whole. A process computes them itself. */
typedef struct {
	uint64_t n_names;   /* that have counts of their own; at most RL_NAMES_MAX */
	uint64_t n_shards;  /* copies of the counts, for different workers */
	uint64_t n_hitters; /* entries of the sketch of refusals: a power of two */
	uint64_t n_bans;    /* a power of two */
	uint64_t ids_at, labels_at, meters_at, limits_at, hitters_at, hitter_texts_at, bans_at, ban_texts_at, history_at;
	uint64_t bytes;
} rl_monitor_layout;

/* Returns the layout for a segment of so many bytes. */
rl_monitor_layout rl_monitor_plan(size_t segment_bytes);

#endif
