#include "ban_list.h"

#include <string.h>

#include "../segment/clock.h"
#include "../segment/monitor_entries.h"
#include "subject_text.h"

#define LEVEL_BITS 16
#define LEVEL_MASK ((UINT64_C(1) << LEVEL_BITS) - 1)
#define NETWORK    LEVEL_MASK /* in the place of the level */
#define END_MAX_MS (INT64_C(1) << 47)

/* Two readings of one end differ by less: Redis' clock, its milliseconds, and the way there. */
#define SAME_END_MS 2000

/* Swaps that other workers win, before a ban is left out. */
#define TRIES 16

static rl_ban_entry *ban_entries(const rl_segment *s)
{
	return (rl_ban_entry *) (void *) (s->monitor + s->layout.bans_at);
}

static rl_subject_text *ban_text_of(const rl_segment *s, const rl_ban_entry *entry)
{
	return (rl_subject_text *) (void *) (s->monitor + s->layout.ban_texts_at) + (entry - ban_entries(s));
}

static rl_ban_entry *ban_set_of(const rl_segment *s, uint64_t key)
{
	return ban_entries(s) + (key >> 32 & (s->layout.n_bans / RL_HITTERS_WAYS - 1)) * RL_HITTERS_WAYS;
}

static int64_t ban_now_ms(const rl_segment *s)
{
	return rl_segment_us(s, rl_clock_read_for(false).mono_us) / RL_US_PER_MS;
}

static int64_t ban_end_of(uint64_t word)
{
	return (int64_t) (word >> LEVEL_BITS);
}

/* Returns whether a word is that of a network's ban that runs. */
static bool is_network(uint64_t word, int64_t now_ms)
{
	return (word & LEVEL_MASK) == NETWORK && ban_end_of(word) > now_ms;
}

/* Chooses the caller's entry; else a free one, one that has ended, or the one that ends first and is no network's. NULL: all are
 * networks'. */
static rl_ban_entry *choose_ban(rl_ban_entry *set, uint64_t key, int64_t now_ms, uint64_t *found, uint64_t *word)
{
	rl_ban_entry *best = NULL;
	int64_t first = INT64_MAX;

	for (unsigned i = 0; i < RL_HITTERS_WAYS; i++) {
		uint64_t a = rl_load(&set[i].pair.a), b = rl_load(&set[i].pair.b);
		int64_t end = a == 0 ? -1 : ban_end_of(b);

		if (a == key || (end < first && !is_network(b, now_ms))) {
			best = &set[i];
			first = end;
			*found = a;
			*word = b;
		}
		if (a == key) {
			break;
		}
	}
	return best;
}

static int64_t end_after_ms(int64_t now_ms, int64_t left_us)
{
	int64_t end_ms = now_ms + (left_us + RL_US_PER_MS - 1) / RL_US_PER_MS;

	return end_ms < 0 ? 0 : end_ms < END_MAX_MS ? end_ms : END_MAX_MS;
}

bool rl_ban_list_put(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t left_us, unsigned level)
{
	const rl_segment *s = &rl_shm;
	uint64_t id, found = 0, word = 0, next;
	int64_t now_ms, end_ms;

	if (s->header == NULL || left_us <= 0) {
		return true;
	}
	id = rl_subject_key(s, name_id, key);
	now_ms = ban_now_ms(s);
	end_ms = end_after_ms(now_ms, left_us);
	next = (uint64_t) end_ms << LEVEL_BITS | (level < NETWORK ? level : NETWORK - 1);
	for (unsigned tries = 0; tries < TRIES; tries++) {
		rl_ban_entry *entry = choose_ban(ban_set_of(s, id), id, now_ms, &found, &word);
		int64_t moved_ms = end_ms - ban_end_of(word);

		if (entry == NULL || (found == id && is_network(word, now_ms))) {
			return true; /* the network's ban is listed, and refuses */
		}
		if (found == id && moved_ms < SAME_END_MS && moved_ms > -SAME_END_MS) {
			return false;
		}
		if (rl_pair_cas(&entry->pair, found, word, id, next)) {
			rl_subject_complete(s, ban_text_of(s, entry), id, kind, key);
			return true;
		}
	}
	return true;
}

/* ---- Networks ---- */

/* Makes decisions look for networks of this length until an end at least. This comes before the entry: a worker that is killed
 * between them leaves nothing but looks that find nothing. */
static void look_for_networks(rl_header *header, unsigned length, uint64_t end_ms)
{
	uint64_t noted = rl_load(&header->networks_end_ms);

	__atomic_fetch_or(&header->network_lengths[length / 64 % RL_NETWORK_WORDS], UINT64_C(1) << length % 64,
		__ATOMIC_RELAXED);
	while (noted < end_ms
		&& !__atomic_compare_exchange_n(&header->networks_end_ms, &noted, end_ms, false, __ATOMIC_RELEASE,
			__ATOMIC_RELAXED)) {
	}
}

bool rl_ban_list_put_network(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t left_us, unsigned length)
{
	const rl_segment *s = &rl_shm;
	uint64_t id, found = 0, word = 0;
	int64_t now_ms, end_ms;
	rl_ban_entry *entry;

	if (s->header == NULL) {
		return false;
	}
	id = rl_subject_key(s, name_id, key);
	now_ms = ban_now_ms(s);
	end_ms = end_after_ms(now_ms, left_us);
	look_for_networks(s->header, length, (uint64_t) end_ms);
	for (unsigned tries = 0; tries < TRIES; tries++) {
		entry = choose_ban(ban_set_of(s, id), id, now_ms, &found, &word);
		if (entry == NULL) {
			return false;
		}
		if (rl_pair_cas(&entry->pair, found, word, id, (uint64_t) end_ms << LEVEL_BITS | NETWORK)) {
			rl_subject_complete(s, ban_text_of(s, entry), id, kind, key);
			return true;
		}
	}
	return false;
}

int64_t rl_ban_list_network_left_us(uint64_t name_id, const rl_key *key)
{
	const rl_segment *s = &rl_shm;
	const rl_ban_entry *set;
	uint64_t id, word;
	int64_t now_ms;

	if (s->header == NULL) {
		return 0;
	}
	id = rl_subject_key(s, name_id, key);
	set = ban_set_of(s, id);
	now_ms = ban_now_ms(s);
	for (unsigned i = 0; i < RL_HITTERS_WAYS; i++) {
		word = rl_load(&set[i].pair.b);
		if (rl_load(&set[i].pair.a) == id && is_network(word, now_ms)) {
			return (ban_end_of(word) - now_ms) * RL_US_PER_MS;
		}
	}
	return 0;
}

bool rl_ban_list_has_networks(void)
{
	return rl_shm.header != NULL && rl_load(&rl_shm.header->networks_end_ms) != 0;
}

/* The end only moves while a ban runs, so that the swap fails if another worker has just put one. */
bool rl_ban_list_network_lengths(uint64_t lengths[RL_NETWORK_WORDS])
{
	const rl_segment *s = &rl_shm;
	uint64_t end_ms = s->header != NULL ? rl_load(&s->header->networks_end_ms) : 0;

	if (end_ms == 0) {
		return false;
	}
	if ((int64_t) end_ms <= ban_now_ms(s)) {
		(void) __atomic_compare_exchange_n(&s->header->networks_end_ms, &end_ms, 0, false, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED);
		return false;
	}
	for (unsigned i = 0; i < RL_NETWORK_WORDS; i++) {
		lengths[i] = __atomic_load_n(&s->header->network_lengths[i], __ATOMIC_RELAXED);
	}
	return true;
}

/* ---- Forgetting and reading ---- */

static rl_subject_text *ban_text_at(const rl_segment *s, const rl_pair *entry)
{
	return ban_text_of(s, (const rl_ban_entry *) entry);
}

void rl_ban_list_forget(uint64_t name_id, const rl_key *key)
{
	const rl_segment *s = &rl_shm;

	if (s->header != NULL) {
		uint64_t id = rl_subject_key(s, name_id, key);

		rl_subject_forget(s, &ban_set_of(s, id)->pair, RL_HITTERS_WAYS, id, ban_text_at);
	}
}

void rl_ban_list_clear(void)
{
	const rl_segment *s = &rl_shm;

	if (s->header != NULL) {
		rl_subject_forget(s, &ban_entries(s)->pair, s->layout.n_bans, 0, ban_text_at);
	}
}

static size_t insert_ban(rl_ban_row *rows, size_t n, size_t room, const rl_ban_row *row)
{
	size_t at = n;

	while (at > 0 && rows[at - 1].left_us < row->left_us) {
		at--;
	}
	if (at == room) {
		return n;
	}
	n = n < room ? n + 1 : n;
	memmove(&rows[at + 1], &rows[at], (n - 1 - at) * sizeof *rows);
	rows[at] = *row;
	return n;
}

size_t rl_ban_list_read(rl_ban_row *rows, size_t room, bool networks_alone)
{
	const rl_segment *s = &rl_shm;
	size_t n = 0;
	int64_t now;

	if (s->header == NULL || room == 0) {
		return 0;
	}
	now = ban_now_ms(s);
	for (uint64_t i = 0; i < s->layout.n_bans; i++) {
		rl_ban_entry *entry = &ban_entries(s)[i];
		uint64_t key = rl_load(&entry->pair.a), word = rl_load(&entry->pair.b);
		bool network = is_network(word, now);
		rl_ban_row row = {.left_us = (ban_end_of(word) - now) * RL_US_PER_MS,
			.level = network ? 0 : (unsigned) (word & LEVEL_MASK)};

		if (key == 0 || ban_end_of(word) <= now || (networks_alone && !network)
			|| (n == room && row.left_us <= rows[n - 1].left_us)
			|| !rl_subject_read(s, ban_text_of(s, entry), key, &row.subject)) {
			continue;
		}
		n = insert_ban(rows, n, room, &row);
	}
	return n;
}
