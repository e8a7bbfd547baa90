#include "record_cache.h"

#include "record_claim.h"
#include "record_internal.h"

/* The record that a decision swaps out serves the next one, so in the steady state nothing is allocated.
 *
 * The latest record stays this thread's own, which costs nothing. All others are spares: marked so in their owner word, where
 * any worker may claim them, so that idle workers keep no room from the others. A thread claims its own spare back by a
 * compare-and-swap. It keeps two spares of each of the smaller classes, because a log leaves so many behind in each class that
 * it outgrows, and one of the larger ones.
 *
 * A record that is a live worker's own pins its page. Therefore only some workers keep one: at most one page in PAGES_PER_OWN
 * is pinned by idle workers. */
#define SPARES        2
#define SPARES_UNITS  18
#define PAGES_PER_OWN 64

static RL_THREAD_LOCAL uint32_t spares[RL_CLASSES][SPARES];
static RL_THREAD_LOCAL uint32_t own_unit; /* 0: none */
static RL_THREAD_LOCAL unsigned own_class;

/* Returns the smallest class of at least so many units: mostly the same as in the last call. RL_CLASSES: none. */
static unsigned class_of(uint64_t units)
{
	static RL_THREAD_LOCAL unsigned last;
	unsigned c = last;

	if (units > rl_class_units[c] || (c > 0 && units <= rl_class_units[c - 1])) {
		for (c = 0; c < RL_CLASSES && rl_class_units[c] < units; c++) {
		}
		if (c < RL_CLASSES) {
			last = c;
		}
	}
	return c;
}

static bool may_keep_own(const rl_segment *s)
{
	return (size_t) ((char *) rl_worker_self - (char *) s->workers) < s->n_pages / PAGES_PER_OWN * RL_WORKER_BYTES;
}

/* The hazard pointer keeps the page in its class until the swap is done. So the word that is swapped is a record's owner
 * word, and never a word of a state. */
static bool claim_spare(const rl_segment *s, uint32_t unit, unsigned class)
{
	bool claimed = rl_page_scan_begin(s, unit / RL_UNITS_PER_PAGE, class)
		&& rl_record_claim(s, rl_record_of_unit(s, unit), rl_owner_me(s) | RL_OWNER_SPARE);

	rl_page_scan_end();
	return claimed;
}

static inline uint32_t take_own(unsigned class)
{
	uint32_t unit = own_class == class ? own_unit : 0;

	if (unit != 0) {
		own_unit = 0;
	}
	return unit;
}

static uint32_t take_spare(const rl_segment *s, unsigned class)
{
	uint32_t *mine = spares[class], unit;

	while ((unit = mine[0]) != 0) {
		mine[0] = mine[1];
		mine[1] = 0;
		if (claim_spare(s, unit, class)) {
			return unit;
		}
	}
	return 0;
}

static void keep_spare(const rl_segment *s, unsigned class, uint32_t unit)
{
	uint32_t *mine = spares[class];
	bool keep = mine[0] == 0 || (mine[1] == 0 && rl_class_units[class] <= SPARES_UNITS);

	if (keep) {
		mine[1] = mine[0];
		mine[0] = unit;
	}
	__atomic_store_n(&rl_record_of_unit(s, unit)->owner, keep ? rl_owner_me(s) | RL_OWNER_SPARE : 0, __ATOMIC_RELEASE);
}

/* The latest record becomes the own one, and the one before a spare. */
static inline void keep_record(const rl_segment *s, unsigned class, uint32_t unit)
{
	uint32_t before = own_unit;
	unsigned before_class = own_class;

	if (RL_UNLIKELY(!may_keep_own(s))) {
		keep_spare(s, class, unit);
		return;
	}
	own_unit = unit;
	own_class = class;
	if (before != 0) {
		keep_spare(s, before_class, before);
	}
}

static unsigned class_of_words(size_t words)
{
	return class_of((words + RL_RECORD_HEAD_WORDS + RL_WORDS_PER_UNIT - 1) / RL_WORDS_PER_UNIT);
}

bool rl_record_has_room(size_t room, size_t words)
{
	unsigned c = class_of_words(words);

	return c < RL_CLASSES && rl_class_units[c] * RL_WORDS_PER_UNIT - RL_RECORD_HEAD_WORDS == room;
}

rl_record *rl_record_get(const rl_segment *s, const rl_entry *entry, size_t words, int64_t now_us)
{
	unsigned c = class_of_words(words);
	uint64_t unit;
	rl_record *r;

	if (c == RL_CLASSES || rl_worker_self == NULL) {
		return NULL;
	}
	do {
		unit = take_own(c);
		if (unit == 0 && (unit = take_spare(s, c)) == 0 && (unit = rl_record_alloc(s, c, now_us)) == 0) {
			return NULL;
		}
		r = rl_record_of_unit(s, unit);
		if (rl_class_units[c] > s->n_pages * RL_UNITS_PER_PAGE - unit) {
			/* Only a damaged page word makes a record end outside of the segment. */
			__atomic_store_n(&r->owner, 0, __ATOMIC_RELEASE);
			return NULL;
		}
	} while (!rl_record_prepare(s, r, entry, c));
	return r;
}

void rl_record_put(const rl_segment *s, rl_record *record)
{
	unsigned c = rl_meta_class(rl_load(&record->meta));

	if (c >= RL_CLASSES) { /* damaged */
		__atomic_store_n(&record->owner, 0, __ATOMIC_RELEASE);
		return;
	}
	keep_record(s, c, (uint32_t) rl_unit_of_record(s, record));
}

uint64_t rl_record_publish(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t ref, uint64_t new_fp,
	rl_record *record)
{
	uint64_t new_ref = rl_record_ref(s, record);
	rl_record *old;

	if (!rl_record_swap(s, entry, fp, ref, new_fp, new_ref, &old)) {
		return 0;
	}
	if (old != NULL) {
		rl_record_put(s, old);
	}
	return new_ref;
}

/* Returns whether this thread's own record has so much room, and lies in the segment. */
static inline bool has_own(const rl_segment *s, size_t room)
{
	uint64_t units = rl_class_units[own_class];

	return own_unit != 0 && units * RL_WORDS_PER_UNIT - RL_RECORD_HEAD_WORDS == room
		&& units <= s->n_pages * RL_UNITS_PER_PAGE - own_unit;
}

/* The steps, and their order, are those of rl_record_get(), rl_record_swap() and rl_record_put(). */
static inline rl_record *replace_begin(const rl_segment *s, const rl_entry *entry, size_t room)
{
	rl_record *record;

	if (RL_UNLIKELY(!has_own(s, room))) {
		return NULL;
	}
	record = rl_record_of_unit(s, own_unit);
	if (RL_UNLIKELY(!rl_record_prepare(s, record, entry, own_class))) {
		own_unit = 0;
		return NULL;
	}
	return record;
}

static inline bool replace_end(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t ref, uint64_t new_fp,
	const rl_record *record)
{
	uint64_t old_unit = rl_ref_unit(ref);
	bool done;

	__atomic_store_n(&rl_worker_self->journal, old_unit, __ATOMIC_RELEASE);
	done = rl_pair_cas(&entry->pair, fp, ref, new_fp, rl_record_ref(s, record));
	if (RL_LIKELY(done)) {
		__atomic_store_n(&rl_record_of_unit(s, old_unit)->owner, rl_owner_me(s), __ATOMIC_RELEASE);
		own_unit = (uint32_t) old_unit;
	}
	__atomic_store_n(&rl_worker_self->journal, 0, __ATOMIC_RELEASE);
	return done;
}

rl_replace_result rl_record_replace(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t ref, size_t room,
	uint64_t new_fp, const uint64_t *state, size_t words)
{
	rl_record *record = replace_begin(s, entry, room);
	size_t i;

	if (RL_UNLIKELY(record == NULL)) {
		return RL_REPLACE_NO_OWN;
	}
	for (i = 0; i + 8 <= words; i += 8) {
		memcpy(&record->state[i], &state[i], 8 * sizeof *state);
	}
	for (; i < words; i += 2) {
		memcpy(&record->state[i], &state[i], 2 * sizeof *state);
	}
	return replace_end(s, entry, fp, ref, new_fp, record) ? RL_REPLACED : RL_REPLACE_RACED;
}

void rl_record_area_use(const rl_segment *s, uint64_t *bytes, uint64_t *used)
{
	uint64_t page;

	*bytes = s->n_pages * RL_UNITS_PER_PAGE * RL_UNIT_BYTES;
	*used = 0;
	for (page = 0; page < s->n_pages; page++) {
		*used += rl_load(&s->pages[page].word) != 0 ? RL_UNITS_PER_PAGE * RL_UNIT_BYTES : 0;
	}
}

void rl_record_cache_flush(void)
{
	const rl_segment *s = &rl_shm;
	unsigned c;
	uint32_t unit;

	for (c = 0; c < RL_CLASSES; c++) {
		while (rl_worker_self != NULL && ((unit = take_own(c)) != 0 || (unit = take_spare(s, c)) != 0)) {
			__atomic_store_n(&rl_record_of_unit(s, unit)->owner, 0, __ATOMIC_RELEASE);
		}
	}
	rl_record_cache_after_fork();
}

void rl_record_cache_after_fork(void)
{
	memset(spares, 0, sizeof spares);
	own_unit = 0;
	rl_record_alloc_after_fork();
}
