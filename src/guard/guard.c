#include "guard.h"

#include "../shm/shm.h"
#include "recall.h"

#include <stdio.h>
#include <stdlib.h>

const char *const rl_on_failure_names[4] = {"local", "allow", "deny", "throw"};

static bool is_embedded(const rl_guard *g)
{
	return g->store && g->store == rl_shm_store();
}

/* Whose breaker it is: in a cluster each node fails by itself, and the others go on. As long as a worker does not know
 * which node decides about a key, the cluster as a whole has one. */
static rl_server *server_for(const rl_guard *g, const rl_key *key)
{
	const char *label = g->server && g->store->ops->server ? g->store->ops->server(g->store, key) : NULL;
	rl_server *part = label ? rl_server_part(g->server, label) : NULL;

	return part ? part : g->server;
}

/* One for all of them: where they are several nodes', that of a node which is away, or else the cluster's. */
static rl_server *server_for_all(const rl_guard *g, const rl_key *keys, size_t n)
{
	rl_server *first = server_for(g, &keys[0]);
	bool several = false;

	for (size_t i = 1; i < n && first != g->server && rl_breaker_is_closed(first); i++) {
		rl_server *server = server_for(g, &keys[i]);

		several |= server != first;
		first = rl_breaker_is_closed(server) ? first : server;
	}
	return several && rl_breaker_is_closed(first) ? g->server : first;
}

static int64_t hold_us(const rl_guard *g)
{
	return g->patience_us > g->retry_delay_us ? g->patience_us : g->retry_delay_us;
}

/* Asked once: may the store be asked at all? RL_OK, or what the answer is without asking. */
static rl_status may_ask(const rl_guard *g, const rl_key *keys, size_t n, rl_attempt *attempt, rl_error *e)
{
	e->only_this = false;
	if (!g->store) {
		snprintf(e->message, sizeof(e->message), "no store could be made: a warning said why when PHP started");
		return RL_UNAVAILABLE;
	}
	return is_embedded(g) ? RL_OK : rl_breaker_may_ask(server_for_all(g, keys, n), hold_us(g), attempt, e);
}

/* What a status says of the server, rather than of the question. */
static rl_how_it_went how_it_went(rl_status status, const rl_error *e)
{
	switch (status) {
		case RL_UNAVAILABLE:
			return e->only_this ? RL_WENT_WELL : RL_WENT_SILENT;
		case RL_MISCONFIGURED:
			return e->only_this ? RL_WENT_WELL : RL_WENT_REFUSED;
		default:
			return RL_WENT_WELL;
	}
}

/* The embedded store counts its own decisions. */
static void count(const rl_guard *g, rl_status status)
{
	if (is_embedded(g)) {
		return;
	}
	switch (status) {
		case RL_OK:
			rl_shm_count(RL_COUNT_REDIS_DECISIONS);
			break;
		case RL_STALE:
			break;
		default:
			rl_shm_count(RL_COUNT_REDIS_ERRORS);
			break;
	}
}

/* Of what Redis has decided; a look is no refusal. */
static void count_refusal(bool peek, const rl_decision *d)
{
	if (!peek && !d->accepted) {
		rl_shm_count(RL_COUNT_REDIS_REFUSALS);
	}
}

/* Told once for each trip. */
static void tell_breaker(const rl_guard *g, const rl_attempt *attempt, rl_how_it_went how, const rl_error *e)
{
	rl_breaker_went(attempt->server, attempt, how, e->message, g->retry_delay_us, rl_on_failure_names[g->on_failure]);
}

/* The question was asked without knowing of whom. If that is known by now the cluster is well, and the node is not. */
static bool tell_node(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_how_it_went how, const rl_error *e)
{
	rl_server *node = attempt->server == g->server ? server_for(g, key) : g->server;
	rl_attempt at_node;
	rl_error unsaid;

	if (node == g->server) {
		return false;
	}
	if (rl_breaker_may_ask(node, hold_us(g), &at_node, &unsaid) == RL_OK) {
		tell_breaker(g, &at_node, how, e);
	}
	tell_breaker(g, attempt, RL_WENT_WELL, e);
	return true;
}

static rl_status went(const rl_guard *g, const rl_key *key, const rl_attempt *attempt, rl_status status, const rl_error *e)
{
	rl_how_it_went how = how_it_went(status, e);

	if (!is_embedded(g) && (how == RL_WENT_WELL || !tell_node(g, key, attempt, how, e))) {
		tell_breaker(g, attempt, how, e);
	}
	count(g, status);
	return status;
}

/* Does on_failure answer for a store that said this? */
static bool policy_answers(const rl_guard *g, rl_status status)
{
	switch (status) {
		case RL_UNAVAILABLE:
			return g->on_failure != RL_ON_FAILURE_THROW;
		case RL_MISCONFIGURED: /* nobody would notice that every call is refused: better to say why */
			return g->on_failure == RL_ON_FAILURE_LOCAL || g->on_failure == RL_ON_FAILURE_ALLOW;
		default:
			return false;
	}
}

/* The store that decides meanwhile; NULL when there is none, or it is the one that failed. */
static rl_store *stand_in(const rl_guard *g)
{
	return g->on_failure == RL_ON_FAILURE_LOCAL && !is_embedded(g) ? rl_shm_store() : NULL;
}

/* What on_failure says when nobody can count. */
static void decide_uncounted(const rl_guard *g, uint32_t limit, rl_decision *d)
{
	d->reason = RL_STORE_UNAVAILABLE;
	d->source = is_embedded(g) || !g->store ? RL_FROM_SHM : RL_FROM_REDIS;
	d->accepted = g->on_failure == RL_ON_FAILURE_ALLOW;
	d->limit_index = 0;
	d->limit = limit;
	d->remaining = d->accepted ? limit : 0;
	d->retry_after_us = d->accepted ? 0 : g->retry_delay_us;
	d->reset_after_us = d->retry_after_us;
}

/* A cost above a limit can never pass, whoever may count. */
static void mind_the_cost(const rl_question *q, rl_decision *d)
{
	for (uint8_t i = 0; i < q->n_limits; i++) {
		if (q->cost > q->limits[i].limit) {
			d->reason = RL_TOO_EXPENSIVE;
			d->accepted = false;
			d->limit_index = i;
			d->limit = q->limits[i].limit;
			d->remaining = d->remaining > d->limit ? d->limit : d->remaining;
			d->retry_after_us = RL_NEVER;
			d->reset_after_us = 0;
			return;
		}
	}
}

static bool has_decision(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_PEEK || op == RL_OP_RESERVE;
}

/* What the store answered is the answer, or on_failure's is. */
static rl_status or_otherwise(const rl_guard *g, rl_status status, const rl_key *key, const rl_question *q,
	rl_answer *a, rl_error *e)
{
	rl_store *other;

	if (status == RL_OK) {
		return RL_OK;
	}
	if (!policy_answers(g, status)) {
		if (status == RL_STALE) {
			a->decision.source = RL_FROM_REDIS; /* that is, not the stand-in: see rl_guard_ask_again() */
		}
		return status;
	}
	other = stand_in(g);
	if (other) {
		rl_status local = other->ops->ask(other, key, q, a, e);

		if (local == RL_OK || local == RL_STALE) {
			a->decision.source = RL_FROM_LOCAL;
			if (local == RL_OK) {
				rl_shm_count(RL_COUNT_FALLBACKS);
			}
			return local;
		}
	}
	/* A ban, a refund, a cancellation has no answer but the deed. */
	if (!has_decision(q->op)) {
		return status;
	}
	decide_uncounted(g, q->limits[0].limit, &a->decision);
	mind_the_cost(q, &a->decision);
	rl_shm_count(RL_COUNT_FALLBACKS);
	return RL_OK;
}

static rl_status plain(const rl_guard *g, bool peek, const rl_key *key, const rl_plain_question *q, rl_decision *d,
	rl_error *e)
{
	rl_attempt attempt;
	rl_recall recall;
	rl_status status;
	rl_store *other;

	if (rl_recall_plain(&recall, g, key, q, peek, d)) {
		return RL_OK;
	}
	status = may_ask(g, key, 1, &attempt, e);
	if (status == RL_OK) {
		status = (peek ? g->store->ops->peek : g->store->ops->plain)(g->store, key, q, d, e);
		status = went(g, key, &attempt, status, e);
		if (status == RL_OK) {
			if (!is_embedded(g)) {
				count_refusal(peek, d);
			}
			rl_recall_learn_plain(&recall, g, attempt.began_us, d);
		}
	}
	if (!policy_answers(g, status)) {
		return status;
	}
	other = stand_in(g);
	if (other && (peek ? other->ops->peek : other->ops->plain)(other, key, q, d, e) == RL_OK) {
		d->source = RL_FROM_LOCAL;
	} else {
		decide_uncounted(g, q->number, d);
	}
	rl_shm_count(RL_COUNT_FALLBACKS);
	return RL_OK;
}

rl_status rl_guard_plain(const rl_guard *g, const rl_key *key, const rl_plain_question *q, rl_decision *d, rl_error *e)
{
	return plain(g, false, key, q, d, e);
}

rl_status rl_guard_peek(const rl_guard *g, const rl_key *key, const rl_plain_question *q, rl_decision *d, rl_error *e)
{
	return plain(g, true, key, q, d, e);
}

rl_status rl_guard_forget(const rl_guard *g, const rl_key *key, bool *found, rl_error *e)
{
	rl_attempt attempt;
	rl_status status = may_ask(g, key, 1, &attempt, e);
	rl_store *other;

	if (status == RL_OK) {
		status = went(g, key, &attempt, g->store->ops->forget(g->store, key, found, e), e);
		rl_recall_forget(g, key);
	}
	other = policy_answers(g, status) ? stand_in(g) : NULL;
	if (other && other->ops->forget(other, key, found, e) == RL_OK) {
		rl_shm_count(RL_COUNT_FALLBACKS);
		return RL_OK;
	}
	return status;
}

/* Asks the store itself. */
static rl_status ask_store(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_question lease;

	if (!rl_recall_wants_lease(g, q)) {
		return g->store->ops->ask(g->store, key, q, a, e);
	}
	lease = rl_lease_question(q);
	return g->store->ops->ask(g->store, key, &lease, a, e);
}

rl_status rl_guard_ask(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_attempt attempt;
	rl_recall recall;
	rl_status status;

	/* It is this memory, and has no breaker. */
	if (is_embedded(g)) {
		return or_otherwise(g, g->store->ops->ask(g->store, key, q, a, e), key, q, a, e);
	}
	if (rl_recall_answers(&recall, g, key, q, a)) {
		return RL_OK;
	}
	status = may_ask(g, key, 1, &attempt, e);
	if (status == RL_OK) {
		status = went(g, key, &attempt, ask_store(g, key, q, a, e), e);
		if (!has_decision(q->op)) {
			rl_recall_forget(g, key);
		} else if (status == RL_OK) {
			count_refusal(q->op == RL_OP_PEEK, &a->decision);
			rl_recall_learn(&recall, g, attempt.began_us, a);
		}
	}
	return or_otherwise(g, status, key, q, a, e);
}

rl_status rl_guard_ask_again(const rl_guard *g, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	if (a->decision.source != RL_FROM_LOCAL) {
		return rl_guard_ask(g, key, q, a, e);
	}
	return or_otherwise(g, RL_UNAVAILABLE, key, q, a, e);
}

/* Told once for many: with the first that failed it is known whose fault it is. */
static void tell_of_many(const rl_guard *g, const rl_key *keys, size_t n, const rl_attempt *attempt, rl_status first,
	const rl_status *status, const rl_error *e)
{
	rl_how_it_went how = how_it_went(first, e);

	if (is_embedded(g)) {
		return;
	}
	for (size_t i = 0; how != RL_WENT_WELL && i < n; i++) {
		if (status[i] == first && tell_node(g, &keys[i], attempt, how, e)) {
			return;
		}
	}
	tell_breaker(g, attempt, how, e);
}

/* Asks for many keys in one trip. recalls: of each; NULL where there was no memory to look. */
static void ask_store_many(const rl_guard *g, const rl_key *keys, size_t n, const rl_recall *recalls, const rl_question *q,
	rl_answer *a, rl_status *status, rl_error *e)
{
	rl_attempt attempt;
	rl_status asked = may_ask(g, keys, n, &attempt, e);
	rl_question lease;

	if (asked == RL_OK) {
		bool leases = recalls && rl_recall_wants_lease(g, q);

		if (leases) {
			lease = rl_lease_question(q);
		}
		rl_status first = g->store->ops->ask_many(g->store, keys, n, leases ? &lease : q, a, status, e);
		tell_of_many(g, keys, n, &attempt, first, status, e);
	}
	for (size_t i = 0; i < n; i++) {
		if (asked == RL_OK) {
			count(g, status[i]);
			if (status[i] == RL_OK && !is_embedded(g)) {
				count_refusal(false, &a[i].decision);
			}
			if (recalls && status[i] == RL_OK) {
				rl_recall_learn(&recalls[i], g, attempt.began_us, &a[i]);
			}
		}
		status[i] = or_otherwise(g, asked == RL_OK ? status[i] : asked, &keys[i], q, &a[i], e);
	}
}

/* Those of the keys that this machine has no answer for. */
typedef struct {
	size_t n;
	size_t *index;
	rl_key *keys;
	rl_recall *recalls;
	rl_answer *answers;
	rl_status *status;
} rest;

static bool rest_init(rest *r, size_t n)
{
	r->index = malloc(n * sizeof *r->index);
	r->keys = malloc(n * sizeof *r->keys);
	r->recalls = malloc(n * sizeof *r->recalls);
	r->answers = malloc(n * sizeof *r->answers);
	r->status = malloc(n * sizeof *r->status);
	return r->index && r->keys && r->recalls && r->answers && r->status;
}

static void rest_free(rest *r)
{
	free(r->index);
	free(r->keys);
	free(r->recalls);
	free(r->answers);
	free(r->status);
}

static void ask_rest(const rl_guard *g, rest *r, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	for (size_t i = 0; i < n; i++) {
		status[i] = RL_OK;
		if (!rl_recall_answers(&r->recalls[r->n], g, &keys[i], q, &a[i])) {
			r->index[r->n] = i;
			r->keys[r->n++] = keys[i];
		}
	}
	if (r->n > 0) {
		ask_store_many(g, r->keys, r->n, r->recalls, q, r->answers, r->status, e);
	}
	for (size_t i = 0; i < r->n; i++) {
		a[r->index[i]] = r->answers[i];
		status[r->index[i]] = r->status[i];
	}
}

rl_status rl_guard_ask_many(const rl_guard *g, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	rest r = {0};

	/* Without memory for it, all of them are asked. */
	if (!is_embedded(g) && rest_init(&r, n)) {
		ask_rest(g, &r, keys, n, q, a, status, e);
	} else {
		ask_store_many(g, keys, n, NULL, q, a, status, e);
	}
	rest_free(&r);
	for (size_t i = 0; i < n; i++) {
		if (status[i] != RL_OK) {
			return status[i];
		}
	}
	return RL_OK;
}
