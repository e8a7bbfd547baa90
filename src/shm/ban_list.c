#include "ban_list.h"

#include <string.h>

#include "clock.h"
#include "monitor_entries.h"

#define LEVEL_BITS 16
#define LEVEL_MASK ((UINT64_C(1) << LEVEL_BITS) - 1)
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

/* Chooses the caller's entry; else a free one, one that has ended, or the one that ends first. */
static rl_ban_entry *choose_ban(rl_ban_entry *set, uint64_t key, uint64_t *found, uint64_t *word)
{
	rl_ban_entry *best = set;
	int64_t first = INT64_MAX;

	for (unsigned i = 0; i < RL_HITTERS_WAYS; i++) {
		uint64_t a = rl_load(&set[i].pair.a), b = rl_load(&set[i].pair.b);
		int64_t end = a == 0 ? -1 : ban_end_of(b);

		if (a == key || end < first) {
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

bool rl_ban_list_put(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t left_us, unsigned level)
{
	const rl_segment *s = &rl_shm;
	uint64_t id, found = 0, word = 0, next;
	int64_t end_ms;

	if (s->header == NULL || left_us <= 0) {
		return true;
	}
	id = rl_subject_key(s, name_id, key);
	end_ms = ban_now_ms(s) + left_us / RL_US_PER_MS;
	end_ms = end_ms < 0 ? 0 : end_ms < END_MAX_MS ? end_ms : END_MAX_MS;
	next = (uint64_t) end_ms << LEVEL_BITS | (level & LEVEL_MASK);
	for (unsigned tries = 0; tries < TRIES; tries++) {
		rl_ban_entry *entry = choose_ban(ban_set_of(s, id), id, &found, &word);
		int64_t moved_ms = end_ms - ban_end_of(word);

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

size_t rl_ban_list_read(rl_ban_row *rows, size_t room)
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
		rl_ban_row row = {.left_us = (ban_end_of(word) - now) * RL_US_PER_MS, .level = (unsigned) (word & LEVEL_MASK)};

		if (key == 0 || ban_end_of(word) <= now || (n == room && row.left_us <= rows[n - 1].left_us)
			|| !rl_subject_read(s, ban_text_of(s, entry), key, &row.subject)) {
			continue;
		}
		n = insert_ban(rows, n, room, &row);
	}
	return n;
}
