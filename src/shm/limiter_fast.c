#include "limiter_fast.h"

#include "../core/concurrent.h"
#include "../core/several_limits.h"
#include "../core/single_limit.h"
#include "counter_fast.h"
#include "record_cache.h"
#include "store_internal.h"
#include "word_fast.h"

/* The result of one attempt. */
typedef enum {
	FAST_DECIDED,
	FAST_AGAIN, /* another worker was faster */
	FAST_LEFT,  /* to rl_shm_ask() */
} fast_result;

/* A call, with the moment. */
typedef struct {
	rl_place place;
	const rl_limit *limit;
	uint64_t cost;
	rl_now now;
	bool rough; /* now is the latest that it can be: good for a window that runs then, too */
} fast_call;

/* An identity's entry, and its published record. The record's words count only if the entry has the same reference later. */
typedef struct {
	rl_entry *entry;
	uint64_t fp, ref;
	const rl_record *record;
	size_t words;
} fast_entry;

/* Finds the identity. Returns false if it has no record of so many words. */
static inline bool fast_find(const rl_segment *s, rl_place p, size_t words, fast_entry *at)
{
	at->entry = &s->buckets[p.home].entries[rl_fp_first(p.fp)];
	at->fp = rl_load(&at->entry->pair.a);
	if (RL_UNLIKELY(!rl_fp_is(at->fp, p.fp))) {
		at->entry = rl_table_find(s, p);
		if (at->entry == NULL) {
			return false;
		}
		at->fp = rl_load(&at->entry->pair.a);
		if (!rl_fp_is(at->fp, p.fp)) {
			return false;
		}
	}
	at->ref = rl_load(&at->entry->pair.b);
	if (RL_UNLIKELY(!rl_fp_has_record(at->fp))) {
		return false;
	}
	at->record = rl_record_at(s, at->entry, at->ref, &at->words);
	return RL_LIKELY(at->record != NULL && at->words >= words);
}

/* Returns whether the entry still has the record that was read, as is_same() in limiter_store.c. */
static inline bool fast_is_same(const fast_entry *at)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return rl_load(&at->entry->pair.a) == at->fp && rl_load(&at->entry->pair.b) == at->ref;
}

/* Returns the fingerprint of an entry with this state. */
static inline uint64_t fast_fp(rl_place p, const uint64_t *state)
{
	return p.fp | (rl_state_is_exhausted(state[0]) ? RL_FP_EXHAUSTED : 0);
}

/* Publishes the next state, which is in the record. The swap of the reference finds out whether the words that were read are
 * one state. */
static fast_result fast_publish(const rl_segment *s, rl_place p, const fast_entry *at, rl_record *record)
{
	if (RL_LIKELY(rl_record_publish(s, at->entry, at->fp, at->ref, fast_fp(p, record->state), record))) {
		return FAST_DECIDED;
	}
	rl_record_put(s, record);
	return FAST_AGAIN;
}

/* Publishes a next state in a record with room for so many words. */
static fast_result fast_publish_new(const rl_segment *s, const fast_call *call, const fast_entry *at,
	const uint64_t *state, size_t words, size_t room)
{
	rl_record *record;

	/* An allocation may judge which other states are over. */
	if (call->rough || (record = rl_record_get(s, at->entry, room, call->now.mono_us)) == NULL) {
		return FAST_LEFT;
	}
	memcpy(record->state, state, words * sizeof *state);
	return fast_publish(s, call->place, at, record);
}

/* Publishes the record of rl_record_replace_begin(), with the next state. */
static inline fast_result fast_replace_end(const rl_segment *s, const fast_call *call, const fast_entry *at,
	const rl_record *record)
{
	return RL_LIKELY(rl_record_replace_end(s, at->entry, at->fp, at->ref, fast_fp(call->place, record->state), record))
		? FAST_DECIDED
		: FAST_AGAIN;
}

/* Publishes a next state of few words, in a record with the room of the present one or, where this thread has none, with other
 * room. */
static inline fast_result fast_replace(const rl_segment *s, const fast_call *call, const fast_entry *at,
	const uint64_t *state, size_t words, size_t room)
{
	rl_replace_result result = rl_record_replace(s, at->entry, at->fp, at->ref, at->words, fast_fp(call->place, state),
		state, words);

	if (RL_LIKELY(result == RL_REPLACED)) {
		return FAST_DECIDED;
	}
	return result == RL_REPLACE_RACED ? FAST_AGAIN : fast_publish_new(s, call, at, state, words, room);
}

static inline void fast_copy(uint64_t *to, const uint64_t *from, unsigned words)
{
	unsigned i;

	RL_UNROLL(8)
	for (i = 0; i < words; i++) {
		to[i] = rl_load(&from[i]);
	}
}

/* Decides a window or a bucket. */
RL_INLINE fast_result fast_few_words(const rl_segment *s, const fast_call *call, rl_algorithm algorithm, rl_decision *d)
{
	uint64_t state[RL_SINGLE_WORDS];
	rl_single_state next;
	fast_entry at;

	if (!fast_find(s, call->place, RL_SINGLE_WORDS, &at)) {
		return FAST_LEFT;
	}
	fast_copy(state, at.record->state, RL_SINGLE_WORDS);
	if (RL_UNLIKELY(!rl_single_decide(algorithm, call->limit, call->cost, &call->now, state, &next, d))) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	return fast_replace(s, call, &at, next.state, RL_SINGLE_WORDS, RL_SINGLE_WORDS);
}

static fast_result fast_fixed_window(const rl_segment *s, const fast_call *call, rl_decision *d)
{
	return fast_few_words(s, call, RL_FIXED_WINDOW, d);
}

static fast_result fast_calendar_window(const rl_segment *s, const fast_call *call, rl_decision *d)
{
	return fast_few_words(s, call, RL_CALENDAR_WINDOW, d);
}

static fast_result fast_token_bucket(const rl_segment *s, const fast_call *call, rl_decision *d)
{
	return fast_few_words(s, call, RL_TOKEN_BUCKET, d);
}

/* Writes the state's own words, in front of its limit state. */
static inline void fast_write_head(uint64_t *state, const rl_single_outcome *outcome)
{
	state[0] = outcome->head;
	state[1] = (uint64_t) outcome->expires_us;
}

/* Decides a sliding log: its moments go from record to record, without a copy in between. */
static fast_result fast_log(const rl_segment *s, const fast_call *call, rl_decision *d)
{
	uint64_t head[RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD];
	rl_single_log_state next;
	fast_entry at;
	rl_record *record;

	if (!fast_find(s, call->place, RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD, &at)) {
		return FAST_LEFT;
	}
	fast_copy(head, at.record->state, RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD);
	if (!rl_single_is_plain(head)
		|| !rl_single_log(call->limit, call->cost, &call->now, head + RL_SINGLE_HEAD,
			(const uint32_t *) (const void *) (at.record->state + RL_SINGLE_HEAD + RL_SINGLE_LOG_HEAD),
			at.words - RL_SINGLE_HEAD, &next, d)) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	record = rl_record_get(s, at.entry, RL_SINGLE_HEAD + next.words, call->now.mono_us);
	if (RL_UNLIKELY(record == NULL)) {
		return FAST_LEFT;
	}
	fast_write_head(record->state, &next.outcome);
	rl_single_write_log(&next, record->state + RL_SINGLE_HEAD);
	return fast_publish(s, call->place, &at, record);
}

static fast_result fast_sliding_window(const rl_segment *s, const fast_call *call, rl_decision *d)
{
	enum { WORDS = RL_SINGLE_HEAD + RL_SINGLE_SLIDING_WORDS };
	uint64_t state[WORDS], stack[WORDS], *next;
	rl_single_outcome outcome;
	rl_record *record;
	fast_entry at;

	if (!fast_find(s, call->place, WORDS, &at)) {
		return FAST_LEFT;
	}
	memcpy(state, at.record->state, sizeof state);
	/* The next state is written into the record that takes the place of the published one. */
	record = rl_record_replace_begin(s, at.entry, at.words);
	next = RL_LIKELY(record != NULL) ? record->state : stack;
	if (!rl_single_is_plain(state)
		|| !rl_single_sliding_window(call->limit, call->cost, &call->now, state + RL_SINGLE_HEAD, next + RL_SINGLE_HEAD,
			&outcome, d)) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	fast_write_head(next, &outcome);
	return RL_LIKELY(record != NULL) ? fast_replace_end(s, call, &at, record)
									 : fast_publish_new(s, call, &at, next, WORDS, WORDS);
}

static inline fast_result fast_by_algorithm(const rl_segment *s, const fast_call *call, rl_decision *d)
{
	switch (call->limit->algorithm) {
		case RL_FIXED_WINDOW:
			return fast_fixed_window(s, call, d);
		case RL_CALENDAR_WINDOW:
			return fast_calendar_window(s, call, d);
		case RL_TOKEN_BUCKET:
			return fast_token_bucket(s, call, d);
		case RL_SLIDING_LOG:
			return fast_log(s, call, d);
		case RL_SLIDING_WINDOW:
			return fast_sliding_window(s, call, d);
		default:
			return FAST_LEFT;
	}
}

/* Reads the moment exactly, on the segment's time. */
static void fast_read_clock(const rl_segment *s, fast_call *call, bool wall)
{
	call->now = rl_clock_read_for(wall);
	call->now.mono_us = rl_segment_us(s, call->now.mono_us);
	call->rough = false;
}

/* Reads the latest moment that now can be, by the coarse clock; not the wall clock. */
static inline void fast_read_latest(const rl_segment *s, fast_call *call)
{
	if (RL_LIKELY(!rl_clock_frozen.frozen)) {
		call->now = (rl_now){.mono_us = rl_counter_latest_ms(s) * RL_US_PER_MS};
		call->rough = true;
	} else {
		fast_read_clock(s, call, false);
	}
}

/* Reads the coarse clock, if that is enough: the state of a window that surely runs does not depend on the moment. */
static inline void fast_read_moment(const rl_segment *s, fast_call *call, bool verdict_only)
{
	if (verdict_only && call->limit->algorithm == RL_FIXED_WINDOW) {
		fast_read_latest(s, call);
	} else {
		fast_read_clock(s, call, call->limit->algorithm == RL_CALENDAR_WINDOW);
	}
}

#ifdef RL_HASH_HAS_AES
/* Returns the place in two registers; the two halves of a hash would go through memory. */
static RL_FIRST RL_TARGET_AES RL_NOINLINE rl_place fast_place_aes(const rl_segment *s, const rl_key *key)
{
	uint64_t high, low;

	rl_hash_aes(&s->header->hash_key, key, &high, &low);
	return rl_place_of(s, high, low, true);
}
#endif

static inline rl_place fast_place(const rl_segment *s, const rl_key *key)
{
#ifdef RL_HASH_HAS_AES
	if (RL_LIKELY(s->hash_kind == RL_HASH_AES)) {
		return fast_place_aes(s, key);
	}
#endif
	return rl_shm_place(s, key, true);
}

/* Counts a decision. */
static inline bool fast_count(rl_decision *d)
{
	d->source = RL_FROM_SHM;
	rl_worker_stat_add(rl_worker_self, d->accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return true;
}

/* Copies an even number of words, as records have. A memcpy() would become "rep movs", which takes 20 ns more. */
static inline void fast_copy_all(uint64_t *to, const uint64_t *from, size_t words)
{
	size_t i;

	for (i = 0; i < words; i += 2) {
		memcpy(&to[i], &from[i], 2 * sizeof *to);
	}
}

/* Decides several limits, of which one may be a log: its next state may need a record of another size. */
static fast_result fast_several_of_any_size(const rl_segment *s, const fast_call *call, unsigned n,
	const fast_entry *at, const uint64_t *state, rl_decision *d)
{
	uint64_t next[RL_SEVERAL_WORDS_MAX];
	size_t words;

	if (!rl_several_decide(call->limit, n, call->cost, &call->now, state, at->words, next, RL_SEVERAL_WORDS_MAX, &words,
			d)) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(at) ? FAST_DECIDED : FAST_AGAIN;
	}
	return fast_publish_new(s, call, at, next, words, words);
}

/* Decides several limits. The next state is written into the record that takes the place of the published one. */
static fast_result fast_several(const rl_segment *s, const fast_call *call, unsigned n, bool any_size, rl_decision *d)
{
	uint64_t state[RL_SEVERAL_WORDS_MAX];
	rl_record *record;
	fast_entry at;
	size_t words;

	if (!fast_find(s, call->place, RL_SINGLE_WORDS, &at) || at.words > RL_SEVERAL_WORDS_MAX) {
		return FAST_LEFT;
	}
	fast_copy_all(state, at.record->state, at.words);
	record = any_size ? NULL : rl_record_replace_begin(s, at.entry, at.words);
	if (RL_UNLIKELY(record == NULL)) {
		return fast_several_of_any_size(s, call, n, &at, state, d);
	}
	if (!rl_several_decide(call->limit, n, call->cost, &call->now, state, at.words, record->state, at.words, &words,
			d)) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	return fast_replace_end(s, call, &at, record);
}

/* Decides by a record. */
static RL_NOINLINE bool fast_by_record(const rl_key *key, const rl_limit *limit, uint64_t cost, bool verdict_only,
	rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	fast_call call = {.limit = limit, .cost = cost};
	fast_result result;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	fast_read_moment(s, &call, verdict_only); /* before the hash: see limiter_store.c */
	call.place = fast_place(s, key);
	while (RL_UNLIKELY((result = fast_by_algorithm(s, &call, d)) != FAST_DECIDED)) {
		if (result == FAST_LEFT && !call.rough) {
			return false;
		}
		fast_read_clock(s, &call, limit->algorithm == RL_CALENDAR_WINDOW);
	}
	return fast_count(d);
}

/* ---- Words ---- */

/* Reads the one clock that the limit needs. A calendar window in a word does not depend on the segment's time. */
RL_INLINE rl_now word_read_clock(const rl_segment *s, rl_algorithm algorithm)
{
	if (algorithm == RL_CALENDAR_WINDOW) {
		return (rl_now){.wall_us = rl_clock_wall_us()};
	}
	return (rl_now){.mono_us = rl_segment_us(s, rl_clock_mono_us())};
}

/* Decides by the word, if the identity has one. */
RL_INLINE bool word_decide(const rl_segment *s, const rl_key *key, rl_algorithm algorithm, const rl_limit *limit,
	uint64_t cost, rl_decision *d)
{
	rl_word_result result;

	do {
		rl_now now = word_read_clock(s, algorithm); /* before the hash */

		result = rl_word_decide(s, fast_place(s, key), algorithm, limit, cost, &now, d);
	} while (RL_UNLIKELY(result == RL_WORD_RACED));
	return RL_LIKELY(result == RL_WORD_DECIDED) && fast_count(d);
}

/* A function for each algorithm: one for all has more registers to save. */
static RL_FIRST RL_NOINLINE bool word_fixed(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, RL_FIXED_WINDOW, limit, cost, d) || fast_by_record(key, limit, cost, false, d);
}

static RL_FIRST RL_NOINLINE bool word_calendar(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, RL_CALENDAR_WINDOW, limit, cost, d) || fast_by_record(key, limit, cost, false, d);
}

static RL_FIRST RL_NOINLINE bool word_bucket(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	return word_decide(&rl_shm, key, RL_TOKEN_BUCKET, limit, cost, d) || fast_by_record(key, limit, cost, false, d);
}

RL_FIRST bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d)
{
	if (RL_UNLIKELY(rl_worker_self == NULL && rl_worker_register() == NULL)) {
		return false;
	}
	switch (limit->algorithm) {
		case RL_FIXED_WINDOW:
			return word_fixed(key, limit, cost, d);
		case RL_CALENDAR_WINDOW:
			return word_calendar(key, limit, cost, d);
		case RL_TOKEN_BUCKET:
			return word_bucket(key, limit, cost, d);
		default:
			return fast_by_record(key, limit, cost, false, d);
	}
}

/* ---- Verdicts ---- */

/* Decides where a word and the coarse clocks do not. */
static RL_NOINLINE rl_verdict verdict_slowly(const rl_key *key, const rl_limit *limit, uint64_t cost)
{
	rl_decision d;

	/* A fixed window's record serves the coarse clock, too. */
	if (!(limit->algorithm == RL_FIXED_WINDOW && rl_worker_self != NULL && fast_by_record(key, limit, cost, true, &d))
		&& !rl_limiter_fast(key, limit, cost, &d)) {
		return (rl_verdict){.kind = RL_VERDICT_NONE};
	}
	return (rl_verdict){.kind = d.accepted ? RL_VERDICT_ADMITTED : RL_VERDICT_REFUSED,
		.near = (int64_t) d.remaining * 10 < (int64_t) d.limit};
}

#ifdef RL_HASH_HAS_AES
RL_INLINE RL_TARGET_AES rl_verdict word_verdict(const rl_segment *s, const rl_key *key, rl_algorithm algorithm,
	const rl_limit *limit, uint64_t cost)
{
	rl_word_verdict_result v;
	rl_word_span span;
	rl_place p = fast_place_aes(s, key);

	__builtin_prefetch(&s->buckets[p.home], 0, 3); /* the bucket is on its way during the clock read */
	span.late_us = algorithm == RL_CALENDAR_WINDOW ? rl_clock_coarse_wall_us() + RL_WORD_SLACK_US
												   : rl_counter_latest_ms(s) * RL_US_PER_MS;
	span.early_us = span.late_us - RL_WORD_SLACK_US;
	do {
		v = rl_word_verdict(s, p, algorithm, limit, cost, span);
	} while (RL_UNLIKELY(v.result == RL_WORD_RACED));
	if (RL_UNLIKELY(v.result != RL_WORD_DECIDED)) {
		return verdict_slowly(key, limit, cost);
	}
	rl_worker_stat_add(rl_worker_self, v.accepted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	return (rl_verdict){.kind = v.accepted ? RL_VERDICT_ADMITTED : RL_VERDICT_REFUSED, .near = v.near};
}

/* A function for each algorithm: one for all has more registers to save. */
static RL_FIRST RL_TARGET_AES RL_NOINLINE rl_verdict verdict_calendar(const rl_key *key, const rl_limit *limit,
	uint64_t cost)
{
	return word_verdict(&rl_shm, key, RL_CALENDAR_WINDOW, limit, cost);
}

static RL_FIRST RL_TARGET_AES RL_NOINLINE rl_verdict verdict_bucket(const rl_key *key, const rl_limit *limit,
	uint64_t cost)
{
	return word_verdict(&rl_shm, key, RL_TOKEN_BUCKET, limit, cost);
}

static RL_FIRST RL_TARGET_AES RL_NOINLINE rl_verdict verdict_fixed(const rl_key *key, const rl_limit *limit,
	uint64_t cost)
{
	return word_verdict(&rl_shm, key, RL_FIXED_WINDOW, limit, cost);
}
#endif

RL_FIRST rl_verdict rl_limiter_verdict(const rl_key *key, const rl_limit *limit, uint64_t cost)
{
#ifdef RL_HASH_HAS_AES
	if (RL_LIKELY(rl_worker_self != NULL && rl_shm.hash_kind == RL_HASH_AES && !rl_clock_frozen.frozen
			&& cost <= limit->limit)) {
		switch (limit->algorithm) {
			case RL_FIXED_WINDOW:
				return verdict_fixed(key, limit, cost);
			case RL_TOKEN_BUCKET:
				return verdict_bucket(key, limit, cost);
			case RL_CALENDAR_WINDOW:
				return verdict_calendar(key, limit, cost);
			default:
				break;
		}
	}
#endif
	return verdict_slowly(key, limit, cost);
}

/* ---- Several limits ---- */

bool rl_limiter_fast_several(const rl_key *key, const rl_limit *limits, unsigned n, uint64_t cost, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	fast_call call = {.limit = limits, .cost = cost};
	fast_result result;
	bool wall = false, any_size = false;
	unsigned i;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	for (i = 0; i < n; i++) {
		wall = wall || limits[i].algorithm == RL_CALENDAR_WINDOW;
		any_size = any_size || limits[i].algorithm == RL_SLIDING_LOG;
	}
	fast_read_clock(s, &call, wall);
	call.place = fast_place(s, key);
	while (RL_UNLIKELY((result = fast_several(s, &call, n, any_size, d)) != FAST_DECIDED)) {
		if (result == FAST_LEFT) {
			return false;
		}
		fast_read_clock(s, &call, wall);
	}
	return fast_count(d);
}

/* ---- Places of a concurrent limit ---- */

/* A state keeps the size of its record up to so many words, and above while it uses a quarter of it. */
#define KEPT_WORDS 64

/* Publishes the next state, which may need a record of another size. */
static inline fast_result fast_replace_places(const rl_segment *s, const fast_call *call, const fast_entry *at,
	const rl_single_places *next)
{
	size_t words = next->words + next->words % 2;

	if (RL_LIKELY(words <= at->words && (at->words <= KEPT_WORDS || 4 * words >= at->words))) {
		return fast_replace(s, call, at, next->state, words, at->words);
	}
	return fast_publish_new(s, call, at, next->state, next->words, next->words);
}

/* Takes a place, or gives one back: d is NULL. */
static fast_result fast_place_of(const rl_segment *s, const fast_call *call, rl_single_place *place, rl_decision *d)
{
	uint64_t head[RL_SINGLE_PLACES_HEAD_WORDS];
	rl_single_places next;
	fast_entry at;
	const uint64_t *places;

	if (!fast_find(s, call->place, RL_SINGLE_PLACES_HEAD_WORDS, &at)) {
		return FAST_LEFT;
	}
	fast_copy(head, at.record->state, RL_SINGLE_PLACES_HEAD_WORDS);
	places = at.record->state + RL_SINGLE_PLACES_HEAD_WORDS;
	place->now_us = call->now.mono_us;
	place->rough = call->rough;
	if (RL_UNLIKELY(!(d != NULL ? rl_single_take_place(place, head, places, at.words, &next, d)
								: rl_single_free_place(place, head, places, at.words, &next)))) {
		return FAST_LEFT;
	}
	if (RL_UNLIKELY(d != NULL && !d->accepted)) {
		if (!fast_is_same(&at)) {
			return FAST_AGAIN;
		}
		return rl_shm_drop_dead_places(next.state, next.words) ? FAST_LEFT : FAST_DECIDED;
	}
	return fast_replace_places(s, call, &at, &next);
}

bool rl_limiter_fast_acquire(const rl_key *key, const rl_limit *limit, uint64_t cost, uint64_t number, rl_place *place,
	rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	fast_call call = {.limit = limit, .cost = cost};
	rl_single_place taken = {.limit = limit, .number = number, .owner = rl_owner_self(), .cost = cost};
	fast_result result;

	if (RL_UNLIKELY(taken.owner == 0)) {
		return false;
	}
	fast_read_clock(s, &call, false); /* before the hash: see limiter_store.c */
	call.place = *place = fast_place(s, key);
	while (RL_UNLIKELY((result = fast_place_of(s, &call, &taken, d)) == FAST_AGAIN)) {
		fast_read_clock(s, &call, false);
	}
	if (result == FAST_LEFT) {
		return false;
	}
	return fast_count(d);
}

/* The state of places that all surely run does not depend on the moment. */
bool rl_limiter_fast_release(const rl_key *key, rl_place *place, const rl_limit *limit, uint64_t number)
{
	const rl_segment *s = &rl_shm;
	fast_call call = {.limit = limit};
	rl_single_place freed = {.limit = limit, .number = number};
	fast_result result;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	if (RL_UNLIKELY(place->fp == 0)) {
		*place = fast_place(s, key);
	}
	call.place = *place;
	fast_read_latest(s, &call);
	while (RL_UNLIKELY((result = fast_place_of(s, &call, &freed, NULL)) != FAST_DECIDED)) {
		if (result == FAST_LEFT && !call.rough) {
			return false;
		}
		fast_read_clock(s, &call, false);
	}
	return true;
}

/* ---- Parts of a question about several keys ---- */

/* Publishes the next state of a part, whose marks make it longer or shorter. */
static inline fast_result fast_replace_part(const rl_segment *s, const fast_call *call, const fast_entry *at,
	uint64_t *next, size_t words)
{
	size_t even = words + words % 2;

	if (RL_LIKELY(even <= at->words && (at->words <= KEPT_WORDS || 4 * even >= at->words))) {
		next[words] = 0;
		return fast_replace(s, call, at, next, even, at->words);
	}
	return fast_publish_new(s, call, at, next, words, words);
}

static fast_result fast_part(const rl_segment *s, const fast_call *call, const rl_tagged_call *part, rl_decision *d)
{
	uint64_t state[RL_SEVERAL_WORDS_MAX], next[RL_SEVERAL_WORDS_MAX + 1];
	fast_entry at;
	size_t words;

	if (!fast_find(s, call->place, RL_SINGLE_WORDS, &at) || at.words > RL_SEVERAL_WORDS_MAX) {
		return FAST_LEFT;
	}
	memcpy(state, at.record->state, at.words * sizeof *state);
	if (!rl_tagged_decide(part, &call->now, state, at.words, next, RL_SEVERAL_WORDS_MAX, &words, d)) {
		return FAST_LEFT;
	}
	if (!d->accepted) {
		return fast_is_same(&at) ? FAST_DECIDED : FAST_AGAIN;
	}
	return fast_replace_part(s, call, &at, next, words);
}

bool rl_limiter_fast_part(const rl_key *key, const rl_tagged_call *part, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	fast_call call = {.limit = part->limits};
	fast_result result;
	bool wall = false;
	unsigned i;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	for (i = 0; i < part->n; i++) {
		wall = wall || part->limits[i].algorithm == RL_CALENDAR_WINDOW;
	}
	do {
		fast_read_clock(s, &call, wall); /* before the hash: see limiter_store.c */
		call.place = fast_place(s, key);
		result = fast_part(s, &call, part, d);
	} while (RL_UNLIKELY(result == FAST_AGAIN));
	d->source = RL_FROM_SHM;
	return result == FAST_DECIDED;
}
