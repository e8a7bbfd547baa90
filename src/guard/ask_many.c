/* The same question about many keys: who of them need not be asked, whose server is left alone, and one trip for the
 * rest. */
#include <stdio.h>
#include <stdlib.h>

#include "failure_policy.h"
#include "local_cache.h"
#include "attempt.h"

/* Servers that are told apart in one call. Who comes after those is asked without a breaker. */
#define SERVERS_MAX 64

/* One of the servers that decide about these keys. */
typedef struct {
	rl_breaker *breaker;
	rl_attempt attempt;
	rl_status allowed; /* RL_OK: it is asked */
	rl_status outcome; /* RL_OK: it answered for all its keys */
	size_t key;        /* the first that it did not answer for; else its first */
	bool answered;     /* for one of them, if only that it cannot do this one */
} batch_server;

/* What is remembered of a key that is asked for. */
typedef struct {
	size_t index; /* in what the caller asked */
	size_t server;
	rl_local_cache cache;
} batch_key;

/* The keys that are asked for. The store wants each of what it is handed in a row of its own. */
typedef struct {
	size_t n;
	batch_key *items;
	rl_key *keys;
	rl_answer *answers;
	rl_status *status;
	batch_server servers[SERVERS_MAX];
	size_t n_servers;
} batch;

_Static_assert(sizeof(batch_key) % _Alignof(rl_answer) == 0 && sizeof(rl_answer) % _Alignof(rl_key) == 0
		&& sizeof(rl_key) % _Alignof(rl_status) == 0,
	"one row may stand behind the other");

/* All rows are one piece of memory, which begins with the items: free() them. */
static bool batch_init(batch *r, size_t n)
{
	r->n = r->n_servers = 0;
	r->items = malloc(n * (sizeof *r->items + sizeof *r->answers + sizeof *r->keys + sizeof *r->status));
	if (!r->items) {
		return false;
	}
	r->answers = (rl_answer *) (r->items + n);
	r->keys = (rl_key *) (r->answers + n);
	r->status = (rl_status *) (r->keys + n);
	return true;
}

/* The server of a key, asked for leave when it is met first. why: of the first that is left alone. */
static size_t batch_server_of(batch *r, const rl_guard *g, const rl_key *key, rl_error *why)
{
	rl_breaker *wanted = rl_breaker_for(g, key);
	rl_error unsaid;
	size_t i = 0;

	while (i < r->n_servers && r->servers[i].breaker != wanted) {
		i++;
	}
	if (i < r->n_servers) {
		return i;
	}
	if (i == SERVERS_MAX - 1) {
		wanted = NULL;
	} else if (i == SERVERS_MAX) {
		return i - 1;
	}
	batch_server *s = &r->servers[r->n_servers++];
	*s = (batch_server){.breaker = wanted, .outcome = RL_OK, .key = r->n};
	s->allowed = rl_attempt_begin(g, wanted, &s->attempt, why->message[0] ? &unsaid : why);
	return i;
}

/* Answers what need not, or must not, be asked; the rest is put aside. */
static void batch_partition(batch *r, const rl_guard *g, const rl_key *keys, size_t n, const rl_question *q,
	rl_answer *a, rl_status *status, rl_error *why)
{
	for (size_t i = 0; i < n; i++) {
		status[i] = RL_OK;
		if (rl_local_cache_lookup(&r->items[r->n].cache, g, &keys[i], q, &a[i])) {
			continue;
		}
		size_t s = batch_server_of(r, g, &keys[i], why);
		if (r->servers[s].allowed != RL_OK) {
			rl_error e = *why;

			status[i] = rl_failure_policy_apply(g, r->servers[s].allowed, &keys[i], q, &a[i], &e);
			continue;
		}
		r->items[r->n].index = i;
		r->items[r->n].server = s;
		r->keys[r->n++] = keys[i];
	}
}

/* Each server's breaker is told once, of the first key that it did not answer for. */
static void batch_record(batch *r, const rl_guard *g, const rl_error *e)
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
	/* What is only about a key has been told apart by now, and whose it was e does not say. */
	rl_error its = *e;
	its.question_only = false;
	for (size_t i = 0; i < r->n_servers; i++) {
		const batch_server *s = &r->servers[i];

		if (s->allowed == RL_OK) {
			/* One that answered, and was asked more than there was time for, is not away. */
			rl_attempt_end(g, &r->keys[s->key], &s->attempt,
				s->answered && s->outcome == RL_UNAVAILABLE ? RL_OK : s->outcome, &its);
		}
	}
}

static void batch_ask(batch *r, const rl_guard *g, const rl_question *q, rl_error *e)
{
	rl_question lease = rl_local_cache_needs_lease(g, q) ? rl_lease_question(q) : *q;

	e->question_only = false;
	g->store->ops->ask_many(g->store, r->keys, r->n, &lease, r->answers, r->status, e);
	batch_record(r, g, e);
	for (size_t i = 0; i < r->n; i++) {
		rl_attempt_count(r->status[i], q->op == RL_OP_PEEK, &r->answers[i].decision);
		if (r->status[i] == RL_OK) {
			const batch_key *asked = &r->items[i];

			rl_local_cache_store(&asked->cache, g, r->servers[asked->server].attempt.began_us, &r->answers[i]);
		}
		r->status[i] = rl_failure_policy_apply(g, r->status[i], &r->keys[i], q, &r->answers[i], e);
	}
}

static void ask_redis(batch *r, const rl_guard *g, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	rl_error why = {0};

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

static rl_status first_failed(const rl_status *status, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (status[i] != RL_OK) {
			return status[i];
		}
	}
	return RL_OK;
}

static rl_status fail_all(rl_status *status, size_t n, rl_error *e)
{
	snprintf(e->message, sizeof e->message, "out of memory");
	for (size_t i = 0; i < n; i++) {
		status[i] = RL_UNAVAILABLE;
	}
	return RL_UNAVAILABLE;
}

rl_status rl_guard_ask_many(const rl_guard *g, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	batch r;

	if (rl_guard_is_embedded(g)) {
		g->store->ops->ask_many(g->store, keys, n, q, a, status, e);
		for (size_t i = 0; i < n; i++) {
			status[i] = rl_failure_policy_apply(g, status[i], &keys[i], q, &a[i], e);
		}
	} else if (batch_init(&r, n)) {
		ask_redis(&r, g, keys, n, q, a, status, e);
		free(r.items);
	} else {
		return fail_all(status, n, e);
	}
	return first_failed(status, n);
}
