/* Where a thread's searches in the record area go on. Each thread has its own, so no search begins at the first page. */
#ifndef RL_SHM_ALLOC_CURSOR_H
#define RL_SHM_ALLOC_CURSOR_H

#include "segment.h"
#include "size_classes.h"

/* The clock hand of one size class: the page and the index of the next record to look at. */
typedef struct {
	uint32_t page, index;
	uint32_t walk; /* the page word from which the search for the class's next page goes on */
	bool known;
} rl_alloc_cursor;

/* The clock hands over all pages, and a thread's counts of what it tried. */
typedef struct {
	rl_alloc_cursor cursors[RL_CLASSES];
	uint64_t page, run; /* the next page to empty; the end of the next window for a run */
	bool known;
	unsigned move_pause, evictions; /* record_alloc.c */
	int64_t paused_us;
	uint64_t random;
} rl_alloc_hands;

/* Returns this thread's cursor of the class. Its page exists. A new one begins where another worker found a record last. */
rl_alloc_cursor *rl_alloc_cursor_load(const rl_segment *s, unsigned class);

/* Moves this thread's cursor of the class, and notes the place for new workers in the header. */
void rl_alloc_cursor_save(const rl_segment *s, unsigned class, uint64_t page, uint32_t index);

/* Returns this thread's hands. */
rl_alloc_hands *rl_alloc_hands_load(const rl_segment *s);

/* Forgets this thread's cursors and hands. */
void rl_alloc_hands_reset(void);

/* Returns 24 pseudo-random bits of this thread's own sequence. */
uint32_t rl_alloc_random(const rl_segment *s);

#endif
