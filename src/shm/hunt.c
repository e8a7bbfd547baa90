#include "hunt.h"

#include "classes.h"
#include "owner.h"

/* A page's word: 0 while nobody has it, else 1 + its class. A page that is being taken from one class for another says
 * so, and by whom; one that continues the page before it says that. */
#define PAGE_CLASS_MASK UINT64_C(0xff)
#define PAGE_STOLEN     UINT64_C(0x100)
#define PAGE_CONTINUES  UINT64_C(0x200)
#define PAGE_OWNER_AT   12

#define LOOKS_FIRST 8   /* records looked at before a new page is taken */
#define LOOKS_LAST  256 /* … before one that is live is given up */
#define THEFTS      16  /* pages of other sizes tried before giving up altogether */
#define RECYCLINGS  4   /* … or before a page that nobody had is taken */

/* Where this thread goes on looking. */
typedef struct {
	uint32_t page, slot;
	bool known;
} cursor;

static RL_THREAD_LOCAL cursor cursors[RL_CLASSES];
static RL_THREAD_LOCAL uint64_t next_theft;

_Static_assert(RL_CLASSES <= RL_CLASSES_MAX, "the segment remembers where each size was found last");

/* A new worker goes on where another one found something: workers that come and go would otherwise all begin at the
 * first page, find it taken, and take a new one each. */
static cursor *resume(const rl_segment *s, unsigned class)
{
	cursor *c = &cursors[class];

	if (!c->known) {
		uint64_t last = rl_load(&s->header->found_last[class]);

		*c = (cursor) {.page = (uint32_t) (last >> 32), .slot = (uint32_t) last, .known = true};
	}
	return c;
}

static void remember(const rl_segment *s, unsigned class, uint64_t page, uint32_t slot)
{
	cursors[class] = (cursor) {.page = (uint32_t) page, .slot = slot, .known = true};
	__atomic_store_n(&s->header->found_last[class], page << 32 | slot, __ATOMIC_RELAXED);
}

static bool announce(const rl_segment *s, uint64_t page, uint64_t word)
{
	__atomic_store_n(&rl_my_desk->hunting, page + 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&s->pages[page].word, __ATOMIC_SEQ_CST) == word;
}

static void be_quiet(void)
{
	__atomic_store_n(&rl_my_desk->hunting, 0, __ATOMIC_RELEASE);
}

/* Whoever is swapping this record out of its cell right now has said so. */
static bool is_in_transit(const rl_segment *s, uint64_t unit)
{
	uint64_t i, n = rl_desks_used(s);

	for (i = 0; i < n; i++) {
		if (__atomic_load_n(&rl_desk_at(s, i)->journal, __ATOMIC_SEQ_CST) == unit) {
			return true;
		}
	}
	return false;
}

static bool claim(const rl_segment *s, rl_record *r, uint64_t owner)
{
	return __atomic_compare_exchange_n(&r->owner, &owner, rl_owner_me(s), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* The order matters: owner, cell, journals, and then the owner must still be the same. A record that leaves its cell after
 * the second look is in a journal at the third, or has a new owner at the fourth. */
static bool claim_if_lost(const rl_segment *s, rl_record *r, uint64_t owner)
{
	return rl_owner_is_left(s, owner) && !rl_record_is_published(s, r)
		&& !is_in_transit(s, rl_unit_of_record(s, r)) && claim(s, r, owner);
}

/* Takes a record out of the cell in which it was seen, if that still holds what was seen: a later state of the same
 * record has not been judged. */
static bool evict(const rl_segment *s, rl_record *r, const rl_publication *seen, bool live)
{
	if (!rl_table_remove(s, seen->cell, seen->fp, seen->ref)) {
		return false;
	}
	if (live) {
		rl_desk_count(rl_my_desk, RL_COUNT_EVICTIONS);
	}
	return claim(s, r, 0);
}

typedef enum { KEEP_OUT, MINE, LIVE } look;

/* Claims a record unless somebody has it or needs it. LIVE: where it was seen, and what it is worth. */
static look look_at(const rl_segment *s, rl_record *r, int64_t now_us, rl_publication *seen, rl_record_worth *worth)
{
	uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);

	if (owner == 0) {
		return claim(s, r, owner) ? MINE : KEEP_OUT;
	}
	*seen = rl_record_publication(s, r);
	if (seen->cell == NULL) {
		return claim_if_lost(s, r, owner) ? MINE : KEEP_OUT;
	}
	*worth = rl_record_worth_of(s, seen->ref, now_us);
	if (worth->expires_us <= now_us) {
		return evict(s, r, seen, false) ? MINE : KEEP_OUT;
	}
	return LIVE;
}

static bool costs_less(const rl_record_worth *a, const rl_record_worth *b)
{
	if (a->exhausted != b->exhausted) {
		return b->exhausted;
	}
	return a->used != b->used ? a->used < b->used : a->expires_us < b->expires_us;
}

static uint64_t unit_at(uint64_t page, uint32_t slot, unsigned class)
{
	uint64_t unit = page * RL_UNITS_PER_PAGE + (uint64_t) slot * rl_class_units[class];

	return unit;
}

/* Unit 0 means "none": the first record of the first page is never used. */
static uint32_t first_slot(uint64_t page)
{
	return page == 0 ? 1 : 0;
}

static uint32_t slots_in_page(unsigned class)
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
static uint64_t stroll(const rl_segment *s, unsigned class, unsigned looks, int64_t now_us, candidate *cheapest)
{
	uint64_t word = class + 1, pages_left = s->n_pages + 1, unit = 0;
	cursor *at = resume(s, class);

	cheapest->record = NULL;
	while (pages_left-- > 0) {
		uint64_t page = at->page < s->n_pages ? at->page : 0;

		if (rl_load(&s->pages[page].word) == word && announce(s, page, word)) {
			while (looks > 0 && at->slot < slots_in_page(class) && unit == 0) {
				uint64_t here = unit_at(page, at->slot++, class);
				rl_record *r = rl_record_of_unit(s, here);
				candidate other = {.record = r};

				if (here == 0) {
					continue;
				}
				looks--;
				switch (look_at(s, r, now_us, &other.seen, &other.worth)) {
					case MINE:
						unit = here;
						break;
					case LIVE:
						if (!other.worth.ban && (cheapest->record == NULL || costs_less(&other.worth, &cheapest->worth))) {
							*cheapest = other;
						}
						break;
					case KEEP_OUT:
						break;
				}
			}
			if (unit != 0 || looks == 0) {
				remember(s, class, page, at->slot);
				break;
			}
		}
		at->page = (uint32_t) (page + 1 < s->n_pages ? page + 1 : 0);
		at->slot = 0;
	}
	be_quiet();
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

	if ((word & PAGE_CONTINUES) == 0 || !rl_owner_is_left(s, word >> PAGE_OWNER_AT)) {
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
static bool is_hunted(const rl_segment *s, uint64_t page)
{
	uint64_t i, n = rl_desks_used(s);

	for (i = 0; i < n; i++) {
		rl_desk *d = rl_desk_at(s, i);

		if (d != rl_my_desk && __atomic_load_n(&d->hunting, __ATOMIC_SEQ_CST) == page + 1
				&& !rl_desk_is_left(d, __atomic_load_n(&d->epoch, __ATOMIC_SEQ_CST))) {
			return true;
		}
	}
	return false;
}

/* Is there a record that keeps its page: a running ban, one that a worker holds, or, unless that may be evicted, a live one?
 * Looked for before anything of the page is taken: a theft that fails must cost nobody anything. */
static bool is_kept(const rl_segment *s, uint64_t page, unsigned class, int64_t now_us, bool may_evict)
{
	uint32_t slot, n = slots_in_page(class);
	bool kept = false;

	for (slot = first_slot(page); slot < n && !kept; slot++) {
		rl_record *r = rl_record_of_unit(s, unit_at(page, slot, class));
		uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);
		rl_publication seen = rl_record_publication(s, r);

		if (owner != 0 && seen.cell == NULL) {
			kept = !rl_owner_is_left(s, owner);
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
	uint32_t slot, n = slots_in_page(class);
	bool all = true;

	for (slot = first_slot(page); slot < n && all; slot++) {
		rl_record *r = rl_record_of_unit(s, unit_at(page, slot, class));
		rl_publication seen;
		rl_record_worth worth;
		look found = look_at(s, r, now_us, &seen, &worth);

		all = found == MINE || (found == LIVE && may_evict && !worth.ban && evict(s, r, &seen, true));
	}
	if (!all) {
		uint32_t taken = slot - 1;

		while (taken-- > first_slot(page)) {
			__atomic_store_n(&rl_record_of_unit(s, unit_at(page, taken, class))->owner, 0, __ATOMIC_SEQ_CST);
		}
	}
	return all;
}

/* Cuts a page that this thread has for itself into records of another size, all free. */
static void cut(const rl_segment *s, uint64_t page, unsigned class)
{
	uint32_t slot, n = slots_in_page(class);

	for (slot = first_slot(page); slot < n; slot++) {
		rl_record *r = rl_record_of_unit(s, unit_at(page, slot, class));

		__atomic_store_n(&r->meta, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&r->owner, 0, __ATOMIC_SEQ_CST);
	}
}

/* Takes a page from another size: one in which nothing lives any more (a log that grew has left its smaller records
 * behind), or, where other sizes have all the pages, one that holds something. */
static bool steal_page(const rl_segment *s, unsigned class, unsigned attempts, int64_t now_us, bool may_evict)
{
	unsigned thefts;
	uint64_t looked;

	if (rl_class_units[class] > RL_UNITS_PER_PAGE) {
		return false;
	}
	for (thefts = 0, looked = 0; thefts < attempts && looked < s->n_pages && looked < LOOKS_LAST; looked++) {
		uint64_t page = next_theft++ % s->n_pages;
		uint64_t word = rl_load(&s->pages[page].word);
		uint64_t was = word & PAGE_CLASS_MASK;
		uint64_t mark = page_mark(s, PAGE_STOLEN) | was;

		/* What a dead thief left unfinished is finished by the next. */
		if (was == 0 || was > RL_CLASSES || word & PAGE_CONTINUES || rl_class_units[was - 1] > RL_UNITS_PER_PAGE
				|| (word & PAGE_STOLEN ? !rl_owner_is_left(s, word >> PAGE_OWNER_AT) : was == class + 1)) {
			continue;
		}
		thefts++;
		if (!swap_page(s, page, word, mark)) {
			continue;
		}
		if (is_hunted(s, page) || is_kept(s, page, (unsigned) was - 1, now_us, may_evict)
				|| !own_all(s, page, (unsigned) was - 1, now_us, may_evict)) {
			swap_page(s, page, mark, was);
			continue;
		}
		cut(s, page, class);
		swap_page(s, page, mark, class + 1);
		remember(s, class, page, 0);
		return true;
	}
	return false;
}

uint64_t rl_hunt(const rl_segment *s, unsigned class, int64_t now_us)
{
	candidate cheapest;
	uint64_t unit, page;

	/* Others may be faster in a page that this thread has just taken: nothing live is given up while there are pages. */
	while ((unit = stroll(s, class, LOOKS_FIRST, now_us, &cheapest)) == 0) {
		if (steal_page(s, class, RECYCLINGS, now_us, false)) {
			continue;
		}
		page = take_pages(s, class);
		if (page == 0 && steal_page(s, class, THEFTS, now_us, false)) {
			continue;
		}
		if (page == 0) {
			break;
		}
		remember(s, class, page - 1, 0);
	}
	if (unit == 0) {
		unit = stroll(s, class, LOOKS_LAST, now_us, &cheapest);
	}
	if (unit == 0 && cheapest.record != NULL) {
		uint64_t here = rl_unit_of_record(s, cheapest.record);

		/* The page may have been cut anew since it was looked at. */
		if (announce(s, here / RL_UNITS_PER_PAGE, class + 1) && evict(s, cheapest.record, &cheapest.seen, true)) {
			unit = here;
		}
		be_quiet();
	}
	if (unit == 0 && steal_page(s, class, THEFTS, now_us, true)) {
		unit = stroll(s, class, LOOKS_FIRST, now_us, &cheapest);
	}
	return unit;
}

void rl_hunt_forget_after_fork(void)
{
	memset(cursors, 0, sizeof cursors);
}
