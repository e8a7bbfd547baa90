/* The topology of a master that sentinels name. It asks them when there is no connection to the master, and subscribes to
 * +switch-master at the one that answered: a demoted master may live on for seconds and decide for the clients that stay. */
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "../dsn/dsn.h"
#include "../dsn/span.h"
#include "topology.h"
#include "../net/deadline.h"
#include "../net/error_message.h"
#include "reply.h"

/* Without a subscription: the time until the next attempt to subscribe at a sentinel. */
#define WATCH_RETRY_US (10 * RL_US_PER_SECOND)

typedef struct {
	rl_redis_topology base; /* first */
	rl_redis_server master;
	rl_redis_server *sentinels;
	rl_redis_server **order; /* the order of asking: the sentinel that answered last comes first */
	size_t n_sentinels;
	bool watched;        /* the first one's connection is open, and subscribed to changes of the master */
	int64_t watch_at_us; /* if not: when the next attempt to subscribe is due */
} sentinel_topology;

/* Returns whether the known master is still current. */
static bool sentinel_is_current(sentinel_topology *s)
{
	if (!s->watched) {
		return rl_redis_clock_us() < s->watch_at_us;
	}
	switch (rl_redis_connection_listen(&s->order[0]->connection)) {
		case RL_CONN_IDLE:
			return true;
		case RL_CONN_READABLE:
			rl_redis_connection_close(&s->master.connection);
			break;
		case RL_CONN_CLOSED:
			break;
	}
	s->watched = false;
	s->watch_at_us = 0;
	return false;
}

static rl_redis_server *sentinel_get_ready(rl_redis_topology *t, unsigned slot)
{
	sentinel_topology *s = (sentinel_topology *) t;

	(void) slot;
	return rl_redis_connection_is_usable(&s->master.connection) && sentinel_is_current(s) ? &s->master : NULL;
}

/* ---- A sentinel's replies ---- */

typedef struct {
	const rl_redis_server *sentinel;
	size_t address_at; /* the index of the reply that has the address */
	bool watched;
	rl_redis_address master;
} sentinel_replies;

static bool sentinel_read_address(const redisReply *reply, rl_redis_address *address)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 || reply->element[0]->type != REDIS_REPLY_STRING
		|| reply->element[1]->type != REDIS_REPLY_STRING) {
		return false;
	}
	const redisReply *host = reply->element[0], *port = reply->element[1];
	long number;

	return rl_redis_span_number((rl_redis_span){port->str, port->str + port->len}, 65535, &number)
		&& rl_redis_address_set(address, host->str, strlen(host->str), number);
}

static rl_status sentinel_take_reply(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	sentinel_replies *f = context;

	if (index > f->address_at) {
		/* A sentinel that refuses the subscription is still usable. */
		f->watched = reply->type == REDIS_REPLY_ARRAY;
		return RL_OK;
	}
	if (reply->type == REDIS_REPLY_ERROR) {
		rl_redis_error_set(e, f->sentinel->label, "%.120s", reply->str);
		return rl_redis_reply_judge(reply);
	}
	if (index < f->address_at) {
		return RL_OK;
	}
	if (reply->type == REDIS_REPLY_NIL || (reply->type == REDIS_REPLY_ARRAY && reply->elements == 0)) {
		rl_redis_error_set(e, f->sentinel->label, "the sentinel has no master named \"%.60s\"",
			f->sentinel->dsn->master.text);
		return RL_MISCONFIGURED;
	}
	if (!sentinel_read_address(reply, &f->master)) {
		rl_redis_error_set(e, f->sentinel->label, "the sentinel's reply is not the address of a master");
		return RL_UNAVAILABLE;
	}
	return RL_OK;
}

static rl_status sentinel_ask(sentinel_topology *s, rl_redis_server *sentinel, rl_redis_deadline deadline,
	sentinel_replies *f, rl_error *e)
{
	rl_redis_buffer commands = {0};
	rl_status status = rl_redis_topology_open(&s->base, sentinel, deadline, e);

	*f = (sentinel_replies){.sentinel = sentinel};
	if (status != RL_OK) {
		return status;
	}
	f->address_at = rl_redis_write_login(&commands, &s->base.dsn->sentinel_login);
	rl_redis_buffer_command(&commands, 3);
	rl_redis_buffer_text(&commands, "SENTINEL");
	rl_redis_buffer_text(&commands, "get-master-addr-by-name");
	rl_redis_buffer_bytes(&commands, s->base.dsn->master.text, s->base.dsn->master.len);
	rl_redis_buffer_command(&commands, 2);
	rl_redis_buffer_text(&commands, "SUBSCRIBE");
	rl_redis_buffer_text(&commands, "+switch-master");
	status = rl_redis_server_ask(sentinel, &commands, f->address_at + 2, 0, deadline, sentinel_take_reply, f, e);
	rl_redis_buffer_wipe(&commands);
	if (!f->watched) {
		rl_redis_connection_close(&sentinel->connection);
	}
	return rl_redis_topology_opened(&s->base, status);
}

/* ---- Connecting the master ---- */

static void sentinel_move_to_front(sentinel_topology *s, size_t i)
{
	rl_redis_server *found = s->order[i];

	memmove(s->order + 1, s->order, i * sizeof *s->order);
	s->order[0] = found;
}

static void sentinel_stop_watching(sentinel_topology *s)
{
	s->watched = false;
	s->watch_at_us = rl_redis_clock_us() + WATCH_RETRY_US;
	for (size_t i = 0; i < s->n_sentinels; i++) {
		rl_redis_connection_close(&s->sentinels[i].connection);
	}
}

/* Connects the master that a sentinel named, unless it is connected already. */
static rl_status sentinel_handshake(sentinel_topology *s, const rl_redis_address *address, rl_redis_deadline deadline,
	rl_error *e)
{
	rl_redis_server *master = &s->master;

	if (rl_redis_server_is_at(master, address) && rl_redis_connection_is_usable(&master->connection)) {
		return RL_OK;
	}
	rl_redis_server_move(master, address);
	return rl_redis_topology_handshake(&s->base, master, deadline, e);
}

static rl_redis_server *sentinel_connect(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline,
	rl_status *status, rl_error *e)
{
	sentinel_topology *s = (sentinel_topology *) t;
	bool master_tried = false;

	(void) slot;
	sentinel_stop_watching(s);
	*status = RL_MISCONFIGURED; /* if every sentinel fails so */
	for (size_t i = 0; i < s->n_sentinels; i++) {
		rl_error ignored;
		sentinel_replies f;
		rl_status found = sentinel_ask(s, s->order[i], rl_redis_deadline_half(deadline), &f,
			master_tried ? &ignored : e);

		if (found == RL_OK && master_tried && rl_redis_server_is_at(&s->master, &f.master)) {
			continue; /* it names the master that has just failed */
		}
		if (found == RL_OK) {
			sentinel_move_to_front(s, i);
			found = sentinel_handshake(s, &f.master, deadline, e);
			master_tried = true;
			if (found == RL_OK) {
				s->watched = f.watched;
				*status = RL_OK;
				return &s->master;
			}
			if (found == RL_MISCONFIGURED) {
				*status = found;
				return NULL;
			}
		}
		*status = found == RL_MISCONFIGURED && *status == RL_MISCONFIGURED ? RL_MISCONFIGURED : RL_UNAVAILABLE;
	}
	/* No sentinel answers, and none has named another master. */
	if (!master_tried && rl_redis_connection_is_usable(&s->master.connection)) {
		*status = RL_OK;
		return &s->master;
	}
	return NULL;
}

/* ---- The master's error replies ---- */

static rl_redis_redirection sentinel_redirect(rl_redis_topology *t, rl_redis_server *from, const redisReply *reply,
	rl_redis_server **to)
{
	(void) t;
	(void) to;
	/* The master is a replica now: the script has written nothing. */
	if (!rl_redis_begins_with(rl_redis_reply_text(reply), "READONLY")) {
		return RL_REDIRECT_NONE;
	}
	from->close_after = true;
	return RL_REDIRECT_MOVED;
}

static void sentinel_free(rl_redis_topology *t)
{
	sentinel_topology *s = (sentinel_topology *) t;

	rl_redis_server_free(&s->master);
	for (size_t i = 0; i < s->n_sentinels; i++) {
		rl_redis_server_free(&s->sentinels[i]);
	}
	free(s->sentinels);
	free(s->order);
	free(s);
}

static const rl_redis_topology_ops sentinel_ops = {
	.get_ready = sentinel_get_ready,
	.connect = sentinel_connect,
	.redirect = sentinel_redirect,
	.free = sentinel_free,
};

rl_redis_topology *rl_redis_sentinel_new(const rl_redis_dsn *dsn)
{
	sentinel_topology *s = calloc(1, sizeof *s);

	if (!s) {
		return NULL;
	}
	s->base = (rl_redis_topology){.ops = &sentinel_ops, .dsn = dsn};
	/* A placeholder until a sentinel names the master. */
	rl_redis_server_init(&s->master, dsn, RL_REDIS_AS_MASTER, dsn->addresses);
	s->sentinels = calloc(dsn->n_addresses, sizeof *s->sentinels);
	s->order = calloc(dsn->n_addresses, sizeof *s->order);
	if (!s->sentinels || !s->order) {
		sentinel_free(&s->base);
		return NULL;
	}
	s->n_sentinels = dsn->n_addresses;
	for (size_t i = 0; i < s->n_sentinels; i++) {
		rl_redis_server_init(&s->sentinels[i], dsn, RL_REDIS_AS_SENTINEL, &dsn->addresses[i]);
		s->order[i] = &s->sentinels[i];
	}
	return &s->base;
}
