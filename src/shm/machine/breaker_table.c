/* A place belongs to the server whose id it has, if the state's tag is that of the id. A worker that takes a place over
 * first swaps the state, and with it the tag, and then the id. So a swap of the former owner fails from the first step
 * on. A worker that stops between the steps leaves a place that belongs to no server, and the next one takes it. */
#include "breaker_table.h"

#include <string.h>

#include "../segment/clock.h"
#include "../segment/segment.h"

struct rl_breaker {
	_Alignas(64) rl_pair state; /* a: the word; b: since when, and the tag */
	uint64_t id;                /* of the server; 0: the place is free */
	uint64_t asked_us;          /* the moment of the last request to the server, to the second */
	uint64_t failures;
	uint64_t results;     /* of the last 64 requests, the newest lowest; 1: it failed */
	uint64_t answered_us; /* the moment of the latest answer; 0: there was none */
	uint64_t latency_ns;  /* a moving average */
	uint64_t labelled;    /* the id whose label is complete */
	char label[RL_BREAKER_LABEL_MAX];
	char reason[RL_BREAKER_REASON_MAX];
	uint64_t latencies[RL_LATENCY_BOUNDS + 1];
	uint64_t latency_sum_ns;
};

_Static_assert(sizeof(rl_breaker) == RL_BREAKER_BYTES, "a place has seven cache lines");

const int64_t rl_latency_bounds_us[RL_LATENCY_BOUNDS] = {100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000,
	250000, 1000000};

/* The number of this process's own places, for lack of a segment, or of a place in it. */
#define LOCAL_BREAKERS 16
/* A search for a server covers so many places, from the one that its id names. */
#define REACH 16
/* How often a claim tries again after another worker was faster. */
#define CLAIM_TRIES 8

/* The age of the last request after which another server may take the place over: longer than any question takes. A
 * breaker that is not closed has passed its next try by then, because the longest retry delay is an hour. */
#define IDLE_CLOSED_US (300 * RL_US_PER_SECOND)
#define IDLE_OPEN_US   (3 * INT64_C(3600) * RL_US_PER_SECOND)

/* The bound of an average; no question takes so long. */
#define LATENCY_MAX_NS (INT64_C(3600) * RL_US_PER_SECOND * 1000)

/* A count with other bits is damaged; the sum of all buckets does not overflow. */
#define LATENCIES_MASK ((UINT64_C(1) << 48) - 1)

/* Bits of the tag, in the low end of the state's second word; 50 bits of microseconds are 35 years. */
#define TAG_BITS 14
#define TAG_MASK ((UINT64_C(1) << TAG_BITS) - 1)

typedef struct {
	rl_breaker *places;
	uint64_t n;
} breaker_set;

static rl_breaker local[LOCAL_BREAKERS];

static uint64_t id_tag(uint64_t id)
{
	return id >> (64 - TAG_BITS);
}

/* Hashes with a key, as all hashes in the segment are: a file of it may leave the machine. */
static uint64_t breaker_id(const char *text, size_t len)
{
	static const rl_hash_key no_key;
	rl_key key = {.name = text, .name_len = len, .id = ""};
	uint64_t high, low;

	rl_hash_sip(rl_shm.header != NULL ? &rl_shm.header->hash_key : &no_key, &key, &high, &low);
	return low != 0 ? low : 1;
}

static void set_label(rl_breaker_name *name, const char *label)
{
	size_t n = strnlen(label, sizeof name->label - 1);

	memcpy(name->label, label, n);
	name->label[n] = '\0';
}

rl_breaker_name rl_breaker_name_of(const char *id, size_t id_len, const char *label)
{
	rl_breaker_name name;

	name.id = breaker_id(id, id_len);
	set_label(&name, label);
	return name;
}

rl_breaker_name rl_breaker_name_of_node(const rl_breaker_name *whole, const char *label)
{
	rl_breaker_name name;

	/* Any two labels of one cluster differ, and so do the ids of any two DSNs. */
	name.id = breaker_id(label, strlen(label)) ^ whole->id;
	name.id = name.id != 0 ? name.id : 1;
	set_label(&name, label);
	return name;
}

/* ---- Texts that another worker may be writing or reading ---- */

/* Writes without a lock, so a reader may see a torn text. Each byte is one that some worker wrote, and the last is
 * always 0. */
static void write_text(char *text, size_t size, const char *from)
{
	bool ended = false;

	for (size_t i = 0; i < size; i++) {
		ended |= from[ended ? 0 : i] == '\0' || i == size - 1;
		__atomic_store_n(&text[i], ended ? '\0' : from[i], __ATOMIC_RELAXED);
	}
}

/* Texts go to messages and logs: no control character of a damaged segment comes through. */
static void read_text(const char *text, size_t size, char *out)
{
	for (size_t i = 0; i < size; i++) {
		char c = __atomic_load_n(&text[i], __ATOMIC_RELAXED);

		out[i] = c == '\0' || ((unsigned char) c >= ' ' && c != 0x7f) ? c : '?';
	}
	out[size - 1] = '\0';
}

/* ---- The state ---- */

static rl_breaker_words words_of(const rl_breaker *breaker)
{
	rl_breaker_words w;
	uint64_t b, again;

	do {
		w.word = rl_load(&breaker->state.a);
		b = rl_load(&breaker->state.b);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		again = rl_load(&breaker->state.a);
	} while (w.word != again);
	w.since_us = (int64_t) (b >> TAG_BITS);
	w.tag = b & TAG_MASK;
	return w;
}

static uint64_t second_word(int64_t since_us, uint64_t tag)
{
	return (uint64_t) since_us << TAG_BITS | tag;
}

/* The id is read after the state: a taker changes the state first. */
bool rl_breaker_load(const rl_breaker *breaker, uint64_t id, rl_breaker_words *w)
{
	*w = words_of(breaker);
	return rl_load(&breaker->id) == id && w->tag == id_tag(id);
}

static bool belongs_to(const rl_breaker *breaker, uint64_t id)
{
	rl_breaker_words w;

	return rl_breaker_load(breaker, id, &w);
}

static bool same_words(const rl_breaker_words *w, const rl_breaker *breaker)
{
	rl_breaker_words now = words_of(breaker);

	return now.word == w->word && now.since_us == w->since_us && now.tag == w->tag;
}

bool rl_breaker_cas(rl_breaker *breaker, const rl_breaker_words *w, uint64_t word, int64_t since_us)
{
	return rl_pair_cas(&breaker->state, w->word, second_word(w->since_us, w->tag), word, second_word(since_us, w->tag));
}

/* ---- Places ---- */

static rl_breaker *place_at(const breaker_set *set, uint64_t id, uint64_t i)
{
	return &set->places[(id + i) % set->n];
}

static uint64_t reach(const breaker_set *set)
{
	return set->n < REACH ? set->n : REACH;
}

static rl_breaker *find_in(const breaker_set *set, uint64_t id)
{
	for (uint64_t i = 0; i < reach(set); i++) {
		rl_breaker *breaker = place_at(set, id, i);

		if (rl_load(&breaker->id) == id && belongs_to(breaker, id)) {
			return breaker;
		}
	}
	return NULL;
}

/* Returns the rank of a place for a takeover: 0 forbids it, else the longer its server got no request the higher. */
static uint64_t idle_us(const rl_breaker *breaker, const rl_breaker_words *w, int64_t now_us)
{
	int64_t asked_us = (int64_t) __atomic_load_n(&breaker->asked_us, __ATOMIC_RELAXED);
	/* Another worker may have written a moment after now_us was read. One further ahead comes from a clock that has begun
	 * anew, and a negative one from damage. */
	int64_t idle = asked_us < 0 || asked_us - RL_US_PER_SECOND > now_us ? INT64_MAX
		: asked_us > now_us                                             ? 0
																		: now_us - asked_us;

	if (w->word == 0) {
		return idle >= IDLE_CLOSED_US ? (uint64_t) idle + INT64_MAX : 0; /* before any that is not closed */
	}
	return idle >= IDLE_OPEN_US ? (uint64_t) idle : 0;
}

/* Returns the place to take, as it was seen; NULL if all places in reach are in use. Sets *raced and returns NULL if
 * another worker has taken a place meanwhile, perhaps for the same server. */
static rl_breaker *choose_in(const breaker_set *set, uint64_t id, int64_t now_us, rl_breaker_words *w, uint64_t *owner,
	bool *raced)
{
	rl_breaker *best = NULL;
	uint64_t most = 0;

	*raced = false;

	for (uint64_t i = 0; i < reach(set); i++) {
		rl_breaker *breaker = place_at(set, id, i);
		rl_breaker_words seen = words_of(breaker);
		uint64_t seen_owner = rl_load(&breaker->id);
		bool is_free = seen_owner == 0 || id_tag(seen_owner) != seen.tag;
		uint64_t idle = is_free ? UINT64_MAX : idle_us(breaker, &seen, now_us);

		if (idle == 0 && (seen_owner == id || !same_words(&seen, breaker))) {
			*raced = true;
			return NULL;
		}
		if (idle > most) {
			most = idle;
			best = breaker;
			*w = seen;
			*owner = seen_owner;
		}
		if (is_free) {
			break;
		}
	}
	return best;
}

/* Any worker that finds a label incomplete writes it: all write the same. */
static void complete_label(rl_breaker *breaker, const rl_breaker_name *name)
{
	if (RL_UNLIKELY(rl_load(&breaker->labelled) != name->id)) {
		write_text(breaker->label, sizeof breaker->label, name->label);
		__atomic_store_n(&breaker->labelled, name->id, __ATOMIC_RELEASE);
	}
}

/* Returns false if another worker was faster. */
static bool take_over(rl_breaker *breaker, const rl_breaker_words *w, uint64_t owner, const rl_breaker_name *name,
	int64_t now_us)
{
	/* The moment is later than the old one: a state of the former owner never comes back. */
	int64_t since_us = now_us > w->since_us ? now_us : w->since_us + 1;

	if (!rl_pair_cas(&breaker->state, w->word, second_word(w->since_us, w->tag), 0,
			second_word(since_us, id_tag(name->id)))) {
		return false;
	}
	/* After the swap: a place that is no longer idle but still another server's sends the next worker to a second one. */
	__atomic_store_n(&breaker->asked_us, (uint64_t) now_us, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&breaker->id, &owner, name->id, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
		&& owner != name->id) {
		return false;
	}
	__atomic_store_n(&breaker->failures, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&breaker->answered_us, 0, __ATOMIC_RELAXED);
	rl_breaker_forget_results(breaker);
	__atomic_store_n(&breaker->latency_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&breaker->latency_sum_ns, 0, __ATOMIC_RELAXED);
	for (unsigned i = 0; i <= RL_LATENCY_BOUNDS; i++) {
		__atomic_store_n(&breaker->latencies[i], 0, __ATOMIC_RELAXED);
	}
	write_text(breaker->reason, sizeof breaker->reason, "");
	return belongs_to(breaker, name->id);
}

static rl_breaker *claim_in(const breaker_set *set, const rl_breaker_name *name, int64_t now_us)
{
	for (unsigned i = 0; i < CLAIM_TRIES; i++) {
		rl_breaker_words w;
		uint64_t owner;
		bool raced;
		rl_breaker *breaker = choose_in(set, name->id, now_us, &w, &owner, &raced);
		bool is_done = breaker != NULL ? take_over(breaker, &w, owner, name, now_us) : !raced;
		rl_breaker *found = find_in(set, name->id); /* of two places for one server, all workers use the same */

		if (found != NULL || is_done) {
			return found;
		}
	}
	return NULL;
}

rl_breaker *rl_breaker_place(const rl_breaker_name *name, int64_t now_us)
{
	breaker_set shared = {rl_shm.breakers, rl_shm.header != NULL ? rl_shm.n_breakers : 0};
	breaker_set own = {local, LOCAL_BREAKERS};
	rl_breaker *breaker;
	int64_t asked_us;

	if ((breaker = find_in(&shared, name->id)) == NULL && (breaker = find_in(&own, name->id)) == NULL
		&& (breaker = claim_in(&shared, name, now_us)) == NULL && (breaker = claim_in(&own, name, now_us)) == NULL) {
		return NULL;
	}
	asked_us = (int64_t) __atomic_load_n(&breaker->asked_us, __ATOMIC_RELAXED);
	if (asked_us < 0 || asked_us > now_us || now_us - asked_us >= RL_US_PER_SECOND) {
		__atomic_store_n(&breaker->asked_us, (uint64_t) now_us, __ATOMIC_RELAXED);
	}
	complete_label(breaker, name);
	return breaker;
}

/* ---- What is kept beside the state ---- */

/* A result that another worker's overwrites is one of 64. */
static uint64_t add_result(rl_breaker *breaker, uint64_t failed)
{
	uint64_t results = __atomic_load_n(&breaker->results, __ATOMIC_RELAXED) << 1 | failed;

	__atomic_store_n(&breaker->results, results, __ATOMIC_RELAXED);
	return results;
}

rl_breaker_results rl_breaker_add_failure(rl_breaker *breaker)
{
	rl_breaker_results r;

	__atomic_fetch_add(&breaker->failures, 1, __ATOMIC_RELAXED);
	r.answered_us = (int64_t) __atomic_load_n(&breaker->answered_us, __ATOMIC_RELAXED);
	r.failed = add_result(breaker, 1);
	return r;
}

void rl_breaker_forget_results(rl_breaker *breaker)
{
	__atomic_store_n(&breaker->results, 0, __ATOMIC_RELAXED);
}

/* A lost update of an average costs nothing. An average of more than an hour is damaged. */
void rl_breaker_add_answer(rl_breaker *breaker, int64_t now_us, int64_t took_ns)
{
	int64_t average = (int64_t) rl_load(&breaker->latency_ns);
	unsigned bucket = 0;

	__atomic_store_n(&breaker->answered_us, (uint64_t) now_us, __ATOMIC_RELAXED);
	if (RL_UNLIKELY(__atomic_load_n(&breaker->results, __ATOMIC_RELAXED) != 0)) {
		add_result(breaker, 0);
	}
	average = average <= 0 || average > LATENCY_MAX_NS ? took_ns : average + (took_ns - average) / 16;
	__atomic_store_n(&breaker->latency_ns, (uint64_t) average, __ATOMIC_RELAXED);
	while (bucket < RL_LATENCY_BOUNDS && took_ns > rl_latency_bounds_us[bucket] * 1000) {
		bucket++;
	}
	__atomic_fetch_add(&breaker->latencies[bucket], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&breaker->latency_sum_ns, took_ns > 0 ? (uint64_t) took_ns : 0, __ATOMIC_RELAXED);
}

void rl_breaker_set_reason(rl_breaker *breaker, const char *reason)
{
	write_text(breaker->reason, sizeof breaker->reason, reason);
}

void rl_breaker_get_reason(const rl_breaker *breaker, char out[RL_BREAKER_REASON_MAX])
{
	read_text(breaker->reason, RL_BREAKER_REASON_MAX, out);
}

void rl_breaker_read(const rl_breaker *breaker, rl_breaker_facts *out)
{
	read_text(breaker->label, sizeof out->label, out->label);
	out->words = words_of(breaker);
	out->failures = __atomic_load_n(&breaker->failures, __ATOMIC_RELAXED) & INT64_MAX;
	out->latency_ns = (int64_t) (rl_load(&breaker->latency_ns) & INT64_MAX);
	out->latency_sum_ns = rl_load(&breaker->latency_sum_ns);
	for (unsigned i = 0; i <= RL_LATENCY_BOUNDS; i++) {
		out->latencies[i] = rl_load(&breaker->latencies[i]) & LATENCIES_MASK;
	}
}

static void each_in(const breaker_set *set, void (*see)(void *context, const rl_breaker *breaker), void *context)
{
	for (uint64_t i = 0; i < set->n; i++) {
		uint64_t id = rl_load(&set->places[i].id);

		if (id != 0 && rl_load(&set->places[i].labelled) == id && belongs_to(&set->places[i], id)) {
			see(context, &set->places[i]);
		}
	}
}

void rl_breakers_each(void (*see)(void *context, const rl_breaker *breaker), void *context)
{
	breaker_set shared = {rl_shm.breakers, rl_shm.header != NULL ? rl_shm.n_breakers : 0};
	breaker_set own = {local, LOCAL_BREAKERS};

	each_in(&shared, see, context);
	each_in(&own, see, context);
}
