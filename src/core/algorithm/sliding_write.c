#include "sliding_ring.h"

#include <string.h>

static uint32_t sw_number_of(const uint64_t counts[RL_SLIDING_RING])
{
	unsigned last = 0, i;
	uint64_t sum = 0;

	for (i = 0; i < RL_SLIDING_RING; i++) {
		sum += counts[i];
		last = counts[i] != 0 ? i : last;
	}
	return rl_sliding_number(sum, last);
}

/* Writes the counters of the ring, and returns where the list begins. */
static size_t sw_write_counts(const uint64_t counts[RL_SLIDING_RING], uint64_t *out)
{
	uint32_t small[RL_SLIDING_RING];
	uint64_t all = 0;
	unsigned i;

	for (i = 0; i < RL_SLIDING_RING; i++) {
		small[i] = (uint32_t) counts[i];
		all |= counts[i];
	}
	if (RL_UNLIKELY(all > UINT32_MAX)) {
		memcpy(out + RL_SLIDING_COUNTERS, counts, RL_SLIDING_RING * sizeof *counts);
		return RL_SLIDING_COUNTERS + RL_SLIDING_RING;
	}
	memcpy(out + RL_SLIDING_COUNTERS, small, sizeof small);
	return RL_SLIDING_WORDS;
}

size_t rl_sliding_write_later(const rl_sliding_ring *r, int64_t begin_us, uint64_t count, uint64_t *out)
{
	size_t own = sw_write_counts(r->counts, out), n = rl_notes_write(&r->later, begin_us, count, out + own);

	out[RL_SLIDING_ORIGIN] = (uint64_t) r->origin_us;
	return rl_limit_state_begin(RL_SLIDING_WINDOW, (uint64_t) r->period_us, own, n,
		own == RL_SLIDING_WORDS && n == 0 ? sw_number_of(r->counts) : 0, out);
}

size_t rl_sliding_write(const rl_sliding_ring *r, uint64_t *out)
{
	return rl_sliding_write_later(r, INT64_MIN, 0, out);
}

/* Counts in a sub-window behind the ring, whose notes are in room. Requires a begin not before that of the last note. */
static void sw_append_later(rl_sliding_ring *r, uint64_t *room, int64_t begin_us, uint64_t n)
{
	uint64_t *last = r->later.n > 0 ? &room[RL_NOTE_WORDS * (r->later.n - 1)] : NULL;

	if (last != NULL && (int64_t) last[0] == begin_us) {
		n = rl_add_count(last[1], n);
	} else {
		last = &room[RL_NOTE_WORDS * r->later.n++];
	}
	last[0] = (uint64_t) begin_us;
	last[1] = n;
}

void rl_sliding_recount(const rl_sliding_ring *old, int64_t period_us, int64_t now_us,
	uint64_t room[RL_NOTE_WORDS * (RL_SLIDING_LATER_MAX + RL_SLIDING_RING)], rl_sliding_ring *r)
{
	bool started = false;
	size_t k;

	for (k = 0; k < RL_SLIDING_RING + old->later.n; k++) {
		bool behind = k >= RL_SLIDING_RING;
		uint64_t count = behind ? rl_notes_number(&old->later, k - RL_SLIDING_RING) : old->counts[k];
		int64_t begin_us = behind ? rl_notes_moment(&old->later, k - RL_SLIDING_RING)
								  : rl_sliding_begin_of(old, (int64_t) k);
		int64_t last_us = begin_us + old->width_us - 1, i;

		if (count == 0) {
			continue;
		}
		if (last_us > now_us && begin_us <= now_us) {
			last_us = now_us;
		}
		if (!started) {
			rl_sliding_start(r, period_us, last_us < now_us ? last_us : now_us);
			r->later.words = room;
			started = true;
		}
		i = rl_sliding_counted_in(r, last_us);
		if (last_us <= now_us || i < RL_SLIDING_RING) {
			rl_sliding_count(r, i, count);
		} else {
			sw_append_later(r, room, rl_sliding_begin_of(r, i), count);
		}
	}
	rl_sliding_forget_old(r, now_us);
}
