/* src/shm/machine: The machine's memory of its Redis: breakers, refusals, leases, places.
 *
 * Keeps the circuit breakers of the Redis servers that this machine uses: one place for each server, shared by all
 * workers. src/guard/breaker.c gives the state's word its meaning. */
#ifndef RL_SHM_BREAKER_TABLE_H
#define RL_SHM_BREAKER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RL_BREAKER_LABEL_MAX  128
#define RL_BREAKER_REASON_MAX 136

/* The bounds of a histogram of latencies; a last bucket has the longer ones. */
#define RL_LATENCY_BOUNDS 12
extern const int64_t rl_latency_bounds_us[RL_LATENCY_BOUNDS];

/* A place. Another server takes it over when its own server has got no request for a while. So the owner of a pointer
 * to a place passes the id of its server, too. */
typedef struct rl_breaker rl_breaker;

/* Names a server. The id is a keyed hash of its DSN (which holds a password), and for a node also of its label. The
 * text is for logs and stats(). */
typedef struct {
	uint64_t id; /* 0: no server */
	char label[RL_BREAKER_LABEL_MAX];
} rl_breaker_name;

/* A state that was read in one piece. */
typedef struct {
	uint64_t word;    /* 0: closed */
	int64_t since_us; /* the moment when the word became 0, or ceased to be 0; the segment's time */
	uint64_t tag;     /* private to breaker_table.c */
} rl_breaker_words;

/* Returns the name of a server by an id of any bytes. label: its text for messages, without secrets. */
rl_breaker_name rl_breaker_name_of(const char *id, size_t id_len, const char *label);

/* Returns the name of one of several servers behind the same id, by its whole label. */
rl_breaker_name rl_breaker_name_of_node(const rl_breaker_name *whole, const char *label);

/* Returns the place of a server at now_us of the segment's time. It is the server's own; else a free one; else that of
 * the server whose last request is oldest, closed breakers first. Without a segment, or if all places in reach are in
 * use, it is a place of this process. NULL: no place is left, and the server has no breaker. */
rl_breaker *rl_breaker_place(const rl_breaker_name *name, int64_t now_us);

/* Reads the state. Returns false if the place belongs to another server now. */
bool rl_breaker_load(const rl_breaker *breaker, uint64_t id, rl_breaker_words *w);

/* Swaps the state from w to (word, since_us). Returns false if the state has changed, or the place belongs to another
 * server. */
bool rl_breaker_cas(rl_breaker *breaker, const rl_breaker_words *w, uint64_t word, int64_t since_us);

/* The latest requests to a server. Any number may be damaged. */
typedef struct {
	uint64_t failed;     /* the last 64 requests, the newest lowest; 1: it failed */
	int64_t answered_us; /* the moment of the latest answer; 0: there was none */
} rl_breaker_results;

/* Counts one failed question, and returns the results with it. */
rl_breaker_results rl_breaker_add_failure(rl_breaker *breaker);

/* Forgets which of the latest requests failed. */
void rl_breaker_forget_results(rl_breaker *breaker);

/* Notes one answer at now_us, and adds its time to the moving average and to the histogram. */
void rl_breaker_add_answer(rl_breaker *breaker, int64_t now_us, int64_t took_ns);

/* Stores the reason of the server's failure. */
void rl_breaker_set_reason(rl_breaker *breaker, const char *reason);

/* Copies the reason. Another worker may be writing it, so each byte is one that some worker wrote. */
void rl_breaker_get_reason(const rl_breaker *breaker, char out[RL_BREAKER_REASON_MAX]);

/* The facts of a place for stats(). */
typedef struct {
	char label[RL_BREAKER_LABEL_MAX];
	rl_breaker_words words;
	uint64_t failures;
	int64_t latency_ns;
	uint64_t latencies[RL_LATENCY_BOUNDS + 1]; /* answers of each bucket */
	uint64_t latency_sum_ns;
} rl_breaker_facts;

void rl_breaker_read(const rl_breaker *breaker, rl_breaker_facts *out);

/* Calls see(context, breaker) for each server that has a place. */
void rl_breakers_each(void (*see)(void *context, const rl_breaker *breaker), void *context);

#endif
