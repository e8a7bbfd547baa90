/* Asks a question about each of many keys. Answers from the local cache, and for servers whose breaker is
 * open, need no request. The store gets the rest in one round trip. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "dead_places.h"
#include "debt.h"
#include "failure_policy.h"
#include "guard.h"
#include "local_cache.h"
#include "mirror.h"

/* The number of servers that one call distinguishes. The keys of any further server go to the store without a
 * breaker. */
#define SERVERS_MAX 64

/* One of the servers that decide about these keys. */
typedef struct {
	rl_breaker_name name;
	rl_attempt attempt;
	rl_status allowed; /* RL_OK: its breaker allows the request */
	rl_status outcome; /* RL_OK: it answered for all its keys */
	size_t key;        /* the first key that it did not answer for; else its first key */
	bool asked;
	bool answered; /* it answered for at least one key, perhaps with an error about this key only */
} batch_server;

/* A key that the store gets, and its places in the local cache. */
typedef struct {
	size_t index; /* its index in the caller's arrays */
	size_t server;
	rl_local_cache cache;
	rl_mirror_mark mark;
} batch_key;

/* The keys that the store gets, in rows as the store requires them. */
typedef struct {
	size_t n;
	batch_key *items;
	const rl_question **questions;
	rl_key *keys;
	rl_answer *answers;
	rl_status *status;
	rl_debts *debts; /* what the machine owes of each; NULL: nothing, or there is no memory */
	batch_server servers[SERVERS_MAX];
	size_t n_servers;
} batch;

_Static_assert(sizeof(batch_key) % _Alignof(rl_answer) == 0 && sizeof(rl_answer) % _Alignof(rl_key) == 0
		&& sizeof(rl_key) % _Alignof(rl_question *) == 0 && sizeof(rl_question *) % _Alignof(rl_status) == 0,
	"one row may begin where the other ends");

/* Allocates all rows as one block, which begins with the items: free() them. */
static bool batch_init(batch *r, size_t n)
{
	r->n = r->n_servers = 0;
	r->debts = NULL;
	r->items = malloc(
		n * (sizeof *r->items + sizeof *r->answers + sizeof *r->keys + sizeof *r->questions + sizeof *r->status));
	if (!r->items) {
		return false;
	}
	r->answers = (rl_answer *) (r->items + n);
	r->keys = (rl_key *) (r->answers + n);
	r->questions = (const rl_question **) (r->keys + n);
	r->status = (rl_status *) (r->questions + n);
	if (RL_UNLIKELY(rl_debts_exist(rl_shm_now_us()))) {
		r->debts = malloc(n * sizeof *r->debts);
	}
	return true;
}

/* Returns the server of a key. The first key of a server begins its attempt. why: the reason of the first server whose
 * breaker allows no request. */
static size_t batch_server_of(batch *r, const rl_guard *g, const rl_key *key, rl_error *why)
{
	rl_breaker_name node;
	const rl_breaker_name *wanted = rl_attempt_server(g, key, &node);
	rl_error ignored;
	size_t i = 0;

	while (i < r->n_servers && r->servers[i].name.id != wanted->id) {
		i++;
	}
	if (i < r->n_servers) {
		return i;
	}
	if (i == SERVERS_MAX) {
		return i - 1;
	}
	batch_server *s = &r->servers[r->n_servers++];
	*s = (batch_server){.outcome = RL_OK, .key = r->n};
	if (i == SERVERS_MAX - 1) {
		wanted = NULL;
	} else if (wanted != &g->breaker) {
		wanted = memcpy(&s->name, wanted, sizeof s->name);
	} else {
		s->name.id = wanted->id;
	}
	s->allowed = rl_attempt_begin_at(&s->attempt, g, wanted, why->message[0] ? &ignored : why);
	return i;
}

/* Puts a key into the next row, with what the machine owes of it. Any other status than RL_OK: its server is not asked about it, and e has
 * the reason. */
static rl_status batch_add(batch *r, const rl_guard *g, size_t server, const rl_key *key, const rl_question *q,
	rl_error *e)
{
	batch_server *s = &r->servers[server];
	batch_key *item = &r->items[r->n];
	rl_debts *debts = r->debts != NULL ? &r->debts[r->n] : NULL;
	rl_status status = RL_OK;

	if (debts != NULL) {
		status = rl_debts_take(debts, g, key, q, &s->attempt.call, e);
	}
	if (status == RL_OK) {
		s->asked = true;
		item->server = server;
		item->mark = rl_mirror_begin(g, key, true);
		r->questions[r->n] = debts != NULL && debts->any ? &debts->question : q;
		r->keys[r->n++] = *key;
	}
	return status;
}

/* Answers the keys that need no request, or whose server gets none. Puts the rest into the rows. */
static void batch_partition(batch *r, const rl_guard *g, const rl_key *keys, size_t n, const rl_question *const *q,
	rl_answer *a, rl_status *status, rl_error *why)
{
	for (size_t i = 0; i < n; i++) {
		status[i] = RL_OK;
		if (rl_local_cache_lookup(&r->items[r->n].cache, g, &keys[i], q[i], &a[i])) {
			continue;
		}
		size_t s = batch_server_of(r, g, &keys[i], why);
		rl_error e;

		status[i] = r->servers[s].allowed;
		if (status[i] == RL_OK) {
			r->items[r->n].index = i;
			status[i] = batch_add(r, g, s, &keys[i], q[i], &e);
		} else {
			e = *why;
		}
		if (status[i] != RL_OK) {
			status[i] = rl_failure_policy_apply(g, status[i], &keys[i], q[i], &a[i], &e);
		}
	}
}

/* Reports to each server's breaker once: about the first key that the server did not answer for. */
static void batch_record(batch *r, const rl_error *e)
{
	for (size_t i = r->n; i-- > 0;) {
		batch_server *s = &r->servers[r->items[i].server];

		if (r->status[i] == RL_OK || r->status[i] == RL_STALE_BOUNDARIES || r->status[i] == RL_WRONG_TYPE
			|| r->answers[i].question_only) {
			s->answered = true;
		} else {
			s->outcome = r->status[i];
			s->key = i;
		}
	}
	/* The loop above has handled errors about one question only. e does not name their keys. */
	rl_error of_server = *e;
	of_server.question_only = false;
	for (size_t i = 0; i < r->n_servers; i++) {
		const batch_server *s = &r->servers[i];

		if (s->asked) {
			/* A server is not away if it answered some keys, and the time was too short for the others. */
			rl_attempt_record(&s->attempt, &r->keys[s->key],
				s->answered && s->outcome == RL_UNAVAILABLE ? RL_OK : s->outcome, &of_server);
		}
	}
}

static void batch_ask(batch *r, const rl_guard *g, const rl_question *const *q, rl_error *e)
{
	e->question_only = false;
	g->store->ops->ask_many(g->store, r->keys, r->n, r->questions, r->answers, r->status, e);
	batch_record(r, e);
	bool unexecuted = e->unexecuted;
	for (size_t i = 0; i < r->n; i++) {
		batch_key *asked = &r->items[i];
		const rl_question *question = q[asked->index];

		e->unexecuted = unexecuted || (r->status[i] != RL_OK && r->answers[i].question_only);
		if (RL_UNLIKELY(r->debts != NULL)) {
			rl_debts_end(&r->debts[i], g, &r->keys[i], question, r->status[i], e);
		}
		rl_attempt_count(&r->keys[i], r->status[i], rl_op_counts(question->op) ? &r->answers[i].decision : NULL);
		if (r->status[i] == RL_OK) {
			int64_t began_us = r->servers[asked->server].attempt.call.began_us;

			rl_local_cache_store(&asked->cache, g, began_us, question, &r->answers[i]);
			rl_mirror_note(asked->mark,
				&(rl_mirror_answer){g, &r->keys[i], began_us, &r->answers[i].decision, r->answers[i].leased}, question,
				NULL);
		}
		r->status[i] = rl_failure_policy_apply(g, r->status[i], &r->keys[i], question, &r->answers[i], e);
	}
}

static void ask_redis(batch *r, const rl_guard *g, const rl_key *keys, size_t n, const rl_question *const *q,
	rl_answer *a, rl_status *status, rl_error *e)
{
	rl_error why = {0};

	rl_dead_places_give_back(g);
	batch_partition(r, g, keys, n, q, a, status, &why);
	*e = why;
	if (r->n > 0) {
		batch_ask(r, g, q, e);
	}
	for (size_t i = 0; i < r->n; i++) {
		a[r->items[i].index] = r->answers[i];
		status[r->items[i].index] = r->status[i];
	}
}

/* Answers without memory for the rows: the policy decides for each key, as for a store that is unavailable. */
static void ask_none(const rl_guard *g, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	e->question_only = false;
	e->unexecuted = true;
	snprintf(e->message, sizeof e->message, "out of memory for a question about %zu identities", n);
	for (size_t i = 0; i < n; i++) {
		status[i] = rl_failure_policy_apply(g, RL_UNAVAILABLE, &keys[i], q[i], &a[i], e);
	}
}

static rl_status first_failed(const rl_status *status, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (status[i] != RL_OK) {
			return status[i];
		}
	}
	return RL_OK;
}

rl_status rl_guard_ask_many(const rl_guard *g, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	batch r;

	if (rl_guard_is_embedded(g)) {
		g->store->ops->ask_many(g->store, keys, n, q, a, status, e);
		for (size_t i = 0; i < n; i++) {
			status[i] = rl_failure_policy_apply(g, status[i], &keys[i], q[i], &a[i], e);
		}
	} else if (batch_init(&r, n)) {
		ask_redis(&r, g, keys, n, q, a, status, e);
		free(r.debts);
		free(r.items);
	} else {
		ask_none(g, keys, n, q, a, status, e);
	}
	return first_failed(status, n);
}
