#include "table.h"

#include "../process/worker.h"
#include "../record/record.h"
#include "state_word.h"

rl_position rl_shm_position(const rl_segment *s, const rl_key *key, bool record)
{
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_position_of(s, high, low, record);
}

/* Returns the position of a key in a store. The embedded store's own id is 0: its places are those of rl_shm_position(). */
rl_position rl_shm_position_in(const rl_segment *s, const rl_store *store, const rl_key *key, bool record)
{
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, key, &high, &low);
	return rl_position_of(s, high ^ store->id[0], low ^ store->id[1], record);
}

/* Returns the entry of a fingerprint's n-th probe. */
static rl_entry *entry_at(const rl_segment *s, uint64_t home, uint64_t fp, unsigned probe)
{
	uint64_t bucket = home + probe / RL_ENTRIES_PER_BUCKET;

	if (bucket >= s->n_buckets) {
		bucket -= s->n_buckets;
	}
	return &s->buckets[bucket].entries[(rl_fp_first(fp) + probe) % RL_ENTRIES_PER_BUCKET];
}

rl_entry *rl_table_find(const rl_segment *s, rl_position p)
{
	unsigned probe;

	for (probe = 0; probe < RL_PROBE_ENTRIES; probe++) {
		rl_entry *entry = entry_at(s, p.home, p.fp, probe);
		uint64_t fp = rl_load(&entry->pair.a);

		if (rl_fp_is(fp, p.fp)) {
			return entry;
		}
		if (fp == 0) {
			return NULL;
		}
	}
	return NULL;
}

rl_entry *rl_table_find_at(const rl_segment *s, uint64_t home, uint64_t fp)
{
	return rl_table_find(s, (rl_position){.home = home, .fp = fp});
}

/* ---- Eviction cost ---- */

#define COST_NOTHING   INT64_C(-1) /* the entry is empty or freed, or its state has ended */
#define COST_EXHAUSTED (INT64_C(1) << 50)
#define COST_BAN       (INT64_C(1) << 60)

/* The running bans that an insertion leaves alone among the entries that it probes. Beyond, the one that ends first makes room: so
 * bans have three quarters of a table at most, and every other identity finds an entry. */
#define BANS_KEPT (RL_PROBE_ENTRIES / 4 * 3)

/* Orders entries for eviction: first by class (ended, partly used, exhausted, banned), then by the count, then by the time
 * left; bans by their end. */
static int64_t eviction_cost(const rl_segment *s, const rl_entry *entry, uint64_t fp, uint64_t word, int64_t now_us)
{
	int64_t left_ms;
	uint64_t used;
	bool exhausted;

	if ((fp & RL_FP_TAKEN) == 0) {
		return COST_NOTHING;
	}
	if (fp & RL_FP_KIND) {
		rl_record_worth w = (fp & RL_FP_TERMS) != 0 ? rl_word_worth_of(s, fp, word, now_us)
													: rl_record_worth_of(s, entry, word, now_us);

		if (w.ban_end_us != 0) {
			return COST_BAN + (w.ban_end_us - now_us) / RL_US_PER_MS;
		}
		/* This check precedes the subtraction: an entry without a record has ended at INT64_MIN. */
		left_ms = w.expires_us > now_us ? (w.expires_us - now_us) / RL_US_PER_MS : 0;
		used = w.used;
		exhausted = w.exhausted;
	} else {
		left_ms = rl_counter_end_ms(word) - now_us / RL_US_PER_MS;
		if (left_ms > 0 && rl_counter_is_ban(word)) {
			return COST_BAN + left_ms;
		}
		used = rl_counter_count(word);
		exhausted = (fp & RL_FP_EXHAUSTED) != 0;
	}
	if (left_ms <= 0) {
		return COST_NOTHING;
	}
	left_ms >>= 15; /* half minutes: 24 bits of them cover ten years */
	return (exhausted ? COST_EXHAUSTED : 0) + ((int64_t) used << 25) + left_ms;
}

/* ---- Insertion ---- */

/* The insert descriptor of a stripe: a = the fingerprint to insert (0: none), b = where.
 *
 *     63 ...... 32   31 ...... 8   7 ... 5   4 ... 0
 *     version        digest        bucket    probe
 *
 * digest is of the entry's content when the entry was chosen. Every worker that finds a descriptor completes it (helping), but
 * only on an entry with that digest, so that all of them do the same at any time. The version distinguishes descriptors. */
#define DESC_VERSION      (UINT64_C(1) << 32)
#define DESC_VERSION_MASK (~UINT64_C(0) << 32)
#define DESC_DIGEST_AT    8
#define DESC_BUCKET_AT    5
#define DESC_DIGEST_BITS  24

_Static_assert(RL_PROBE_ENTRIES <= 1u << DESC_BUCKET_AT, "a descriptor must hold the probe");
_Static_assert(RL_BUCKETS_PER_STRIPE <= 1u << (DESC_DIGEST_AT - DESC_BUCKET_AT), "a descriptor must hold the bucket");

static uint64_t digest(uint64_t fp, uint64_t word)
{
	uint64_t h = (fp ^ (word << 31 | word >> 33)) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 29 ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
	return h >> (64 - DESC_DIGEST_BITS);
}

/* Returns the word of a new entry: an end long past, and the version, so that no two words are equal. */
static uint64_t initial_word(uint64_t fp, uint64_t desc)
{
	uint64_t version = desc >> 32;

	return fp & RL_FP_KIND ? rl_ref_none((uint32_t) version) : version & RL_COUNTER_COUNT_MASK;
}

/* Completes a descriptor, unless another worker did or the entry has changed, and clears it. */
static void complete_insert(const rl_segment *s, uint64_t stripe_index, uint64_t fp, uint64_t desc)
{
	rl_stripe *stripe = &s->stripes[stripe_index];
	uint64_t home = stripe_index * RL_BUCKETS_PER_STRIPE + (desc >> DESC_BUCKET_AT & (RL_BUCKETS_PER_STRIPE - 1));
	rl_entry *entry = entry_at(s, home, fp, (unsigned) (desc & (RL_PROBE_ENTRIES - 1)));
	uint64_t was_fp = rl_load(&entry->pair.a);
	uint64_t was_word = rl_load(&entry->pair.b);

	if (!rl_fp_is(was_fp, fp)
		&& digest(was_fp, was_word) == (desc >> DESC_DIGEST_AT & ((UINT64_C(1) << DESC_DIGEST_BITS) - 1))) {
		/* The swap runs only if the descriptor is still there: then the entry was read while the descriptor was
		 * pending. */
		if (rl_load(&stripe->pair.b) != desc || rl_load(&stripe->pair.a) != fp) {
			return;
		}
		rl_record_retire(s, entry, was_fp, was_word, fp, initial_word(fp, desc));
	}
	rl_pair_cas(&stripe->pair, fp, desc, 0, (desc & DESC_VERSION_MASK) + DESC_VERSION);
}

/* An entry that an insertion may take. */
typedef struct {
	unsigned probe;
	uint64_t fp, word; /* its content */
	int64_t eviction_cost;
} scan_choice;

typedef struct {
	rl_entry *found;    /* the identity's own entry, if there is one */
	scan_choice choice; /* otherwise the entry to take */
} scan_result;

static scan_result scan_buckets(const rl_segment *s, rl_position p, int64_t now_us)
{
	scan_result r = {.choice.eviction_cost = INT64_MAX};
	scan_choice ban = {.eviction_cost = INT64_MAX}; /* the one that ends first */
	unsigned probe, n_bans = 0;

	for (probe = 0; probe < RL_PROBE_ENTRIES; probe++) {
		rl_entry *entry = entry_at(s, p.home, p.fp, probe);
		uint64_t fp = rl_load(&entry->pair.a);
		uint64_t word = rl_load(&entry->pair.b);
		scan_choice other = {.probe = probe, .fp = fp, .word = word}, *best;

		if (rl_fp_is(fp, p.fp)) {
			r.found = entry;
			return r;
		}
		if (r.choice.eviction_cost != COST_NOTHING) {
			other.eviction_cost = eviction_cost(s, entry, fp, word, now_us);
			best = other.eviction_cost >= COST_BAN ? &ban : &r.choice;
			n_bans += best == &ban;
			if (other.eviction_cost < best->eviction_cost) {
				*best = other;
			}
		}
		if (fp == 0) {
			break;
		}
	}
	if (n_bans > BANS_KEPT && r.choice.eviction_cost != COST_NOTHING) {
		r.choice = ban;
	}
	return r;
}

static void count_insertion(rl_worker *w, const scan_choice *choice)
{
	if (choice->fp == 0) {
		__atomic_store_n(&w->entries_used, w->entries_used + 1, __ATOMIC_RELAXED);
	}
	if (choice->eviction_cost != COST_NOTHING) {
		rl_worker_stat_add(w, RL_STAT_EVICTIONS);
	}
	if (choice->eviction_cost >= COST_BAN) {
		rl_worker_stat_add(w, RL_STAT_BANS_EVICTED);
	}
}

rl_entry *rl_table_claim(const rl_segment *s, rl_position p, int64_t now_us)
{
	uint64_t stripe_index = p.home / RL_BUCKETS_PER_STRIPE;
	rl_stripe *stripe = &s->stripes[stripe_index];

	for (;;) {
		uint64_t desc = rl_load(&stripe->pair.b);
		uint64_t fp = rl_load(&stripe->pair.a);
		scan_result r;
		uint64_t next;

		if (fp != 0) {
			complete_insert(s, stripe_index, fp, desc);
			continue;
		}
		/* The version was read before the scan: if the swap succeeds, no other worker has inserted since. */
		r = scan_buckets(s, p, now_us);
		if (r.found != NULL) {
			return r.found;
		}
		next = (desc & DESC_VERSION_MASK) | digest(r.choice.fp, r.choice.word) << DESC_DIGEST_AT
			| (p.home % RL_BUCKETS_PER_STRIPE) << DESC_BUCKET_AT | r.choice.probe;
		if (!rl_pair_cas(&stripe->pair, 0, desc, p.fp, next)) {
			continue;
		}
		if (rl_worker_self != NULL) {
			count_insertion(rl_worker_self, &r.choice);
		}
		complete_insert(s, stripe_index, p.fp, next);
	}
}

void rl_table_clear(const rl_segment *s)
{
	uint64_t i;
	unsigned j;

	for (i = 0; i < s->n_buckets; i++) {
		for (j = 0; j < RL_ENTRIES_PER_BUCKET; j++) {
			rl_entry *entry = &s->buckets[i].entries[j];
			uint64_t fp;

			do {
				fp = rl_load(&entry->pair.a);
			} while ((fp & RL_FP_TAKEN) != 0 && !rl_record_remove(s, entry, fp, rl_load(&entry->pair.b)));
		}
	}
}
