/* The scripts: how one is asked, and what it answers. */
#ifndef RL_REDIS_SCRIPT_H
#define RL_REDIS_SCRIPT_H

#include "command.h"
#include "wire_format.h"
#include "reply.h"
#include "sha1.h"

typedef enum {
	RL_REDIS_COUNTER,
	RL_REDIS_LIMITER,
} rl_redis_script;

#define RL_REDIS_SCRIPTS 2

/* What both scripts answer, after the nonce. */
typedef struct {
	int64_t now_us;  /* Redis' clock; 0 when it did not tell */
	int64_t outcome; /* an rl_reason, or RL_REDIS_STALE_BOUNDARIES */
	int64_t limit_index;
	int64_t remaining;
	int64_t retry_us; /* -1: never */
	int64_t reset_us;
	int64_t found;      /* 0, 1; permits that were leased */
	bool question_only; /* without an answer: rl_error's */
} rl_redis_answer;

/* The outcome of a question whose boundaries do not hold Redis' now. */
#define RL_REDIS_STALE_BOUNDARIES 10

/* By which Redis knows a script. */
void rl_redis_script_sha1(rl_redis_script script, char sha1[RL_REDIS_SHA1_HEX + 1]);

/* Writes a question, and its nonce into it. sha1: NULL to send the script's text, after which Redis knows it. The nonce,
 * of its bits the lower 48, comes back with the answer. */
void rl_redis_script_write(rl_redis_buffer *b, rl_redis_script script, const char *sha1, const char *key,
	size_t key_len, uint64_t nonce, rl_redis_wire *question);

/* False for a reply that is no answer to the question with this nonce, about so many limits, with so much to find. */
bool rl_redis_script_read(const redisReply *reply, uint64_t nonce, size_t n_limits, int64_t found_max,
	rl_redis_answer *a);

#endif
