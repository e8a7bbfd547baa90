#include "topology.h"

#include <stdio.h>
#include <string.h>

#include "../dsn/dsn.h"
#include "../net/error_message.h"
#include "reply.h"

#define REDIS_MAJOR_MIN 6
#define REDIS_MINOR_MIN 2

/* HELLO returns the version and the role, and is the one command that every user may send. */
typedef struct {
	const rl_redis_server *server;
	size_t hello; /* the index of HELLO's reply */
} handshake_replies;

static const char *handshake_field(const redisReply *reply, const char *name)
{
	for (size_t i = 0; i + 1 < reply->elements; i += 2) {
		const redisReply *key = reply->element[i];
		const redisReply *value = reply->element[i + 1];

		if (key->type == REDIS_REPLY_STRING && value->type == REDIS_REPLY_STRING && strcmp(key->str, name) == 0) {
			return value->str;
		}
	}
	return "";
}

static rl_status handshake_judge_hello(const redisReply *reply, const rl_redis_server *server, rl_error *e)
{
	const char *version = reply->type == REDIS_REPLY_ARRAY ? handshake_field(reply, "version") : "";
	int major = 0;
	int minor = 0;

	if (sscanf(version, "%4d.%4d", &major, &minor) != 2) {
		rl_redis_error_set(e, server->label, "the reply to HELLO is not a Redis server's");
		return RL_UNAVAILABLE;
	}
	if (major < REDIS_MAJOR_MIN || (major == REDIS_MAJOR_MIN && minor < REDIS_MINOR_MIN)) {
		rl_redis_error_set(e, server->label, "Redis %.16s is too old, %d.%d or later is required", version,
			REDIS_MAJOR_MIN, REDIS_MINOR_MIN);
		return RL_MISCONFIGURED;
	}
	/* A replica refuses writes only: it would answer every question that writes nothing, from a stale state. In a cluster it
	 * answers none, but redirects. */
	if (server->role != RL_REDIS_AS_NODE && strcmp(handshake_field(reply, "role"), "master") != 0) {
		rl_redis_error_set(e, server->label, "it is a replica, which cannot count: configure the master's address");
		return RL_UNAVAILABLE;
	}
	return RL_OK;
}

static rl_status handshake_take(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	handshake_replies *g = context;

	if (reply->type == REDIS_REPLY_ERROR) {
		if (index == g->hello && strstr(reply->str, "nknown command")) {
			rl_redis_error_set(e, g->server->label, "it does not know HELLO: Redis %d.%d or later is required",
				REDIS_MAJOR_MIN, REDIS_MINOR_MIN);
		} else {
			rl_redis_error_set(e, g->server->label, "%.150s", reply->str);
		}
		return rl_redis_reply_judge(reply);
	}
	return index == g->hello ? handshake_judge_hello(reply, g->server, e) : RL_OK;
}

bool rl_redis_write_login(rl_redis_buffer *b, const rl_redis_login *login)
{
	if (!login->given) {
		return false;
	}
	rl_redis_buffer_command(b, login->user.len ? 3 : 2);
	rl_redis_buffer_text(b, "AUTH");
	if (login->user.len) {
		rl_redis_buffer_bytes(b, login->user.text, login->user.len);
	}
	rl_redis_buffer_bytes(b, login->password.text, login->password.len);
	return true;
}

rl_status rl_redis_topology_handshake(rl_redis_topology *t, rl_redis_server *s, rl_redis_deadline deadline, rl_error *e)
{
	handshake_replies g = {.server = s};
	rl_redis_buffer commands = {0};
	rl_status status = rl_redis_topology_open(t, s, deadline, e);

	if (status != RL_OK) {
		return status;
	}
	size_t n = rl_redis_write_login(&commands, &s->dsn->login);

	g.hello = n++;
	rl_redis_buffer_command(&commands, 2);
	rl_redis_buffer_text(&commands, "HELLO");
	rl_redis_buffer_text(&commands, "2");
	if (s->dsn->db) {
		rl_redis_buffer_command(&commands, 2);
		rl_redis_buffer_text(&commands, "SELECT");
		rl_redis_buffer_int(&commands, s->dsn->db);
		n++;
	}
	status = rl_redis_server_ask(s, &commands, n, 0, deadline, handshake_take, &g, e);
	rl_redis_buffer_wipe(&commands);
	return rl_redis_topology_opened(t, status);
}
