#include "record_scan.h"

#include "alloc_cursor.h"
#include "page_alloc.h"
#include "record_claim.h"

#define SAMPLE 16 /* records of one page that a sample looks at: what was begun together lies side by side */
#define STRIDE 37 /* from one of them to the next: no divisor of any number of records in a page */

static bool costs_less(const rl_record_worth *a, const rl_record_worth *b)
{
	if (a->exhausted != b->exhausted) {
		return b->exhausted;
	}
	return a->used != b->used ? a->used < b->used : a->expires_us < b->expires_us;
}

/* Claims a record of the page, from *index on, and notes the cheapest live one. Returns its unit, or 0. */
static uint64_t scan_page(const rl_segment *s, uint64_t page, uint32_t *index, unsigned class, rl_scan_budget *b,
	rl_scan_candidate *cheapest)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	uint32_t n = rl_page_records(class), end = n, shift = 0;

	if (b->sample) {
		shift = rl_alloc_random(s);
		*index = 0;
		end = n < SAMPLE ? n : SAMPLE;
	}
	while (b->records > 0 && *index < end && rl_alloc_look(h)) {
		uint32_t i = (*index)++;
		uint64_t unit = rl_page_unit(page, b->sample ? (shift + i * STRIDE) % n : i, class);
		rl_scan_candidate other = {.record = rl_record_of_unit(s, unit)};

		if (unit == 0) {
			continue;
		}
		b->records--;
		switch (rl_record_inspect(s, other.record, b->now_us, b->any_spare, &other.seen, &other.worth)) {
			case RL_REC_CLAIMED:
				return unit;
			case RL_REC_LIVE:
				if (other.worth.ban_end_us == 0
					&& (cheapest->record == NULL || costs_less(&other.worth, &cheapest->worth))) {
					*cheapest = other;
				}
				break;
			case RL_REC_BUSY:
				break;
		}
	}
	return 0;
}

/* Moves the cursor to the next page of the class. If there is none near, the cursor begins at its own page again. The walk
 * goes on from here the next time, so that it passes every page in the end. */
static void next_page(const rl_segment *s, rl_alloc_cursor *at, unsigned class, rl_scan_budget *b)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);

	at->index = 0;
	if (b->anywhere) {
		at->walk = (uint32_t) (rl_alloc_random(s) % s->n_pages);
	}
	while (b->pages > 0 && rl_alloc_look(h)) {
		b->pages--;
		at->walk = at->walk + 1 < s->n_pages ? at->walk + 1 : 0;
		if (at->walk != at->page && rl_load(&s->pages[at->walk].word) == class + 1) {
			at->page = at->walk;
			return;
		}
	}
}

uint64_t rl_scan_class(const rl_segment *s, unsigned class, rl_scan_budget b, rl_scan_candidate *cheapest)
{
	rl_alloc_cursor *at = rl_alloc_cursor_load(s, class);
	uint64_t unit = 0;
	unsigned rounds = 0;

	cheapest->record = NULL;
	while (unit == 0 && b.records > 0 && rounds++ <= RL_SCAN_ALL) {
		uint64_t page = at->page;

		if (rl_page_is_of(s, page, class) && rl_page_scan_begin(s, page, class)) {
			uint32_t index = at->index;

			unit = scan_page(s, page, &index, class, &b, cheapest);
			at->index = index;
			if (unit != 0 || b.records == 0) {
				rl_alloc_cursor_save(s, class, page, index);
				break;
			}
		}
		if (b.pages == 0 || rl_alloc_hands_load(s)->looks == 0) {
			break;
		}
		next_page(s, at, class, &b);
	}
	rl_page_scan_end();
	return unit;
}

uint64_t rl_scan_evict(const rl_segment *s, unsigned class, const rl_scan_candidate *c)
{
	uint64_t unit = 0;

	if (c->record != NULL) {
		uint64_t here = rl_unit_of_record(s, c->record);

		if (rl_page_scan_begin(s, here / RL_UNITS_PER_PAGE, class) && rl_record_evict(s, c->record, &c->seen, true)) {
			unit = here;
		}
		rl_page_scan_end();
	}
	return unit;
}
