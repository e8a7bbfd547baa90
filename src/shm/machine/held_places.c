#include "held_places.h"

#include <string.h>

#include "../../core/algorithm/state.h"
#include "../record/record_cache.h"
#include "../store/shm.h"
#include "../store/store_internal.h"

/* The name space of these records' keys, behind those of an application (store.h). */
#define SPACE_HELD ((rl_space) 3)

/* A record: the head and the end of a limiter's state, which the table reads before it evicts the record; its words; then
 * the places. Each has its words, space, kind and lengths in one word, its owner (worker.h; 0: abandoned), the store's id,
 * the number, the end, the int identity, and the bytes of name and identity. */
enum { HEAD = 0, END = RL_STATE_EXPIRES, BAN_END = RL_STATE_BAN_END, WORDS, PLACES };
enum { SHAPE = 0, OWNER = 1, STORE = 2, NUMBER = 4, PLACE_END = 5, INT_ID = 6, BYTES = 7 };

#define WORDS_MAX       1024
#define PLACE_WORDS_MAX (BYTES + (2 * RL_NAME_MAX + 7) / 8)

/* An empty list is kept so long: the next place then needs no new entry. */
#define EMPTY_US (60 * RL_US_PER_SECOND)

#define SEARCH_EVERY_US RL_US_PER_SECOND

_Static_assert(PLACES + PLACE_WORDS_MAX <= WORDS_MAX, "a list has room for any place");

typedef struct {
	size_t words; /* of the list; PLACES: it is empty */
	uint64_t list[WORDS_MAX];
} places;

/* ---- One place of a list ---- */

static uint64_t place_shape(const rl_key *key, size_t words)
{
	return (uint64_t) words | (uint64_t) key->space << 16 | (uint64_t) key->is_int << 24
		| (uint64_t) key->name_len << 32 | (uint64_t) (key->is_int ? 0 : key->id_len) << 48;
}

static size_t place_words(const uint64_t *place)
{
	return place[SHAPE] & 0xffff;
}

static size_t place_name_len(const uint64_t *place)
{
	return place[SHAPE] >> 32 & 0xffff;
}

static size_t place_id_len(const uint64_t *place)
{
	return place[SHAPE] >> 48;
}

static bool place_is_int(const uint64_t *place)
{
	return (place[SHAPE] >> 24 & 0xff) != 0;
}

static bool place_has_space(const uint64_t *place)
{
	uint64_t space = place[SHAPE] >> 16 & 0xff;

	return space <= RL_SPACE_LABEL && space != SPACE_HELD;
}

/* Returns whether a place of so many words at the most is whole, and one that put_place() could write. */
static bool place_is_valid(const uint64_t *place, size_t room)
{
	size_t name_len, id_len;

	if (room < BYTES || place_words(place) > room || place[NUMBER] < 1 || place[NUMBER] > RL_TAG_MASK) {
		return false;
	}
	name_len = place_name_len(place);
	id_len = place_id_len(place);
	return name_len >= 1 && name_len <= RL_NAME_MAX && id_len <= RL_NAME_MAX && place_is_int(place) == (id_len == 0)
		&& place_has_space(place) && place_words(place) == BYTES + (name_len + id_len + 7) / 8;
}

static bool place_is_in(const uint64_t *place, const uint64_t store_id[2])
{
	return place[STORE] == store_id[0] && place[STORE + 1] == store_id[1];
}

/* One permit has places of several keys: a place is known by its key, too. */
static bool place_is_same(const uint64_t *place, const uint64_t *other)
{
	return place[SHAPE] == other[SHAPE] && place_is_in(place, other + STORE) && place[NUMBER] == other[NUMBER]
		&& memcmp(place + INT_ID, other + INT_ID, (place_words(other) - INT_ID) * sizeof *other) == 0;
}

/* Writes a place without its owner and end. */
static void write_place(uint64_t *place, const rl_held_place *held)
{
	const rl_key *key = held->key;
	size_t id_len = key->is_int ? 0 : key->id_len, words = BYTES + (key->name_len + id_len + 7) / 8;

	place[words - 1] = 0;
	place[SHAPE] = place_shape(key, words);
	place[STORE] = held->store_id[0];
	place[STORE + 1] = held->store_id[1];
	place[NUMBER] = held->number;
	place[INT_ID] = key->is_int ? (uint64_t) key->int_id : 0;
	memcpy(place + BYTES, key->name, key->name_len);
	if (id_len > 0) {
		memcpy((char *) (place + BYTES) + key->name_len, key->id, id_len);
	}
}

/* Returns false if the list has no room. */
static bool put_place(places *p, const uint64_t *place, uint64_t owner, int64_t end_us)
{
	size_t words = place_words(place);
	uint64_t *to = p->list + p->words;

	if (words > WORDS_MAX - p->words) {
		return false;
	}
	memcpy(to, place, words * sizeof *place);
	to[OWNER] = owner;
	to[PLACE_END] = (uint64_t) end_us;
	p->words += words;
	return true;
}

static void copy_found(const uint64_t *place, uint64_t slot, rl_dead_place *found)
{
	size_t name_len = place_name_len(place), id_len = place_id_len(place);

	memcpy(found->bytes, place + BYTES, name_len + id_len);
	found->slot = slot;
	found->number = place[NUMBER];
	found->key = (rl_key){
		.space = (rl_space) (place[SHAPE] >> 16 & 0xff),
		.is_int = place_is_int(place),
		.name = found->bytes,
		.name_len = name_len,
		.int_id = (int64_t) place[INT_ID],
		.id = found->bytes + name_len,
		.id_len = id_len,
	};
}

/* ---- The list of a slot ---- */

static rl_position list_position(uint64_t slot)
{
	rl_key key = {.space = SPACE_HELD, .is_int = true, .name = "held", .name_len = 4, .int_id = (int64_t) slot};

	return rl_shm_position(&rl_shm, &key, true);
}

typedef struct {
	rl_entry *entry; /* NULL: the slot has none */
	uint64_t fp, ref;
} list_seen;

/* Copies the list of a slot. An entry without a valid list has an empty one. */
static void read_list(rl_position at, list_seen *seen, places *p)
{
	const rl_segment *s = &rl_shm;
	const rl_record *r;
	size_t words;

	for (;;) {
		p->words = PLACES;
		seen->entry = rl_table_find(s, at);
		if (seen->entry == NULL) {
			return;
		}
		seen->fp = rl_load(&seen->entry->pair.a);
		seen->ref = rl_load(&seen->entry->pair.b);
		if (!rl_fp_is(seen->fp, at.fp)) {
			continue;
		}
		r = rl_record_at(s, seen->entry, seen->ref, &words);
		if (r != NULL) {
			words = words < WORDS_MAX ? words : WORDS_MAX;
			memcpy(p->list, r->state, words * sizeof *p->list);
		}
		/* The copy is one list only if the entry still has the same reference. */
		if (rl_entry_has(seen->entry, seen->fp, seen->ref)) {
			if (r != NULL && words >= PLACES && p->list[WORDS] >= PLACES && p->list[WORDS] <= words) {
				p->words = p->list[WORDS];
			}
			return;
		}
	}
}

/* Drops the places that have ended, and the given one. Cuts the list before a place that is not valid. Returns whether the
 * given one was there, and puts its end into *end_us. */
static bool drop_places(places *p, int64_t now_us, const uint64_t *given, int64_t *end_us)
{
	size_t from, to = PLACES, words;
	bool any = false;

	for (from = PLACES; from < p->words && place_is_valid(p->list + from, p->words - from); from += words) {
		uint64_t *place = p->list + from;

		words = place_words(place);
		if (place_is_same(place, given)) {
			*end_us = (int64_t) place[PLACE_END];
			any = true;
		} else if ((int64_t) place[PLACE_END] > now_us) {
			memmove(p->list + to, place, words * sizeof *place);
			to += words;
		}
	}
	p->words = to;
	return any;
}

/* Puts the head before the places: a list with places is worth more than an untouched state when room is short. */
static void finish_list(places *p, int64_t now_us)
{
	int64_t end_us = now_us + EMPTY_US;
	size_t at;

	for (at = PLACES; at < p->words; at += place_words(p->list + at)) {
		end_us = (int64_t) p->list[at + PLACE_END] > end_us ? (int64_t) p->list[at + PLACE_END] : end_us;
	}
	p->list[HEAD] = p->words > PLACES ? RL_STATE_EXHAUSTED : 0;
	p->list[END] = (uint64_t) end_us;
	p->list[BAN_END] = 0;
	p->list[WORDS] = p->words;
}

/* Publishes the list. Returns false if another worker was faster, or if the slot had no entry yet. */
static bool publish_list(rl_position at, const list_seen *seen, const places *p, int64_t now_us, bool *has_room)
{
	const rl_segment *s = &rl_shm;
	rl_record *record;

	if (seen->entry == NULL) {
		(void) rl_table_claim(s, at, now_us);
		return false;
	}
	record = rl_record_get(s, seen->entry, p->words, now_us);
	*has_room = record != NULL;
	if (record == NULL) {
		return false;
	}
	memcpy(record->state, p->list, p->words * sizeof *p->list);
	if (rl_record_publish(s, seen->entry, seen->fp, seen->ref, at.fp, record)) {
		return true;
	}
	rl_record_put(s, record);
	return false;
}

typedef enum {
	NOTE,
	FORGET,
	ABANDON,
} change;

static void change_list(uint64_t slot, change what, const rl_held_place *held, uint64_t owner)
{
	rl_position at = list_position(slot);
	bool has_room = true, fits = true, done = false;
	uint64_t place[PLACE_WORDS_MAX];
	list_seen seen;
	places p;

	write_place(place, held);
	while (has_room && !done) {
		int64_t now_us = rl_shm_now_us(), end_us = now_us + held->for_us, was_us = 0;
		bool had;

		read_list(at, &seen, &p);
		had = drop_places(&p, now_us, place, &was_us);
		if (what != NOTE && !had) {
			return;
		}
		if (what != FORGET) {
			fits = put_place(&p, place, what == NOTE ? owner : 0, what == NOTE ? end_us : was_us);
		}
		finish_list(&p, now_us);
		done = publish_list(at, &seen, &p, now_us, &has_room);
	}
	if (what == NOTE && !(fits && has_room)) {
		rl_stat_add(RL_STAT_UNNOTED);
	}
}

/* ---- This thread's places ---- */

static void change_own(change what, const rl_held_place *held)
{
	uint64_t owner = rl_shm.header != NULL ? rl_owner_self() : 0;

	if (owner != 0) {
		change_list(rl_owner_slot(owner), what, held, owner);
	}
}

void rl_held_place_note(const rl_held_place *held)
{
	if (rl_shm.header != NULL) {
		__atomic_store_n(&rl_shm.header->held_places, 1, __ATOMIC_RELAXED);
	}
	change_own(NOTE, held);
}

void rl_held_place_forget(const rl_held_place *held)
{
	change_own(FORGET, held);
}

void rl_held_place_abandon(const rl_held_place *held)
{
	change_own(ABANDON, held);
}

/* ---- Places of workers that are gone ---- */

/* Of this thread: the moment from which on a search may be due. */
static RL_THREAD_LOCAL int64_t next_search_us;

/* The last search in a store has one word of the header: its millisecond, and 8 bits of the store's id. Stores that share
 * a word search more often, each thread once a second at the most. */
#define STORE_TAG_BITS 8
#define STORE_TAG_MASK ((UINT64_C(1) << STORE_TAG_BITS) - 1)

bool rl_dead_places_are_due(const uint64_t store_id[2])
{
	rl_header *h = rl_shm.header;
	uint64_t *last, word, tag, now_ms;
	int64_t now_us, passed_ms;

	if (RL_LIKELY(h == NULL || rl_load(&h->held_places) == 0) || (now_us = rl_shm_now_us()) < next_search_us
		|| rl_worker_register() == NULL) {
		return false;
	}
	last = &h->places_searched[store_id[0] % RL_SEARCHES];
	tag = store_id[0] / RL_SEARCHES & STORE_TAG_MASK;
	word = rl_load(last);
	now_ms = (uint64_t) (now_us / RL_US_PER_MS);
	passed_ms = (int64_t) (now_ms - (word >> STORE_TAG_BITS)); /* of a damaged word: any number */
	if ((word & STORE_TAG_MASK) == tag && passed_ms >= 0 && passed_ms < SEARCH_EVERY_US / RL_US_PER_MS) {
		next_search_us = now_us + SEARCH_EVERY_US - passed_ms * RL_US_PER_MS;
		return false;
	}
	next_search_us = now_us + SEARCH_EVERY_US;
	return __atomic_compare_exchange_n(last, &word, now_ms << STORE_TAG_BITS | tag, false, __ATOMIC_SEQ_CST,
		__ATOMIC_SEQ_CST);
}

void rl_dead_places_again(void)
{
	rl_header *h = rl_shm.header;

	next_search_us = 0;
	for (unsigned i = 0; h != NULL && i < RL_SEARCHES; i++) {
		__atomic_store_n(&h->places_searched[i], 0, __ATOMIC_RELAXED);
	}
}

/* Finds a place of the list whose owner is gone. *alive: the last owner that is not, whom the kernel is asked about once. */
static const uint64_t *find_dead(const places *p, const uint64_t store_id[2], int64_t now_us, uint64_t *alive)
{
	size_t at;

	for (at = PLACES; at < p->words && place_is_valid(p->list + at, p->words - at); at += place_words(p->list + at)) {
		const uint64_t *place = p->list + at;

		if (!place_is_in(place, store_id) || (int64_t) place[PLACE_END] <= now_us || place[OWNER] == *alive) {
			continue;
		}
		if (rl_owner_is_gone(place[OWNER])) {
			return place;
		}
		*alive = place[OWNER];
	}
	return NULL;
}

bool rl_dead_place_find(const uint64_t store_id[2], rl_dead_place *found)
{
	uint64_t slot, used, alive = rl_owner_self();
	list_seen seen;
	places p;

	if (alive == 0) {
		return false;
	}
	used = rl_workers_used(&rl_shm);
	for (slot = found->slot; slot < used; slot++) {
		const uint64_t *place;

		read_list(list_position(slot), &seen, &p);
		place = find_dead(&p, store_id, rl_shm_now_us(), &alive);
		if (place != NULL) {
			copy_found(place, slot, found);
			return true;
		}
	}
	return false;
}

void rl_dead_place_forget(const uint64_t store_id[2], const rl_dead_place *found)
{
	rl_held_place held = {.key = &found->key, .store_id = {store_id[0], store_id[1]}, .number = found->number};

	change_list(found->slot, FORGET, &held, 0);
}
