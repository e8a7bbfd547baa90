/* Keeps the circuit breakers of the Redis servers that this machine asks: one place for each server, shared by all workers.
 * src/guard/breaker.c gives the state's word its meaning. */
#ifndef RL_SHM_BREAKER_TABLE_H
#define RL_SHM_BREAKER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RL_BREAKER_LABEL_MAX  128
#define RL_BREAKER_REASON_MAX 136
#define RL_BREAKER_BYTES      320 /* of one place in the segment */

/* A place. Another server takes it over when its own server has not been asked for a while: whoever keeps a pointer to it
 * passes the id of the server that it means. */
typedef struct rl_breaker rl_breaker;

/* Names a server: a keyed hash of its DSN (which holds a password), and for a node of its label, too; and the text for
 * logs and stats(). */
typedef struct {
	uint64_t id; /* 0: no server */
	char label[RL_BREAKER_LABEL_MAX];
} rl_breaker_name;

/* A state that was read in one piece. */
typedef struct {
	uint64_t word;    /* 0: closed */
	int64_t since_us; /* when the word became 0, or stopped to be 0; the segment's time */
	uint64_t tag;     /* private to breaker_table.c */
} rl_breaker_words;

/* Returns the name of the server behind a DSN. label: the DSN without what is secret. */
rl_breaker_name rl_breaker_name_of(const char *dsn, size_t dsn_len, const char *label);

/* Returns the name of one of several servers behind the same DSN, by its whole label. */
rl_breaker_name rl_breaker_name_of_node(const rl_breaker_name *whole, const char *label);

/* Returns the place of a server at now_us of the segment's time: its own; else a free one; else the place of the server
 * that has not been asked for longest, closed ones first. Without a segment, or when all places in reach are in use, it
 * is one of this process. NULL: no place is left, and the server has no breaker. */
rl_breaker *rl_breaker_place(const rl_breaker_name *name, int64_t now_us);

/* Reads the state. False: the place belongs to another server by now. */
bool rl_breaker_load(const rl_breaker *breaker, uint64_t id, rl_breaker_words *w);

/* Swaps the state from w to (word, since_us). False: the state has changed, or the place has another server. */
bool rl_breaker_cas(rl_breaker *breaker, const rl_breaker_words *w, uint64_t word, int64_t since_us);

/* Counts one failed question. */
void rl_breaker_add_failure(rl_breaker *breaker);

/* Takes the time of one answer into the moving average. */
void rl_breaker_add_latency(rl_breaker *breaker, int64_t took_ns);

/* Keeps why the server is away. */
void rl_breaker_set_reason(rl_breaker *breaker, const char *reason);

/* Copies the reason. Another worker may be writing it: each byte is one that some worker wrote. */
void rl_breaker_get_reason(const rl_breaker *breaker, char out[RL_BREAKER_REASON_MAX]);

/* What stats() shows of a place. */
typedef struct {
	char label[RL_BREAKER_LABEL_MAX];
	rl_breaker_words words;
	uint64_t failures;
	int64_t latency_ns;
} rl_breaker_facts;

void rl_breaker_read(const rl_breaker *breaker, rl_breaker_facts *out);

/* Calls see(context, breaker) for each server that has a place. */
void rl_breakers_each(void (*see)(void *context, const rl_breaker *breaker), void *context);

#endif
