/* What record.c, records.c and hunt.c know of a record's head: owner words, and the entry that a record is for. */
#ifndef RL_SHM_RECORD_INTERNAL_H
#define RL_SHM_RECORD_INTERNAL_H

#include "worker.h"
#include "record.h"
#include "table.h"

#define RL_WORDS_PER_UNIT (RL_UNIT_BYTES / 8)

/* meta: the entry's number, and how many units the record has */
#define RL_META_UNIT_BITS  24
#define RL_META_UNITS_MASK ((UINT64_C(1) << RL_META_UNIT_BITS) - 1)

static inline rl_record *rl_record_of_unit(const rl_segment *s, uint64_t unit)
{
	return (rl_record *) (void *) &s->records[unit];
}

static inline uint64_t rl_unit_of_record(const rl_segment *s, const rl_record *r)
{
	return (uint64_t) ((const rl_unit *) (const void *) r - s->records);
}

static inline uint64_t rl_meta_of(const rl_segment *s, const rl_entry *entry, uint64_t units)
{
	return (uint64_t) (entry - &s->buckets[0].entries[0]) << RL_META_UNIT_BITS | units;
}

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
	return rl_owner_of(rl_worker_self_number(s), rl_worker_self->epoch);
}

/* A reference that no entry has held before: this worker's number, and how many it has published. */
static inline uint64_t rl_ref_new(const rl_segment *s, uint64_t unit)
{
	uint64_t count = rl_worker_self->publications++ & ((UINT64_C(1) << RL_REF_COUNT_BITS) - 1);

	return (rl_worker_self_number(s) << RL_REF_COUNT_BITS | count) << RL_REF_UNIT_BITS | unit;
}

/* Where a record is published: the entry, and what it held when it was looked at. entry NULL: nowhere. */
typedef struct {
	rl_entry *entry;
	uint64_t fp, ref;
} rl_publication;

static inline rl_publication rl_record_publication(const rl_segment *s, const rl_record *r)
{
	uint64_t number = rl_load(&r->meta) >> RL_META_UNIT_BITS;
	rl_publication p = {0};
	rl_entry *entry;

	if (number >= s->n_buckets * RL_ENTRIES_PER_BUCKET) {
		return p;
	}
	entry = &s->buckets[0].entries[0] + number;
	p.fp = rl_load(&entry->pair.a);
	p.ref = rl_load(&entry->pair.b);
	if ((p.fp & (RL_FP_TAKEN | RL_FP_KIND)) == (RL_FP_TAKEN | RL_FP_KIND)
		&& rl_ref_unit(p.ref) == rl_unit_of_record(s, r)) {
		p.entry = entry;
	}
	return p;
}

static inline bool rl_record_is_published(const rl_segment *s, const rl_record *r)
{
	return rl_record_publication(s, r).entry != NULL;
}

/* Is that owner gone, so that what it had claimed is nobody's? */
static inline bool rl_owner_is_dead(const rl_segment *s, uint64_t owner)
{
	uint64_t worker = (owner & 0xffff) - 1;

	return worker >= s->n_workers || rl_worker_is_dead(rl_worker_at(s, worker), (uint32_t) (owner >> 16));
}

#endif
