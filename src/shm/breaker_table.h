/* The servers that this machine's workers ask, and what they know of each together. What it means is src/guard/breaker's
 * business; here is where it is kept. */
#ifndef RL_SHM_BREAKER_TABLE_H
#define RL_SHM_BREAKER_TABLE_H

#include <stddef.h>

#include "atomic128.h"

#define RL_BREAKER_LABEL_MAX  128
#define RL_BREAKER_REASON_MAX 144

typedef struct {
	_Alignas(64) rl_pair state; /* src/guard/breaker.c */
	uint64_t id;                /* of its DSN; 0: this place is free */
	uint64_t failures;          /* questions that it left without an answer */
	uint64_t latency_ns;        /* of questions that it answered, a moving average */
	uint64_t labelled;          /* the label is complete */
	char label[RL_BREAKER_LABEL_MAX];
	char reason[RL_BREAKER_REASON_MAX]; /* why it is away */
} rl_breaker;

#define RL_BREAKER_BYTES 320
_Static_assert(sizeof(rl_breaker) == RL_BREAKER_BYTES, "a server has five cache lines");

/* The server behind a DSN, one for all workers that share the segment, or for this process where there is none. The label
 * is what may be shown of the DSN. Never ends; NULL when there are more servers than places. */
rl_breaker *rl_breaker_of(const char *dsn, size_t dsn_len, const char *label);

/* One of several servers behind the same DSN, by its label. */
rl_breaker *rl_breaker_of_node(const rl_breaker *whole, const char *label);

/* All that were ever asked: calls see(context, server) for each. */
void rl_breakers_each(void (*see)(void *context, const rl_breaker *breaker), void *context);

/* Text in shared memory, which somebody may be writing at this moment: copied, always terminated. */
void rl_breaker_read_text(const char *text, size_t size, char *out);
void rl_breaker_write_text(char *text, size_t size, const char *from);

#endif
