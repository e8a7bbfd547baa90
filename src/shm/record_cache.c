#include "record_cache.h"

#include "size_classes.h"
#include "worker.h"
#include "record_alloc.h"
#include "record_internal.h"

/* Records that this thread keeps for its next decisions: what it swaps out of a entry serves it to write the state after
 * next. Two of each of the smaller sizes, because so many a log leaves behind in each that it grows out of: the next log
 * begins with them, instead of looking for others. */
#define SPARES       2
#define SPARES_UNITS 18

static RL_THREAD_LOCAL uint32_t spares[RL_CLASSES][SPARES];

/* The smallest size of at least so many units; mostly the one that was asked for last. */
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

static uint32_t take_spare(unsigned class)
{
	uint32_t *mine = spares[class], unit = mine[0];

	mine[0] = mine[1];
	mine[1] = 0;
	return unit;
}

static bool keep_spare(unsigned class, uint32_t unit)
{
	uint32_t *mine = spares[class];

	if (mine[0] != 0 && (mine[1] != 0 || rl_class_units[class] > SPARES_UNITS)) {
		return false;
	}
	mine[1] = mine[0];
	mine[0] = unit;
	return true;
}

rl_record *rl_record_get(const rl_segment *s, const rl_entry *entry, size_t words, int64_t now_us)
{
	unsigned c = class_of((words + RL_RECORD_HEAD_WORDS + RL_WORDS_PER_UNIT - 1) / RL_WORDS_PER_UNIT);
	uint64_t unit;
	rl_record *r;

	if (c == RL_CLASSES || rl_worker_self == NULL) {
		return NULL;
	}
	unit = take_spare(c);
	if (unit == 0 && (unit = rl_record_alloc(s, c, now_us)) == 0) {
		return NULL;
	}
	r = rl_record_of_unit(s, unit);
	if (rl_class_units[c] > s->n_pages * RL_UNITS_PER_PAGE - unit) {
		/* Only a damaged page says that it holds a record which ends outside. */
		__atomic_store_n(&r->owner, 0, __ATOMIC_RELEASE);
		return NULL;
	}
	__atomic_store_n(&r->meta, rl_meta_of(s, entry, rl_class_units[c]), __ATOMIC_RELAXED);
	return r;
}

void rl_record_put(const rl_segment *s, rl_record *record)
{
	uint64_t units = rl_load(&record->meta) & RL_META_UNITS_MASK;
	unsigned c = class_of(units);

	/* A record of no class has a damaged size: nothing of the next class fits into it. */
	if (c == RL_CLASSES || rl_class_units[c] != units || !keep_spare(c, (uint32_t) rl_unit_of_record(s, record))) {
		__atomic_store_n(&record->owner, 0, __ATOMIC_RELEASE);
	}
}

bool rl_record_publish(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t ref, uint64_t new_fp,
	rl_record *record)
{
	rl_record *old;

	if (!rl_record_swap(s, entry, fp, ref, new_fp, rl_ref_new(s, rl_unit_of_record(s, record)), &old)) {
		return false;
	}
	if (old != NULL) {
		rl_record_put(s, old);
	}
	return true;
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
	unsigned c;
	uint32_t unit;

	for (c = 0; c < RL_CLASSES; c++) {
		while ((unit = take_spare(c)) != 0) {
			if (rl_worker_self != NULL) {
				__atomic_store_n(&rl_record_of_unit(&rl_shm, unit)->owner, 0, __ATOMIC_RELEASE);
			}
		}
	}
}

void rl_record_cache_after_fork(void)
{
	memset(spares, 0, sizeof spares);
	rl_record_alloc_after_fork();
}
