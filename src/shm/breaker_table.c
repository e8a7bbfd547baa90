#include "breaker_table.h"

#include <string.h>

#include "clock.h"
#include "segment.h"

/* Where there is no segment, or no place left in it. */
#define LOCAL_BREAKERS 16

static rl_breaker local[LOCAL_BREAKERS];

/* Keyed as everything in the segment is: a DSN holds a password, and a file can be taken away. */
static uint64_t breaker_id(const rl_segment *s, const char *dsn, size_t dsn_len)
{
	static const rl_hash_key no_key;
	rl_key key = {.name = dsn, .name_len = dsn_len, .id = ""};
	uint64_t high, low;

	rl_hash_sip(s->header != NULL ? &s->header->hash_key : &no_key, &key, &high, &low);
	return low != 0 ? low : 1;
}

/* A torn text is better than a lock for it: each byte is one that somebody wrote, and the last is always 0. */
void rl_breaker_write_text(char *text, size_t size, const char *from)
{
	bool ended = false;
	size_t i;

	for (i = 0; i < size; i++) {
		ended |= from[ended ? 0 : i] == '\0' || i == size - 1;
		__atomic_store_n(&text[i], ended ? '\0' : from[i], __ATOMIC_RELAXED);
	}
}

void rl_breaker_read_text(const char *text, size_t size, char *out)
{
	size_t i;

	for (i = 0; i < size; i++) {
		out[i] = __atomic_load_n(&text[i], __ATOMIC_RELAXED);
	}
	out[size - 1] = '\0';
}

/* Whoever finds a label incomplete writes it: it is the same whoever does. */
static void breaker_label(rl_breaker *breaker, const char *label)
{
	if (rl_load(&breaker->labelled) == 0) {
		rl_breaker_write_text(breaker->label, sizeof breaker->label, label);
		__atomic_store_n(&breaker->labelled, 1, __ATOMIC_RELEASE);
	}
}

static rl_breaker *breaker_find_in(rl_breaker *breakers, uint64_t n, uint64_t id, const char *label)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		rl_breaker *breaker = &breakers[(id + i) % n];
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&breaker->id, &found, id, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			rl_pair_cas(&breaker->state, 0, 0, 0, (uint64_t) rl_segment_us(&rl_shm, rl_clock_true_us()));
			found = id;
		}
		if (found == id) {
			breaker_label(breaker, label);
			return breaker;
		}
	}
	return NULL;
}

static rl_breaker *breaker_find(uint64_t id, const char *label)
{
	const rl_segment *s = &rl_shm;
	rl_breaker *breaker = NULL;

	if (s->header != NULL) {
		breaker = breaker_find_in(s->breakers, s->n_breakers, id, label);
	}
	return breaker != NULL ? breaker : breaker_find_in(local, LOCAL_BREAKERS, id, label);
}

rl_breaker *rl_breaker_of(const char *dsn, size_t dsn_len, const char *label)
{
	return breaker_find(breaker_id(&rl_shm, dsn, dsn_len), label);
}

rl_breaker *rl_breaker_of_node(const rl_breaker *whole, const char *label)
{
	/* Any two labels of one cluster differ, and so do the ids of any two DSNs. */
	uint64_t id = breaker_id(&rl_shm, label, strlen(label)) ^ rl_load(&whole->id);

	return breaker_find(id != 0 ? id : 1, label);
}

static void breaker_each_in(const rl_breaker *breakers, uint64_t n,
	void (*see)(void *context, const rl_breaker *breaker), void *context)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		if (rl_load(&breakers[i].id) != 0 && rl_load(&breakers[i].labelled) != 0) {
			see(context, &breakers[i]);
		}
	}
}

void rl_breakers_each(void (*see)(void *context, const rl_breaker *breaker), void *context)
{
	const rl_segment *s = &rl_shm;

	if (s->header != NULL) {
		breaker_each_in(s->breakers, s->n_breakers, see, context);
	}
	breaker_each_in(local, LOCAL_BREAKERS, see, context);
}
