/* Pages of the record area: their words, the free ones, and what a page holds. Pages go from any size class to any other. */
#ifndef RL_SHM_PAGE_ALLOC_H
#define RL_SHM_PAGE_ALLOC_H

#include "record_internal.h"

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
#define RL_PAGE_LOW_MASK    UINT64_C(0xff)
#define RL_PAGE_REASSIGNING UINT64_C(0x100)
#define RL_PAGE_HELD        UINT64_C(0x200)
#define RL_PAGE_OWNER_AT    12

/* ---- What a page holds ---- */

/* Returns whether a record of the class fits in one page. Else it takes a run of pages. */
static inline bool rl_class_fits_page(unsigned class)
{
	return rl_class_units[class] <= RL_UNITS_PER_PAGE;
}

/* Returns how many pages a record of the class touches: the length of its run, or 1. */
static inline uint64_t rl_class_pages(unsigned class)
{
	return (rl_class_units[class] + RL_UNITS_PER_PAGE - 1) / RL_UNITS_PER_PAGE;
}

/* Returns how many records of the class a page holds; 1 for the first page of a run. */
static inline uint32_t rl_page_records(unsigned class)
{
	uint32_t n = RL_UNITS_PER_PAGE / rl_class_units[class];

	return n > 0 ? n : 1;
}

/* Returns the unit of a record of the page: the record with that index. */
static inline uint64_t rl_page_unit(uint64_t page, uint32_t index, unsigned class)
{
	return page * RL_UNITS_PER_PAGE + (uint64_t) index * rl_class_units[class];
}

/* Returns the index of the first record that is used. Unit 0 means "none", so the first record of the first page is not. */
static inline uint32_t rl_page_first_index(uint64_t page)
{
	return page == 0 ? 1 : 0;
}

/* Returns whether the page has a record for the class. */
static inline bool rl_page_can_hold(uint64_t page, unsigned class)
{
	return rl_page_first_index(page) < rl_page_records(class);
}

/* ---- Page words ---- */

/* Returns whether the page, or the run that begins with it, has records of the class and is not being reassigned. */
static inline bool rl_page_is_of(const rl_segment *s, uint64_t page, unsigned class)
{
	return __atomic_load_n(&s->pages[page].word, __ATOMIC_SEQ_CST) == class + 1;
}

/* Returns the class of a page word, or RL_CLASSES: none. */
static inline unsigned rl_page_class_of_word(uint64_t word)
{
	uint64_t low = word & RL_PAGE_LOW_MASK;

	return word & RL_PAGE_HELD || low == 0 || low > RL_CLASSES ? RL_CLASSES : (unsigned) low - 1;
}

/* Returns a word that names this thread as the owner. */
static inline uint64_t rl_page_mark(const rl_segment *s, uint64_t flag, uint64_t low)
{
	return flag | low | rl_owner_me(s) << RL_PAGE_OWNER_AT;
}

/* Swaps a page's word. Returns false, without a change, if it is no longer the same. */
static inline bool rl_page_swap(const rl_segment *s, uint64_t page, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&s->pages[page].word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Returns the page that the run begins with, if the page belongs to a run. Else returns the page itself. */
uint64_t rl_page_run_head(const rl_segment *s, uint64_t page, uint64_t word);

/* Frees a page whose word is still the same. */
void rl_page_free(const rl_segment *s, uint64_t page, uint64_t word);

/* Frees a page that a dead worker held and was about to use. Returns false for any other page. */
bool rl_page_free_if_lost(const rl_segment *s, uint64_t page, uint64_t word);

/* Gives a page that this thread holds, as number 0 of a run, to the class: formats its records as free ones, and moves
 * this thread's cursor there. Returns false if the page's word was damaged. */
bool rl_page_give(const rl_segment *s, uint64_t page, unsigned class);

/* Takes a free page for a class that fits a page, and gives it to the class. Returns false if there is none. */
bool rl_page_take_free(const rl_segment *s, unsigned class);

#endif
