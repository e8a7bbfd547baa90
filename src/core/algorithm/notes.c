#include "notes.h"

#include <string.h>

#include "../../compiler.h"

size_t rl_notes_first(const rl_notes *notes, int64_t t_us)
{
	size_t low = 0, high = notes->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rl_notes_moment(notes, middle) < t_us) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static bool is_at(const rl_notes *notes, size_t i, int64_t moment_us)
{
	return i < notes->n && rl_notes_moment(notes, i) == moment_us;
}

uint64_t rl_notes_at(const rl_notes *notes, int64_t moment_us)
{
	size_t i = rl_notes_first(notes, moment_us);

	return is_at(notes, i, moment_us) ? rl_notes_number(notes, i) : 0;
}

/* An empty list may have no address. */
static void copy_notes(uint64_t *to, const rl_notes *notes, size_t from, size_t until)
{
	if (until > from) {
		memcpy(to, notes->words + RL_NOTE_WORDS * from, RL_NOTE_WORDS * (until - from) * sizeof *to);
	}
}

RL_INLINE size_t write_notes(const rl_notes *notes, int64_t moment_us, bool put, uint64_t number, uint64_t *out)
{
	size_t i = rl_notes_first(notes, moment_us), behind = i + is_at(notes, i, moment_us), n = i;

	copy_notes(out, notes, 0, i);
	if (put) {
		out[RL_NOTE_WORDS * n] = (uint64_t) moment_us;
		out[RL_NOTE_WORDS * n + 1] = number;
		n++;
	}
	copy_notes(out + RL_NOTE_WORDS * n, notes, behind, notes->n);
	return n + notes->n - behind;
}

size_t rl_notes_put(const rl_notes *notes, int64_t moment_us, uint64_t number, uint64_t *out)
{
	return write_notes(notes, moment_us, true, number, out);
}

size_t rl_notes_write(const rl_notes *notes, int64_t moment_us, uint64_t number, uint64_t *out)
{
	return write_notes(notes, moment_us, number > 0, number, out);
}
