#include "servers.h"

#include <string.h>

#include "clock.h"
#include "segment.h"

/* Where there is no segment, or no place left in it. */
#define LOCAL_SERVERS 16

static rl_server local[LOCAL_SERVERS];

/* Keyed as everything in the segment is: a DSN holds a password, and a file can be taken away. */
static uint64_t id_of(const rl_segment *s, const char *dsn, size_t dsn_len)
{
	static const rl_hash_key no_key;
	rl_key key = {.name = dsn, .name_len = dsn_len, .id = ""};
	uint64_t high, low;

	rl_hash_sip(s->header != NULL ? &s->header->hash_key : &no_key, &key, &high, &low);
	return low != 0 ? low : 1;
}

/* A torn text is better than a lock for it: each byte is one that somebody wrote, and the last is always 0. */
void rl_server_write_text(char *text, size_t size, const char *from)
{
	bool ended = false;
	size_t i;

	for (i = 0; i < size; i++) {
		ended |= from[ended ? 0 : i] == '\0' || i == size - 1;
		__atomic_store_n(&text[i], ended ? '\0' : from[i], __ATOMIC_RELAXED);
	}
}

void rl_server_read_text(const char *text, size_t size, char *out)
{
	size_t i;

	for (i = 0; i < size; i++) {
		out[i] = __atomic_load_n(&text[i], __ATOMIC_RELAXED);
	}
	out[size - 1] = '\0';
}

/* Whoever finds a label incomplete writes it: it is the same whoever does. */
static void label_it(rl_server *server, const char *label)
{
	if (rl_load(&server->labelled) == 0) {
		rl_server_write_text(server->label, sizeof server->label, label);
		__atomic_store_n(&server->labelled, 1, __ATOMIC_RELEASE);
	}
}

static rl_server *find_in(rl_server *servers, uint64_t n, uint64_t id, const char *label)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		rl_server *server = &servers[(id + i) % n];
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&server->id, &found, id, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			rl_pair_cas(&server->state, 0, 0, 0, (uint64_t) rl_segment_us(&rl_shm, rl_clock_true_us()));
			found = id;
		}
		if (found == id) {
			label_it(server, label);
			return server;
		}
	}
	return NULL;
}

static rl_server *find(uint64_t id, const char *label)
{
	const rl_segment *s = &rl_shm;
	rl_server *server = NULL;

	if (s->header != NULL) {
		server = find_in(s->servers, s->n_servers, id, label);
	}
	return server != NULL ? server : find_in(local, LOCAL_SERVERS, id, label);
}

rl_server *rl_server_of(const char *dsn, size_t dsn_len, const char *label)
{
	return find(id_of(&rl_shm, dsn, dsn_len), label);
}

rl_server *rl_server_part(const rl_server *whole, const char *label)
{
	/* Any two labels of one cluster differ, and so do the ids of any two DSNs. */
	uint64_t id = id_of(&rl_shm, label, strlen(label)) ^ rl_load(&whole->id);

	return find(id != 0 ? id : 1, label);
}

static void each_in(const rl_server *servers, uint64_t n, void (*see)(void *context, const rl_server *server), void *context)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		if (rl_load(&servers[i].id) != 0 && rl_load(&servers[i].labelled) != 0) {
			see(context, &servers[i]);
		}
	}
}

void rl_servers_each(void (*see)(void *context, const rl_server *server), void *context)
{
	const rl_segment *s = &rl_shm;

	if (s->header != NULL) {
		each_in(s->servers, s->n_servers, see, context);
	}
	each_in(local, LOCAL_SERVERS, see, context);
}
