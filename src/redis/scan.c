/* Reads the keys of a store page by page, for Monitor::scan(). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cluster_slot.h"
#include "key.h"
#include "net/error_message.h"
#include "redis_store.h"
#include "topology/reply.h"

/* Keys that one SCAN looks at. A page may have more: those of one bucket of the server's table stay together. */
#define SCAN_COUNT 1000

/* The bounds on a page. */
#define SCAN_KEYS_MAX        ((size_t) 64 * SCAN_COUNT)
#define SCAN_REPLY_BYTES_MAX ((size_t) 64 << 20)

typedef struct {
	const rl_redis_store *store;
	rl_redis_scan_position *position;
	rl_redis_take_key take;
	void *context;
} scan_reply;

static void scan_take_key(const scan_reply *r, const redisReply *element)
{
	size_t prefix_len = r->store->prefix_len;
	rl_key key;

	if (element->type == REDIS_REPLY_STRING && element->len > prefix_len
		&& memcmp(element->str, r->store->key, prefix_len) == 0
		&& rl_redis_key_read(element->str + prefix_len, element->len - prefix_len, &key)) {
		r->take(r->context, &key);
	}
}

static rl_status scan_take(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	scan_reply *r = context;

	(void) index;
	if (reply->type == REDIS_REPLY_ERROR) {
		snprintf(e->message, sizeof e->message, "Redis refuses SCAN: %.200s", reply->str);
		rl_redis_text_clean(e->message);
		return RL_MISCONFIGURED;
	}
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_STRING
		|| reply->element[1]->type != REDIS_REPLY_ARRAY) {
		snprintf(e->message, sizeof e->message, "the reply to SCAN is no page of keys");
		return RL_UNAVAILABLE;
	}
	r->position->cursor = strtoull(reply->element[0]->str, NULL, 10);
	for (size_t i = 0; i < reply->element[1]->elements; i++) {
		scan_take_key(r, reply->element[1]->element[i]);
	}
	return RL_OK;
}

/* Writes the prefix as a pattern that matches every key which begins with it. */
static void scan_write_pattern(rl_redis_buffer *command, const rl_redis_store *store)
{
	char *pattern = malloc(2 * store->prefix_len + 1);
	size_t len = 0;

	if (!pattern) {
		command->failed = true;
		return;
	}
	for (size_t i = 0; i < store->prefix_len; i++) {
		if (strchr("*?[]\\^-", store->key[i])) {
			pattern[len++] = '\\';
		}
		pattern[len++] = store->key[i];
	}
	pattern[len++] = '*';
	rl_redis_buffer_bytes(command, pattern, len);
	free(pattern);
}

static void scan_write_command(rl_redis_buffer *command, const rl_redis_store *store, uint64_t cursor)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%" PRIu64, cursor);
	rl_redis_buffer_command(command, 8);
	rl_redis_buffer_text(command, "SCAN");
	rl_redis_buffer_text(command, digits);
	rl_redis_buffer_text(command, "MATCH");
	scan_write_pattern(command, store);
	rl_redis_buffer_text(command, "COUNT");
	rl_redis_buffer_int(command, SCAN_COUNT);
	rl_redis_buffer_text(command, "TYPE");
	rl_redis_buffer_text(command, "string");
}

/* Returns whether a slot before this one has the same server. A server has one label, at one address. */
static bool scan_was_at(const rl_redis_topology *t, unsigned slot)
{
	const char *label = t->ops->label_of_slot(t, slot);

	for (unsigned before = slot; before-- > 0;) {
		if (t->ops->label_of_slot(t, before) == label) {
			return true;
		}
	}
	return false;
}

/* Advances to the next server once the cursor is back at 0. */
static void scan_advance(const rl_redis_topology *t, rl_redis_scan_position *position)
{
	if (position->cursor != 0) {
		return;
	}
	while (rl_redis_topology_has_slots(t) && ++position->slot < RL_REDIS_SLOTS) {
		if (t->ops->label_of_slot(t, position->slot) && !scan_was_at(t, position->slot)) {
			return;
		}
	}
	position->at_end = true;
}

rl_status rl_redis_store_scan(rl_store *base, rl_redis_scan_position *position, rl_redis_take_key take, void *context,
	rl_error *e)
{
	rl_redis_store *store = (rl_redis_store *) base;
	rl_redis_topology *t = store->link->session.topology;
	rl_redis_deadline deadline = rl_redis_deadline_in(store->options.connect_timeout_ms + store->options.timeout_ms);
	scan_reply reply = {store, position, take, context};
	rl_redis_buffer command = {0};
	rl_status status = RL_UNAVAILABLE;
	rl_redis_server *server = rl_redis_topology_server(t, position->slot, deadline, &status, e);

	if (!server) {
		return status;
	}
	scan_write_command(&command, store, position->cursor);
	server->connection.reader.elements_max = SCAN_KEYS_MAX;
	status = rl_redis_server_ask(server, &command, 1, SCAN_REPLY_BYTES_MAX, deadline, scan_take, &reply, e);
	server->connection.reader.elements_max = RL_REDIS_ELEMENTS_MAX;
	rl_redis_buffer_free(&command);
	if (status == RL_OK) {
		scan_advance(t, position);
	}
	return status;
}
