/* Shared code of the C tests of the core and the embedded store: short constructors of questions, and a segment. */
#ifndef RL_TEST_HARNESS_H
#define RL_TEST_HARNESS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/decide/limiter.h"
#include "src/shm/segment/segment.h"
#include "src/shm/store/shm.h"

static inline rl_key test_key(rl_space space, const char *name, int64_t number)
{
	return (rl_key){.space = space, .is_int = true, .name = name, .name_len = strlen(name), .int_id = number};
}

static inline rl_limit test_limit(rl_algorithm algorithm, uint32_t limit, int64_t period_us)
{
	return (rl_limit){
		.algorithm = algorithm,
		.limit = limit,
		.rate = algorithm == RL_TOKEN_BUCKET ? limit : 0,
		.period_us = period_us,
	};
}

static inline rl_question test_question(rl_op op, rl_limit limit, uint32_t cost)
{
	return (rl_question){.op = op, .n_limits = 1, .cost = cost, .limits = {limit}};
}

/* Gives a calendar window its boundaries at a moment: windows of one length, from 1970 on. */
static inline void test_boundaries(rl_limit *limit, int64_t length_us, int64_t wall_us)
{
	limit->boundary[0] = wall_us - wall_us % length_us;
	limit->boundary[1] = limit->boundary[0] + length_us;
	limit->boundary[2] = limit->boundary[1] + length_us;
}

static inline void test_segment(size_t bytes)
{
	rl_shm_options options = {.bytes = bytes};
	char message[256];

	if (!rl_shm_startup(&options, message, sizeof message)) {
		fprintf(stderr, "no segment: %s\n", message);
		abort();
	}
}

/* Takes all places of terms in the segment: every further limiter state is a record, however small it is. */
static inline void test_records_only(void)
{
	unsigned i;

	for (i = 1; i < RL_TERMS; i++) {
		rl_shm.terms[i] = (rl_pair){UINT64_MAX, UINT64_MAX};
	}
}

/* Returns a random number: small, fast, and equal on every machine. */
static inline uint64_t test_random(uint64_t *seed)
{
	uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline bool test_plain(const char *name, int64_t id, uint32_t seconds, uint32_t number)
{
	rl_store *store = rl_shm_store();
	rl_key key = test_key(RL_SPACE_ACTION, name, id);
	rl_counter_question q = {.seconds = seconds, .limit = number};
	rl_decision d;
	rl_error e;

	if (store->ops->count(store, &key, &q, &d, &e) != RL_OK) {
		fprintf(stderr, "no decision: %s\n", e.message);
		abort();
	}
	return d.accepted;
}

static inline rl_status test_ask(const char *name, int64_t id, const rl_question *q, rl_answer *a)
{
	rl_store *store = rl_shm_store();
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);
	rl_error e = {0};
	rl_status status = store->ops->ask(store, &key, q, a, &e);

	if (status != RL_OK) {
		fprintf(stderr, "no answer: %s\n", e.message);
	}
	return status;
}

#endif
