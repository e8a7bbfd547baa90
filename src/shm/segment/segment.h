/* src/shm/segment: The memory that all workers share: its parts, its header, its hash and its clocks.
 *
 * The segment: how the shared memory is laid out, and this process' view of it.
 *
 *     header | terms | workers | breakers | generations | demands | monitor | stripes | buckets of entries | pages | records
 *
 * The segment holds no pointer and no object of the C library. A process computes the offsets of the parts itself and
 * bounds every index that it reads from the segment before it uses it. So a writer of the segment can change counts, and
 * can lead no process outside of its mapping. */
#ifndef RL_SHM_SEGMENT_H
#define RL_SHM_SEGMENT_H

#include "atomic128.h"
#include "hash.h"
#include "monitor_layout.h"
#include "../../compiler.h"
#include "../../store.h"

/* Holds an identity: its fingerprint, and its state in one word (table.h). */
typedef struct {
	rl_pair pair; /* a: fingerprint; b: word */
} rl_entry;

/* A fingerprint: 52 bits of hash, and these (table.h). */
#define RL_FP_KIND  UINT64_C(1) /* the word is a reference to a record, or with terms a limiter's state; not a counter */
#define RL_FP_TAKEN UINT64_C(2) /* set in every fingerprint: distinguishes it from an empty or a freed entry */
#define RL_FP_EXHAUSTED                                                                                                \
 UINT64_C(4) /* the last permit was given: such a state is worth more than an untouched window when room is short */
#define RL_FP_TERMS_AT 4
#define RL_FP_TERMS    (UINT64_C(0xff) << RL_FP_TERMS_AT) /* the terms of a one-word state (state_word.h); 0: none */
#define RL_FP_LOW      UINT64_C(0xfff)

static inline bool rl_fp_is(uint64_t fp, uint64_t wanted)
{
	return ((fp ^ wanted) & ~(RL_FP_EXHAUSTED | RL_FP_TERMS)) == 0;
}

/* Returns whether an entry's word is a reference to a record. */
static inline bool rl_fp_has_record(uint64_t fp)
{
	return (fp & (RL_FP_TAKEN | RL_FP_KIND | RL_FP_TERMS)) == (RL_FP_TAKEN | RL_FP_KIND);
}

#define RL_ENTRIES_PER_BUCKET 4

typedef struct {
	_Alignas(64) rl_entry entries[RL_ENTRIES_PER_BUCKET];
} rl_bucket;

/* Orders the insertions into a stripe of buckets (table.c). */
typedef struct {
	rl_pair pair;
} rl_stripe;

#define RL_BUCKETS_PER_STRIPE 8

typedef struct rl_worker rl_worker;   /* worker.h */
typedef struct rl_breaker rl_breaker; /* breaker_table.c */

#define RL_WORKERS_MAX   (1u << 14)
#define RL_WORKER_BYTES  192
#define RL_BREAKER_BYTES 448

/* One page of the record area (record_alloc.c). */
typedef struct {
	uint64_t word;  /* the class of its records, or its owner */
	uint64_t floor; /* every later publication in the page has a higher count (record_internal.h) */
} rl_page;

#define RL_UNIT_BYTES     32
#define RL_UNITS_PER_PAGE 512
#define RL_REF_UNIT_BITS  26
#define RL_REF_UNIT_MASK  ((UINT64_C(1) << RL_REF_UNIT_BITS) - 1)

typedef struct {
	uint64_t units[RL_UNIT_BYTES / 8];
} rl_unit;

#define RL_CLASSES_MAX      40 /* sizes of records */
#define RL_PAGE_GROUP_WORDS 32 /* a bit for each group of pages */

#define RL_SEARCHES 16 /* searches for dead workers' places that have a word each */

#define RL_SEGMENT_MAGIC  UINT64_C(0x74696d696c657461) /* "atelimit" */
#define RL_SEGMENT_LAYOUT 18u /* changes with every change of the parts, their order or their meaning */

/* How far the noted time is ahead of the clock, and so how often it is written at most. */
#define RL_TIME_NOTE_US RL_US_PER_SECOND

/* The segment's time 0 on the machine's monotonic clock, and the boot in which that is so (clock.h). */
typedef struct {
	int64_t mono_us;
	uint64_t boot;
} rl_time_base;

typedef struct {
	uint64_t magic;
	uint64_t layout;
	uint64_t bytes;
	uint64_t n_workers, n_breakers, n_generations, n_demands, n_stripes, n_pages;
	uint64_t workers_at, breakers_at, generations_at, demands_at, monitor_at, stripes_at, buckets_at, pages_at,
		records_at; /* offsets */
	uint64_t hash_kind;
	/* An rl_time_base. The monotonic clock starts anew at each boot: the first process after one swaps the base, so that
	 * the segment's time goes on by what the wall clock says has passed. */
	rl_pair base;
	int64_t wall_base_us; /* the wall clock at the segment's time 0; never changes */
	uint64_t reached_us;  /* no process has seen a later segment's time: it never begins before this after a boot */
	rl_hash_key hash_key;
	uint64_t n_workers_used;             /* the first so many were used; only grows */
	rl_pair lease_clocks;                /* lease_entry.c */
	uint64_t removals;                   /* numbers the entries that were freed (table.c) */
	uint64_t found_last[RL_CLASSES_MAX]; /* of each size class: page and index of the record that was found last */
	uint64_t full_groups[RL_PAGE_GROUP_WORDS]; /* groups of pages without a free page (page_alloc.c) */
	uint64_t ban_share;                        /* of the records that running bans have (ban_share.c) */
	uint64_t history_minute;               /* the latest minute whose totals are written, counted from 1 (history.h) */
	uint64_t held_places;                  /* 1: a worker has noted places of another store (held_places.h) */
	uint64_t places_searched[RL_SEARCHES]; /* held_places.c */
	uint64_t debts_end_ms;    /* no debt ends later on the segment's time; 0: there is none (debt_entry.h) */
	uint64_t networks_end_ms; /* no ban of a network ends later on the segment's time; 0: none runs (ban_list.c) */
	uint64_t network_lengths[RL_NETWORK_WORDS]; /* of the networks that were banned; a bit is never cleared */
	uint64_t folder;                            /* the device of its ticket's file system (user.c) */
	uint64_t ready;                             /* RL_SEGMENT_MAGIC, written last */
} rl_header;

#define RL_HEADER_BYTES 4096
#define RL_TERMS        256 /* terms of one-word states; the first is never used (state_word.h) */
#define RL_TERMS_BYTES  (RL_TERMS * sizeof(rl_pair))
_Static_assert(sizeof(rl_header) <= RL_HEADER_BYTES, "the header has a page");
_Static_assert(sizeof(rl_entry) == 16 && sizeof(rl_bucket) == 64, "four entries to a cache line");
_Static_assert(sizeof(rl_unit) == RL_UNIT_BYTES, "records are counted in units");

/* Where a segment is. */
typedef enum {
	RL_SEGMENT_MEMORY, /* without a name: of this process and those that it forks */
	RL_SEGMENT_FILE,
	RL_SEGMENT_USER, /* attach.h */
} rl_segment_kind;

/* This process' view of the segment it is attached to. Only start-up, the first use and shut-down write it. */
typedef struct rl_segment {
	rl_store store;    /* first: this is what rl_shm_store() returns */
	rl_header *header; /* NULL: there is no segment. Its content may be damaged at any moment */
	rl_pair *terms;    /* state_word.h */
	rl_worker *workers;
	rl_breaker *breakers;
	uint64_t *generations; /* deny_entry.h */
	uint64_t *demands;     /* demand_table.h */
	char *monitor;         /* its parts are at the offsets of layout (monitor_layout.h) */
	rl_monitor_layout layout;
	void *hitters; /* one of them: refusal_sketch.c */
	rl_stripe *stripes;
	rl_bucket *buckets;
	rl_page *pages;
	rl_unit *records;
	uint64_t n_buckets; /* a multiple of RL_BUCKETS_PER_STRIPE */
	uint64_t n_workers, n_breakers, n_pages;
	uint64_t n_generations; /* a power of two */
	uint64_t n_demands;     /* a power of two */
	size_t bytes;
	int64_t mono_base_us; /* the segment's time 0 on this process' monotonic clock */
	int64_t mono_base_ms;
	int64_t wall_offset_us; /* from the segment's time to the wall clock as it was when the segment was made */
	rl_hash_kind hash_kind;
	int64_t note_at_us; /* rl_segment_note_time() is due then; also other threads write it */
	rl_segment_kind kind;
	int id;            /* of the memory of RL_SEGMENT_USER */
	int fd;            /* of the inode that carries the workers' locks (liveness.h); -1: none */
	int64_t ticket_us; /* the wall clock when it was made */
	bool handed_on;    /* the next image of this process is to find the segment (attach.h) */
} rl_segment;

extern RL_HIDDEN rl_segment rl_shm;

/* Called about once a second by each process, with the segment's time; start-up sets it (startup.c). */
extern RL_HIDDEN void (*rl_segment_on_second)(const rl_segment *s, int64_t us);

/* Does what each process does about once a second: notes the segment's time, so that it goes on from there after a boot, and calls that
 * function. us: the time as the caller has it. */
void rl_segment_note_time(const rl_segment *s, int64_t us);

/* Returns the segment's own time: microseconds since it was made. Notes it about once a second. Without a segment it is
 * the time of the view that was last. */
static inline int64_t rl_segment_us(const rl_segment *s, int64_t mono_us)
{
	int64_t us = mono_us - s->mono_base_us;

	if (RL_UNLIKELY(us > __atomic_load_n(&s->note_at_us, __ATOMIC_RELAXED))) {
		rl_segment_note_time(s, us);
	}
	return us;
}

/* Points the view at a segment that is mapped, by the checked copy of its header. */
void rl_segment_view(rl_segment *s, void *memory, const rl_header *copy);

#endif
