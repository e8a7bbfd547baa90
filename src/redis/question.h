/* Packs a question about limits into the argument of the script src/redis/lua/limiter, and reads its answer. */
#ifndef RL_REDIS_QUESTION_H
#define RL_REDIS_QUESTION_H

#include "script_call.h"

/* The year 2255: microseconds up to here are exact in Lua, whose numbers are doubles. */
#define RL_REDIS_WALL_MAX_US INT64_C(9000000000000000)

static inline int64_t rl_redis_clamp(int64_t n, int64_t max)
{
	return n < 0 ? 0 : n > max ? max : n;
}

void rl_redis_question_pack(rl_redis_wire *p, const rl_question *q);

/* Returns the shape of an answer to a question about n keys. The permit's parts of one key are read; of several, none is held. */
rl_redis_shape rl_redis_question_shape(const rl_question *q, size_t n);

/* Reads the answer of an outcome. Returns RL_STALE_BOUNDARIES, with Redis' time in e, if it is none. */
rl_status rl_redis_answer_read(const rl_question *q, const rl_redis_answer *answer, rl_answer *a, rl_error *e);

/* Reads what the answers of both scripts have in common. */
void rl_redis_decision_read(rl_decision *d, const rl_redis_answer *answer, uint64_t limit);

#endif
