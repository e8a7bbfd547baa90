/* Takes runs: pages in a row for a record of more than a page. */
#include "alloc_cursor.h"
#include "page_alloc.h"
#include "page_reassign.h"

#define RUN_FREE_WORDS 1024 /* page words looked at for free pages in a row */
#define RUN_TRIES      12   /* windows tried by emptying pages */
#define RUN_CENSUS     256  /* pages looked into for that */

/* Returns whether rl_page_hold() could succeed. Only looks; frees a page that a dead worker held. */
static bool can_hold(const rl_segment *s, uint64_t page, const rl_page_request *rq)
{
	uint64_t word = rl_load(&s->pages[page].word), head = rl_page_run_head(s, page, word);
	rl_page_request r = *rq;
	unsigned class;

	if (word == 0) {
		return true;
	}
	word = rl_load(&s->pages[head].word);
	class = rl_page_class_of_word(word);
	if (class == RL_CLASSES) {
		return rl_page_free_if_lost(s, page, word);
	}
	if (!rl_class_fits_page(class)) {
		r.moves = 0;
	}
	return (word & RL_PAGE_REASSIGNING) == 0 && rl_page_can_empty(s, head, class, &r);
}

/* Holds the pages from start on, and gives them to the class: the word of the first page, which makes a run of them, is
 * written last. */
static bool make_run(const rl_segment *s, unsigned class, uint64_t start, const rl_page_request *rq)
{
	uint64_t k, n = rl_class_pages(class), floor = 0;
	rl_page_request mine = *rq;
	rl_record *r = rl_record_of_unit(s, start * RL_UNITS_PER_PAGE);

	for (k = 0; k < n && rl_page_hold(s, start + k, k, &mine); k++) {
		uint64_t f = rl_load(&s->pages[start + k].floor);

		floor = f > floor ? f : floor;
	}
	if (k == n) {
		rl_page_raise_floor(&s->pages[start].floor, floor);
		__atomic_store_n(&r->meta, (uint64_t) class << RL_META_CLASS_AT | (floor & RL_META_COUNT_MASK),
			__ATOMIC_RELAXED);
		__atomic_store_n(&r->owner, 0, __ATOMIC_SEQ_CST);
		return rl_page_give(s, start, class);
	}
	while (k-- > 0) {
		rl_page_free(s, start + k, rl_page_mark(s, RL_PAGE_HELD, k));
	}
	return false;
}

/* Walks downward: runs are taken from the end of the segment, small records from its beginning. */
bool rl_run_take_free(const rl_segment *s, unsigned class, const rl_page_request *rq)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	uint64_t n = rl_class_pages(class), looked, row = 0, page = h->run > s->n_pages ? s->n_pages : h->run;

	for (looked = 0; looked < RUN_FREE_WORDS && looked < 2 * s->n_pages && rl_alloc_look(h); looked++) {
		if (page <= 1) {
			page = s->n_pages;
			row = 0;
		}
		page--;
		row = rl_load(&s->pages[page].word) == 0 ? row + 1 : 0;
		if (row == n) {
			h->run = page;
			if (make_run(s, class, page, rq)) {
				return true;
			}
			row = 0;
		}
	}
	h->run = page + row;
	return false;
}

/* A page that cannot be emptied ends the window: the next one lies below. */
bool rl_run_take_used(const rl_segment *s, unsigned class, const rl_page_request *rq)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	uint64_t n = rl_class_pages(class), end = h->run;
	unsigned tries, looked = 0;

	for (tries = 0; tries < RUN_TRIES && looked < RUN_CENSUS + n; tries++) {
		uint64_t page;

		if (end <= n || end > s->n_pages) {
			end = s->n_pages;
		}
		if (end <= n) {
			return false;
		}
		for (page = end; page > end - n && rl_alloc_look(h) && can_hold(s, page - 1, rq); page--) {
			looked++;
		}
		h->run = page;
		if (page == end - n && make_run(s, class, page, rq)) {
			return true;
		}
		looked++;
		end = page - (page == end - n ? 0 : 1);
	}
	h->run = end;
	return false;
}
