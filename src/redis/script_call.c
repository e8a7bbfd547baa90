#include "script_call.h"

#include <stdlib.h>
#include <string.h>

#include "dsn/dsn.h"
#include "topology/cluster_slot.h"
#include "net/deadline.h"
#include "net/error_message.h"

/* Rounds without a pause: a node may redirect to another, that one to a third, and each may lack the script. More rounds mean
 * that the nodes' maps differ, which the nodes settle among themselves in a moment. */
#define ROUNDS_AT_ONCE 5

/* The most NOSCRIPT replies to one question: a SCRIPT FLUSH may come between any two commands. */
#define NOSCRIPTS_MAX 4

/* A pause between two rounds is twice as long as the last one, so often: the first takes a millisecond. */
#define PAUSES_DOUBLED 5

/* In rl_redis_call.status: the question has no answer yet. No rl_status has this number. */
#define UNASKED ((rl_status) -1)

typedef struct {
	uint64_t nonce;
	rl_redis_server *server; /* the server of this round */
	rl_redis_server *asking; /* the server to ask once, after ASKING; NULL: the key's own */
	unsigned char noscripts;
} call_question;

typedef struct rl_redis_run {
	rl_redis_session *session;
	rl_redis_topology *topology;
	rl_redis_call *call;
	call_question *questions;
	rl_redis_budget budget;
	rl_redis_server *servers; /* the servers of this round */
	size_t unasked;
	bool retry_later;       /* a server replied that the question must wait */
	rl_error *retry_reason; /* that reply */
	unsigned pauses;
	rl_status failed; /* the status of the first failed question */
	rl_error *e;      /* and its reason */
} call_run;

static rl_redis_topology *topology_new(const rl_redis_dsn *dsn)
{
	switch (dsn->kind) {
		case RL_REDIS_SENTINEL:
			return rl_redis_sentinel_new(dsn);
		case RL_REDIS_CLUSTER:
			return rl_redis_cluster_new(dsn);
		case RL_REDIS_SINGLE:
			break;
	}
	return rl_redis_single_new(dsn);
}

bool rl_redis_session_init(rl_redis_session *s, const rl_redis_dsn *dsn)
{
	memset(s, 0, sizeof *s);
	s->topology = topology_new(dsn);
	/* Any start will do, as long as two connections that could be mixed up have different nonces. */
	s->nonce = (uint64_t) rl_redis_clock_us() ^ (uint64_t) (uintptr_t) s << 16;
	return s->topology != NULL;
}

void rl_redis_session_free(rl_redis_session *s)
{
	rl_redis_topology_free(s->topology);
	s->topology = NULL;
}

/* ---- Completing a question ---- */

static void call_complete(call_run *r, size_t i, rl_status status, const rl_error *why)
{
	r->call->status[i] = status;
	r->call->answers[i].question_only = why->question_only;
	r->unasked--;
	if (r->failed == RL_OK) {
		r->failed = status;
		memcpy(r->e->message, why->message, sizeof why->message);
		r->e->question_only = why->question_only;
		r->e->unexecuted = why->unexecuted && r->call->n == 1;
	}
}

/* Completes all questions without an answer: none of them was sent, or each got a reply which implies that it was not executed. */
static void call_complete_all(call_run *r, rl_status status, const rl_error *why)
{
	bool first = r->failed == RL_OK;

	for (size_t i = 0; i < r->call->n; i++) {
		if (r->call->status[i] == UNASKED) {
			call_complete(r, i, status, why);
		}
	}
	r->e->unexecuted |= first;
}

/* Handles an error reply. A question is asked again only after a reply which implies that nothing was executed. */
static void call_take_error(call_run *r, rl_redis_server *server, size_t i, const redisReply *reply)
{
	call_question *q = &r->questions[i];
	rl_redis_server *asking_replied = q->asking;
	rl_redis_server *to = NULL;
	rl_redis_redirection redirect = RL_REDIRECT_NONE;
	rl_error why;
	rl_status status;

	q->asking = NULL;
	if (r->topology->ops->redirect) {
		redirect = r->topology->ops->redirect(r->topology, server, reply, &to);
	}
	switch (redirect) {
		case RL_REDIRECT_ASK:
			q->asking = to;
			return;
		case RL_REDIRECT_RETRY_LATER:
			r->retry_later = true;
			rl_redis_error_set(r->retry_reason, server->label, "%.150s", reply->str);
			return;
		case RL_REDIRECT_MOVED:
			return;
		case RL_REDIRECT_NONE:
			break;
	}
	rl_redis_error_set(&why, server->label, "%s", reply->str);
	status = rl_redis_reply_judge(reply);
	if (rl_redis_reply_is_noscript(reply)) {
		if (++q->noscripts < NOSCRIPTS_MAX) {
			q->asking = asking_replied; /* ASKING applied to one command only */
			return;
		}
		rl_redis_error_set(&why, server->label, "NOSCRIPT again right after EVAL: the server does not keep the script");
	} else if (status != RL_WRONG_TYPE && !rl_redis_reply_is_for_want_of_room(reply)
		&& !rl_redis_reply_is_about_a_newer_state(reply)) {
		/* A new connection may find another server, another user or other rights at the same address. */
		server->close_after = true;
	}
	why.question_only = rl_redis_reply_is_about_a_write(reply) || rl_redis_reply_is_about_a_newer_state(reply);
	why.unexecuted = why.question_only || rl_redis_reply_is_unexecuted(reply);
	call_complete(r, i, status, &why);
}

static rl_status call_take_reply(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	rl_redis_server *server = context;
	call_run *r = server->run;
	rl_redis_call *call = r->call;

	(void) index;
	while (call->status[server->next_reply] != UNASKED || r->questions[server->next_reply].server != server) {
		server->next_reply++;
	}
	call_question *q = &r->questions[server->next_reply];
	if (q->asking && !server->asking_replied) {
		/* The reply to ASKING is ignored: the next one shows whether it worked. */
		server->asking_replied = true;
		return RL_OK;
	}
	server->asking_replied = false;
	size_t i = server->next_reply++;
	if (reply->type == REDIS_REPLY_ERROR) {
		call_take_error(r, server, i, reply);
		return RL_OK;
	}
	if (!rl_redis_script_read(reply, q->nonce, &call->shapes[call->differ ? i : 0], &call->answers[i])) {
		rl_redis_error_set(e, server->label, "the reply is no answer to the question");
		server->next_reply = i; /* it has no answer */
		return RL_UNAVAILABLE;
	}
	call->status[i] = RL_OK;
	r->unasked--;
	return RL_OK;
}

/* ---- One round ---- */

static rl_redis_server *call_connect(call_run *r, const call_question *q, unsigned slot, rl_status *status, rl_error *e)
{
	int64_t start;
	rl_redis_deadline deadline = rl_redis_budget_connect(&r->budget, &start);
	rl_redis_server *server = q->asking;

	if (server) {
		*status = rl_redis_topology_handshake(r->topology, server, deadline, e);
		server = *status == RL_OK ? server : NULL;
	} else {
		server = r->topology->ops->connect(r->topology, slot, deadline, status, e);
	}
	rl_redis_budget_connected(&r->budget, start);
	if (server) {
		server->newly_connected = true;
	}
	return server;
}

/* Returns the server of a question, connected. */
static rl_redis_server *call_choose_server(call_run *r, const call_question *q, unsigned slot, rl_status *status,
	rl_error *e)
{
	rl_redis_server *server = q->asking;

	if (!server) {
		server = r->topology->ops->get_ready(r->topology, slot);
	} else if (!rl_redis_connection_is_usable(&server->connection)) {
		server = NULL;
	}
	if (server && server->round != r->session->rounds) {
		server->newly_connected = false;
	}
	return server ? server : call_connect(r, q, slot, status, e);
}

static void call_enlist(call_run *r, rl_redis_server *server)
{
	if (server->round == r->session->rounds) {
		return;
	}
	server->round = r->session->rounds;
	server->run = r;
	server->next = r->servers;
	r->servers = server;
	rl_redis_buffer_clear(&server->commands);
	server->replies = 0;
	server->next_reply = 0;
	server->asking_replied = false;
	server->script_sent = false;
}

static void call_write_question(call_run *r, call_question *q, const rl_redis_keys *keys)
{
	rl_redis_server *server = q->server;
	rl_redis_call *call = r->call;
	/* EVAL once is enough: Redis has cached the script by the time it reads the next command. */
	bool send_script = q->noscripts > 0 && !server->script_sent;

	if (q->asking) {
		rl_redis_buffer_command(&server->commands, 1);
		rl_redis_buffer_text(&server->commands, "ASKING");
		server->replies++;
	}
	q->nonce = r->session->nonce++;
	server->script_sent |= send_script;
	server->replies++;
	rl_redis_script_write(&server->commands, call->script, send_script ? NULL : &r->session->heads[call->script], keys,
		q->nonce, &call->questions[call->differ ? q - r->questions : 0]);
}

/* Assigns every question to its server, and writes its command. */
static void call_route(call_run *r)
{
	rl_redis_call *call = r->call;
	bool slots = rl_redis_topology_has_slots(r->topology);

	r->servers = NULL;
	r->session->rounds++;
	for (size_t i = 0; i < call->n; i++) {
		call_question *q = &r->questions[i];
		rl_status status = RL_UNAVAILABLE;
		rl_error why;
		rl_redis_keys keys;

		if (call->status[i] != UNASKED) {
			continue;
		}
		call->keys(call->context, i, &keys);
		q->server = r->servers;
		if (!r->servers || slots) {
			q->server = call_choose_server(r, q, slots ? rl_redis_slot(keys.bytes, keys.lengths[0]) : 0, &status, &why);
		}
		if (q->server) {
			call_enlist(r, q->server);
			call_write_question(r, q, &keys);
		} else if (slots) {
			why.unexecuted = true;
			call_complete(r, i, status, &why);
		} else {
			call_complete_all(r, status, &why);
			return;
		}
	}
}

static void call_send(rl_redis_server *server)
{
	server->exchange = (rl_redis_exchange){
		.connection = &server->connection,
		.label = server->label,
		.unsent = server->commands.data,
		.unsent_len = server->commands.len,
		.wanted = server->replies,
		.take = call_take_reply,
		.context = server,
		.e = &server->trouble,
	};
	if (server->commands.failed) {
		rl_redis_error_set(&server->trouble, server->label, "out of memory");
		server->newly_connected = true; /* a new connection would not help */
		server->exchange.failed = true;
	} else if (server->connection.fd < 0) {
		/* Its connection was closed while others were made, as that of a replica which sent the slots: reconnect. */
		server->newly_connected = false;
		server->exchange.failed = true;
	} else {
		rl_redis_exchange_begin(&server->exchange);
	}
}

static void call_receive(call_run *r, rl_redis_server *server, rl_redis_deadline deadline)
{
	rl_status status = rl_redis_exchange_finish(&server->exchange, deadline);

	if (status == RL_OK) {
		if (server->close_after) {
			rl_redis_connection_close(&server->connection);
		}
		return;
	}
	if (r->topology->ops->on_lost) {
		r->topology->ops->on_lost(r->topology, server);
	}
	/* An idle connection may fail at the moment of the first write. As long as no byte of the questions was sent, nothing can
	 * have been counted, so they are asked again on a new connection. */
	if (!server->exchange.sent && !server->newly_connected) {
		return;
	}
	server->trouble.unexecuted = !server->exchange.sent;
	for (size_t i = server->next_reply; i < r->call->n; i++) {
		if (r->call->status[i] == UNASKED && r->questions[i].server == server) {
			call_complete(r, i, status, &server->trouble);
		}
	}
}

static void call_round(call_run *r)
{
	rl_redis_deadline deadline;

	call_route(r);
	if (!r->servers) {
		return;
	}
	deadline = rl_redis_budget_answer(&r->budget);
	/* Every server has its commands before the first reply is awaited. */
	for (rl_redis_server *server = r->servers; server; server = server->next) {
		call_send(server);
	}
	for (rl_redis_server *server = r->servers; server; server = server->next) {
		call_receive(r, server, deadline);
		deadline.whole = false;
	}
}

/* ---- All rounds ---- */

/* Pauses before the next round. Returns false if the deadline does not allow it. */
static bool call_back_off(call_run *r)
{
	int ms = 1 << (r->pauses < PAUSES_DOUBLED ? r->pauses : PAUSES_DOUBLED);
	int64_t left_us = rl_redis_budget_answer(&r->budget).at_us - rl_redis_clock_us();

	r->pauses++;
	r->retry_later = false;
	if (left_us <= ms * RL_US_PER_MS) {
		return false;
	}
	rl_redis_pause(ms);
	return true;
}

static void call_rounds(call_run *r)
{
	for (int round = 0; r->unasked > 0; round += round < ROUNDS_AT_ONCE) {
		if ((r->retry_later || round == ROUNDS_AT_ONCE) && !call_back_off(r)) {
			if (!*r->retry_reason->message) {
				rl_redis_error_set(r->retry_reason, r->topology->dsn->label,
					"too many redirects: the nodes disagree about the slots");
			}
			call_complete_all(r, RL_UNAVAILABLE, r->retry_reason);
			return;
		}
		call_round(r);
	}
}

rl_status rl_redis_call_run(rl_redis_session *s, rl_redis_call *call, rl_error *e)
{
	call_question one = {0};
	rl_error retry_reason; /* not cleared: large, and rarely needed */
	call_run r = {
		.session = s,
		.topology = s->topology,
		.call = call,
		.questions = call->n > 1 ? calloc(call->n, sizeof one) : &one,
		.budget = rl_redis_budget_of(call->connect_timeout_ms, call->timeout_ms),
		.unasked = call->n,
		.retry_reason = &retry_reason,
		.e = e,
	};

	*retry_reason.message = '\0';
	e->unexecuted = false;
	if (!*s->heads[call->script].before) {
		rl_redis_script_head(call->script, &s->heads[call->script]);
	}
	for (size_t i = 0; i < call->n; i++) {
		call->status[i] = UNASKED;
	}
	if (!r.questions) {
		rl_redis_error_set(&retry_reason, s->topology->dsn->label, "out of memory");
		call_complete_all(&r, RL_UNAVAILABLE, &retry_reason);
		return RL_UNAVAILABLE;
	}
	if (s->topology->ops->begin) {
		s->topology->ops->begin(s->topology);
	}
	call_rounds(&r);
	if (r.questions != &one) {
		free(r.questions);
	}
	return r.failed;
}
