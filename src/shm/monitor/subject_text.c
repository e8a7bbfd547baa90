#include "subject_text.h"

#include <string.h>

uint64_t rl_subject_name_id(rl_space space, const char *name, size_t name_len)
{
	const rl_segment *s = &rl_shm;
	rl_key key = {.space = space, .is_int = true, .name = name, .name_len = name_len, .int_id = INT64_MIN};
	uint64_t high, low;

	if (s->header == NULL) {
		return 0;
	}
	rl_hash(s->hash_kind, &s->header->hash_key, &key, &high, &low);
	return low != 0 ? low : 1;
}

uint64_t rl_subject_key(const rl_segment *s, uint64_t name_id, const rl_key *key)
{
	rl_key id_only = {.space = RL_SPACE_LIMITER, .name = "", .id = key->id, .id_len = key->id_len};
	uint64_t high, low;

	if (key->is_int) {
		return rl_subject_int_key(name_id, key->int_id);
	}
	rl_hash(s->hash_kind, &s->header->hash_key, &id_only, &high, &low);
	return rl_subject_int_key(name_id, (int64_t) low);
}

/* Copies the bytes that there is room for. Returns their number. */
static uint8_t subject_keep(char *to, size_t room, const char *from, size_t length, bool *cut)
{
	size_t n = length < room ? length : room;

	memcpy(to, from, n);
	*cut = n < length;
	return (uint8_t) n;
}

static void subject_of(rl_subject *subject, rl_kind kind, const rl_key *key)
{
	memset(subject, 0, sizeof *subject);
	subject->kind = (uint8_t) kind;
	subject->name_len = subject_keep(subject->name, sizeof subject->name, key->name, key->name_len, &subject->name_cut);
	subject->label_len = key->space == RL_SPACE_LABEL ? (uint8_t) strnlen(subject->name, subject->name_len) : 0;
	subject->is_int = key->is_int;
	if (key->is_int) {
		subject->int_id = key->int_id;
	} else {
		subject->id_len = subject_keep(subject->id, sizeof subject->id, key->id, key->id_len, &subject->id_cut);
	}
}

static uint64_t subject_check(const rl_segment *s, const uint64_t words[RL_SUBJECT_WORDS], uint64_t id)
{
	rl_key bytes = {.is_int = true,
		.name = (const char *) words,
		.name_len = sizeof(rl_subject),
		.int_id = (int64_t) id};
	uint64_t high, low;

	rl_hash(s->hash_kind, &s->header->hash_key, &bytes, &high, &low);
	return low;
}

static void subject_write(const rl_segment *s, rl_subject_text *text, uint64_t id, const rl_subject *subject)
{
	uint64_t words[RL_SUBJECT_WORDS];

	memcpy(words, subject, sizeof words);
	for (size_t i = 0; i < RL_SUBJECT_WORDS; i++) {
		__atomic_store_n(&text->words[i], words[i], __ATOMIC_RELAXED);
	}
	__atomic_store_n(&text->check, subject_check(s, words, id), __ATOMIC_RELAXED);
	__atomic_store_n(&text->written, id, __ATOMIC_RELEASE);
}

void rl_subject_complete(const rl_segment *s, rl_subject_text *text, uint64_t id, rl_kind kind, const rl_key *key)
{
	rl_subject subject;

	if (RL_UNLIKELY(rl_load(&text->written) != id)) {
		subject_of(&subject, kind, key);
		subject_write(s, text, id, &subject);
	}
}

/* Frees the entry of a key, whatever its second word is meanwhile. Returns false if it belongs to another key. */
static bool free_entry(rl_pair *pair, uint64_t key)
{
	uint64_t word;

	do {
		word = rl_load(&pair->b);
		if (rl_load(&pair->a) != key) {
			return false;
		}
	} while (!rl_pair_cas(pair, key, word, 0, 0));
	return true;
}

/* Frees those of n entries that are of a key; 0: of any. */
static void free_entries(const rl_subject_table *t, rl_pair *entry, uint64_t n, uint64_t key)
{
	static const rl_subject nothing;

	for (rl_pair *end = entry + n; entry < end; entry++) {
		uint64_t found = rl_load(&entry->a);

		if (found != 0 && (key == 0 || found == key) && free_entry(entry, found)) {
			subject_write(&rl_shm, rl_subject_text_of(t, entry), 0, &nothing);
		}
	}
}

void rl_subject_forget(const rl_subject_table *t, uint64_t name_id, const rl_key *key)
{
	if (rl_shm.header != NULL) {
		uint64_t id = rl_subject_key(&rl_shm, name_id, key);

		free_entries(t, rl_subject_set(t, id), RL_HITTERS_WAYS, id);
	}
}

void rl_subject_clear(const rl_subject_table *t)
{
	if (rl_shm.header != NULL) {
		free_entries(t, t->entries, t->n, 0);
	}
}

bool rl_subject_read(const rl_segment *s, rl_subject_text *text, uint64_t id, rl_subject *out)
{
	uint64_t words[RL_SUBJECT_WORDS];
	uint8_t flags[4];

	if (rl_load(&text->written) != id) {
		return false;
	}
	for (size_t i = 0; i < RL_SUBJECT_WORDS; i++) {
		words[i] = __atomic_load_n(&text->words[i], __ATOMIC_RELAXED);
	}
	if (__atomic_load_n(&text->check, __ATOMIC_RELAXED) != subject_check(s, words, id)) {
		(void) __atomic_compare_exchange_n(&text->written, &id, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		return false;
	}
	memcpy(flags, words, sizeof flags); /* a byte that is neither 0 nor 1 must not become a bool */
	if (flags[1] > 1 || flags[2] > 1 || flags[3] > 1) {
		return false;
	}
	memcpy(out, words, sizeof words);
	return ((out->kind >= RL_KIND_LIMITER && out->kind <= RL_KIND_ATTRIBUTE) || out->kind == RL_KIND_ELSEWHERE)
		&& out->name_len <= RL_SUBJECT_NAME_MAX && out->id_len <= RL_SUBJECT_ID_MAX;
}

static int64_t row_rank(const char *row, size_t rank_at)
{
	int64_t rank;

	memcpy(&rank, row + rank_at, sizeof rank);
	return rank;
}

size_t rl_subject_insert(void *rows, size_t n, size_t room, const void *row, size_t bytes, size_t rank_at)
{
	char *first = rows, *at = first + n * bytes;

	while (at > first && row_rank(at - bytes, rank_at) < row_rank(row, rank_at)) {
		at -= bytes;
	}
	if (at == first + room * bytes) {
		return n;
	}
	n = n < room ? n + 1 : n;
	memmove(at + bytes, at, (size_t) (first + (n - 1) * bytes - at));
	memcpy(at, row, bytes);
	return n;
}
