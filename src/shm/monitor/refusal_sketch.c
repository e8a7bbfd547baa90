#include "refusal_sketch.h"

#include <string.h>

#include "../segment/clock.h"
#include "../segment/monitor_entries.h"
#include "subject_text.h"
#include "history.h"

/* The second word of an entry:
 *
 *     63 .... 32   31 .. 16     15 ...... 4   3 .... 0
 *     count        half-life    error         log2 of the largest weight
 *
 * The half-life is the number of the one in which the count was as it is; later ones shift it. The error is a number of
 * 7 bits, shifted by one of 5 bits, and rounded up. */
#define COUNT_AT    32
#define COUNT_MAX   UINT32_MAX
#define PERIOD_AT   16
#define PERIOD_MASK UINT64_C(0xffff)
#define ERROR_AT    4
#define ERROR_MASK  UINT64_C(0xfff)
#define WEIGHT_MASK UINT64_C(0xf)

/* Swaps that other workers win, before a refusal is left out. */
#define TRIES 16

typedef struct {
	uint32_t count;
	uint32_t error;
	unsigned weight_log2;
} estimate;

RL_THREAD_LOCAL rl_sampler rl_sampler_self = {.left = 1, .marked = 1, .gap = 1, .random = 1};

static rl_subject_table hitter_table(const rl_segment *s)
{
	return (rl_subject_table){
		.entries = s->hitters,
		.n = s->layout.n_hitters,
		.texts = s->monitor + s->layout.hitter_texts_at,
		.text_bytes = sizeof(rl_hitter_text),
		.text_at = offsetof(rl_hitter_text, text),
	};
}

static rl_hitter_text *hitter_text_of(const rl_subject_table *t, const rl_pair *entry)
{
	return (rl_hitter_text *) (void *) t->texts + (entry - t->entries);
}

static int64_t sketch_now_us(const rl_segment *s)
{
	return rl_segment_us(s, rl_clock_read_for(false).mono_us);
}

static uint64_t half_life_of(int64_t us)
{
	return (uint64_t) (us / RL_SKETCH_HALF_LIFE_US) & PERIOD_MASK;
}

/* ---- The word ---- */

static uint64_t pack_error(uint32_t error)
{
	uint64_t shift = 0, rounded = error;

	while (rounded > 0x7f) {
		shift++;
		rounded = (error + (UINT64_C(1) << shift) - 1) >> shift;
	}
	return shift << 7 | rounded;
}

static uint32_t unpack_error(uint64_t packed)
{
	uint64_t error = (packed & 0x7f) << (packed >> 7 & 0x1f);

	return error < COUNT_MAX ? (uint32_t) error : COUNT_MAX;
}

static uint32_t halve(uint32_t n, uint64_t times)
{
	return times < 32 ? n >> times : 0;
}

/* Reads the word as of a half-life. A word of a later one has been written meanwhile. */
static estimate read_estimate(uint64_t word, uint64_t period)
{
	uint64_t times = (period - (word >> PERIOD_AT)) & PERIOD_MASK;

	times = times > PERIOD_MASK / 2 ? 0 : times;
	return (estimate){
		.count = halve((uint32_t) (word >> COUNT_AT), times),
		.error = halve(unpack_error(word >> ERROR_AT & ERROR_MASK), times),
		.weight_log2 = (unsigned) (word & WEIGHT_MASK),
	};
}

static uint64_t pack_estimate(uint32_t count, uint32_t error, unsigned weight_log2, uint64_t period)
{
	return (uint64_t) count << COUNT_AT | period << PERIOD_AT | pack_error(error) << ERROR_AT | weight_log2;
}

/* Returns the power of two that is not below a weight, by its exponent. */
static inline unsigned weight_class(uint32_t weight)
{
	return weight > 1 ? 32u - (unsigned) __builtin_clz(weight - 1) : 0;
}

static uint32_t add_capped(uint32_t count, uint32_t weight)
{
	return count > COUNT_MAX - weight ? COUNT_MAX : count + weight;
}

/* ---- Adding ---- */

/* Chooses the caller's entry; else the one with the lowest count, free ones first. */
static rl_pair *choose_hitter(rl_pair *set, uint64_t key, uint64_t period, uint64_t *found, uint64_t *word)
{
	rl_pair *best = set;
	uint32_t least = COUNT_MAX;

	for (unsigned i = 0; i < RL_HITTERS_WAYS; i++) {
		uint64_t a = rl_load(&set[i].a), b = rl_load(&set[i].b);
		uint32_t count;

		if (a == key) {
			*found = a;
			*word = b;
			return &set[i];
		}
		count = a == 0 ? 0 : read_estimate(b, period).count;
		if (i == 0 || count < least || (count == least && a == 0)) {
			best = &set[i];
			least = count;
			*found = a;
			*word = b;
		}
	}
	return best;
}

void rl_sketch_add(uint64_t name_id, rl_kind kind, const rl_key *key, unsigned limit, uint32_t weight)
{
	const rl_segment *s = &rl_shm;
	uint64_t id, period, found = 0, word = 0;
	unsigned weight_log2 = weight_class(weight);
	rl_subject_table table = hitter_table(s);
	int64_t now;

	if (s->header == NULL) {
		return;
	}
	id = rl_subject_key(s, name_id, key);
	now = sketch_now_us(s);
	period = half_life_of(now);
	for (unsigned tries = 0; tries < TRIES; tries++) {
		rl_pair *entry = choose_hitter(rl_subject_set(&table, id), id, period, &found, &word);
		estimate e = read_estimate(found != 0 ? word : 0, period);
		uint64_t next;

		if (found == id) {
			next = pack_estimate(add_capped(e.count, weight), e.error,
				weight_log2 > e.weight_log2 ? weight_log2 : e.weight_log2, period);
		} else {
			next = pack_estimate(add_capped(e.count, weight), e.count, weight_log2, period);
		}
		if (rl_pair_cas(entry, found, word, id, next)) {
			rl_hitter_text *text = hitter_text_of(&table, entry);

			rl_subject_complete(s, &text->text, id, kind, key);
			__atomic_store_n(&text->last_us, (uint64_t) now, __ATOMIC_RELAXED);
			__atomic_store_n(&text->limit, limit, __ATOMIC_RELAXED);
			return;
		}
	}
}

/* ---- Forgetting ---- */

void rl_sketch_forget(uint64_t name_id, const rl_key *key)
{
	rl_subject_table table = hitter_table(&rl_shm);

	rl_subject_forget(&table, name_id, key);
}

void rl_sketch_clear(void)
{
	rl_subject_table table = hitter_table(&rl_shm);

	rl_subject_clear(&table);
}

/* ---- Reading ---- */

/* Returns the bound of the estimate: the inherited error, and four standard deviations of the sampling. They are those of the largest
 * number whose estimate may be this one, n - 4 * sqrt(n * more) = count: those of the count itself are too few where it is too low. */
static uint64_t estimate_error(const estimate *e)
{
	uint64_t more = (UINT64_C(1) << e->weight_log2) - 1, variance = more * (e->count + 4 * more), root = 0;

	if (more == 0) {
		return e->error;
	}
	for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1) {
		if ((root + bit) * (root + bit) <= variance) {
			root += bit;
		}
	}
	return e->error + 8 * more + 4 * (root + 1);
}

size_t rl_sketch_top(rl_sketch_row *rows, size_t room)
{
	const rl_segment *s = &rl_shm;
	rl_subject_table table = hitter_table(s);
	size_t n = 0;
	uint64_t period;

	if (s->header == NULL || room == 0) {
		return 0;
	}
	period = half_life_of(sketch_now_us(s));
	for (rl_pair *entry = table.entries; entry < table.entries + table.n; entry++) {
		rl_hitter_text *text = hitter_text_of(&table, entry);
		uint64_t key = rl_load(&entry->a);
		estimate e = read_estimate(rl_load(&entry->b), period);
		rl_sketch_row row;

		if (key == 0 || e.count == 0 || (n == room && e.count <= rows[n - 1].refusals)
			|| !rl_subject_read(s, &text->text, key, &row.subject)) {
			continue;
		}
		row.refusals = e.count;
		row.error = estimate_error(&e);
		row.limit = (unsigned) (rl_load(&text->limit) & 0xff);
		row.last_us = rl_history_wall_us(s, (int64_t) (rl_load(&text->last_us) & INT64_MAX));
		n = rl_subject_insert(rows, n, room, &row, sizeof row, offsetof(rl_sketch_row, refusals));
	}
	return n;
}

/* ---- Sampling ---- */

/* Of a thread that refuses more than FAST calls a millisecond, fewer are noted; of one with less than half of that, more. */
#define FAST 4

/* The number of refusals beyond that rate that are noted each, before a fast thread leaves any out: those of a second. */
#define BURST (1000 * FAST)

/* The number of noted refusals of a fast thread, between two looks at the clock. */
#define LOOKS 32

/* Looks at the clock, and sets the gap. */
static RL_COLD void sampler_look(rl_sampler *sampler)
{
	uint32_t expected = sampler->gap * (sampler->gap == RL_SAMPLER_GAP_MAX ? LOOKS : 1);
	int64_t now_ms = rl_clock_coarse_ms(), took_ms = now_ms > sampler->now_ms ? now_ms - sampler->now_ms : 0;

	if (RL_UNLIKELY(sampler->now_ms == 0)) {
		sampler->random ^= (uint32_t) (now_ms * INT64_C(0x9e3779b1)) ^ (uint32_t) (uintptr_t) sampler;
		sampler->random |= sampler->random == 0;
	} else if (sampler->gap == 1) {
		sampler->burst = took_ms * FAST <= sampler->burst ? sampler->burst + 1 - (uint32_t) took_ms * FAST : 0;
		sampler->gap += sampler->burst > BURST;
	} else if (took_ms * FAST < expected) {
		sampler->gap *= sampler->gap < RL_SAMPLER_GAP_MAX ? 2 : 1;
	} else if (took_ms * FAST > 2 * (int64_t) expected) {
		sampler->burst = took_ms * FAST < sampler->burst ? sampler->burst - (uint32_t) took_ms * FAST : 0;
		sampler->gap /= 2;
	}
	sampler->now_ms = now_ms;
	sampler->now_us = rl_shm.header != NULL ? sketch_now_us(&rl_shm) : 0;
	sampler->half_life = half_life_of(sampler->now_us);
	sampler->weight_class = weight_class(sampler->gap);
	sampler->looks = sampler->gap == RL_SAMPLER_GAP_MAX ? LOOKS : 1;
}

/* Returns a number from 0 to n - 1 (xorshift). */
static inline uint32_t random_below(rl_sampler *sampler, uint32_t n)
{
	uint32_t x = sampler->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	sampler->random = x;
	return (uint32_t) ((uint64_t) x * n >> 32);
}

/* A thread that has no random number yet has looks of 0, and looks first. */
static inline uint32_t sampler_next(rl_sampler *sampler)
{
	uint32_t weight = sampler->gap;

	if (RL_UNLIKELY(sampler->looks <= 1)) {
		sampler_look(sampler);
	} else {
		sampler->looks--;
	}
	sampler->left = sampler->marked = 1 + random_below(sampler, 2 * sampler->gap - 1);
	return weight;
}

uint32_t rl_sampler_next(void)
{
	return sampler_next(&rl_sampler_self);
}

/* Adds to a caller that has an entry, in the half-life of its word. Returns false if it has none. */
static inline bool add_to_known(const rl_segment *s, uint64_t id, const rl_sampler *sampler, uint32_t weight)
{
	rl_subject_table table = hitter_table(s);
	rl_pair *entry = rl_subject_set(&table, id), *end = entry + RL_HITTERS_WAYS;
	rl_hitter_text *text;
	uint64_t word;

	while (rl_load(&entry->a) != id) {
		if (++entry == end) {
			return false;
		}
	}
	word = rl_load(&entry->b);
	text = hitter_text_of(&table, entry);
	if (RL_UNLIKELY((word >> PERIOD_AT & PERIOD_MASK) != sampler->half_life
			|| (word & WEIGHT_MASK) < sampler->weight_class || word >> COUNT_AT > COUNT_MAX - weight
			|| rl_load(&text->text.written) != id
			|| !rl_pair_cas(entry, id, word, id, word + ((uint64_t) weight << COUNT_AT)))) {
		return false;
	}
	__atomic_store_n(&text->last_us, (uint64_t) sampler->now_us, __ATOMIC_RELAXED);
	return true;
}

/* Adds to a caller that has no entry, or changes more of it than the count. */
static RL_COLD void add_to_unknown(uint64_t name_id, const char *name, size_t name_len, int64_t id, uint32_t weight)
{
	rl_key key = {.is_int = true, .name = name, .name_len = name_len, .int_id = id};

	rl_sketch_add(name_id, RL_KIND_ACTION, &key, 0, weight);
}

void rl_sampler_note(uint64_t name_id, const char *name, size_t name_len, int64_t id)
{
	rl_sampler *sampler = &rl_sampler_self;
	uint32_t weight = sampler_next(sampler);

	if (RL_UNLIKELY(!add_to_known(&rl_shm, rl_subject_int_key(name_id, id), sampler, weight))) {
		add_to_unknown(name_id, name, name_len, id, weight);
	}
}

void rl_sampler_after_fork(void)
{
	(void) rl_sampler_counted();
	rl_sampler_self.random ^= (uint32_t) rl_clock_true_us() | 1;
	rl_sampler_self.random |= rl_sampler_self.random == 0;
}
