#include "script.h"

#include "limiter_lua.h"
#include "plain_lua.h"

#define REPLY_INTEGERS 8

/* Integers in Lua are doubles: a nonce must be one that comes back as it went. */
#define NONCE_MASK ((UINT64_C(1) << 48) - 1)

static const struct {
	const char *text;
	size_t len;
} scripts[RL_REDIS_SCRIPTS] = {
	[RL_REDIS_PLAIN] = {rl_redis_plain_lua, sizeof rl_redis_plain_lua - 1},
	[RL_REDIS_LIMITER] = {rl_redis_limiter_lua, sizeof rl_redis_limiter_lua - 1},
};

void rl_redis_script_sha1(rl_redis_script script, char sha1[RL_REDIS_SHA1_HEX + 1])
{
	rl_redis_sha1(scripts[script].text, scripts[script].len, sha1);
}

void rl_redis_script_write(rl_redis_buffer *b, rl_redis_script script, const char *sha1, const char *key, size_t key_len,
	uint64_t nonce, const rl_redis_buffer *arguments, size_t n_arguments)
{
	rl_redis_buffer_command(b, 5 + n_arguments);
	if (sha1) {
		rl_redis_buffer_text(b, "EVALSHA");
		rl_redis_buffer_bytes(b, sha1, RL_REDIS_SHA1_HEX);
	} else {
		rl_redis_buffer_text(b, "EVAL");
		rl_redis_buffer_bytes(b, scripts[script].text, scripts[script].len);
	}
	rl_redis_buffer_text(b, "1");
	rl_redis_buffer_bytes(b, key, key_len);
	rl_redis_buffer_int(b, (int64_t) (nonce & NONCE_MASK));
	rl_redis_buffer_append(b, arguments);
}

bool rl_redis_script_read(const redisReply *reply, uint64_t nonce, size_t n_limits, int64_t found_max,
	rl_redis_answer *a)
{
	int64_t v[REPLY_INTEGERS];

	/* The nonce alone: admitted, by who did not want to know more. */
	if (reply->type == REDIS_REPLY_INTEGER && reply->integer == (int64_t) (nonce & NONCE_MASK)) {
		*a = (rl_redis_answer) {.outcome = RL_ACCEPTED};
		return true;
	}
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != REPLY_INTEGERS) {
		return false;
	}
	for (size_t i = 0; i < REPLY_INTEGERS; i++) {
		if (reply->element[i]->type != REDIS_REPLY_INTEGER) {
			return false;
		}
		v[i] = reply->element[i]->integer;
	}
	if (v[0] != (int64_t) (nonce & NONCE_MASK) || v[1] <= 0 || v[2] < 0 || (v[2] > RL_TOO_EXPENSIVE && v[2] != RL_REDIS_STALE)
			|| v[3] < 0 || v[3] >= (int64_t) n_limits || v[4] < 0 || v[4] > RL_LIMIT_MAX || v[5] < -1 || v[6] < 0 || v[7] < 0
			|| v[7] > found_max) {
		return false;
	}
	*a = (rl_redis_answer) {v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
	return true;
}
