/* The segment: how the shared memory is laid out, made, found again and checked.
 *
 *     header | workers | servers | generations | controls | lines of entries | pages | records
 *
 * Everything is found by offsets from the header, never by pointers; every index that is read from the segment is
 * bounded before it is used, so that whatever stands in a file cannot lead outside of it. */
#ifndef RL_SHM_SEGMENT_H
#define RL_SHM_SEGMENT_H

#include "atomic128.h"
#include "hash.h"
#include "breaker_table.h"
#include "shm.h"
#include "../compiler.h"

/* An identity: its fingerprint, and its state in one word (table.h). */
typedef struct {
	rl_pair pair; /* a: fingerprint; b: word */
} rl_entry;

#define RL_ENTRIES_PER_BUCKET 4

typedef struct {
	_Alignas(64) rl_entry entries[RL_ENTRIES_PER_BUCKET];
} rl_bucket;

/* Where insertions into a stripe of lines take turns (table.c). */
typedef struct {
	rl_pair pair;
} rl_stripe;

#define RL_BUCKETS_PER_STRIPE 8

typedef struct rl_worker rl_worker; /* worker.h */

/* One page of the record area (record_alloc.c). */
typedef struct {
	uint64_t word;  /* the class of its records, or its owner */
	uint64_t floor; /* every later publication in the page has a higher count (record_internal.h) */
} rl_page;

#define RL_UNIT_BYTES     32
#define RL_UNITS_PER_PAGE 512

typedef struct {
	uint64_t units[RL_UNIT_BYTES / 8];
} rl_unit;

#define RL_CLASSES_MAX      40 /* sizes of records */
#define RL_PAGE_GROUP_WORDS 32 /* a bit for each group of pages */

#define RL_SEGMENT_MAGIC  UINT64_C(0x74696d696c657461) /* "atelimit" */
#define RL_SEGMENT_LAYOUT 6u /* changes with every change of what stands where, or means what */

typedef struct {
	uint64_t magic;
	uint32_t layout;
	uint32_t libc; /* whose mutexes the workers hold: another C library must not touch them */
	uint64_t bytes;
	uint64_t n_workers, n_breakers, n_generations, n_stripes, n_pages;
	uint64_t workers_at, breakers_at, generations_at, stripes_at, buckets_at, pages_at, records_at; /* offsets */
	uint64_t hash_kind;
	/* The segment's time 0 on both clocks. The monotonic one starts anew at each boot: whoever comes first after it
	 * sets the base again, so that the segment's time goes on by what the wall clock says has passed. */
	int64_t mono_base_us;
	int64_t wall_base_us;
	char boot_id[40];
	rl_hash_key hash_key;
	uint64_t n_workers_used;             /* the first so many were used; only grows */
	uint64_t removals;                   /* numbers the entries that were freed (table.c) */
	uint64_t found_last[RL_CLASSES_MAX]; /* of each size class: page and index of the record that was found last */
	uint64_t full_groups[RL_PAGE_GROUP_WORDS]; /* groups of pages without a free page (record_alloc.c) */
	uint64_t ready;                            /* RL_SEGMENT_MAGIC, written last */
} rl_header;

#define RL_HEADER_BYTES 4096
_Static_assert(sizeof(rl_header) <= RL_HEADER_BYTES, "the header has a page");
_Static_assert(sizeof(rl_entry) == 16 && sizeof(rl_bucket) == 64, "four cells to a cache line");
_Static_assert(sizeof(rl_unit) == RL_UNIT_BYTES, "records are counted in units");

/* This process' view of the segment it is attached to. Written by start-up and shut-down alone. */
typedef struct {
	rl_store store;    /* first: this is what rl_shm_store() returns */
	rl_header *header; /* NULL: there is no segment */
	rl_worker *workers;
	rl_breaker *breakers;
	uint64_t *generations; /* deny entry.h */
	rl_stripe *stripes;
	rl_bucket *buckets;
	rl_page *pages;
	rl_unit *records;
	uint64_t n_buckets; /* a multiple of RL_BUCKETS_PER_STRIPE */
	uint64_t n_workers, n_breakers, n_pages;
	uint64_t n_generations; /* a power of two */
	size_t bytes;
	int64_t mono_base_us;
	int64_t mono_base_ms;
	int64_t wall_offset_us; /* from the segment's time to the wall clock as it was when the segment was made */
	rl_hash_kind hash_kind;
	bool is_file;
	int fd; /* of memory that must survive an exec; -1 otherwise */
} rl_segment;

extern RL_HIDDEN rl_segment rl_shm;

/* The segment's own time: us since it was made. */
static inline int64_t rl_segment_us(const rl_segment *s, int64_t mono_us)
{
	return mono_us - s->mono_base_us;
}

/* Points the view at a segment that is mapped and checked. */
void rl_segment_view(rl_segment *s, void *memory);

#endif
