/* Where a thread's searches in the record area go on. Each thread has its own, so no search begins at the first page. */
#ifndef RL_SHM_ALLOC_CURSOR_H
#define RL_SHM_ALLOC_CURSOR_H

#include "../segment/segment.h"
#include "size_classes.h"

/* The clock hand of one size class: the page and the index of the next record to look at. */
typedef struct {
	uint32_t page, index;
	uint32_t walk;     /* the page word from which the search for the class's next page goes on */
	unsigned pause;    /* searches before one at full cost, after one in vain (record_alloc.c), */
	int64_t paused_us; /* which was then */
	bool known;
} rl_alloc_cursor;

/* The bounds of one allocation: the records and page words that it may look at, for a record that fits a page and for a run.
 * They are the same in a segment of any size. An allocation that has used them up fails. The records that it moved until
 * then stay moved, so the next allocation goes on with less work. */
#define RL_ALLOC_LOOKS_PAGE 16384
#define RL_ALLOC_LOOKS_RUN  65536

/* The clock hands over all pages, and a thread's counts of what it tried. */
typedef struct {
	rl_alloc_cursor cursors[RL_CLASSES];
	uint64_t page, run; /* the next page to empty; the end of the next window for a run */
	bool known;
	unsigned move_pause, evictions; /* record_alloc.c */
	unsigned looks;                 /* left to the allocation that runs */
	int64_t paused_us;
	uint64_t random;
} rl_alloc_hands;

/* Returns this thread's cursor of the class. Its page exists. A new one begins where another worker found a record last. */
rl_alloc_cursor *rl_alloc_cursor_load(const rl_segment *s, unsigned class);

/* Moves this thread's cursor of the class, and notes the place for new workers in the header. */
void rl_alloc_cursor_save(const rl_segment *s, unsigned class, uint64_t page, uint32_t index);

/* Returns this thread's hands. */
rl_alloc_hands *rl_alloc_hands_load(const rl_segment *s);

/* Counts one look of the running allocation, at a record or a page word. Returns false if it has none left: then the
 * caller ends its search. */
static inline bool rl_alloc_look(rl_alloc_hands *h)
{
	if (h->looks == 0) {
		return false;
	}
	h->looks--;
	return true;
}

/* Forgets this thread's cursors and hands. */
void rl_alloc_hands_reset(void);

/* Returns 24 pseudo-random bits of this thread's own sequence. */
uint32_t rl_alloc_random(const rl_segment *s);

#endif
