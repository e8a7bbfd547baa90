/* Scans the pages of a size class: claims a record, or finds the live one that costs least to lose. */
#ifndef RL_SHM_RECORD_SCAN_H
#define RL_SHM_RECORD_SCAN_H

#include "record_internal.h"

/* Records looked at: for a free one; for the cheapest partly used one; for the cheapest of all. */
#define RL_SCAN_FREE  8
#define RL_SCAN_CHEAP 64
#define RL_SCAN_ALL   256
#define RL_SCAN_PAGES 128 /* page words looked at in one scan, for the next page of the class */

/* A live record that may be evicted. */
typedef struct {
	rl_record *record; /* NULL: there is none */
	rl_publication seen;
	rl_record_worth worth;
} rl_scan_candidate;

typedef struct {
	unsigned records, pages; /* how many to look at */
	bool any_spare;          /* also takes spares of live workers */
	bool sample;             /* looks at some records of each page, not at all in turn */
	bool anywhere;           /* goes from each page to a random one */
	int64_t now_us;
} rl_scan_budget;

/* Scans the class's pages from this thread's cursor on. Returns the unit of a record that it claimed, or 0. In the latter
 * case *cheapest is the live record that costs least to lose, and no ban. */
uint64_t rl_scan_class(const rl_segment *s, unsigned class, rl_scan_budget b, rl_scan_candidate *cheapest);

/* Evicts the candidate, unless its page was reassigned since it was looked at. Returns its unit, or 0. */
uint64_t rl_scan_evict(const rl_segment *s, unsigned class, const rl_scan_candidate *c);

#endif
