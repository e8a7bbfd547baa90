/* What record.c, records.c and hunt.c know of a record's head: owner words, and the cell that a record is for. */
#ifndef RL_SHM_OWNER_H
#define RL_SHM_OWNER_H

#include "desk.h"
#include "record.h"
#include "table.h"

#define RL_WORDS_PER_UNIT (RL_UNIT_BYTES / 8)

/* meta: the cell's number, and how many units the record has */
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

static inline uint64_t rl_meta_of(const rl_segment *s, const rl_cell *cell, uint64_t units)
{
	return (uint64_t) (cell - &s->lines[0].cells[0]) << RL_META_UNIT_BITS | units;
}

/* owner: 1 + the desk's number in the low 16 bits, its epoch above. */
static inline uint64_t rl_owner_of(uint64_t desk, uint32_t epoch)
{
	return (uint64_t) epoch << 16 | (desk + 1);
}

static inline uint64_t rl_my_desk_number(const rl_segment *s)
{
	return (uint64_t) ((char *) rl_my_desk - (char *) s->desks) / RL_DESK_BYTES;
}

static inline uint64_t rl_owner_me(const rl_segment *s)
{
	return rl_owner_of(rl_my_desk_number(s), rl_my_desk->epoch);
}

/* A reference that no cell has held before: this desk's number, and how many it has published. */
static inline uint64_t rl_ref_new(const rl_segment *s, uint64_t unit)
{
	uint64_t count = rl_my_desk->publications++ & ((UINT64_C(1) << RL_REF_COUNT_BITS) - 1);

	return (rl_my_desk_number(s) << RL_REF_COUNT_BITS | count) << RL_REF_UNIT_BITS | unit;
}

/* Where a record is published: the cell, and what it held when it was looked at. cell NULL: nowhere. */
typedef struct {
	rl_cell *cell;
	uint64_t fp, ref;
} rl_publication;

static inline rl_publication rl_record_publication(const rl_segment *s, const rl_record *r)
{
	uint64_t number = rl_load(&r->meta) >> RL_META_UNIT_BITS;
	rl_publication p = {0};
	rl_cell *cell;

	if (number >= s->n_lines * RL_CELLS_PER_LINE) {
		return p;
	}
	cell = &s->lines[0].cells[0] + number;
	p.fp = rl_load(&cell->pair.a);
	p.ref = rl_load(&cell->pair.b);
	if ((p.fp & (RL_FP_TAKEN | RL_FP_KIND)) == (RL_FP_TAKEN | RL_FP_KIND)
			&& rl_ref_unit(p.ref) == rl_unit_of_record(s, r)) {
		p.cell = cell;
	}
	return p;
}

static inline bool rl_record_is_published(const rl_segment *s, const rl_record *r)
{
	return rl_record_publication(s, r).cell != NULL;
}

/* Is that owner gone, so that what it had claimed is nobody's? */
static inline bool rl_owner_is_left(const rl_segment *s, uint64_t owner)
{
	uint64_t desk = (owner & 0xffff) - 1;

	return desk >= s->n_desks || rl_desk_is_left(rl_desk_at(s, desk), (uint32_t) (owner >> 16));
}

#endif
