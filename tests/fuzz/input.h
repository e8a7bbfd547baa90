/* Shared code of the fuzzers outside_*.c: reads fuzz bytes as numbers, and checks invariants. */
#ifndef RL_FUZZ_INPUT_H
#define RL_FUZZ_INPUT_H

#include <stdlib.h>
#include <string.h>

#include "../../src/store.h"

typedef struct {
	const uint8_t *at;
	size_t left;
} input;

/* Takes so many bytes of the input, fewer at its end. */
static inline input take_span(input *in, size_t bytes)
{
	input span = {in->at, bytes < in->left ? bytes : in->left};

	in->at += span.left;
	in->left -= span.left;
	return span;
}

/* Takes a number of so many bytes; zeros after the input's end. */
static inline uint64_t take(input *in, size_t bytes)
{
	input span = take_span(in, bytes);
	uint64_t value = 0;

	memcpy(&value, span.at, span.left);
	return value;
}

static inline int64_t between(input *in, int64_t low, int64_t high)
{
	return low + (int64_t) (take(in, 4) % (uint64_t) (high - low + 1));
}

/* Small numbers have the most edge cases; products of large ones overflow. */
static inline int64_t number(input *in, int64_t high)
{
	return take(in, 1) % 4 == 0 ? 1 + (int64_t) (take(in, 8) % (uint64_t) high) : between(in, 1, high < 12 ? high : 12);
}

static inline void must(bool kept)
{
	if (!kept) {
		abort();
	}
}

/* Checks the invariants of every decision, with any content of the store. */
static inline void check_decision(const rl_decision *d, unsigned n_limits)
{
	must(d->accepted == (d->reason == RL_ACCEPTED));
	must(d->limit_index < n_limits && d->remaining <= d->limit);
	must(d->retry_after_us >= 0 && d->reset_after_us >= 0);
}

/* Makes a question within its bounds, as src/php does; wall_us is the store's clock. */
rl_question make_question(input *in, int64_t wall_us);
rl_counter_question make_plain_question(input *in, int64_t wall_us);

/* The targets. */
void fuzz_dsn(input *in);
void fuzz_redis(input *in);
void prepare_segment(void); /* before the first of the following two */
void fuzz_segment(input *in);
void fuzz_attach(input *in);

#endif
