#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "redis_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "key.h"
#include "topology/cluster_slot.h"
#include "question.h"

static int64_t local_wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t) now.tv_sec * RL_US_PER_SECOND + now.tv_nsec / 1000;
}

static int64_t redis_wall_us(rl_store *base)
{
	return local_wall_us() + ((rl_redis_store *) base)->link->clock_ahead_us;
}

/* The keys of a call. Each is written into the store's one key buffer. */
typedef struct {
	rl_redis_store *store;
	const rl_key *keys;
	size_t together; /* so many of them belong to each question */
} key_list;

/* Writes the keys of a question one behind the other. */
static void redis_write_keys(void *context, size_t index, rl_redis_keys *keys)
{
	key_list *list = context;
	rl_redis_store *store = list->store;
	char *at = store->key;

	keys->n = list->together;
	keys->bytes = at;
	for (size_t i = 0; i < keys->n; at += keys->lengths[i++]) {
		if (i > 0) {
			memcpy(at, store->key, store->prefix_len);
		}
		keys->lengths[i] = store->prefix_len
			+ rl_redis_key_write(&list->keys[index * keys->n + i], at + store->prefix_len);
	}
}

/* Runs a call about keys with the options of the store. together: so many keys belong to each question. An answer of another shape is
 * invalid. */
static rl_status redis_run(rl_redis_store *store, rl_redis_call *call, const rl_key *keys, size_t together, rl_error *e)
{
	key_list list = {store, keys, together};
	rl_status status;

	call->keys = redis_write_keys;
	call->context = &list;
	call->connect_timeout_ms = store->options.connect_timeout_ms;
	call->timeout_ms = store->options.timeout_ms;
	status = rl_redis_call_run(&store->link->session, call, e);
	for (size_t i = call->n; i-- > 0;) {
		if (call->status[i] == RL_OK && call->answers[i].now_us > 0) {
			store->link->clock_ahead_us = call->answers[i].now_us - local_wall_us();
			break;
		}
	}
	return status;
}

/* Runs a script for the store's one question. */
static rl_status redis_run_one(rl_redis_store *store, rl_redis_script script, const rl_key *keys, size_t n_keys,
	const rl_redis_shape *shape, rl_redis_answer *answer, rl_error *e)
{
	rl_status status;
	rl_redis_call call = {
		.script = script,
		.n = 1,
		.questions = &store->question,
		.shapes = shape,
		.answers = answer,
		.status = &status,
	};

	/* A failure after the answer, such as bytes behind it, closes the connection but keeps the answer. */
	(void) redis_run(store, &call, keys, n_keys, e);
	return status;
}

/* counter.lua's verbs. */
typedef enum {
	TAKE = 1,
	PEEK = 2,
	FORGET = 3,
	COUNT = 4,
	BAN = 5,
	UNBAN = 6,
	COUNT_AND_LEASE = 7,
	TAKE_WITH_DEBT = 8,
} counter_verb;

static rl_status redis_ask_counter(rl_store *base, counter_verb verb, const rl_key *key, const rl_counter_question *q,
	int64_t ban_ms, rl_redis_answer *answer, rl_error *e)
{
	bool leases = verb == COUNT_AND_LEASE;
	const rl_redis_shape shape = {.n_limits = 1,
		.found_max = leases ? q->lease : 1,
		.counter = true,
		.verdict = verb == COUNT};
	rl_redis_store *store = (rl_redis_store *) base;
	rl_redis_wire *p = &store->question;

	rl_redis_wire_begin(p);
	rl_redis_wire_put(p, verb, 1);
	rl_redis_wire_put(p, q->limit, 3);
	rl_redis_wire_put(p, (uint64_t) (q->seconds * RL_MS_PER_SECOND), 7);
	rl_redis_wire_put(p, q->ban, 1);
	rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(ban_ms, RL_REDIS_WALL_MAX_US / RL_US_PER_MS), 7);
	if (leases) {
		rl_redis_wire_put(p, q->lease, 3);
	} else if (verb == TAKE_WITH_DEBT) {
		rl_redis_wire_put(p, q->debt->n, 3);
		rl_redis_wire_put(p, (uint64_t) rl_redis_clamp(q->debt->age_us, RL_PERIOD_MAX_US), 7);
	}
	return redis_run_one(store, RL_REDIS_COUNTER, key, 1, &shape, answer, e);
}

static rl_status redis_decide_counter(rl_store *base, counter_verb verb, const rl_key *key,
	const rl_counter_question *q, rl_decision *d, rl_error *e)
{
	rl_redis_answer answer;
	int64_t ban_s = rl_redis_clamp(q->ban_s, RL_REDIS_WALL_MAX_US / RL_US_PER_SECOND);
	rl_status status = redis_ask_counter(base, verb, key, q, ban_s * RL_MS_PER_SECOND, &answer, e);

	if (status == RL_OK) {
		rl_redis_decision_read(d, &answer, q->limit);
		d->leased = d->accepted ? (uint32_t) answer.found : 0;
	}
	return status;
}

static uint64_t redis_fold(uint64_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		hash = (hash ^ (unsigned char) bytes[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	}
	return hash;
}

static uint32_t redis_hash(const rl_key *key)
{
	uint64_t hash = redis_fold(key->space, key->name, key->name_len);

	hash = key->is_int ? (hash ^ (uint64_t) key->int_id) * UINT64_C(0x9e3779b97f4a7c15)
					   : redis_fold(hash, key->id, key->id_len);
	return (uint32_t) (hash >> 32) | 1;
}

/* An identity that was refused is probably refused again. COUNT would count it and take that back, which are two writes; TAKE
 * looks first. Identities of one hash get the same answers as ever. */
static rl_status redis_count(rl_store *base, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	uint32_t hash = redis_hash(key);
	uint32_t *refused = &((rl_redis_store *) base)->refused[(hash >> 1) % RL_REDIS_REFUSED];
	counter_verb verb = q->debt != NULL       ? TAKE_WITH_DEBT
		: q->lease > 0                        ? COUNT_AND_LEASE
		: q->verdict_only && *refused != hash ? COUNT
											  : TAKE;
	rl_status status = redis_decide_counter(base, verb, key, q, d, e);

	if (status == RL_OK && !d->accepted) {
		*refused = hash;
	} else if (*refused == hash) {
		*refused = 0;
	}
	return status;
}

static rl_status redis_peek(rl_store *base, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	return redis_decide_counter(base, PEEK, key, q, d, e);
}

static rl_status redis_command(rl_store *base, const rl_key *key, const rl_counter_command *c, bool *found, rl_error *e)
{
	rl_counter_question q = {.ban = c->ban};
	counter_verb verb = c->op == RL_OP_BAN ? BAN : c->op == RL_OP_UNBAN ? UNBAN : FORGET;
	rl_redis_answer answer;
	rl_status status = redis_ask_counter(base, verb, key, &q, c->ban_ms, &answer, e);

	if (status == RL_OK) {
		*found = answer.found;
	}
	return status;
}

static bool questions_differ(const rl_question *const *q, size_t n)
{
	size_t i = 1;

	while (i < n && q[i] == q[0]) {
		i++;
	}
	return i < n;
}

/* Runs the script for many keys. n_questions: 1, which is that of all keys, or n. wires, shapes: of so many. */
static rl_status redis_run_many(rl_redis_store *store, const rl_key *keys, size_t n, const rl_question *const *q,
	size_t n_questions, rl_redis_wire *wires, rl_redis_shape *shapes, rl_redis_answer *answers, rl_status *status,
	rl_error *e)
{
	rl_redis_call call = {
		.script = RL_REDIS_LIMITER,
		.n = n,
		.differ = n_questions > 1,
		.questions = wires,
		.shapes = shapes,
		.answers = answers,
		.status = status,
	};

	for (size_t i = 0; i < n_questions; i++) {
		rl_redis_question_pack(&wires[i], q[i]);
		shapes[i] = rl_redis_question_shape(q[i], n_questions > 1 ? 1 : n);
	}
	return redis_run(store, &call, keys, 1, e);
}

static rl_status redis_ask_many(rl_store *base, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	rl_redis_store *store = (rl_redis_store *) base;
	size_t n_questions = questions_differ(q, n) ? n : 1;
	rl_redis_answer one, *answers = n > 1 ? calloc(n, sizeof *answers) : &one;
	rl_redis_wire *wires = n_questions > 1 ? malloc(n * sizeof *wires) : &store->question;
	rl_redis_shape shape, *shapes = n_questions > 1 ? malloc(n * sizeof *shapes) : &shape;
	rl_status first = RL_UNAVAILABLE;

	if (answers && wires && shapes) {
		first = redis_run_many(store, keys, n, q, n_questions, wires, shapes, answers, status, e);
	} else {
		snprintf(e->message, sizeof e->message, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		rl_error stale;

		if (!answers || !wires || !shapes) {
			status[i] = RL_UNAVAILABLE;
			a[i].question_only = false;
		} else if (status[i] == RL_OK) {
			status[i] = rl_redis_answer_read(q[i], &answers[i], &a[i], first == RL_OK ? e : &stale);
			first = first == RL_OK ? status[i] : first;
			if (status[i] == RL_STALE_BOUNDARIES) {
				e->now_us = answers[i].now_us; /* also where the first failure is another one */
			}
		} else {
			a[i].question_only = answers[i].question_only;
		}
	}
	if (answers != &one) {
		free(answers);
	}
	if (n_questions > 1) {
		free(wires);
		free(shapes);
	}
	return first;
}

static rl_status redis_ask(rl_store *base, const rl_key *keys, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_redis_store *store = (rl_redis_store *) base;
	rl_redis_shape shape = rl_redis_question_shape(q, 1);
	rl_redis_answer answer;
	rl_status status;

	rl_redis_question_pack(&store->question, q);
	status = redis_run_one(store, RL_REDIS_LIMITER, keys, rl_question_keys(q), &shape, &answer, e);
	return status == RL_OK ? rl_redis_answer_read(q, &answer, a, e) : status;
}

/* One script has all keys of one server; those of a cluster may have slots of several. */
static bool redis_asks_at_once(rl_store *base)
{
	return !rl_redis_topology_has_slots(((rl_redis_store *) base)->link->session.topology);
}

static const char *redis_server_of(rl_store *base, const rl_key *key)
{
	rl_redis_store *store = (rl_redis_store *) base;
	const rl_redis_topology *topology = store->link->session.topology;
	key_list list = {store, key, 1};
	rl_redis_keys keys;

	if (!rl_redis_topology_has_slots(topology)) {
		return NULL;
	}
	redis_write_keys(&list, 0, &keys);
	return topology->ops->label_of_slot(topology, rl_redis_slot(keys.bytes, keys.lengths[0]));
}

static const rl_store_ops redis_ops = {
	.name = "redis",
	.count = redis_count,
	.peek = redis_peek,
	.command = redis_command,
	.ask = redis_ask,
	.asks_at_once = redis_asks_at_once,
	.ask_many = redis_ask_many,
	.server = redis_server_of,
	.wall_us = redis_wall_us,
};

rl_redis_store *rl_redis_store_new(const char *dsn, size_t dsn_len, rl_redis_link *link,
	const rl_redis_options *options)
{
	rl_redis_store *store = calloc(1, sizeof *store);

	if (!store || !(store->name = malloc(dsn_len + 1))) {
		free(store);
		return NULL;
	}
	store->base.ops = &redis_ops;
	memcpy(store->name, dsn, dsn_len);
	store->name_len = dsn_len;
	store->link = link;
	store->options = *options;
	return store;
}

void rl_redis_store_free(rl_redis_store *store)
{
	rl_redis_wipe(store->name, store->name_len);
	free(store->name);
	free(store->key);
	free(store);
}

bool rl_redis_store_set_prefix(rl_redis_store *store, const char *prefix, size_t prefix_len)
{
	char hex[RL_REDIS_SHA1_HEX + 1];
	char *key;

	if (store->key && store->prefix_len == prefix_len && memcmp(store->key, prefix, prefix_len) == 0) {
		return true;
	}
	if (!rl_redis_dsn_place(&store->link->dsn, prefix, prefix_len, hex)
		|| !(key = realloc(store->key, RL_LIMITS_MAX * (prefix_len + RL_REDIS_KEY_MAX)))) {
		return false;
	}
	memcpy(key, prefix, prefix_len);
	store->key = key;
	store->prefix_len = prefix_len;
	/* Two stores of one id share their counts, and what this machine remembers of them. */
	hex[32] = '\0';
	store->base.id[1] = strtoull(hex + 16, NULL, 16);
	hex[16] = '\0';
	store->base.id[0] = strtoull(hex, NULL, 16);
	return true;
}

const rl_redis_options *rl_redis_store_options(const rl_store *base)
{
	return &((const rl_redis_store *) base)->options;
}

rl_redis_server_name rl_redis_store_server(const rl_store *base)
{
	const rl_redis_link *link = ((const rl_redis_store *) base)->link;

	return (rl_redis_server_name){link->id, link->dsn.label};
}
