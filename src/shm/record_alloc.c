#include "record_alloc.h"

#include "size_classes.h"
#include "record_internal.h"

/* A page's word: 0 while nobody has it, else 1 + its class. A page that is being taken from one class for another says
 * so, and by whom; one that continues the page before it says that. */
#define PAGE_CLASS_MASK  UINT64_C(0xff)
#define PAGE_REASSIGNING UINT64_C(0x100)
#define PAGE_CONTINUES   UINT64_C(0x200)
#define PAGE_OWNER_AT    12

#define SCAN_FIRST     8   /* records looked at before a new page is taken */
#define SCAN_LAST      256 /* … before one that is live is given up */
#define REASSIGN_TRIES 16  /* pages of other sizes tried before giving up altogether */
#define RECYCLE_TRIES  4   /* … or before a page that nobody had is taken */

/* Where this thread goes on looking. */
typedef struct {
	uint32_t page, index;
	bool known;
} cursor;

static RL_THREAD_LOCAL cursor cursors[RL_CLASSES];
static RL_THREAD_LOCAL uint64_t next_reassignment;

_Static_assert(RL_CLASSES <= RL_CLASSES_MAX, "the segment remembers where each size was found last");

/* A new worker goes on where another one found something: workers that come and go would otherwise all begin at the
 * first page, find it taken, and take a new one each. */
static cursor *load_cursor(const rl_segment *s, unsigned class)
{
	cursor *c = &cursors[class];

	if (!c->known) {
		uint64_t last = rl_load(&s->header->found_last[class]);

		*c = (cursor){.page = (uint32_t) (last >> 32), .index = (uint32_t) last, .known = true};
	}
	return c;
}

static void save_cursor(const rl_segment *s, unsigned class, uint64_t page, uint32_t index)
{
	cursors[class] = (cursor){.page = (uint32_t) page, .index = index, .known = true};
	__atomic_store_n(&s->header->found_last[class], page << 32 | index, __ATOMIC_RELAXED);
}

static bool scan_begin(const rl_segment *s, uint64_t page, uint64_t word)
{
	__atomic_store_n(&rl_worker_self->scanning_page, page + 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&s->pages[page].word, __ATOMIC_SEQ_CST) == word;
}

static void scan_end(void)
{
	__atomic_store_n(&rl_worker_self->scanning_page, 0, __ATOMIC_RELEASE);
}

/* Whoever is swapping this record out of its entry right now has said so. */
static bool is_in_transit(const rl_segment *s, uint64_t unit)
{
	uint64_t i, n = rl_workers_used(s);

	for (i = 0; i < n; i++) {
		rl_worker *w = rl_worker_at(s, i);
		uint32_t epoch = __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST);

		if (__atomic_load_n(&w->journal, __ATOMIC_SEQ_CST) == unit && !rl_worker_is_dead(w, epoch)) {
			return true;
		}
	}
	return false;
}

static bool claim_record(const rl_segment *s, rl_record *r, uint64_t owner)
{
	return __atomic_compare_exchange_n(&r->owner, &owner, rl_owner_me(s), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* The order matters: owner, entry, journals, and then the owner must still be the same. A record that leaves its entry after
 * the second look is in a journal at the third, or has a new owner at the fourth. */
static bool claim_if_lost(const rl_segment *s, rl_record *r, uint64_t owner)
{
	return rl_owner_is_dead(s, owner) && !rl_record_is_published(s, r) && !is_in_transit(s, rl_unit_of_record(s, r))
		&& claim_record(s, r, owner);
}

/* Takes a record out of the entry in which it was seen, if that still holds what was seen: a later state of the same
 * record has not been judged. */
static bool evict_record(const rl_segment *s, rl_record *r, const rl_publication *seen, bool live)
{
	if (!rl_table_remove(s, seen->entry, seen->fp, seen->ref)) {
		return false;
	}
	if (live) {
		rl_worker_stat_add(rl_worker_self, RL_STAT_EVICTIONS);
	}
	return claim_record(s, r, 0);
}

typedef enum { REC_BUSY, REC_CLAIMED, REC_LIVE } inspect_result;

/* Claims a record unless somebody has it or needs it. LIVE: where it was seen, and what it is worth. */
static inspect_result inspect(const rl_segment *s, rl_record *r, int64_t now_us, rl_publication *seen,
	rl_record_worth *worth)
{
	uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);

	if (owner == 0) {
		return claim_record(s, r, owner) ? REC_CLAIMED : REC_BUSY;
	}
	*seen = rl_record_publication(s, r);
	if (seen->entry == NULL) {
		return claim_if_lost(s, r, owner) ? REC_CLAIMED : REC_BUSY;
	}
	*worth = rl_record_worth_of(s, seen->ref, now_us);
	if (worth->expires_us <= now_us) {
		return evict_record(s, r, seen, false) ? REC_CLAIMED : REC_BUSY;
	}
	return REC_LIVE;
}

static bool costs_less(const rl_record_worth *a, const rl_record_worth *b)
{
	if (a->exhausted != b->exhausted) {
		return b->exhausted;
	}
	return a->used != b->used ? a->used < b->used : a->expires_us < b->expires_us;
}

static uint64_t unit_of_index(uint64_t page, uint32_t index, unsigned class)
{
	uint64_t unit = page * RL_UNITS_PER_PAGE + (uint64_t) index * rl_class_units[class];

	return unit;
}

/* Unit 0 means "none": the first record of the first page is never used. */
static uint32_t first_index(uint64_t page)
{
	return page == 0 ? 1 : 0;
}

static uint32_t records_per_page(unsigned class)
{
	uint32_t n = RL_UNITS_PER_PAGE / rl_class_units[class];

	return n > 0 ? n : 1;
}

/* A live record that may have to go. */
typedef struct {
	rl_record *record; /* NULL: there is none */
	rl_publication seen;
	rl_record_worth worth;
} candidate;

/* Goes on from where this thread was, through the class's pages, for so many records. *cheapest: of the live ones that
 * it met the one that costs least to lose, if it is no ban. */
static uint64_t scan_class(const rl_segment *s, unsigned class, unsigned budget, int64_t now_us, candidate *cheapest)
{
	uint64_t word = class + 1, pages_left = s->n_pages + 1, unit = 0;
	cursor *at = load_cursor(s, class);

	cheapest->record = NULL;
	while (pages_left-- > 0) {
		uint64_t page = at->page < s->n_pages ? at->page : 0;

		if (rl_load(&s->pages[page].word) == word && scan_begin(s, page, word)) {
			while (budget > 0 && at->index < records_per_page(class) && unit == 0) {
				uint64_t here = unit_of_index(page, at->index++, class);
				rl_record *r = rl_record_of_unit(s, here);
				candidate other = {.record = r};

				if (here == 0) {
					continue;
				}
				budget--;
				switch (inspect(s, r, now_us, &other.seen, &other.worth)) {
					case REC_CLAIMED:
						unit = here;
						break;
					case REC_LIVE:
						if (!other.worth.ban
							&& (cheapest->record == NULL || costs_less(&other.worth, &cheapest->worth))) {
							*cheapest = other;
						}
						break;
					case REC_BUSY:
						break;
				}
			}
			if (unit != 0 || budget == 0) {
				save_cursor(s, class, page, at->index);
				break;
			}
		}
		at->page = (uint32_t) (page + 1 < s->n_pages ? page + 1 : 0);
		at->index = 0;
	}
	scan_end();
	return unit;
}

static bool swap_page(const rl_segment *s, uint64_t page, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&s->pages[page].word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static uint64_t page_mark(const rl_segment *s, uint64_t flag)
{
	return flag | rl_owner_me(s) << PAGE_OWNER_AT;
}

/* A page that continues a run whose first page never got its class belongs to nobody, once its taker is dead. */
static void free_if_lost(const rl_segment *s, uint64_t page)
{
	uint64_t word = rl_load(&s->pages[page].word), head = page, class;

	if ((word & PAGE_CONTINUES) == 0 || !rl_owner_is_dead(s, word >> PAGE_OWNER_AT)) {
		return;
	}
	while (head > 0 && rl_load(&s->pages[head].word) & PAGE_CONTINUES) {
		head--;
	}
	class = rl_load(&s->pages[head].word) & PAGE_CLASS_MASK;
	if (class == 0 || class > RL_CLASSES || rl_class_units[class - 1] <= (page - head) * RL_UNITS_PER_PAGE) {
		swap_page(s, page, word, 0);
	}
}

/* A run of pages that nobody has; the first one's class is written last, when the run is complete. A worker that dies in
 * the middle leaves pages marked with its name, which free_if_lost() finds. */
static uint64_t take_pages(const rl_segment *s, unsigned class)
{
	uint64_t run = (rl_class_units[class] + RL_UNITS_PER_PAGE - 1) / RL_UNITS_PER_PAGE;
	uint64_t page, got;

	for (page = run > 1 ? 1 : 0; page + run <= s->n_pages; page++) {
		free_if_lost(s, page);
		if (rl_load(&s->pages[page].word) != 0) {
			continue;
		}
		if (run == 1) {
			if (swap_page(s, page, 0, class + 1)) {
				return page + 1;
			}
			continue;
		}
		for (got = 0; got < run && swap_page(s, page + got, 0, page_mark(s, PAGE_CONTINUES)); got++) {
		}
		if (got == run && swap_page(s, page, page_mark(s, PAGE_CONTINUES), class + 1)) {
			return page + 1;
		}
		while (got-- > 0) {
			swap_page(s, page + got, page_mark(s, PAGE_CONTINUES), 0);
		}
	}
	return 0;
}

/* Is anybody else looking for records in that page? */
static bool is_being_scanned(const rl_segment *s, uint64_t page)
{
	uint64_t i, n = rl_workers_used(s);

	for (i = 0; i < n; i++) {
		rl_worker *w = rl_worker_at(s, i);

		if (w != rl_worker_self && __atomic_load_n(&w->scanning_page, __ATOMIC_SEQ_CST) == page + 1
			&& !rl_worker_is_dead(w, __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST))) {
			return true;
		}
	}
	return false;
}

/* Is there a record that keeps its page: a running ban, one that a worker holds, or, unless that may be evicted, a live one?
 * Looked for before anything of the page is taken: a theft that fails must cost nobody anything. */
static bool must_stay(const rl_segment *s, uint64_t page, unsigned class, int64_t now_us, bool may_evict)
{
	uint32_t index, n = records_per_page(class);
	bool kept = false;

	for (index = first_index(page); index < n && !kept; index++) {
		rl_record *r = rl_record_of_unit(s, unit_of_index(page, index, class));
		uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);
		rl_publication seen = rl_record_publication(s, r);

		if (owner != 0 && seen.entry == NULL) {
			kept = !rl_owner_is_dead(s, owner);
		} else if (owner != 0) {
			rl_record_worth worth = rl_record_worth_of(s, seen.ref, now_us);

			kept = worth.expires_us > now_us && (worth.ban || !may_evict);
		}
	}
	return kept;
}

/* Every record of the page, or, where somebody was faster with one of them, none. */
static bool own_all(const rl_segment *s, uint64_t page, unsigned class, int64_t now_us, bool may_evict)
{
	uint32_t index, n = records_per_page(class);
	bool all = true;

	for (index = first_index(page); index < n && all; index++) {
		rl_record *r = rl_record_of_unit(s, unit_of_index(page, index, class));
		rl_publication seen;
		rl_record_worth worth;
		inspect_result found = inspect(s, r, now_us, &seen, &worth);

		all = found == REC_CLAIMED || (found == REC_LIVE && may_evict && !worth.ban && evict_record(s, r, &seen, true));
	}
	if (!all) {
		uint32_t taken = index - 1;

		while (taken-- > first_index(page)) {
			__atomic_store_n(&rl_record_of_unit(s, unit_of_index(page, taken, class))->owner, 0, __ATOMIC_SEQ_CST);
		}
	}
	return all;
}

/* Cuts a page that this thread has for itself into records of another size, all free. */
static void format_page(const rl_segment *s, uint64_t page, unsigned class)
{
	uint32_t index, n = records_per_page(class);

	for (index = first_index(page); index < n; index++) {
		rl_record *r = rl_record_of_unit(s, unit_of_index(page, index, class));

		__atomic_store_n(&r->meta, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&r->owner, 0, __ATOMIC_SEQ_CST);
	}
}

/* Takes a page from another size: one in which nothing lives any more (a log that grew has left its smaller records
 * behind), or, where other sizes have all the pages, one that holds something. */
static bool reassign_page(const rl_segment *s, unsigned class, unsigned attempts, int64_t now_us, bool may_evict)
{
	unsigned tries;
	uint64_t looked;

	if (rl_class_units[class] > RL_UNITS_PER_PAGE) {
		return false;
	}
	for (tries = 0, looked = 0; tries < attempts && looked < s->n_pages && looked < SCAN_LAST; looked++) {
		uint64_t page = next_reassignment++ % s->n_pages;
		uint64_t word = rl_load(&s->pages[page].word);
		uint64_t was = word & PAGE_CLASS_MASK;
		uint64_t mark = page_mark(s, PAGE_REASSIGNING) | was;

		/* What a dead thief left unfinished is finished by the next. */
		if (was == 0 || was > RL_CLASSES || word & PAGE_CONTINUES || rl_class_units[was - 1] > RL_UNITS_PER_PAGE
			|| (word & PAGE_REASSIGNING ? !rl_owner_is_dead(s, word >> PAGE_OWNER_AT) : was == class + 1)) {
			continue;
		}
		tries++;
		if (!swap_page(s, page, word, mark)) {
			continue;
		}
		if (is_being_scanned(s, page) || must_stay(s, page, (unsigned) was - 1, now_us, may_evict)
			|| !own_all(s, page, (unsigned) was - 1, now_us, may_evict)) {
			swap_page(s, page, mark, was);
			continue;
		}
		format_page(s, page, class);
		swap_page(s, page, mark, class + 1);
		save_cursor(s, class, page, 0);
		return true;
	}
	return false;
}

uint64_t rl_record_alloc(const rl_segment *s, unsigned class, int64_t now_us)
{
	candidate cheapest;
	uint64_t unit, page;

	/* Others may be faster in a page that this thread has just taken: nothing live is given up while there are pages. */
	while ((unit = scan_class(s, class, SCAN_FIRST, now_us, &cheapest)) == 0) {
		if (reassign_page(s, class, RECYCLE_TRIES, now_us, false)) {
			continue;
		}
		page = take_pages(s, class);
		if (page == 0 && reassign_page(s, class, REASSIGN_TRIES, now_us, false)) {
			continue;
		}
		if (page == 0) {
			break;
		}
		save_cursor(s, class, page - 1, 0);
	}
	if (unit == 0) {
		unit = scan_class(s, class, SCAN_LAST, now_us, &cheapest);
	}
	if (unit == 0 && cheapest.record != NULL) {
		uint64_t here = rl_unit_of_record(s, cheapest.record);

		/* The page may have been cut anew since it was looked at. */
		if (scan_begin(s, here / RL_UNITS_PER_PAGE, class + 1)
			&& evict_record(s, cheapest.record, &cheapest.seen, true)) {
			unit = here;
		}
		scan_end();
	}
	if (unit == 0 && reassign_page(s, class, REASSIGN_TRIES, now_us, true)) {
		unit = scan_class(s, class, SCAN_FIRST, now_us, &cheapest);
	}
	return unit;
}

void rl_record_alloc_after_fork(void)
{
	memset(cursors, 0, sizeof cursors);
}
