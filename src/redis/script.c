#include "script.h"

#include <string.h>

#include "limiter_lua.h"
#include "plain_lua.h"
#include "sha1.h"
#include "socket.h"

#define REPLY_INTEGERS 8

/* How often what came back with NOSCRIPT is sent again: a SCRIPT FLUSH may come between any two commands. */
#define ROUNDS_MAX 4

/* Integers in Lua are doubles: a nonce must be one that comes back as it went. */
#define NONCE_MASK ((UINT64_C(1) << 48) - 1)

static const struct {
	const char *text;
	size_t len;
} scripts[RL_REDIS_SCRIPTS] = {
	[RL_REDIS_PLAIN] = {rl_redis_plain_lua, sizeof rl_redis_plain_lua - 1},
	[RL_REDIS_LIMITER] = {rl_redis_limiter_lua, sizeof rl_redis_limiter_lua - 1},
};

/* A question that is still to be asked, in rl_redis_call.status. No rl_status has this number. */
#define UNASKED ((rl_status) -1)

void rl_redis_session_init(rl_redis_session *s)
{
	memset(s, 0, sizeof *s);
	rl_redis_connection_init(&s->connection);
	/* Any start will do, so long as two connections that might be mixed up do not count alike. */
	s->nonce = (uint64_t) rl_redis_clock_us() ^ (uint64_t) (uintptr_t) s << 16;
}

void rl_redis_session_free(rl_redis_session *s)
{
	rl_redis_connection_close(&s->connection);
	rl_redis_buffer_free(&s->commands);
}

/* One trip: the questions that are still unasked, in the order of their nonces. */
typedef struct {
	rl_redis_call *call;
	const rl_redis_dsn *dsn;
	uint64_t nonce;    /* of the reply that comes next */
	size_t index;      /* where the question it belongs to is looked for */
	rl_status failed;  /* of the first error reply */
	rl_error *e;       /* its reason */
	bool distrust;     /* an error reply after which the connection is better opened anew */
} trip;

static bool write_commands(rl_redis_session *s, rl_redis_call *call, bool with_text)
{
	rl_redis_buffer *b = &s->commands;
	const char *sha1 = s->sha1[call->script];
	uint64_t nonce = s->nonce;

	rl_redis_buffer_clear(b);
	for (size_t i = 0; i < call->n; i++) {
		if (call->status[i] != UNASKED) {
			continue;
		}
		const char *key;
		size_t key_len = call->key(call->context, i, &key);
		rl_redis_buffer_command(b, 5 + call->n_arguments);
		if (with_text) {
			rl_redis_buffer_text(b, "EVAL");
			rl_redis_buffer_bytes(b, scripts[call->script].text, scripts[call->script].len);
			/* Once is enough: Redis knows it by the time it reads the next. */
			with_text = false;
		} else {
			rl_redis_buffer_text(b, "EVALSHA");
			rl_redis_buffer_bytes(b, sha1, RL_REDIS_SHA1_HEX);
		}
		rl_redis_buffer_text(b, "1");
		rl_redis_buffer_bytes(b, key, key_len);
		rl_redis_buffer_int(b, (int64_t) (nonce++ & NONCE_MASK));
		rl_redis_buffer_append(b, call->arguments);
	}
	return !b->failed;
}

static bool read_answer(const redisReply *reply, uint64_t nonce, size_t n_limits, rl_redis_answer *a)
{
	int64_t v[REPLY_INTEGERS];

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != REPLY_INTEGERS) {
		return false;
	}
	for (size_t i = 0; i < REPLY_INTEGERS; i++) {
		if (reply->element[i]->type != REDIS_REPLY_INTEGER) {
			return false;
		}
		v[i] = reply->element[i]->integer;
	}
	if (v[0] != (int64_t) nonce || v[1] <= 0 || v[2] < 0 || (v[2] > RL_TOO_EXPENSIVE && v[2] != RL_REDIS_STALE)
			|| v[3] < 0 || v[3] >= (int64_t) n_limits || v[4] < 0 || v[4] > RL_LIMIT_MAX || v[5] < -1 || v[6] < 0 || v[7] < 0 || v[7] > 1) {
		return false;
	}
	*a = (rl_redis_answer) {v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
	return true;
}

static bool take_answer(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	trip *t = context;
	rl_redis_call *call = t->call;
	uint64_t nonce = t->nonce++ & NONCE_MASK;

	(void) index;
	while (call->status[t->index] != UNASKED) {
		t->index++;
	}
	size_t i = t->index++;
	if (reply->type != REDIS_REPLY_ERROR) {
		if (!read_answer(reply, nonce, call->n_limits, &call->answers[i])) {
			rl_redis_tell(e, t->dsn, "a reply that is no answer to the question");
			return false;
		}
		call->status[i] = RL_OK;
		return true;
	}
	rl_status status = rl_redis_reply_judge(reply);
	if (status == RL_OK) {
		return true; /* NOSCRIPT: still unasked */
	}
	call->status[i] = status;
	t->distrust |= status != RL_FOREIGN;
	if (t->failed == RL_OK) {
		t->failed = status;
		rl_redis_tell(t->e, t->dsn, "%s", reply->str);
		t->e->only_this = rl_redis_reply_is_about_a_write(reply);
	}
	return true;
}

static size_t count_unasked(const rl_redis_call *call)
{
	size_t n = 0;

	for (size_t i = 0; i < call->n; i++) {
		n += call->status[i] == UNASKED;
	}
	return n;
}

/* One connection's worth of questions. *sent as rl_redis_connection_exchange() tells it, of the first trip. */
static rl_status ask(rl_redis_session *s, const rl_redis_dsn *dsn, rl_redis_call *call, bool *sent, rl_error *e)
{
	rl_redis_deadline deadline = rl_redis_deadline_in(call->timeout_ms);
	rl_status failed = RL_OK;
	bool distrust = false;
	size_t n = count_unasked(call);

	for (int round = 0; n > 0 && round < ROUNDS_MAX; round++) {
		trip t = {.call = call, .dsn = dsn, .nonce = s->nonce, .failed = failed, .e = e};
		bool now_sent;

		if (!write_commands(s, call, round > 0)) {
			rl_redis_tell(e, dsn, "out of memory");
			return RL_UNAVAILABLE;
		}
		rl_error trouble = {0};
		rl_status status = rl_redis_connection_exchange(&s->connection, dsn, s->commands.data, s->commands.len, n,
			deadline, take_answer, &t, &now_sent, &trouble);
		s->nonce += n;
		*sent |= now_sent;
		failed = t.failed;
		distrust |= t.distrust;
		if (status != RL_OK) {
			if (failed == RL_OK) {
				*e = trouble;
			}
			return failed == RL_OK ? status : failed;
		}
		n = count_unasked(call);
	}
	if (n > 0 && failed == RL_OK) {
		rl_redis_tell(e, dsn, "it does not keep the script");
		failed = RL_UNAVAILABLE;
	}
	if (distrust) {
		/* The next one may find another server, another user or other rights behind the same address. */
		rl_redis_connection_close(&s->connection);
	}
	return failed;
}

rl_status rl_redis_call_run(rl_redis_session *s, const rl_redis_dsn *dsn, rl_redis_call *call, rl_error *e)
{
	rl_status status = RL_OK;

	if (!*s->sha1[call->script]) {
		rl_redis_sha1(scripts[call->script].text, scripts[call->script].len, s->sha1[call->script]);
	}
	for (size_t i = 0; i < call->n; i++) {
		call->status[i] = UNASKED;
	}
	/* A connection that was idle may die at the very moment it is written to. While not a byte of the question has gone
	 * nothing can have been counted, so it is asked again, once, on a new one. */
	rl_status unanswered = RL_UNAVAILABLE;
	for (int attempt = 0; attempt < 2; attempt++) {
		bool reused = rl_redis_connection_is_usable(&s->connection);
		bool sent = false;

		if (!reused) {
			status = rl_redis_connection_open(&s->connection, dsn, call->connect_timeout_ms, e);
			if (status != RL_OK) {
				unanswered = status;
				break;
			}
		}
		status = ask(s, dsn, call, &sent, e);
		if (status == RL_OK || sent || !reused) {
			break;
		}
	}
	for (size_t i = 0; i < call->n; i++) {
		if (call->status[i] == UNASKED) {
			call->status[i] = unanswered;
		}
	}
	return status;
}
