#include "server.h"

#include <stdio.h>
#include <string.h>

#include "../dsn/dsn.h"
#include "../net/error_message.h"

static void server_set_label(rl_redis_server *s)
{
	const rl_redis_address *a = &s->address;
	bool v6 = strchr(a->host, ':') != NULL;
	const char *what = s->role == RL_REDIS_AS_SENTINEL ? "sentinel" : s->role == RL_REDIS_AS_NODE ? "node" : "master";
	char place[sizeof a->host + sizeof a->port + 4];

	snprintf(place, sizeof place, "%s%s%s:%s", v6 ? "[" : "", a->host, v6 ? "]" : "", a->port);
	rl_redis_text_clean(place);
	snprintf(s->label, sizeof s->label, "%s: %s %s", s->dsn->label, what, place);
}

void rl_redis_server_init(rl_redis_server *s, const rl_redis_dsn *dsn, rl_redis_role role,
	const rl_redis_address *address)
{
	memset(s, 0, sizeof *s);
	s->dsn = dsn;
	s->role = role;
	s->address = *address;
	if (role == RL_REDIS_AS_MASTER) {
		snprintf(s->label, sizeof s->label, "%s", dsn->label);
	} else {
		server_set_label(s);
	}
	rl_redis_connection_init(&s->connection);
}

void rl_redis_server_free(rl_redis_server *s)
{
	rl_redis_connection_close(&s->connection);
	rl_redis_resolver_clear(&s->resolver);
	rl_redis_buffer_free(&s->commands);
}

void rl_redis_server_move(rl_redis_server *s, const rl_redis_address *address)
{
	rl_redis_connection_close(&s->connection);
	rl_redis_resolver_clear(&s->resolver);
	s->address = *address;
	server_set_label(s);
}

bool rl_redis_address_set(rl_redis_address *address, const char *host, size_t host_len, long long port)
{
	if (host_len == 0 || host_len > RL_REDIS_HOST_MAX || port < 1 || port > 65535) {
		return false;
	}
	memmove(address->host, host, host_len);
	address->host[host_len] = '\0';
	snprintf(address->port, sizeof address->port, "%u", (unsigned) port & 0xffffu);
	return true;
}

bool rl_redis_server_is_at(const rl_redis_server *s, const rl_redis_address *address)
{
	return strcmp(s->address.host, address->host) == 0 && strcmp(s->address.port, address->port) == 0;
}

rl_status rl_redis_server_ask(rl_redis_server *s, const rl_redis_buffer *commands, size_t n, size_t reply_max,
	rl_redis_deadline deadline, rl_redis_take take, void *context, rl_error *e)
{
	rl_redis_exchange x = {
		.connection = &s->connection,
		.label = s->label,
		.unsent = commands->data,
		.unsent_len = commands->len,
		.wanted = n,
		.reply_max = reply_max,
		.take = take,
		.context = context,
		.e = e,
	};

	if (commands->failed) {
		rl_redis_error_set(e, s->label, "out of memory");
		rl_redis_connection_close(&s->connection);
		return RL_UNAVAILABLE;
	}
	rl_redis_exchange_begin(&x);
	return rl_redis_exchange_finish(&x, deadline);
}
