/* The allocator of records: a size-class (slab) allocator over pages of 16 KB that reclaims, moves and evicts. A page has
 * records of one class; a class of more than a page takes a run of pages. Pages go from any class to any other. */
#include "alloc_cursor.h"
#include "page_alloc.h"
#include "page_reassign.h"
#include "record_scan.h"

/* Pages tried in one walk: before a live state is given up, and before the allocator fails. */
#define TRY_EMPTY 16
#define TRY_MOVE  4
#define TRY_LAST  64

#define MOVES_HALF    128   /* records moved out of one page, to spare live states: half of the smallest */
#define MOVES_ALL     65535 /* … if nothing but bans is left */
#define MOVE_PAUSE    16    /* allocations before moving is tried again, after it was in vain, */
#define MOVE_PAUSE_US 10000 /* … unless so much time has passed */

#define PAUSE    64               /* searches before one at full cost, after one in vain, */
#define PAUSE_US RL_US_PER_SECOND /* … unless so much time has passed */

#define SHARE_PERIOD 16 /* each so many evictions of an exhausted state, a page is taken from another class instead */

static bool is_cheap(const rl_scan_candidate *c)
{
	return c->record != NULL && !c->worth.exhausted;
}

/* Looks for a record without a loss: free records, free pages, pages that can be emptied. */
static uint64_t alloc_free(const rl_segment *s, unsigned class, int64_t now_us)
{
	rl_page_request rq = {.now_us = now_us};
	rl_scan_budget b = {.records = RL_SCAN_FREE, .pages = RL_SCAN_PAGES, .now_us = now_us};
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	unsigned rounds;

	/* Other workers may be faster in a page that this thread has just taken. */
	for (rounds = 0; rounds < RL_SCAN_FREE; rounds++) {
		rl_scan_candidate ignored;
		uint64_t unit = rl_scan_class(s, class, b, &ignored);

		if (unit != 0) {
			return unit;
		}
		rq.moves = 0;
		if (rl_page_reassign(s, class, RL_TRY_RECYCLE, &rq) || rl_page_take_free(s, class)
			|| rl_page_reassign(s, class, TRY_EMPTY, &rq)) {
			continue;
		}
		if (h->move_pause > 0 && now_us - h->paused_us < MOVE_PAUSE_US) {
			h->move_pause--;
			break;
		}
		rq.moves = MOVES_HALF;
		if (!rl_page_reassign(s, class, TRY_MOVE, &rq)) {
			h->move_pause = MOVE_PAUSE;
			h->paused_us = now_us;
			break;
		}
	}
	return 0;
}

static uint64_t alloc_from_page(const rl_segment *s, unsigned class, unsigned tries, const rl_page_request *rq)
{
	rl_scan_budget b = {.records = RL_SCAN_FREE, .pages = RL_SCAN_PAGES, .any_spare = true, .now_us = rq->now_us};
	rl_scan_candidate ignored;

	return rl_page_reassign(s, class, tries, rq) ? rl_scan_class(s, class, b, &ignored) : 0;
}

/* Looks for a record with a loss: first a partly used state, in this class and then in others; then an exhausted one. Classes
 * that are short of room get pages from all others in proportion to what these have. */
static uint64_t alloc_evicting(const rl_segment *s, unsigned class, int64_t now_us)
{
	rl_page_request rq = {.now_us = now_us, .loss = RL_LOSE_PARTIAL, .moves = MOVES_HALF};
	rl_scan_budget b = {.records = RL_SCAN_CHEAP,
		.pages = RL_SCAN_PAGES,
		.any_spare = true,
		.sample = true,
		.now_us = now_us};
	rl_scan_candidate cheapest;
	rl_alloc_hands *h = rl_alloc_hands_load(s);
	uint64_t unit = rl_scan_class(s, class, b, &cheapest);

	if (unit == 0 && is_cheap(&cheapest)) {
		unit = rl_scan_evict(s, class, &cheapest);
	}
	if (unit == 0) {
		unit = alloc_from_page(s, class, RL_TRY_RECYCLE, &rq);
	}
	if (unit == 0) {
		/* States that were begun together lie side by side, used-up ones, too. */
		b.records = RL_SCAN_ALL;
		b.anywhere = true;
		unit = rl_scan_class(s, class, b, &cheapest);
	}
	if (unit == 0 && is_cheap(&cheapest)) {
		unit = rl_scan_evict(s, class, &cheapest);
	}
	rq.loss = RL_LOSE_EXHAUSTED;
	rq.moves = MOVES_ALL;
	if (unit == 0 && ++h->evictions % SHARE_PERIOD == 0) {
		unit = alloc_from_page(s, class, 1, &rq);
	}
	if (unit == 0) {
		unit = rl_scan_evict(s, class, &cheapest);
	}
	if (unit == 0) {
		unit = alloc_from_page(s, class, TRY_LAST, &rq);
	}
	return unit;
}

static uint64_t scan_runs(const rl_segment *s, unsigned class, int64_t now_us, rl_scan_candidate *cheapest)
{
	rl_scan_budget b = {.records = RL_SCAN_FREE, .pages = RL_SCAN_PAGES, .any_spare = true, .now_us = now_us};

	return rl_scan_class(s, class, b, cheapest);
}

static uint64_t alloc_run(const rl_segment *s, unsigned class, int64_t now_us)
{
	rl_page_request rq = {.now_us = now_us, .moves = MOVES_HALF};
	rl_scan_candidate cheapest, ignored;
	uint64_t unit = scan_runs(s, class, now_us, &cheapest);

	if (unit != 0) {
		return unit;
	}
	if (rl_run_take_free(s, class, &rq) || rl_run_take_used(s, class, &rq)) {
		return scan_runs(s, class, now_us, &ignored);
	}
	if (is_cheap(&cheapest) && (unit = rl_scan_evict(s, class, &cheapest)) != 0) {
		return unit;
	}
	rq.loss = RL_LOSE_PARTIAL;
	if (rl_run_take_used(s, class, &rq)) {
		return scan_runs(s, class, now_us, &ignored);
	}
	if ((unit = rl_scan_evict(s, class, &cheapest)) != 0) {
		return unit;
	}
	rq.loss = RL_LOSE_EXHAUSTED;
	rq.moves = MOVES_ALL;
	return rl_run_take_used(s, class, &rq) ? scan_runs(s, class, now_us, &ignored) : 0;
}

/* Looks where room comes free, in the place of a search that was in vain a moment ago. It gives up at most the state whose record it
 * takes. */
static uint64_t alloc_again(const rl_segment *s, unsigned class, int64_t now_us)
{
	rl_page_request rq = {.now_us = now_us};
	rl_scan_budget b = {.records = RL_SCAN_CHEAP, .pages = RL_SCAN_PAGES, .any_spare = true, .now_us = now_us};
	rl_scan_candidate cheapest;
	uint64_t unit = rl_scan_class(s, class, b, &cheapest);

	if (unit == 0
		&& (rl_class_fits_page(class) ? rl_page_reassign(s, class, RL_TRY_RECYCLE, &rq) || rl_page_take_free(s, class)
									  : rl_run_take_free(s, class, &rq))) {
		unit = rl_scan_class(s, class, b, &cheapest);
	}
	return unit != 0 ? unit : rl_scan_evict(s, class, &cheapest);
}

uint64_t rl_record_alloc(const rl_segment *s, unsigned class, int64_t now_us)
{
	rl_alloc_cursor *at = rl_alloc_cursor_load(s, class);
	bool fits_page = rl_class_fits_page(class);
	uint64_t unit;

	rl_alloc_hands_load(s)->looks = fits_page ? RL_ALLOC_LOOKS_PAGE : RL_ALLOC_LOOKS_RUN;
	if (at->pause > 0 && now_us - at->paused_us < PAUSE_US) {
		at->pause--;
		return alloc_again(s, class, now_us);
	}
	if (fits_page) {
		unit = alloc_free(s, class, now_us);
		unit = unit != 0 ? unit : alloc_evicting(s, class, now_us);
	} else {
		unit = alloc_run(s, class, now_us);
	}
	at->pause = unit == 0 ? PAUSE : 0;
	at->paused_us = now_us;
	return unit;
}

void rl_record_alloc_after_fork(void)
{
	rl_alloc_hands_reset();
}
