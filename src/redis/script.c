#include "script.h"

#include <string.h>

#include "limiter_lua.h"
#include "counter_lua.h"

#define FACTS_BYTES  20
#define SHORT_BYTES  10 /* of a counter's admission: what remains, and the ms until the window's end */
#define PERMIT_BYTES 12 /* granted and wait_us */
#define PART_BYTES   20 /* of each limit: tag, place, moved_us */
#define LEFT_BYTES   12 /* remaining and reset_after_us: of the decision, of each limit */
#define KEY_BYTES    16 /* of each key: ban_after_us, level, forget_after_us */

/* The expiry of another program may lie further ahead. */
#define LEFT_MS_MASK ((UINT64_C(1) << 43) - 1)

/* -1, in seven bytes. */
#define NEVER ((INT64_C(1) << 56) - 1)

static const struct {
	const char *text;
	size_t len;
} scripts[RL_REDIS_SCRIPTS] = {
	[RL_REDIS_COUNTER] = {rl_redis_counter_lua, sizeof rl_redis_counter_lua - 1},
	[RL_REDIS_LIMITER] = {rl_redis_limiter_lua, sizeof rl_redis_limiter_lua - 1},
};

_Static_assert(RL_REDIS_SHA1_HEX == 40, "RL_REDIS_BEFORE_SHA1 has the length");

void rl_redis_script_head(rl_redis_script script, rl_redis_call_head *head)
{
	char sha1[RL_REDIS_SHA1_HEX + 1];

	rl_redis_sha1(scripts[script].text, scripts[script].len, sha1);
	memcpy(head->before, RL_REDIS_BEFORE_SHA1, sizeof head->before);
	memcpy(head->sha1, sha1, sizeof head->sha1);
	memcpy(head->behind, RL_REDIS_BEHIND_SHA1, sizeof head->behind);
}

static void script_write_head(rl_redis_buffer *b, rl_redis_script script, const rl_redis_call_head *head, size_t n_keys)
{
	const char count = (char) ('0' + n_keys);

	rl_redis_buffer_command(b, 4 + n_keys);
	if (head) {
		rl_redis_buffer_text(b, "EVALSHA");
		rl_redis_buffer_bytes(b, head->sha1, sizeof head->sha1);
	} else {
		rl_redis_buffer_text(b, "EVAL");
		rl_redis_buffer_bytes(b, scripts[script].text, scripts[script].len);
	}
	rl_redis_buffer_bytes(b, &count, 1);
}

void rl_redis_script_write(rl_redis_buffer *b, rl_redis_script script, const rl_redis_call_head *head,
	const rl_redis_keys *keys, uint64_t nonce, rl_redis_wire *question)
{
	const char *key = keys->bytes;

	if (head && keys->n == 1) { /* the usual case */
		rl_redis_buffer_raw(b, (const char *) head, sizeof *head);
	} else {
		script_write_head(b, script, head, keys->n);
	}
	for (size_t i = 0; i < keys->n; key += keys->lengths[i++]) {
		rl_redis_buffer_bytes(b, key, keys->lengths[i]);
	}
	rl_redis_wire_put_at(question->bytes, nonce, RL_REDIS_NONCE_BYTES);
	rl_redis_buffer_bytes(b, question->bytes, question->len);
}

static void script_read_held(const char *parts, const rl_redis_shape *shape, int64_t granted)
{
	for (size_t i = 0; shape->held && i < shape->n_limits; i++) {
		rl_held *held = &shape->held[i];

		held->tag = rl_redis_wire_get(&parts, 6);
		held->place = (int64_t) rl_redis_wire_get(&parts, 7);
		held->moved_us = (int64_t) rl_redis_wire_get(&parts, 7);
		held->cost = shape->costs ? shape->costs[i] : (uint64_t) granted;
	}
}

/* Reads what each limit has left, and the bans and levels of the keys, if one has any. */
static bool script_read_each(const char *left, size_t len, const rl_redis_shape *shape, rl_redis_answer *a)
{
	size_t n = shape->n_limits, of_limits = n * LEFT_BYTES;
	const char *of_keys = left + of_limits;

	if (len == 0) {
		return n == 1 || shape->decided == NULL || a->outcome == RL_REDIS_STALE_BOUNDARIES;
	}
	if (shape->decided == NULL || (len != of_limits && len != of_limits + shape->n_keys * KEY_BYTES)) {
		return false;
	}
	a->n_left = (uint8_t) n;
	for (size_t i = 0; i < n; i++) {
		const rl_limit *limit = &shape->decided[i];
		const char *of_key = of_keys + limit->identity * KEY_BYTES;
		uint64_t remaining = rl_redis_wire_get(&left, RL_REDIS_NUMBER_BYTES);

		a->left[i] = (rl_left){.remaining = remaining < limit->limit ? remaining : limit->limit};
		a->left[i].reset_after_us = (int64_t) rl_redis_wire_get(&left, 7);
		if (len > of_limits) {
			a->left[i].ban_after_us = (int64_t) rl_redis_wire_get(&of_key, 7);
			a->left[i].level = rl_redis_wire_get(&of_key, 2) & UINT16_MAX;
			a->left[i].forget_after_us = (int64_t) rl_redis_wire_get(&of_key, 7);
		}
	}
	return true;
}

/* Reads what the decision has left, and what each limit has. */
static bool script_read_left(const char *left, size_t len, const rl_redis_shape *shape, rl_redis_answer *a)
{
	/* A usual decision about several limits: what its limit has left says it. */
	bool usual = shape->n_limits > 1 && len == shape->n_limits * LEFT_BYTES;

	if (!usual && len >= LEFT_BYTES) {
		a->remaining = (int64_t) rl_redis_wire_get(&left, RL_REDIS_NUMBER_BYTES);
		a->reset_us = (int64_t) rl_redis_wire_get(&left, 7);
		return script_read_each(left, len - LEFT_BYTES, shape, a);
	}
	if (!usual || !script_read_each(left, len, shape, a)) {
		return false;
	}
	a->remaining = (int64_t) a->left[a->limit_index].remaining;
	a->reset_us = a->left[a->limit_index].reset_after_us;
	return true;
}

/* Reads what the answer has behind the facts. */
static bool script_read_rest(const char *rest, size_t len, const rl_redis_shape *shape, rl_redis_answer *a)
{
	bool parts = shape->parts && a->outcome == RL_ACCEPTED;
	size_t permit = shape->permit ? PERMIT_BYTES + (parts ? shape->n_limits * PART_BYTES : 0) : 0;

	if (len < permit || !script_read_left(rest, len - permit, shape, a)) {
		return false;
	}
	if (!shape->permit) {
		return true;
	}
	rest += len - permit;
	a->granted = (int64_t) rl_redis_wire_get(&rest, RL_REDIS_NUMBER_BYTES);
	a->wait_us = (int64_t) rl_redis_wire_get(&rest, 7);
	if (a->wait_us > shape->wait_max_us || a->granted > shape->granted_max) {
		return false;
	}
	if (parts) {
		script_read_held(rest, shape, a->granted);
	}
	return true;
}

bool rl_redis_script_read(const redisReply *reply, uint64_t nonce, const rl_redis_shape *shape, rl_redis_answer *a)
{
	char packed[RL_REDIS_NONCE_BYTES];
	const char *facts;

	rl_redis_wire_put_at(packed, nonce, sizeof packed);
	if (reply->type != REDIS_REPLY_STRING || reply->len < sizeof packed
		|| memcmp(reply->str, packed, sizeof packed) != 0) {
		return false;
	}
	memset(a, 0, offsetof(rl_redis_answer, left));
	facts = reply->str + sizeof packed;
	if (reply->len == sizeof packed + SHORT_BYTES) {
		a->outcome = RL_ACCEPTED;
		a->remaining = (int64_t) rl_redis_wire_get(&facts, 3);
		a->reset_us = (int64_t) (rl_redis_wire_get(&facts, 7) & LEFT_MS_MASK) * RL_US_PER_MS;
		a->retry_us = a->remaining > 0 ? 0 : a->reset_us;
		return shape->verdict;
	}
	if (reply->len < sizeof packed + FACTS_BYTES) {
		return false;
	}
	a->now_us = (int64_t) rl_redis_wire_get(&facts, 7);
	a->outcome = (int64_t) rl_redis_wire_get(&facts, 1);
	a->limit_index = (int64_t) rl_redis_wire_get(&facts, 1);
	a->retry_us = (int64_t) rl_redis_wire_get(&facts, 7);
	a->found = (int64_t) rl_redis_wire_get(&facts, 4);
	if (a->retry_us == NEVER) {
		a->retry_us = -1;
	}
	/* A counter's question brings no boundaries. */
	return a->now_us > 0
		&& (a->outcome <= RL_TOO_EXPENSIVE || (a->outcome == RL_REDIS_STALE_BOUNDARIES && !shape->counter))
		&& a->limit_index < (int64_t) shape->n_limits && a->found <= shape->found_max
		&& script_read_rest(facts, reply->len - sizeof packed - FACTS_BYTES, shape, a);
}
