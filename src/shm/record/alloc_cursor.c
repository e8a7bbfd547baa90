#include "alloc_cursor.h"

#include "record_internal.h"

_Static_assert(RL_CLASSES <= RL_CLASSES_MAX, "the header remembers where each class was found last");

static RL_THREAD_LOCAL rl_alloc_hands hand;

/* A new worker begins where another one found a record. Otherwise workers that come and go would all begin at the first page,
 * find it full, and take another page each. */
rl_alloc_cursor *rl_alloc_cursor_load(const rl_segment *s, unsigned class)
{
	rl_alloc_cursor *c = &hand.cursors[class];

	if (!c->known) {
		uint64_t last = rl_load(&s->header->found_last[class]);

		*c = (rl_alloc_cursor){.page = (uint32_t) (last >> 32),
			.index = (uint32_t) last,
			.walk = (uint32_t) (last >> 32),
			.known = true};
	}
	if (c->page >= s->n_pages) {
		c->page = 0;
	}
	return c;
}

void rl_alloc_cursor_save(const rl_segment *s, unsigned class, uint64_t page, uint32_t index)
{
	rl_alloc_cursor *c = rl_alloc_cursor_load(s, class);

	c->page = (uint32_t) page;
	c->index = index;
	__atomic_store_n(&s->header->found_last[class], page << 32 | index, __ATOMIC_RELAXED);
}

/* The walks of different workers begin in different places, so that they do not meet at the same page. */
rl_alloc_hands *rl_alloc_hands_load(const rl_segment *s)
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

void rl_alloc_hands_reset(void)
{
	memset(&hand, 0, sizeof hand);
}

uint32_t rl_alloc_random(const rl_segment *s)
{
	rl_alloc_hands *h = rl_alloc_hands_load(s);

	h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (h->random >> 40);
}
