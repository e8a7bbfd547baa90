/* The guard under attack (attack.c): breakers, deny cache, leases and failure policy are in the segment that the attacker
 * writes, and the store behind the guard fails, refuses, grants batches, or answers, at random. */
#ifndef RL_TEST_ATTACK_GUARD_H
#define RL_TEST_ATTACK_GUARD_H

#include "src/guard/failure_policy.h"
#include "src/guard/guard.h"
#include "harness.h"

static uint64_t *away_seed;

static rl_status away_answer(uint32_t limit, uint32_t cost, rl_decision *d, rl_error *e)
{
	static const rl_status statuses[] = {RL_OK, RL_OK, RL_OK, RL_OK, RL_UNAVAILABLE, RL_UNAVAILABLE, RL_MISCONFIGURED,
		RL_WRONG_TYPE};
	bool accepted = test_random(away_seed) % 2 != 0;

	*d = (rl_decision){
		.reason = accepted ? RL_ACCEPTED : RL_LIMITED,
		.source = RL_FROM_REDIS,
		.accepted = accepted,
		.limit = limit,
		.remaining = accepted ? limit - cost : 0,
		.retry_after_us = accepted ? 0 : (int64_t) (test_random(away_seed) % 1000000),
		.reset_after_us = 5 * RL_US_PER_SECOND,
	};
	snprintf(e->message, sizeof e->message, "fails at random");
	e->question_only = test_random(away_seed) % 16 == 0;
	return statuses[test_random(away_seed) % (sizeof statuses / sizeof *statuses)];
}

static rl_status away_count(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d,
	rl_error *e)
{
	rl_status status = away_answer(q->limit, 1, d, e);

	(void) store;
	(void) key;
	if (q->lease > RL_COUNTER_MAX) {
		abort();
	}
	d->leased = status == RL_OK && d->accepted ? q->lease : 0;
	return status;
}

static rl_status away_command(rl_store *store, const rl_key *key, const rl_counter_command *c, bool *found, rl_error *e)
{
	rl_decision unused;

	(void) store;
	(void) key;
	(void) c;
	*found = true;
	return away_answer(1, 1, &unused, e);
}

static rl_status away_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	rl_status status;

	(void) store;
	(void) key;
	memset(a, 0, sizeof *a);
	status = away_answer(q->limits[0].limit, q->cost, &a->decision, e);
	a->leased = q->op == RL_OP_LEASE && a->decision.accepted ? q->lease : 0;
	return status;
}

static rl_status away_ask_many(rl_store *store, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	rl_status first = RL_OK;
	size_t i;

	for (i = 0; i < n; i++) {
		status[i] = away_ask(store, &keys[i], q[i], &a[i], e);
		first = first == RL_OK ? status[i] : first;
	}
	return first;
}

/* A cluster of 3 nodes whose map is known for some keys. */
static const char *away_server(rl_store *store, const rl_key *key)
{
	static const char *const nodes[] = {"node 1:6379", "node 2:6379", "node 3:6379", NULL};

	(void) store;
	return nodes[(uint64_t) key->int_id % (sizeof nodes / sizeof *nodes)];
}

static const rl_store_ops away_ops = {.name = "away",
	.count = away_count,
	.peek = away_count,
	.command = away_command,
	.ask = away_ask,
	.ask_many = away_ask_many,
	.server = away_server};

static rl_guard away_guard(rl_store *store, uint64_t *seed)
{
	uint64_t n = test_random(seed) % 8;
	char dsn[32];

	snprintf(dsn, sizeof dsn, "redis://away-%u", (unsigned) n);
	*store = (rl_store){.ops = &away_ops, .id = {n + 1, ~n}};
	return (rl_guard){
		.store = test_random(seed) % 32 == 0 ? NULL : store,
		.policy.on_failure = (rl_on_failure) (test_random(seed) % 4),
		.breaker = rl_breaker_name_of(dsn, strlen(dsn), dsn),
		.retry_delay_us = (int64_t) (test_random(seed) % 2000),
		.ask_timeout_us = 1000,
		.deny_cache_us = (int64_t) (test_random(seed) % 4) * 20 * RL_US_PER_SECOND,
		.auto_lease = test_random(seed) % 2 == 0,
	};
}

/* Aborts unless an answer holds the bounds that do not depend on the segment's contents. */
static void check_guarded(rl_status status, const rl_decision *d, unsigned n_limits, const rl_error *e)
{
	if (status == RL_OK ? (d->accepted && d->reason != RL_ACCEPTED && d->reason != RL_STORE_UNAVAILABLE)
				|| d->limit_index >= n_limits || d->remaining > d->limit || d->retry_after_us < 0
				|| d->reset_after_us < 0
						: memchr(e->message, '\0', sizeof e->message) == NULL) {
		abort();
	}
}

static void guard_count(const rl_guard *g, const rl_key *key, uint64_t *seed)
{
	rl_counter_question q = {.seconds = 1 + (uint32_t) (test_random(seed) % 60),
		.limit = test_random(seed) % 2 ? 5 : 5000};
	rl_decision d = {0};
	rl_error e = {0};
	bool found;

	switch (test_random(seed) % 4) {
		case 0:
			check_guarded(rl_guard_peek(g, key, &q, &d, &e), &d, 1, &e);
			break;
		case 1:
			check_guarded(rl_guard_command(g, key, &(rl_counter_command){.op = RL_OP_RESET}, &found, &e), &d, 1, &e);
			break;
		default:
			check_guarded(rl_guard_count(g, key, &q, &d, &e), &d, 1, &e);
	}
}

static void guard_ask(const rl_guard *g, const rl_key *keys, size_t n, uint64_t *seed)
{
	static const rl_op ops[] = {RL_OP_CONSUME, RL_OP_CONSUME, RL_OP_CONSUME, RL_OP_PEEK, RL_OP_CREDIT, RL_OP_BAN,
		RL_OP_UNBAN, RL_OP_RESET};
	rl_question q = test_question(ops[test_random(seed) % (sizeof ops / sizeof *ops)],
		test_limit(RL_FIXED_WINDOW, 20, (int64_t) (1 + test_random(seed) % 60) * RL_US_PER_SECOND), 1);
	rl_status statuses[4];
	rl_answer a[4];
	rl_error e = {0};
	size_t i;

	memset(a, 0, sizeof a);
	q.ban = RL_BAN_FOR;
	q.ban_us = RL_US_PER_SECOND;
	q.leased = test_random(seed) % 2;
	q.limits[0].limit = test_random(seed) % 2 ? 20 : 2000;
	if (n == 1) {
		statuses[0] = rl_guard_ask(g, keys, &q, a, &e);
		if (statuses[0] == RL_STALE_BOUNDARIES) {
			statuses[0] = rl_guard_retry(g, keys, &q, a, &e);
		}
	} else {
		(void) rl_guard_ask_many(g, keys, n, (const rl_question *[4]){&q, &q, &q, &q}, a, statuses, &e);
	}
	for (i = 0; i < n; i++) {
		if (rl_op_is_decision(q.op)) {
			check_guarded(statuses[i], &a[i].decision, 1, &e);
		}
	}
}

static void guard_breakers(void *context, const rl_breaker *breaker)
{
	rl_breaker_info info;

	rl_breaker_snapshot(breaker, &info);
	if (info.state > RL_BREAKER_HALF_OPEN || memchr(info.facts.label, '\0', sizeof info.facts.label) == NULL) {
		abort();
	}
	*(size_t *) context += strlen(info.facts.label);
}

static size_t guard_bytes;

static void guard_report(const char *line)
{
	guard_bytes += strlen(line);
}

/* Makes one call of a guard whose store is away at times. keys: 4 of them. */
static void guard_call(const rl_key *keys, uint64_t *seed)
{
	rl_store store;
	rl_guard g = away_guard(&store, seed);

	away_seed = seed;
	rl_breaker_report = guard_report;
	switch (test_random(seed) % 8) {
		case 0:
			rl_breakers_each(guard_breakers, &guard_bytes);
			break;
		case 1:
		case 2:
			guard_count(&g, &keys[0], seed);
			break;
		case 3:
			guard_ask(&g, keys, 4, seed);
			break;
		default:
			guard_ask(&g, keys, 1, seed);
	}
}

#endif
