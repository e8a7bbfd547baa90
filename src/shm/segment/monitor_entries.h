/* Defines the entries of the segment's part that shows what was decided (monitor_layout.h). Private to src/shm. */
#ifndef RL_SHM_MONITOR_ENTRIES_H
#define RL_SHM_MONITOR_ENTRIES_H

#include "meters.h"
#include "segment.h"
#include "subject.h"

/* The text of a subject (subject_text.h). */
#define RL_SUBJECT_WORDS (sizeof(rl_subject) / sizeof(uint64_t))
_Static_assert(sizeof(rl_subject) == 224 && sizeof(rl_subject) < RL_NAME_MAX, "a checksum is the hash of one name");

typedef struct {
	uint64_t written; /* the key whose text was written last; 0: none */
	uint64_t check;
	uint64_t words[RL_SUBJECT_WORDS];
} rl_subject_text;

/* The text of a name (metrics.c). */
typedef struct {
	uint64_t check;
	uint64_t shape; /* its length and kind */
	uint64_t text[256 / 8];
} rl_label;

/* The counts of a limit. */
typedef struct {
	uint64_t id; /* the hash of the label; 0: free */
	uint64_t check;
	rl_limit_counts counts;
	uint64_t length;
	uint64_t text[RL_LIMIT_LABEL_MAX / 8];
} rl_limit_meter;

typedef struct {
	_Alignas(64) rl_limit_meter slots[RL_LIMIT_METER_SLOTS + 1];
} rl_limit_meters;

/* The data of a refused caller beside its entry (refusal_sketch.c). */
typedef struct {
	uint64_t last_us; /* the moment of the latest refusal that was noted; the segment's time */
	uint64_t limit;   /* 1 + the slot of the limit that decided it; 0: unknown */
	rl_subject_text text;
} rl_hitter_text;

/* The totals of a minute (history.c). */
typedef struct {
	uint64_t check;
	uint64_t us; /* the segment's time of the sums */
	uint64_t totals[RL_TOTALS];
	uint64_t unused;
} rl_history_entry;

#endif
