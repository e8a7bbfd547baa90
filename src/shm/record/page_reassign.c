#include "page_reassign.h"

#include "alloc_cursor.h"
#include "page_alloc.h"
#include "record_claim.h"
#include "record_scan.h"

#define WALK_PAGES 256 /* page words looked at in one walk */

/* ---- Moving a record ---- */

static bool must_move(const rl_record_worth *worth, rl_max_loss loss)
{
	return worth->ban_end_us != 0 || loss == RL_LOSE_NOTHING || (loss == RL_LOSE_PARTIAL && worth->exhausted);
}

/* Finds a record for a state that has to leave its page: a record of its class, or of a larger one that is at hand. */
static uint64_t find_elsewhere(const rl_segment *s, unsigned class, const rl_page_request *rq, unsigned *found)
{
	rl_scan_budget b = {.records = RL_SCAN_CHEAP, .pages = RL_SCAN_PAGES, .any_spare = true, .now_us = rq->now_us};
	/* No moves: a move for a move would have no bound. */
	rl_page_request nested = {.now_us = rq->now_us, .loss = RL_LOSE_NOTHING};
	rl_scan_candidate cheapest, ignored;
	uint64_t unit = rl_scan_class(s, class, b, &cheapest);
	unsigned c;

	*found = class;
	if (unit == 0 && rl_page_take_free(s, class)) {
		unit = rl_scan_class(s, class, b, &ignored);
	}
	for (c = class + 1; unit == 0 && c < RL_CLASSES && rl_class_fits_page(c); c++) {
		rl_scan_budget little = {.records = RL_SCAN_FREE, .pages = 0, .any_spare = true, .now_us = rq->now_us};

		unit = rl_scan_class(s, *found = c, little, &ignored);
	}
	if (unit == 0) {
		*found = class;
		if (rl_page_reassign(s, class, RL_TRY_RECYCLE, &nested)) {
			unit = rl_scan_class(s, class, b, &ignored);
		}
	}
	if (unit == 0 && cheapest.record != NULL
		&& rq->loss >= (cheapest.worth.exhausted ? RL_LOSE_EXHAUSTED : RL_LOSE_PARTIAL)) {
		unit = rl_scan_evict(s, class, &cheapest);
	}
	return unit;
}

/* Moves a live state: publishes a copy of it, by the same swap as any other state. The record is then this thread's own. */
static bool move_record(const rl_segment *s, rl_record *r, unsigned class, const rl_publication *seen,
	rl_page_request *rq)
{
	size_t words = rl_class_units[class] * RL_WORDS_PER_UNIT - RL_RECORD_HEAD_WORDS;
	unsigned to_class;
	uint64_t unit = find_elsewhere(s, class, rq, &to_class);
	rl_record *to, *old;

	if (unit == 0) {
		rq->moves = 0; /* nor is there a place for the next one */
		return false;
	}
	to = rl_record_of_unit(s, unit);
	if (!rl_record_prepare(s, to, seen->entry, to_class)) {
		return false;
	}
	memcpy(to->state, r->state, words * sizeof *r->state);
	/* The copy is one state if the reference is still the same: only then does the swap succeed. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!rl_record_swap(s, seen->entry, seen->fp, seen->ref, seen->fp, rl_record_ref(s, to), &old)) {
		rl_record_free(to);
		return false;
	}
	return old == r;
}

/* ---- Emptying a page ---- */

bool rl_page_can_empty(const rl_segment *s, uint64_t page, unsigned class, const rl_page_request *rq)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	uint32_t index, n = rl_page_records(class);
	unsigned moves = 0;

	for (index = rl_page_first_index(page); index < n; index++) {
		rl_record *r = rl_record_of_unit(s, rl_page_unit(page, index, class));
		uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);
		rl_publication seen;

		if (owner == RL_OWNER_RETIRED || !rl_alloc_look(h)) {
			return false;
		}
		if (owner == 0 || owner & RL_OWNER_SPARE) {
			continue;
		}
		seen = rl_record_publication(s, r);
		if (seen.entry == NULL) {
			if (!rl_owner_is_dead(s, owner)) {
				return false;
			}
		} else {
			rl_record_worth worth = rl_record_worth_of(s, seen.entry, seen.ref, rq->now_us);

			if (worth.expires_us > rq->now_us && must_move(&worth, rq->loss) && ++moves > rq->moves) {
				return false;
			}
		}
	}
	return true;
}

static bool take_record(const rl_segment *s, rl_record *r, unsigned class, rl_page_request *rq)
{
	rl_publication seen;
	rl_record_worth worth;

	switch (rl_record_inspect(s, r, rq->now_us, true, &seen, &worth)) {
		case RL_REC_CLAIMED:
			return true;
		case RL_REC_LIVE:
			if (!must_move(&worth, rq->loss)) {
				return rl_record_evict(s, r, &seen, true);
			}
			return rq->moves > 0 && move_record(s, r, class, &seen, rq);
		case RL_REC_BUSY:
			break;
	}
	return false;
}

/* Takes every record of the page, or none, if another worker was faster with one of them. */
static bool take_all(const rl_segment *s, uint64_t page, unsigned class, rl_page_request *rq)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	uint32_t index = rl_page_first_index(page), n = rl_page_records(class);

	while (index < n && rl_alloc_look(h)
		&& take_record(s, rl_record_of_unit(s, rl_page_unit(page, index, class)), class, rq)) {
		index++;
	}
	if (index == n) {
		return true;
	}
	while (index-- > rl_page_first_index(page)) {
		rl_record_free(rl_record_of_unit(s, rl_page_unit(page, index, class)));
	}
	return false;
}

/* A floor above 0 also says that the page is not as it was made: it is formatted (rl_page_give()). */
static void raise_floor(const rl_segment *s, uint64_t page, unsigned class)
{
	uint32_t index, n = rl_page_records(class);

	rl_page_raise_floor(&s->pages[page].floor, 1);
	for (index = rl_page_first_index(page); index < n; index++) {
		rl_page_raise_floor(&s->pages[page].floor,
			rl_record_count(s, rl_record_of_unit(s, rl_page_unit(page, index, class))));
	}
}

/* Marks the page of a class as this thread's to empty. Continues what a dead worker left unfinished. */
static bool reassign_begin(const rl_segment *s, uint64_t page, uint64_t word, uint64_t *mark)
{
	*mark = rl_page_mark(s, RL_PAGE_REASSIGNING, word & RL_PAGE_LOW_MASK);
	if ((word & RL_PAGE_REASSIGNING && !rl_owner_is_dead(s, word >> RL_PAGE_OWNER_AT))
		|| !rl_page_swap(s, page, word, *mark)) {
		return false;
	}
	if (rl_page_is_being_scanned(s, page)) {
		rl_page_swap(s, page, *mark, word & RL_PAGE_LOW_MASK);
		return false;
	}
	return true;
}

/* Empties a page of one class: it is HELD by this thread then, as number offset of a run. */
static bool empty_page(const rl_segment *s, uint64_t page, uint64_t word, uint64_t offset, rl_page_request *rq)
{
	unsigned class = rl_page_class_of_word(word);
	uint64_t mark;

	if (!reassign_begin(s, page, word, &mark)) {
		return false;
	}
	if (!rl_page_can_empty(s, page, class, rq) || !take_all(s, page, class, rq)) {
		rl_page_swap(s, page, mark, class + 1);
		return false;
	}
	raise_floor(s, page, class);
	return rl_page_swap(s, page, mark, rl_page_mark(s, RL_PAGE_HELD, offset));
}

/* Takes a run apart: all of its pages are free then. A live run is not moved. */
static bool empty_run(const rl_segment *s, uint64_t head, uint64_t word, rl_page_request *rq)
{
	unsigned class = rl_page_class_of_word(word);
	uint64_t k, n = rl_class_pages(class), mark, count;
	rl_page_request no_moves = *rq;
	rl_record *r = rl_record_of_unit(s, head * RL_UNITS_PER_PAGE);

	no_moves.moves = 0;
	if (head == 0 || n > s->n_pages - head || !reassign_begin(s, head, word, &mark)) {
		return false;
	}
	if (!rl_page_can_empty(s, head, class, &no_moves) || !take_record(s, r, class, &no_moves)) {
		rl_page_swap(s, head, mark, class + 1);
		return false;
	}
	count = rl_record_count(s, r) | 1;
	for (k = 0; k < n; k++) {
		rl_page_raise_floor(&s->pages[head + k].floor, count);
	}
	/* A page of another run that was made here since a dead worker began this has another offset. */
	while (--k > 0) {
		word = rl_load(&s->pages[head + k].word);
		if ((word & (RL_PAGE_HELD | RL_PAGE_LOW_MASK)) == (RL_PAGE_HELD | k)) {
			rl_page_free(s, head + k, word);
		}
	}
	rl_page_free(s, head, mark);
	return true;
}

bool rl_page_hold(const rl_segment *s, uint64_t page, uint64_t offset, rl_page_request *rq)
{
	unsigned tries;

	for (tries = 0; tries < 3; tries++) {
		uint64_t word = rl_load(&s->pages[page].word), head;
		unsigned class;

		if (word == 0) {
			if (rl_page_swap(s, page, 0, rl_page_mark(s, RL_PAGE_HELD, offset))) {
				return true;
			}
			continue;
		}
		head = rl_page_run_head(s, page, word);
		if (head != page) {
			word = rl_load(&s->pages[head].word);
		}
		class = rl_page_class_of_word(word);
		if (class == RL_CLASSES) {
			if (!rl_page_free_if_lost(s, page, word)) {
				return false;
			}
		} else if (rl_class_fits_page(class)) {
			return head == page && empty_page(s, page, word, offset, rq);
		} else if (!empty_run(s, head, word, rq)) {
			return false;
		}
	}
	return false;
}

bool rl_page_reassign(const rl_segment *s, unsigned class, unsigned tries, const rl_page_request *rq)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	rl_page_request mine = *rq;
	unsigned looked;

	for (looked = 0; looked < WALK_PAGES && tries > 0 && rl_alloc_look(h); looked++) {
		uint64_t page, word;

		if (rq->loss == RL_LOSE_EXHAUSTED) {
			/* A random page: pages that only have bans may lie side by side. */
			h->page = rl_alloc_random(s) % s->n_pages;
		}
		page = h->page;
		h->page = page + 1 < s->n_pages ? page + 1 : 0;
		word = rl_load(&s->pages[page].word);
		if (word == class + 1 || !rl_page_can_hold(page, class)) {
			continue;
		}
		tries--;
		if (rl_page_hold(s, page, 0, &mine)) {
			return rl_page_give(s, page, class);
		}
		if (rq->loss != RL_LOSE_EXHAUSTED) {
			mine.moves = rq->moves; /* the next page's states may be of a size that finds a place */
		}
	}
	return false;
}
