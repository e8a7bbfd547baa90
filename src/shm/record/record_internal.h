/* A record's head: owner word, meta word, and the count of its publications. Private to record.c, record_cache.c and
 * the allocator's files (record_alloc.c, record_scan.c, record_claim.c, page_reassign.c, page_alloc.c, run_alloc.c,
 * alloc_cursor.c). */
#ifndef RL_SHM_RECORD_INTERNAL_H
#define RL_SHM_RECORD_INTERNAL_H

#include "record.h"
#include "size_classes.h"
#include "../process/worker.h"

#define RL_WORDS_PER_UNIT (RL_UNIT_BYTES / 8)

/* meta:
 *
 *     63 ...... 34   33 ... 28   27 ...... 0
 *     entry          class       count, low
 *
 * The count of a reference is the era of the record's page, 10 bits, and the count of the record's meta, 28 bits. Both only
 * grow: before a record's 28 bits overflow, the page enters the next era. When the page's last era is over, its records are
 * retired. */
#define RL_META_COUNT_BITS 28
#define RL_META_CLASS_BITS 6
#define RL_META_CLASS_AT   RL_META_COUNT_BITS
#define RL_META_ENTRY_AT   (RL_META_COUNT_BITS + RL_META_CLASS_BITS)
#define RL_META_COUNT_MASK ((UINT64_C(1) << RL_META_COUNT_BITS) - 1)
#define RL_META_CLASS_MASK ((UINT64_C(1) << RL_META_CLASS_BITS) - 1)
#define RL_ERA_LAST        ((UINT64_C(1) << (RL_REF_COUNT_BITS - RL_META_COUNT_BITS)) - 1)

_Static_assert(RL_CLASSES <= RL_META_CLASS_MASK, "meta must hold the class");
/* The table has half of the segment. */
_Static_assert(RL_SHM_BYTES_MAX / 2 / sizeof(rl_entry) <= UINT64_C(1) << (64 - RL_META_ENTRY_AT),
	"meta must hold the entry");

static inline rl_record *rl_record_of_unit(const rl_segment *s, uint64_t unit)
{
	return (rl_record *) (void *) &s->records[unit];
}

static inline uint64_t rl_unit_of_record(const rl_segment *s, const rl_record *r)
{
	return (uint64_t) ((const rl_unit *) (const void *) r - s->records);
}

static inline uint64_t rl_entry_number(const rl_segment *s, const rl_entry *entry)
{
	return (uint64_t) (entry - &s->buckets[0].entries[0]);
}

/* May be RL_CLASSES or more: only in a damaged record. */
static inline unsigned rl_meta_class(uint64_t meta)
{
	return (unsigned) (meta >> RL_META_CLASS_AT & RL_META_CLASS_MASK);
}

static inline uint64_t *rl_page_floor(const rl_segment *s, uint64_t unit)
{
	return &s->pages[unit / RL_UNITS_PER_PAGE].floor;
}

/* Raises a page's floor: the count that every later publication in the page must exceed. */
static inline void rl_page_raise_floor(uint64_t *floor, uint64_t count)
{
	uint64_t was = rl_load(floor);

	while (was < count && !__atomic_compare_exchange_n(floor, &was, count, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
	}
}

/* The count of a record's last publication. */
static inline uint64_t rl_record_count(const rl_segment *s, const rl_record *r)
{
	uint64_t era = rl_load(rl_page_floor(s, rl_unit_of_record(s, r))) >> RL_META_COUNT_BITS;

	return era << RL_META_COUNT_BITS | (rl_load(&r->meta) & RL_META_COUNT_MASK);
}

/* The reference under which this thread's own record is published next; rl_record_prepare() has counted. */
static inline uint64_t rl_record_ref(const rl_segment *s, const rl_record *r)
{
	return rl_record_count(s, r) << RL_REF_UNIT_BITS | rl_unit_of_record(s, r);
}

#define RL_OWNER_SPARE   (UINT64_C(1) << 48)
#define RL_OWNER_RETIRED (UINT64_C(1) << 49)

/* owner: 1 + the worker's number in the low 16 bits, its epoch above. */
static inline uint64_t rl_owner_of(uint64_t worker, uint32_t epoch)
{
	return (uint64_t) epoch << 16 | (worker + 1);
}

static inline uint64_t rl_worker_self_number(const rl_segment *s)
{
	return (uint64_t) ((char *) rl_worker_self - (char *) s->workers) / RL_WORKER_BYTES;
}

static inline uint64_t rl_owner_me(const rl_segment *s)
{
	return rl_owner_of(rl_worker_self_number(s), __atomic_load_n(&rl_worker_self->epoch, __ATOMIC_RELAXED));
}

/* Makes this thread's own record ready to be published: names the entry, and counts. Returns false, and retires the record,
 * if its count is used up. */
static inline bool rl_record_prepare(const rl_segment *s, rl_record *r, const rl_entry *entry, unsigned class)
{
	uint64_t count = (rl_load(&r->meta) + 1) & RL_META_COUNT_MASK;

	if (RL_UNLIKELY(count == 0)) {
		uint64_t *floor = rl_page_floor(s, rl_unit_of_record(s, r)), era = rl_load(floor) >> RL_META_COUNT_BITS;

		if (era >= RL_ERA_LAST) {
			__atomic_store_n(&r->owner, RL_OWNER_RETIRED, __ATOMIC_RELEASE);
			return false;
		}
		rl_page_raise_floor(floor, (era + 1) << RL_META_COUNT_BITS);
	}
	/* Released: a reader that sees the new meta also sees that the entry no longer has the old reference. */
	__atomic_store_n(&r->meta,
		rl_entry_number(s, entry) << RL_META_ENTRY_AT | (uint64_t) class << RL_META_CLASS_AT | count, __ATOMIC_RELEASE);
	return true;
}

/* Was the record written for this entry and this reference? In a file whose pages are of different moments it may not be. */
static inline bool rl_meta_fits(const rl_segment *s, uint64_t meta, const rl_entry *entry, uint64_t ref)
{
	return meta >> RL_META_ENTRY_AT == rl_entry_number(s, entry)
		&& ((meta ^ ref >> RL_REF_UNIT_BITS) & RL_META_COUNT_MASK) == 0;
}

/* Where a record is published: the entry and its content when it was read. entry NULL: nowhere. */
typedef struct {
	rl_entry *entry;
	uint64_t fp, ref;
} rl_publication;

static inline rl_publication rl_record_publication(const rl_segment *s, const rl_record *r)
{
	uint64_t meta = rl_load(&r->meta), number = meta >> RL_META_ENTRY_AT;
	rl_publication p = {0};
	rl_entry *entry;

	if (number >= s->n_buckets * RL_ENTRIES_PER_BUCKET) {
		return p;
	}
	entry = &s->buckets[0].entries[0] + number;
	p.fp = rl_load(&entry->pair.a);
	p.ref = rl_load(&entry->pair.b);
	if (rl_fp_has_record(p.fp) && rl_ref_unit(p.ref) == rl_unit_of_record(s, r)
		&& rl_meta_fits(s, meta, entry, p.ref)) {
		p.entry = entry;
	}
	return p;
}

static inline bool rl_record_is_published(const rl_segment *s, const rl_record *r)
{
	return rl_record_publication(s, r).entry != NULL;
}

/* Is that owner dead, so that its claims are void? */
static inline bool rl_owner_is_dead(const rl_segment *s, uint64_t owner)
{
	uint64_t worker = (owner & 0xffff) - 1;

	return worker >= s->n_workers || rl_worker_is_dead(rl_worker_at(s, worker), (uint32_t) (owner >> 16));
}

/* ---- record_alloc.c ---- */

/* Returns the unit of a record of the class (size_classes.h), owned by this thread. Takes, in this order: a record that is
 * free, lost by a dead worker, or has an ended state; a page that is free or can be emptied without a loss; a partly used
 * state; an exhausted one. Never gives up a running ban (ban_share.c). Returns 0 if there is nothing to take. Looks at a bounded number of
 * pages and records, whatever the size of the segment. */
uint64_t rl_record_alloc(const rl_segment *s, unsigned class, int64_t now_us);

/* Forgets where this thread was looking: a forked child begins where the last worker found something. */
void rl_record_alloc_after_fork(void);

#endif
