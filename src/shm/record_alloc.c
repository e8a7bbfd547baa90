#include "record_alloc.h"

#include "record_internal.h"

/* ---- Pages ---- */

/* A page's word:
 *
 *     0                                free
 *     class + 1                        the page, or the run that begins here, has records of that class
 *     REASSIGNING | owner | class + 1  the owner is emptying it; records may still be live
 *     HELD | owner | k                 nothing lives in it. The page is number k of the run that begins k pages before it, or,
 *                                      as long as the word there has no class, the owner is about to use it.
 *
 * Each transition is one compare-and-swap. If the owner dies, another worker goes on with a page that is REASSIGNING, and
 * frees a page that is HELD for no run.
 *
 * floor: no record that was ever formatted away from the page was published under a higher count. */
#define PAGE_LOW_MASK    UINT64_C(0xff)
#define PAGE_REASSIGNING UINT64_C(0x100)
#define PAGE_HELD        UINT64_C(0x200)
#define PAGE_OWNER_AT    12

#define PAGES_PER_GROUP 64
#define GROUPS_PER_WORD 64
#define SINGLE_PAGE(c)  (rl_class_units[c] <= RL_UNITS_PER_PAGE)

/* Records looked at: for a free one; for the cheapest partly used one; for the cheapest of all. */
#define SCAN_FREE  8
#define SCAN_CHEAP 64
#define SCAN_ALL   256
#define SAMPLE     16  /* … of these, looked at in one page: what was begun together lies side by side */
#define STRIDE     37  /* … no divisor of any number of records in a page */
#define SCAN_PAGES 128 /* page words looked at in one scan, for the next page of the class */

/* Pages tried in one walk: before a free page is taken, before a live state is given up, and before the allocator fails. */
#define TRY_RECYCLE 4
#define TRY_EMPTY   16
#define TRY_MOVE    4
#define TRY_LAST    64
#define WALK_PAGES  256 /* page words looked at in one walk */

#define MOVES_HALF    128   /* records moved out of one page, to spare live states: half of the smallest */
#define MOVES_ALL     65535 /* … if nothing but bans is left */
#define MOVE_PAUSE    16    /* allocations before moving is tried again, after it was in vain, */
#define MOVE_PAUSE_US 10000 /* … unless so much time has passed */

#define RUN_FREE_WORDS 1024 /* page words looked at for free pages in a row */
#define RUN_TRIES      12   /* windows tried by emptying pages */
#define RUN_CENSUS     256  /* pages looked into for that */

#define SHARE_PERIOD 16 /* each so many evictions of an exhausted state, a page is taken from another class instead */

_Static_assert(RL_CLASSES <= RL_CLASSES_MAX, "the header remembers where each class was found last");
_Static_assert((RL_REF_UNIT_MASK + 1) / RL_UNITS_PER_PAGE <= RL_PAGE_GROUP_WORDS * GROUPS_PER_WORD * PAGES_PER_GROUP,
	"the header has a bit for each group of pages");

/* What an allocation may give up. Running bans never go; they are moved. */
typedef enum { LOSE_NOTHING, LOSE_PARTIAL, LOSE_EXHAUSTED } max_loss;

typedef struct {
	int64_t now_us;
	max_loss loss;
	unsigned moves; /* records that may be moved out of one page */
	bool nested;    /* an allocation for a record that is being moved: it empties no page that needs a move */
} request;

/* Where this thread goes on: a clock hand for each class, and one over all pages. */
typedef struct {
	uint32_t page, index;
	uint32_t walk; /* looks for the class's next page */
	bool known;
} cursor;

typedef struct {
	cursor cursors[RL_CLASSES];
	uint64_t page, run; /* the next page to empty; the end of the next window for a run */
	bool known;
	unsigned move_pause, evictions;
	int64_t paused_us;
	uint64_t random;
} hands;

static RL_THREAD_LOCAL hands hand;

static uint64_t pages_of(unsigned class)
{
	return (rl_class_units[class] + RL_UNITS_PER_PAGE - 1) / RL_UNITS_PER_PAGE;
}

static uint32_t records_per_page(unsigned class)
{
	uint32_t n = RL_UNITS_PER_PAGE / rl_class_units[class];

	return n > 0 ? n : 1;
}

static uint64_t unit_of_index(uint64_t page, uint32_t index, unsigned class)
{
	return page * RL_UNITS_PER_PAGE + (uint64_t) index * rl_class_units[class];
}

/* Unit 0 means "none": the first record of the first page is never used. */
static uint32_t first_index(uint64_t page)
{
	return page == 0 ? 1 : 0;
}

static bool page_can_hold(uint64_t page, unsigned class)
{
	return first_index(page) < records_per_page(class);
}

bool rl_record_page_is_of(const rl_segment *s, uint64_t unit, unsigned class)
{
	return __atomic_load_n(&s->pages[unit / RL_UNITS_PER_PAGE].word, __ATOMIC_SEQ_CST) == class + 1;
}

/* The class of a page word, or RL_CLASSES: none. */
static unsigned class_of_word(uint64_t word)
{
	uint64_t low = word & PAGE_LOW_MASK;

	return word & PAGE_HELD || low == 0 || low > RL_CLASSES ? RL_CLASSES : (unsigned) low - 1;
}

static uint64_t page_mark(const rl_segment *s, uint64_t flag, uint64_t low)
{
	return flag | low | rl_owner_me(s) << PAGE_OWNER_AT;
}

static bool swap_page(const rl_segment *s, uint64_t page, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&s->pages[page].word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* full_groups has a bit for each group of pages: set if the group has no free page. A worker that dies between the two
 * stores leaves a free page that only a walk finds. */
static void free_page(const rl_segment *s, uint64_t page, uint64_t word)
{
	uint64_t group = page / PAGES_PER_GROUP;

	if (swap_page(s, page, word, 0)) {
		__atomic_fetch_and(&s->header->full_groups[group / GROUPS_PER_WORD], ~(UINT64_C(1) << group % GROUPS_PER_WORD),
			__ATOMIC_SEQ_CST);
	}
}

/* If the page belongs to a run: the page that the run begins with. Else the page itself. */
static uint64_t head_of_run(const rl_segment *s, uint64_t page, uint64_t word)
{
	uint64_t offset = word & PAGE_LOW_MASK;
	unsigned class;

	if ((word & PAGE_HELD) == 0 || offset == 0 || offset > page) {
		return page;
	}
	class = class_of_word(rl_load(&s->pages[page - offset].word));
	return class < RL_CLASSES && pages_of(class) > offset ? page - offset : page;
}

/* Frees a page that a dead worker held, and was about to use. Only that worker could have made a run of it. */
static bool free_if_lost(const rl_segment *s, uint64_t page, uint64_t word)
{
	if ((word & PAGE_HELD) == 0 || head_of_run(s, page, word) != page || !rl_owner_is_dead(s, word >> PAGE_OWNER_AT)) {
		return false;
	}
	free_page(s, page, word);
	return true;
}

/* ---- Cursors ---- */

/* A new worker goes on where another one found something: otherwise workers that come and go would all begin at the first
 * page, find it full, and take another page each. */
static cursor *load_cursor(const rl_segment *s, unsigned class)
{
	cursor *c = &hand.cursors[class];

	if (!c->known) {
		uint64_t last = rl_load(&s->header->found_last[class]);

		*c = (cursor){.page = (uint32_t) (last >> 32),
			.index = (uint32_t) last,
			.walk = (uint32_t) (last >> 32),
			.known = true};
	}
	if (c->page >= s->n_pages) {
		c->page = 0;
	}
	return c;
}

static void save_cursor(const rl_segment *s, unsigned class, uint64_t page, uint32_t index)
{
	cursor *c = load_cursor(s, class);

	c->page = (uint32_t) page;
	c->index = index;
	__atomic_store_n(&s->header->found_last[class], page << 32 | index, __ATOMIC_RELAXED);
}

/* The walks of different workers begin in different places, so that they do not meet at the same page. */
static hands *load_hands(const rl_segment *s)
{
	if (!hand.known) {
		uint64_t spread = (rl_owner_me(s) + 1) * UINT64_C(0x9e3779b97f4a7c15);

		hand.page = spread % s->n_pages;
		hand.run = s->n_pages;
		hand.random = spread;
		hand.known = true;
	}
	return &hand;
}

static uint32_t next_random(const rl_segment *s)
{
	hands *h = load_hands(s);

	h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (h->random >> 40);
}

/* ---- Records ---- */

/* scanning_page is a hazard pointer: a page that another worker names there is not reassigned. */
static bool scan_begin(const rl_segment *s, uint64_t page, unsigned class)
{
	__atomic_store_n(&rl_worker_self->scanning_page, page + 1, __ATOMIC_SEQ_CST);
	return rl_record_page_is_of(s, page * RL_UNITS_PER_PAGE, class);
}

static void scan_end(void)
{
	__atomic_store_n(&rl_worker_self->scanning_page, 0, __ATOMIC_RELEASE);
}

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

/* Is a worker just swapping this record out of its entry? */
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

static void free_record(rl_record *r)
{
	__atomic_store_n(&r->owner, 0, __ATOMIC_RELEASE);
}

/* The order matters: owner, entry, journals, and then the owner must still be the same. A record that leaves its entry after
 * the second look is in a journal at the third, or has a new owner at the fourth. */
static bool claim_if_lost(const rl_segment *s, rl_record *r, uint64_t owner)
{
	return rl_owner_is_dead(s, owner) && !rl_record_is_published(s, r) && !is_in_transit(s, rl_unit_of_record(s, r))
		&& claim_record(s, r, owner);
}

/* A spare of a worker that is no longer registered under that epoch; cheaper than rl_owner_is_dead(). */
static bool spare_is_old(const rl_segment *s, uint64_t owner)
{
	uint64_t worker = (owner & 0xffff) - 1;

	return worker >= s->n_workers
		|| __atomic_load_n(&rl_worker_at(s, worker)->epoch, __ATOMIC_SEQ_CST) != (uint32_t) (owner >> 16);
}

/* Takes a record out of the entry in which it was seen, if that still has the same reference: a later state of the same
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

/* Claims a record unless another worker has it or its state is live. REC_LIVE: *seen and *worth are set. */
static inspect_result inspect(const rl_segment *s, rl_record *r, int64_t now_us, bool steal, rl_publication *seen,
	rl_record_worth *worth)
{
	uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);

	if (owner == RL_OWNER_RETIRED) {
		return REC_BUSY;
	}
	if (owner == 0 || owner & RL_OWNER_SPARE) {
		return (owner == 0 || steal || spare_is_old(s, owner)) && claim_record(s, r, owner) ? REC_CLAIMED : REC_BUSY;
	}
	*seen = rl_record_publication(s, r);
	if (seen->entry == NULL) {
		return claim_if_lost(s, r, owner) ? REC_CLAIMED : REC_BUSY;
	}
	*worth = rl_record_worth_of(s, seen->entry, seen->ref, now_us);
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

/* ---- Scanning a class ---- */

/* A live record that may be evicted. */
typedef struct {
	rl_record *record; /* NULL: there is none */
	rl_publication seen;
	rl_record_worth worth;
} candidate;

typedef struct {
	unsigned records, pages; /* how many to look at */
	bool steal;              /* also takes spares of live workers */
	bool sample;             /* looks at some records of each page, not at all in turn */
	int64_t now_us;
} budget;

/* Claims a record of the page, from *index on, and notes the cheapest live one. Returns its unit, or 0. */
static uint64_t scan_page(const rl_segment *s, uint64_t page, uint32_t *index, unsigned class, budget *b,
	candidate *cheapest)
{
	uint32_t n = records_per_page(class), end = n, shift = 0;

	if (b->sample) {
		shift = next_random(s);
		*index = 0;
		end = n < SAMPLE ? n : SAMPLE;
	}
	while (b->records > 0 && *index < end) {
		uint32_t i = (*index)++;
		uint64_t unit = unit_of_index(page, b->sample ? (shift + i * STRIDE) % n : i, class);
		candidate other = {.record = rl_record_of_unit(s, unit)};

		if (unit == 0) {
			continue;
		}
		b->records--;
		switch (inspect(s, other.record, b->now_us, b->steal, &other.seen, &other.worth)) {
			case REC_CLAIMED:
				return unit;
			case REC_LIVE:
				if (!other.worth.ban && (cheapest->record == NULL || costs_less(&other.worth, &cheapest->worth))) {
					*cheapest = other;
				}
				break;
			case REC_BUSY:
				break;
		}
	}
	return 0;
}

/* Moves the cursor to the next page of the class. If there is none near, the cursor begins at its own page again; the walk goes
 * on from here the next time, so that it passes every page in the end. */
static void next_page(const rl_segment *s, cursor *at, unsigned class, budget *b)
{
	at->index = 0;
	while (b->pages > 0) {
		b->pages--;
		at->walk = at->walk + 1 < s->n_pages ? at->walk + 1 : 0;
		if (at->walk != at->page && rl_load(&s->pages[at->walk].word) == class + 1) {
			at->page = at->walk;
			return;
		}
	}
}

/* Goes on through the class's pages from where this thread was. Returns the unit of a record that it claimed, or 0; then
 * *cheapest is the live record that costs least to lose, no ban. */
static uint64_t scan_class(const rl_segment *s, unsigned class, budget b, candidate *cheapest)
{
	cursor *at = load_cursor(s, class);
	uint64_t unit = 0;
	unsigned rounds = 0;

	cheapest->record = NULL;
	while (unit == 0 && b.records > 0 && rounds++ <= SCAN_ALL) {
		uint64_t page = at->page;

		if (rl_record_page_is_of(s, page * RL_UNITS_PER_PAGE, class) && scan_begin(s, page, class)) {
			uint32_t index = at->index;

			unit = scan_page(s, page, &index, class, &b, cheapest);
			at->index = index;
			if (unit != 0 || b.records == 0) {
				save_cursor(s, class, page, index);
				break;
			}
		}
		if (b.pages == 0) {
			break;
		}
		next_page(s, at, class, &b);
	}
	scan_end();
	return unit;
}

/* Evicts the candidate, unless its page was reassigned since it was looked at. Returns its unit, or 0. */
static uint64_t evict_candidate(const rl_segment *s, unsigned class, const candidate *c)
{
	uint64_t unit = 0;

	if (c->record != NULL) {
		uint64_t here = rl_unit_of_record(s, c->record);

		if (scan_begin(s, here / RL_UNITS_PER_PAGE, class) && evict_record(s, c->record, &c->seen, true)) {
			unit = here;
		}
		scan_end();
	}
	return unit;
}

/* ---- Emptying a page ---- */

static bool must_move(const rl_record_worth *worth, max_loss loss)
{
	return worth->ban || loss == LOSE_NOTHING || (loss == LOSE_PARTIAL && worth->exhausted);
}

/* Can the page be emptied? Only looks: an attempt that fails must not cost a live state. */
static bool can_empty(const rl_segment *s, uint64_t page, unsigned class, const request *rq)
{
	uint32_t index, n = records_per_page(class);
	unsigned moves = 0;

	for (index = first_index(page); index < n; index++) {
		rl_record *r = rl_record_of_unit(s, unit_of_index(page, index, class));
		uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);
		rl_publication seen;

		if (owner == RL_OWNER_RETIRED) {
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

static bool reassign_page(const rl_segment *s, unsigned class, unsigned tries, const request *rq);
static bool take_free_page(const rl_segment *s, unsigned class);

/* Finds a record for a state that has to leave its page: of its class, or, where one is at hand, of a larger one. */
static uint64_t find_elsewhere(const rl_segment *s, unsigned class, const request *rq, unsigned *found)
{
	budget b = {.records = SCAN_CHEAP, .pages = SCAN_PAGES, .steal = true, .now_us = rq->now_us};
	request nested = {.now_us = rq->now_us, .loss = LOSE_NOTHING, .nested = true};
	candidate cheapest, ignored;
	uint64_t unit = scan_class(s, class, b, &cheapest);
	unsigned c;

	*found = class;
	if (unit == 0 && take_free_page(s, class)) {
		unit = scan_class(s, class, b, &ignored);
	}
	for (c = class + 1; unit == 0 && c < RL_CLASSES && SINGLE_PAGE(c); c++) {
		budget little = {.records = SCAN_FREE, .pages = 0, .steal = true, .now_us = rq->now_us};

		unit = scan_class(s, *found = c, little, &ignored);
	}
	if (unit == 0) {
		*found = class;
		if (reassign_page(s, class, TRY_RECYCLE, &nested)) {
			unit = scan_class(s, class, b, &ignored);
		}
	}
	if (unit == 0 && cheapest.record != NULL
		&& rq->loss >= (cheapest.worth.exhausted ? LOSE_EXHAUSTED : LOSE_PARTIAL)) {
		unit = evict_candidate(s, class, &cheapest);
	}
	return unit;
}

/* Moves a live state: publishes a copy of it, by the same swap as any other state. The record is then this thread's own. */
static bool move_record(const rl_segment *s, rl_record *r, unsigned class, const rl_publication *seen, request *rq)
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
	/* The copy is one state if the reference is still the same: then the swap succeeds. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!rl_record_swap(s, seen->entry, seen->fp, seen->ref, seen->fp, rl_record_ref(s, to), &old)) {
		free_record(to);
		return false;
	}
	return old == r;
}

static bool take_record(const rl_segment *s, rl_record *r, unsigned class, request *rq)
{
	rl_publication seen;
	rl_record_worth worth;

	switch (inspect(s, r, rq->now_us, true, &seen, &worth)) {
		case REC_CLAIMED:
			return true;
		case REC_LIVE:
			if (!must_move(&worth, rq->loss)) {
				return evict_record(s, r, &seen, true);
			}
			return rq->moves > 0 && move_record(s, r, class, &seen, rq);
		case REC_BUSY:
			break;
	}
	return false;
}

/* Takes every record of the page, or none, if another worker was faster with one of them. */
static bool take_all(const rl_segment *s, uint64_t page, unsigned class, request *rq)
{
	uint32_t index = first_index(page), n = records_per_page(class);

	while (index < n && take_record(s, rl_record_of_unit(s, unit_of_index(page, index, class)), class, rq)) {
		index++;
	}
	if (index == n) {
		return true;
	}
	while (index-- > first_index(page)) {
		free_record(rl_record_of_unit(s, unit_of_index(page, index, class)));
	}
	return false;
}

static void raise_floor(const rl_segment *s, uint64_t page, unsigned class)
{
	uint32_t index, n = records_per_page(class);

	for (index = first_index(page); index < n; index++) {
		rl_page_raise_floor(&s->pages[page].floor,
			rl_record_count(s, rl_record_of_unit(s, unit_of_index(page, index, class))));
	}
}

/* Marks the page of a class as this thread's to empty. What a dead worker has left unfinished is gone on with. */
static bool reassign_begin(const rl_segment *s, uint64_t page, uint64_t word, uint64_t *mark)
{
	*mark = page_mark(s, PAGE_REASSIGNING, word & PAGE_LOW_MASK);
	if ((word & PAGE_REASSIGNING && !rl_owner_is_dead(s, word >> PAGE_OWNER_AT)) || !swap_page(s, page, word, *mark)) {
		return false;
	}
	if (is_being_scanned(s, page)) {
		swap_page(s, page, *mark, word & PAGE_LOW_MASK);
		return false;
	}
	return true;
}

/* Empties a page of one class: it is HELD by this thread then, as number offset of a run. */
static bool empty_page(const rl_segment *s, uint64_t page, uint64_t word, uint64_t offset, request *rq)
{
	unsigned class = class_of_word(word);
	uint64_t mark;

	if (!reassign_begin(s, page, word, &mark)) {
		return false;
	}
	if (!can_empty(s, page, class, rq) || !take_all(s, page, class, rq)) {
		swap_page(s, page, mark, class + 1);
		return false;
	}
	raise_floor(s, page, class);
	return swap_page(s, page, mark, page_mark(s, PAGE_HELD, offset));
}

/* Takes a run apart: all of its pages are free then. A live run is not moved. */
static bool empty_run(const rl_segment *s, uint64_t head, uint64_t word, request *rq)
{
	unsigned class = class_of_word(word);
	uint64_t k, n = pages_of(class), mark, count;
	request no_moves = *rq;
	rl_record *r = rl_record_of_unit(s, head * RL_UNITS_PER_PAGE);

	no_moves.moves = 0;
	if (head == 0 || n > s->n_pages - head || !reassign_begin(s, head, word, &mark)) {
		return false;
	}
	if (!can_empty(s, head, class, &no_moves) || !take_record(s, r, class, &no_moves)) {
		swap_page(s, head, mark, class + 1);
		return false;
	}
	count = rl_record_count(s, r);
	for (k = 0; k < n; k++) {
		rl_page_raise_floor(&s->pages[head + k].floor, count);
	}
	/* A page of another run that was made here since a dead worker began this has another offset. */
	while (--k > 0) {
		word = rl_load(&s->pages[head + k].word);
		if ((word & (PAGE_HELD | PAGE_LOW_MASK)) == (PAGE_HELD | k)) {
			free_page(s, head + k, word);
		}
	}
	free_page(s, head, mark);
	return true;
}

/* Makes a page HELD by this thread, as number offset of a run, whatever it is now. */
static bool hold_page(const rl_segment *s, uint64_t page, uint64_t offset, request *rq)
{
	unsigned tries;

	for (tries = 0; tries < 3; tries++) {
		uint64_t word = rl_load(&s->pages[page].word), head;
		unsigned class;

		if (word == 0) {
			if (swap_page(s, page, 0, page_mark(s, PAGE_HELD, offset))) {
				return true;
			}
			continue;
		}
		head = head_of_run(s, page, word);
		if (head != page) {
			word = rl_load(&s->pages[head].word);
		}
		class = class_of_word(word);
		if (class == RL_CLASSES) {
			if (!free_if_lost(s, page, word)) {
				return false;
			}
		} else if (SINGLE_PAGE(class)) {
			return head == page && empty_page(s, page, word, offset, rq);
		} else if (!empty_run(s, head, word, rq)) {
			return false;
		}
	}
	return false;
}

/* ---- Giving a page to a class ---- */

/* Makes free records of a page that this thread holds. A page that was never used is all zero: so are free records. */
static void format_page(const rl_segment *s, uint64_t page, unsigned class)
{
	uint32_t index, n = records_per_page(class);
	uint64_t floor = rl_load(&s->pages[page].floor);

	for (index = first_index(page); index < n && floor != 0; index++) {
		rl_record *r = rl_record_of_unit(s, unit_of_index(page, index, class));

		__atomic_store_n(&r->meta, (uint64_t) class << RL_META_CLASS_AT | (floor & RL_META_COUNT_MASK),
			__ATOMIC_RELAXED);
		__atomic_store_n(&r->owner, 0, __ATOMIC_SEQ_CST);
	}
}

/* Ends what hold_page() began, for a class or for the first page of a run. */
static bool give_page(const rl_segment *s, uint64_t page, unsigned class)
{
	format_page(s, page, class);
	if (!swap_page(s, page, page_mark(s, PAGE_HELD, 0), class + 1)) {
		return false;
	}
	save_cursor(s, class, page, 0);
	return true;
}

static bool take_page_of_group(const rl_segment *s, uint64_t group, unsigned class)
{
	uint64_t page = group * PAGES_PER_GROUP, end = page + PAGES_PER_GROUP;

	for (; page < end && page < s->n_pages; page++) {
		if (rl_load(&s->pages[page].word) == 0 && page_can_hold(page, class)
			&& swap_page(s, page, 0, page_mark(s, PAGE_HELD, 0))) {
			return give_page(s, page, class);
		}
	}
	return false;
}

static bool group_has_free_page(const rl_segment *s, uint64_t group)
{
	uint64_t page = group * PAGES_PER_GROUP, end = page + PAGES_PER_GROUP;

	while (page < end && page < s->n_pages && __atomic_load_n(&s->pages[page].word, __ATOMIC_SEQ_CST) != 0) {
		page++;
	}
	return page < end && page < s->n_pages;
}

/* Takes a free page for a class of less than a page. A group is marked as full once for each time that it becomes full. */
static bool take_free_page(const rl_segment *s, unsigned class)
{
	uint64_t group, n_groups = (s->n_pages + PAGES_PER_GROUP - 1) / PAGES_PER_GROUP;

	for (group = 0; group < n_groups; group++) {
		uint64_t *full = &s->header->full_groups[group / GROUPS_PER_WORD], bit = UINT64_C(1) << group % GROUPS_PER_WORD;

		if (rl_load(full) == UINT64_MAX) {
			group |= GROUPS_PER_WORD - 1;
			continue;
		}
		if (rl_load(full) & bit) {
			continue;
		}
		if (take_page_of_group(s, group, class)) {
			return true;
		}
		__atomic_fetch_or(full, bit, __ATOMIC_SEQ_CST);
		if (group_has_free_page(s, group)) {
			__atomic_fetch_and(full, ~bit, __ATOMIC_SEQ_CST);
		}
	}
	return false;
}

/* Takes a page from another class: walks on over the pages, and tries to empty so many of them. */
static bool reassign_page(const rl_segment *s, unsigned class, unsigned tries, const request *rq)
{
	hands *h = load_hands(s);
	request mine = *rq;
	unsigned looked;

	for (looked = 0; looked < WALK_PAGES && tries > 0; looked++) {
		uint64_t page, word;

		if (rq->loss == LOSE_EXHAUSTED) {
			/* Anywhere: pages that only have bans may lie side by side. */
			h->page = next_random(s) % s->n_pages;
		}
		page = h->page;
		h->page = page + 1 < s->n_pages ? page + 1 : 0;
		word = rl_load(&s->pages[page].word);
		if (word == class + 1 || !page_can_hold(page, class)) {
			continue;
		}
		tries--;
		if (hold_page(s, page, 0, &mine)) {
			return give_page(s, page, class);
		}
	}
	return false;
}

/* ---- Runs ---- */

/* Could hold_page() succeed? Only looks. */
static bool can_hold(const rl_segment *s, uint64_t page, const request *rq)
{
	uint64_t word = rl_load(&s->pages[page].word), head = head_of_run(s, page, word);
	request r = *rq;
	unsigned class;

	if (word == 0) {
		return true;
	}
	word = rl_load(&s->pages[head].word);
	class = class_of_word(word);
	if (class == RL_CLASSES) {
		return free_if_lost(s, page, word);
	}
	if (!SINGLE_PAGE(class)) {
		r.moves = 0;
	}
	return (word & PAGE_REASSIGNING) == 0 && can_empty(s, head, class, &r);
}

/* Holds the pages from start on, and gives them to the class: the word of the first page, which makes a run of them, is
 * written last. */
static bool make_run(const rl_segment *s, unsigned class, uint64_t start, const request *rq)
{
	uint64_t k, n = pages_of(class), floor = 0;
	request mine = *rq;
	rl_record *r = rl_record_of_unit(s, start * RL_UNITS_PER_PAGE);

	for (k = 0; k < n && hold_page(s, start + k, k, &mine); k++) {
		uint64_t f = rl_load(&s->pages[start + k].floor);

		floor = f > floor ? f : floor;
	}
	if (k == n) {
		rl_page_raise_floor(&s->pages[start].floor, floor);
		__atomic_store_n(&r->meta, (uint64_t) class << RL_META_CLASS_AT | (floor & RL_META_COUNT_MASK),
			__ATOMIC_RELAXED);
		__atomic_store_n(&r->owner, 0, __ATOMIC_SEQ_CST);
		return give_page(s, start, class);
	}
	while (k-- > 0) {
		free_page(s, start + k, page_mark(s, PAGE_HELD, k));
	}
	return false;
}

/* Finds free pages in a row. Walks downward: runs live at the end of the segment, small records at its beginning. */
static bool take_free_run(const rl_segment *s, unsigned class, const request *rq)
{
	hands *h = load_hands(s);
	uint64_t n = pages_of(class), looked, row = 0, page = h->run > s->n_pages ? s->n_pages : h->run;

	for (looked = 0; looked < RUN_FREE_WORDS && looked < 2 * s->n_pages; looked++) {
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

/* Makes a run of pages that have to be emptied first. A page that cannot be emptied ends the window: the next one lies below. */
static bool take_run(const rl_segment *s, unsigned class, const request *rq)
{
	hands *h = load_hands(s);
	uint64_t n = pages_of(class), end = h->run;
	unsigned tries, looked = 0;

	for (tries = 0; tries < RUN_TRIES && looked < RUN_CENSUS + n; tries++) {
		uint64_t page;

		if (end <= n || end > s->n_pages) {
			end = s->n_pages;
		}
		if (end <= n) {
			return false;
		}
		for (page = end; page > end - n && can_hold(s, page - 1, rq); page--) {
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

/* ---- Allocating ---- */

static bool is_cheap(const candidate *c)
{
	return c->record != NULL && !c->worth.exhausted;
}

/* Looks for a record without a loss: free records, free pages, pages that can be emptied. */
static uint64_t alloc_free(const rl_segment *s, unsigned class, int64_t now_us)
{
	request rq = {.now_us = now_us};
	budget b = {.records = SCAN_FREE, .pages = SCAN_PAGES, .now_us = now_us};
	hands *h = load_hands(s);
	unsigned rounds;

	/* Other workers may be faster in a page that this thread has just taken. */
	for (rounds = 0; rounds < SCAN_FREE; rounds++) {
		candidate ignored;
		uint64_t unit = scan_class(s, class, b, &ignored);

		if (unit != 0) {
			return unit;
		}
		rq.moves = 0;
		if (reassign_page(s, class, TRY_RECYCLE, &rq) || take_free_page(s, class)
			|| reassign_page(s, class, TRY_EMPTY, &rq)) {
			continue;
		}
		if (h->move_pause > 0 && now_us - h->paused_us < MOVE_PAUSE_US) {
			h->move_pause--;
			break;
		}
		rq.moves = MOVES_HALF;
		if (!reassign_page(s, class, TRY_MOVE, &rq)) {
			h->move_pause = MOVE_PAUSE;
			h->paused_us = now_us;
			break;
		}
	}
	return 0;
}

static uint64_t alloc_from_page(const rl_segment *s, unsigned class, unsigned tries, const request *rq)
{
	budget b = {.records = SCAN_FREE, .pages = SCAN_PAGES, .steal = true, .now_us = rq->now_us};
	candidate ignored;

	return reassign_page(s, class, tries, rq) ? scan_class(s, class, b, &ignored) : 0;
}

/* … with a loss: first of what is partly used, in this class and then in others; then of what is exhausted. Classes that are
 * short of room get pages from all others in proportion to what these have. */
static uint64_t alloc_evicting(const rl_segment *s, unsigned class, int64_t now_us)
{
	request rq = {.now_us = now_us, .loss = LOSE_PARTIAL, .moves = MOVES_HALF};
	budget b = {.records = SCAN_CHEAP, .pages = SCAN_PAGES, .steal = true, .sample = true, .now_us = now_us};
	candidate cheapest;
	hands *h = load_hands(s);
	uint64_t unit = scan_class(s, class, b, &cheapest);

	if (unit == 0 && is_cheap(&cheapest)) {
		unit = evict_candidate(s, class, &cheapest);
	}
	if (unit == 0) {
		unit = alloc_from_page(s, class, TRY_RECYCLE, &rq);
	}
	if (unit == 0) {
		b.records = SCAN_ALL;
		unit = scan_class(s, class, b, &cheapest);
	}
	if (unit == 0 && is_cheap(&cheapest)) {
		unit = evict_candidate(s, class, &cheapest);
	}
	rq.loss = LOSE_EXHAUSTED;
	rq.moves = MOVES_ALL;
	if (unit == 0 && h->evictions++ % SHARE_PERIOD == 0) {
		unit = alloc_from_page(s, class, 1, &rq);
	}
	if (unit == 0) {
		unit = evict_candidate(s, class, &cheapest);
	}
	if (unit == 0) {
		unit = alloc_from_page(s, class, TRY_LAST, &rq);
	}
	return unit;
}

static uint64_t scan_runs(const rl_segment *s, unsigned class, int64_t now_us, candidate *cheapest)
{
	budget b = {.records = SCAN_FREE, .pages = SCAN_PAGES, .steal = true, .now_us = now_us};

	return scan_class(s, class, b, cheapest);
}

static uint64_t alloc_run(const rl_segment *s, unsigned class, int64_t now_us)
{
	request rq = {.now_us = now_us, .moves = MOVES_HALF};
	candidate cheapest, ignored;
	uint64_t unit = scan_runs(s, class, now_us, &cheapest);

	if (unit != 0) {
		return unit;
	}
	if (take_free_run(s, class, &rq) || take_run(s, class, &rq)) {
		return scan_runs(s, class, now_us, &ignored);
	}
	if (is_cheap(&cheapest) && (unit = evict_candidate(s, class, &cheapest)) != 0) {
		return unit;
	}
	rq.loss = LOSE_PARTIAL;
	if (take_run(s, class, &rq)) {
		return scan_runs(s, class, now_us, &ignored);
	}
	if ((unit = evict_candidate(s, class, &cheapest)) != 0) {
		return unit;
	}
	rq.loss = LOSE_EXHAUSTED;
	rq.moves = MOVES_ALL;
	return take_run(s, class, &rq) ? scan_runs(s, class, now_us, &ignored) : 0;
}

uint64_t rl_record_alloc(const rl_segment *s, unsigned class, int64_t now_us)
{
	uint64_t unit;

	if (!SINGLE_PAGE(class)) {
		return alloc_run(s, class, now_us);
	}
	unit = alloc_free(s, class, now_us);
	return unit != 0 ? unit : alloc_evicting(s, class, now_us);
}

void rl_record_alloc_after_fork(void)
{
	memset(&hand, 0, sizeof hand);
}
