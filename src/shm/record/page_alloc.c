#include "page_alloc.h"

#include "alloc_cursor.h"

#define PAGES_PER_GROUP 64
#define GROUPS_PER_WORD 64

_Static_assert((RL_REF_UNIT_MASK + 1) / RL_UNITS_PER_PAGE <= RL_PAGE_GROUP_WORDS * GROUPS_PER_WORD * PAGES_PER_GROUP,
	"the header has a bit for each group of pages");

/* ---- Page words ---- */

/* full_groups has a bit for each group of pages: set if the group has no free page. A worker that dies between the two
 * stores leaves a free page that only a walk finds. */
void rl_page_free(const rl_segment *s, uint64_t page, uint64_t word)
{
	uint64_t group = page / PAGES_PER_GROUP;

	if (rl_page_swap(s, page, word, 0)) {
		__atomic_fetch_and(&s->header->full_groups[group / GROUPS_PER_WORD], ~(UINT64_C(1) << group % GROUPS_PER_WORD),
			__ATOMIC_SEQ_CST);
	}
}

uint64_t rl_page_run_head(const rl_segment *s, uint64_t page, uint64_t word)
{
	uint64_t offset = word & RL_PAGE_LOW_MASK;
	unsigned class;

	if ((word & RL_PAGE_HELD) == 0 || offset == 0 || offset > page) {
		return page;
	}
	class = rl_page_class_of_word(rl_load(&s->pages[page - offset].word));
	return class < RL_CLASSES && rl_class_pages(class) > offset ? page - offset : page;
}

/* Only the dead worker could have made a run of the page. */
bool rl_page_free_if_lost(const rl_segment *s, uint64_t page, uint64_t word)
{
	if ((word & RL_PAGE_HELD) == 0 || rl_page_run_head(s, page, word) != page
		|| !rl_owner_is_dead(s, word >> RL_PAGE_OWNER_AT)) {
		return false;
	}
	rl_page_free(s, page, word);
	return true;
}

/* ---- Giving a page to a class ---- */

/* Makes free records of a page that this thread holds. A page that no class had has the floor 0 and is all zero: so are free records. */
static void format_page(const rl_segment *s, uint64_t page, unsigned class)
{
	uint32_t index, n = rl_page_records(class);
	uint64_t floor = rl_load(&s->pages[page].floor);

	for (index = rl_page_first_index(page); index < n && floor != 0; index++) {
		rl_record *r = rl_record_of_unit(s, rl_page_unit(page, index, class));

		__atomic_store_n(&r->meta, (uint64_t) class << RL_META_CLASS_AT | (floor & RL_META_COUNT_MASK),
			__ATOMIC_RELAXED);
		__atomic_store_n(&r->owner, 0, __ATOMIC_SEQ_CST);
	}
}

bool rl_page_give(const rl_segment *s, uint64_t page, unsigned class)
{
	format_page(s, page, class);
	if (!rl_page_swap(s, page, rl_page_mark(s, RL_PAGE_HELD, 0), class + 1)) {
		return false;
	}
	rl_alloc_cursor_save(s, class, page, 0);
	return true;
}

static bool take_page_of_group(const rl_segment *s, uint64_t group, unsigned class)
{
	uint64_t page = group * PAGES_PER_GROUP, end = page + PAGES_PER_GROUP;

	for (; page < end && page < s->n_pages; page++) {
		if (rl_load(&s->pages[page].word) == 0 && rl_page_can_hold(page, class)
			&& rl_page_swap(s, page, 0, rl_page_mark(s, RL_PAGE_HELD, 0))) {
			return rl_page_give(s, page, class);
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

/* A group is marked as full once for each time that it becomes full. */
bool rl_page_take_free(const rl_segment *s, unsigned class)
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
