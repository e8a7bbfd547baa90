/* Asks a server about its configuration, for Monitor::preflight(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis_store.h"
#include "net/error_message.h"
#include "topology/cluster_slot.h"
#include "topology/reply.h"

typedef struct {
	rl_redis_eviction *eviction;
	const char *label;
} inspect_reply;

/* Copies the value of a line "name:value\r\n" of INFO's reply; "" if there is none. */
static void inspect_field(const redisReply *reply, const char *name, char *value, size_t size)
{
	const char *at = strstr(reply->str, name);
	size_t n = at ? strcspn(at + strlen(name), "\r\n") : 0;

	snprintf(value, size, "%.*s", (int) (n < size ? n : 0), at ? at + strlen(name) : "");
}

static rl_status inspect_take(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	inspect_reply *r = context;
	char bytes[32];

	if (index == 1 && reply->type == REDIS_REPLY_ERROR) {
		rl_redis_error_set(e, r->label, "%s", reply->str);
		return RL_MISCONFIGURED;
	}
	if (reply->type == REDIS_REPLY_STRING) {
		inspect_field(reply, "\nmaxmemory:", bytes, sizeof bytes);
		r->eviction->maxmemory = strtoull(bytes, NULL, 10);
		inspect_field(reply, "\nmaxmemory_policy:", r->eviction->policy, sizeof r->eviction->policy);
	}
	return RL_OK;
}

rl_status rl_redis_store_inspect(rl_store *base, rl_redis_eviction *eviction, rl_error *e)
{
	rl_redis_store *store = (rl_redis_store *) base;
	rl_redis_deadline deadline = rl_redis_deadline_in(store->options.timeout_ms);
	rl_redis_buffer command = {0};
	inspect_reply reply = {eviction, rl_redis_store_server(base).label};
	rl_status status = RL_OK;
	rl_redis_server *server = rl_redis_topology_server(store->link->session.topology,
		rl_redis_slot(store->key, store->prefix_len), deadline, &status, e);

	*eviction = (rl_redis_eviction){0};
	if (!server) {
		return status;
	}
	rl_redis_buffer_command(&command, 2);
	rl_redis_buffer_text(&command, "INFO");
	rl_redis_buffer_text(&command, "memory");
	/* The prefix is a key: some proxies refuse a script without one. */
	rl_redis_buffer_command(&command, 4);
	rl_redis_buffer_text(&command, "EVAL");
	rl_redis_buffer_text(&command, "return 1");
	rl_redis_buffer_text(&command, "1");
	rl_redis_buffer_bytes(&command, store->key, store->prefix_len);
	status = rl_redis_server_ask(server, &command, 2, 0, deadline, inspect_take, &reply, e);
	rl_redis_buffer_free(&command);
	return status;
}
