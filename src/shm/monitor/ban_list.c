#include "ban_list.h"

#include <string.h>

#include "../segment/clock.h"
#include "../segment/monitor_entries.h"
#include "subject_text.h"

/* The second word of an entry: the end in ms of the segment's time, and the level. */
#define LEVEL_BITS 16
#define LEVEL_MASK ((UINT64_C(1) << LEVEL_BITS) - 1)
#define NETWORK    LEVEL_MASK /* in the place of the level */
#define END_MAX_MS (INT64_C(1) << 47)

/* Two readings of one end differ by less: Redis' clock, its milliseconds, and the way there. */
#define SAME_END_MS 2000

/* Swaps that other workers win, before a ban is left out. */
#define TRIES 16

static rl_subject_table ban_table(const rl_segment *s)
{
	return (rl_subject_table){
		.entries = (rl_pair *) (void *) (s->monitor + s->layout.bans_at),
		.n = s->layout.n_bans,
		.texts = s->monitor + s->layout.ban_texts_at,
		.text_bytes = sizeof(rl_subject_text),
	};
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
static rl_pair *choose_ban(rl_pair *set, uint64_t key, int64_t now_ms, uint64_t *found, uint64_t *word)
{
	rl_pair *best = NULL;
	int64_t first = INT64_MAX;

	for (unsigned i = 0; i < RL_HITTERS_WAYS; i++) {
		uint64_t a = rl_load(&set[i].a), b = rl_load(&set[i].b);
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

typedef enum {
	BAN_PUT,
	BAN_IS_LISTED, /* with about this end */
	BAN_LEFT_OUT,
} put_result;

/* Puts a ban of a caller, or of a network: then the level is NETWORK. A ban of a network that runs stays: it refuses already. */
static put_result list_ban(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t now_ms, int64_t end_ms,
	uint64_t level)
{
	const rl_segment *s = &rl_shm;
	rl_subject_table bans = ban_table(s);
	uint64_t id = rl_subject_key(s, name_id, key), found = 0, word = 0;

	for (unsigned tries = 0; tries < TRIES; tries++) {
		rl_pair *entry = choose_ban(rl_subject_set(&bans, id), id, now_ms, &found, &word);
		int64_t moved_ms = end_ms - ban_end_of(word);

		if (entry == NULL || (level != NETWORK && found == id && is_network(word, now_ms))) {
			return BAN_LEFT_OUT;
		}
		if (level != NETWORK && found == id && moved_ms < SAME_END_MS && moved_ms > -SAME_END_MS) {
			return BAN_IS_LISTED;
		}
		if (rl_pair_cas(entry, found, word, id, (uint64_t) end_ms << LEVEL_BITS | level)) {
			rl_subject_complete(s, rl_subject_text_of(&bans, entry), id, kind, key);
			return BAN_PUT;
		}
	}
	return BAN_LEFT_OUT;
}

bool rl_ban_list_put(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t left_us, unsigned level)
{
	int64_t now_ms;

	if (rl_shm.header == NULL || left_us <= 0) {
		return true;
	}
	now_ms = ban_now_ms(&rl_shm);
	return list_ban(name_id, kind, key, now_ms, end_after_ms(now_ms, left_us), level < NETWORK ? level : NETWORK - 1)
		!= BAN_IS_LISTED;
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
	int64_t now_ms, end_ms;

	if (rl_shm.header == NULL) {
		return false;
	}
	now_ms = ban_now_ms(&rl_shm);
	end_ms = end_after_ms(now_ms, left_us);
	look_for_networks(rl_shm.header, length, (uint64_t) end_ms);
	return list_ban(name_id, kind, key, now_ms, end_ms, NETWORK) == BAN_PUT;
}

int64_t rl_ban_list_network_left_us(uint64_t name_id, const rl_key *key)
{
	const rl_segment *s = &rl_shm;
	rl_subject_table bans = ban_table(s);
	const rl_pair *set;
	uint64_t id, word;
	int64_t now_ms;

	if (s->header == NULL) {
		return 0;
	}
	id = rl_subject_key(s, name_id, key);
	set = rl_subject_set(&bans, id);
	now_ms = ban_now_ms(s);
	for (unsigned i = 0; i < RL_HITTERS_WAYS; i++) {
		word = rl_load(&set[i].b);
		if (rl_load(&set[i].a) == id && is_network(word, now_ms)) {
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

void rl_ban_list_forget(uint64_t name_id, const rl_key *key)
{
	rl_subject_table bans = ban_table(&rl_shm);

	rl_subject_forget(&bans, name_id, key);
}

void rl_ban_list_clear(void)
{
	rl_subject_table bans = ban_table(&rl_shm);

	rl_subject_clear(&bans);
}

size_t rl_ban_list_read(rl_ban_row *rows, size_t room, bool networks_alone)
{
	const rl_segment *s = &rl_shm;
	rl_subject_table bans = ban_table(s);
	size_t n = 0;
	int64_t now;

	if (s->header == NULL || room == 0) {
		return 0;
	}
	now = ban_now_ms(s);
	for (rl_pair *entry = bans.entries; entry < bans.entries + bans.n; entry++) {
		uint64_t key = rl_load(&entry->a), word = rl_load(&entry->b);
		bool network = is_network(word, now);
		rl_ban_row row = {.left_us = (ban_end_of(word) - now) * RL_US_PER_MS,
			.level = network ? 0 : (unsigned) (word & LEVEL_MASK)};

		if (key == 0 || ban_end_of(word) <= now || (networks_alone && !network)
			|| (n == room && row.left_us <= rows[n - 1].left_us)
			|| !rl_subject_read(s, rl_subject_text_of(&bans, entry), key, &row.subject)) {
			continue;
		}
		n = rl_subject_insert(rows, n, room, &row, sizeof row, offsetof(rl_ban_row, left_us));
	}
	return n;
}
