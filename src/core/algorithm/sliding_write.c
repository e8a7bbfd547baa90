#include "sliding_ring.h"

#include <string.h>

/* The list of the next limit state, which counts from the ring's first sub-window. */
typedef struct {
	const rl_sliding_ring *ring;
	uint64_t *later; /* where it is written */
	size_t n;
} sw_list;

static void sw_list_put(sw_list *list, int64_t i, uint64_t count)
{
	if (count > 0) {
		uint64_t *later = list->later + RL_SLIDING_WORDS_PER_LATER * list->n++;

		later[0] = (uint64_t) (i - list->ring->first);
		later[1] = count;
	}
}

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

size_t rl_sliding_write_change(const rl_sliding_ring *r, int64_t i, uint64_t n, uint64_t back, uint64_t *out)
{
	size_t list_at = sw_write_counts(r->counts, out);
	sw_list list = {.ring = r, .later = out + list_at};
	bool done = n == 0 && back == 0;
	size_t k;

	for (k = 0; k < r->n_later; k++) {
		int64_t at = rl_sliding_later_index(r, k);
		uint64_t count = rl_sliding_later_count(r, k);

		if (!done && at >= i) {
			if (at > i) {
				sw_list_put(&list, i, n);
			} else {
				count = rl_take_count(rl_add_count(count, n), back);
			}
			done = true;
		}
		sw_list_put(&list, at, count);
	}
	if (!done) {
		sw_list_put(&list, i, n);
	}
	out[0] = rl_limit_state_head(RL_SLIDING_WINDOW, list_at + RL_SLIDING_WORDS_PER_LATER * list.n,
				 list_at == RL_SLIDING_WORDS && list.n == 0 ? sw_number_of(r->counts) : 0)
		| (list_at > RL_SLIDING_WORDS ? RL_LIMIT_STATE_WIDE : 0);
	out[RL_SLIDING_PERIOD] = (uint64_t) r->period_us;
	out[RL_SLIDING_ORIGIN] = (uint64_t) r->origin_us;
	out[RL_SLIDING_FIRST] = (uint64_t) r->first;
	return list_at + RL_SLIDING_WORDS_PER_LATER * list.n;
}

size_t rl_sliding_write(const rl_sliding_ring *r, uint64_t *out)
{
	return rl_sliding_write_change(r, 0, 0, 0, out);
}

/* Counts in a sub-window behind the ring, whose indexes the list in room takes. Requires an index not before the list's
 * last one. */
static void sw_append_later(rl_sliding_ring *r, uint64_t *room, int64_t i, uint64_t n)
{
	uint64_t *last = r->n_later > 0 ? &room[RL_SLIDING_WORDS_PER_LATER * (r->n_later - 1)] : NULL;

	if (last != NULL && (int64_t) last[0] == i) {
		n = rl_add_count(last[1], n);
	} else {
		last = &room[RL_SLIDING_WORDS_PER_LATER * r->n_later++];
	}
	last[0] = (uint64_t) i;
	last[1] = n;
}

void rl_sliding_recount(const rl_sliding_ring *old, int64_t period_us, int64_t now_us,
	uint64_t room[RL_SLIDING_WORDS_PER_LATER * (RL_SLIDING_LATER_MAX + RL_SLIDING_RING)], rl_sliding_ring *r)
{
	bool started = false;
	size_t k;

	for (k = 0; k < RL_SLIDING_RING + old->n_later; k++) {
		int64_t index = k < RL_SLIDING_RING ? old->first + (int64_t) k
											: rl_sliding_later_index(old, k - RL_SLIDING_RING);
		uint64_t count = k < RL_SLIDING_RING ? old->counts[k] : rl_sliding_later_count(old, k - RL_SLIDING_RING);
		int64_t last_us = rl_sliding_begin_of(old, index + 1) - 1, i;

		if (count == 0) {
			continue;
		}
		if (last_us > now_us && rl_sliding_begin_of(old, index) <= now_us) {
			last_us = now_us;
		}
		if (!started) {
			rl_sliding_start(r, period_us, last_us < now_us ? last_us : now_us);
			r->later = room;
			started = true;
		}
		i = rl_sliding_counted_in(r, last_us);
		if (last_us <= now_us || i < r->first + RL_SLIDING_RING) {
			rl_sliding_count(r, i, count);
		} else {
			sw_append_later(r, room, i, count);
		}
	}
	rl_sliding_forget_old(r, now_us);
}
