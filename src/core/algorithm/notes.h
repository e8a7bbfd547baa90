/* The notes of a limit state: one list of numbers at moments, in the order of the moments. They are the permits of calls that wait for
 * their turn, and of bookings that have not come. The moment is a window's begin, a calendar window's end, a log's moment, or the
 * begin of a sub-window. A bucket has its marks there. */
#ifndef RL_CORE_NOTES_H
#define RL_CORE_NOTES_H

#include "algorithm.h"

typedef struct {
	const uint64_t *words; /* of the limit state */
	size_t n;
} rl_notes;

static inline rl_notes rl_notes_of(const uint64_t *limit_state)
{
	return (rl_notes){limit_state + rl_limit_state_own_words(limit_state), rl_limit_state_n_notes(limit_state)};
}

static inline int64_t rl_notes_moment(const rl_notes *notes, size_t i)
{
	return rl_moment(notes->words[RL_NOTE_WORDS * i]);
}

static inline uint64_t rl_notes_number(const rl_notes *notes, size_t i)
{
	return rl_count_of(notes->words[RL_NOTE_WORDS * i + 1]);
}

/* Drops the first n notes. An empty list may have no address, to which not even 0 may be added. */
static inline void rl_notes_drop(rl_notes *notes, size_t n)
{
	if (n > 0) {
		notes->words += RL_NOTE_WORDS * n;
		notes->n -= n;
	}
}

/* Returns the index of the first note at or behind t. */
size_t rl_notes_first(const rl_notes *notes, int64_t t_us);

/* Returns the number of the note at a moment; 0: there is none. */
uint64_t rl_notes_at(const rl_notes *notes, int64_t moment_us);

/* Writes the notes, the one at a moment with this number. Returns how many. */
size_t rl_notes_put(const rl_notes *notes, int64_t moment_us, uint64_t number, uint64_t *out);

/* Does the same. With a number of 0: without that note. */
size_t rl_notes_write(const rl_notes *notes, int64_t moment_us, uint64_t number, uint64_t *out);

#endif
