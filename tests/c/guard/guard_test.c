/* The guard and the failure policy, with a store that fails when it is told to. */
#include "check.h"
#include "harness.h"

#include "src/guard/guard.h"
#include "src/guard/multi_key/multi_key.h"

/* ask_many.c once more, with a malloc() that fails when it is told to. */
static bool no_memory;
#define rl_guard_ask_many ask_many_short_of_memory
#define malloc(size)      (no_memory ? NULL : malloc(size))
#include "src/guard/ask_many.c"
#undef malloc
#undef rl_guard_ask_many

#define MS     RL_US_PER_MS
#define SECOND RL_US_PER_SECOND

static rl_breaker_name server(const char *dsn)
{
	return rl_breaker_name_of(dsn, strlen(dsn), dsn);
}

static void fail(const rl_breaker_call *call, int64_t delay_us)
{
	rl_breaker_record(call, RL_ATTEMPT_FAILED, "gone", delay_us, "local");
}

static void name_number(rl_breaker_name *name, int i)
{
	char dsn[32];

	snprintf(dsn, sizeof dsn, "server %d", i);
	*name = server(dsn);
}

/* ---- The guard, with a store of its own ---- */

/* A cluster that fails or answers as it is told to. */
static struct {
	rl_status status;
	int asked;
	const char *label; /* of the node that decides about each key */
} fake;

static rl_status fake_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	(void) store;
	(void) key;
	fake.asked++;
	snprintf(e->message, sizeof e->message, "told to fail");
	*a = (rl_answer){.decision = {.accepted = true, .source = RL_FROM_REDIS, .limit = q->limits[0].limit}};
	return fake.status;
}

static rl_status fake_ask_many(rl_store *store, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	for (size_t i = 0; i < n; i++) {
		status[i] = fake_ask(store, &keys[i], q[i], &a[i], e);
	}
	return fake.status;
}

static const char *fake_server(rl_store *store, const rl_key *key)
{
	(void) store;
	(void) key;
	return fake.label;
}

static const rl_store_ops fake_ops = {.name = "fake",
	.ask = fake_ask,
	.ask_many = fake_ask_many,
	.server = fake_server};

static rl_guard guard_of(rl_store *store, uint64_t id, rl_on_failure on_failure)
{
	char dsn[32];

	snprintf(dsn, sizeof dsn, "fake %d", (int) id);
	id *= UINT64_C(0x9e3779b97f4a7c15);
	*store = (rl_store){.ops = &fake_ops, .id = {id, ~id}};
	return (rl_guard){
		.store = store,
		.policy.on_failure = on_failure,
		.breaker = server(dsn),
		.retry_delay_us = 3600 * SECOND,
		.ask_timeout_us = SECOND,
	};
}

static void test_no_memory(void)
{
	enum { N = 3 };
	static const struct {
		rl_on_failure policy;
		rl_status status;
		rl_source source;
		bool accepted;
	} expected[] = {
		{RL_ON_FAILURE_LOCAL, RL_OK, RL_FROM_LOCAL, true},
		{RL_ON_FAILURE_ALLOW, RL_OK, RL_FROM_REDIS, true},
		{RL_ON_FAILURE_DENY, RL_OK, RL_FROM_REDIS, false},
		{RL_ON_FAILURE_THROW, RL_UNAVAILABLE, RL_FROM_REDIS, false},
	};
	rl_key keys[N];
	rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_FIXED_WINDOW, 5, 3600 * SECOND), 1);
	const rl_question *questions[N] = {&q, &q, &q};

	for (int i = 0; i < N; i++) {
		keys[i] = test_key(RL_SPACE_LIMITER, "no memory", i);
	}
	for (size_t p = 0; p < sizeof expected / sizeof *expected; p++) {
		rl_store store;
		rl_guard g = guard_of(&store, 1, expected[p].policy);
		rl_answer a[N] = {0};
		rl_status status[N];
		rl_error e;

		fake.asked = 0;
		no_memory = true;
		check(ask_many_short_of_memory(&g, keys, N, questions, a, status, &e) == expected[p].status, "%s: the status",
			rl_on_failure_names[expected[p].policy]);
		no_memory = false;
		for (int i = 0; i < N; i++) {
			check(status[i] == expected[p].status
					&& (status[i] != RL_OK
						|| (a[i].decision.accepted == expected[p].accepted
							&& a[i].decision.source == expected[p].source)),
				"%s: key %d", rl_on_failure_names[expected[p].policy], i);
		}
		check(strstr(e.message, "out of memory") != NULL && fake.asked == 0, "the reason: %s", e.message);
	}
}

/* A node that has no place for its breaker is asked; the breaker of the whole cluster is another one. */
static void test_node_without_place(void)
{
	rl_key key = test_key(RL_SPACE_LIMITER, "nodes", 1);
	rl_question q = test_question(RL_OP_PEEK, test_limit(RL_FIXED_WINDOW, 5, 3600 * SECOND), 1);
	rl_store store;
	rl_guard g = guard_of(&store, 2, RL_ON_FAILURE_DENY);
	rl_breaker_call call;
	rl_answer a;
	rl_error e;

	/* The cluster as a whole is away; all other places are in use. */
	fake.label = NULL;
	fake.status = RL_OK;
	check(rl_breaker_allow(&g.breaker, MS, &call, &e) == RL_OK, "asked");
	fail(&call, 3600 * SECOND);
	for (int i = 0; i < 2000; i++) {
		rl_breaker_name name;

		name_number(&name, 100000 + i);
		rl_breaker_place(&name, rl_shm_now_us());
	}
	fake.asked = 0;
	check(rl_guard_ask(&g, &key, &q, &a, &e) == RL_OK && fake.asked == 0 && a.decision.reason == RL_STORE_UNAVAILABLE,
		"without a map the cluster's breaker decides");
	fake.label = "a node that is new";
	for (int i = 1; i <= 5; i++) {
		check(rl_guard_ask(&g, &key, &q, &a, &e) == RL_OK && fake.asked == i && a.decision.accepted,
			"a node without a place is asked");
	}
	fake.status = RL_UNAVAILABLE;
	fake.asked = 0;
	check(rl_guard_ask(&g, &key, &q, &a, &e) == RL_OK && rl_guard_ask(&g, &key, &q, &a, &e) == RL_OK && fake.asked == 2,
		"also after it failed");
	fake.label = NULL;
}

static bool local_consume(const rl_guard *g, const char *name)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, 1);
	rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_FIXED_WINDOW, 1, 3600 * SECOND), 1);
	rl_answer a;
	rl_error e;

	check(rl_guard_ask(g, &key, &q, &a, &e) == RL_OK && a.decision.source == RL_FROM_LOCAL, "the fallback decides");
	return a.decision.accepted;
}

/* What DSN, database and prefix keep apart on Redis, the store's id keeps apart in the fallback. */
static void test_fallback_is_apart(void)
{
	rl_store a_store, again_store, b_store;
	rl_guard a = guard_of(&a_store, 3, RL_ON_FAILURE_LOCAL), b = guard_of(&b_store, 4, RL_ON_FAILURE_LOCAL);
	rl_guard again = guard_of(&again_store, 3, RL_ON_FAILURE_LOCAL);
	rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_FIXED_WINDOW, 1, 3600 * SECOND), 1);
	rl_answer answer;

	fake.status = RL_UNAVAILABLE;
	check(local_consume(&a, "apart") && !local_consume(&a, "apart"), "one of one");
	check(!local_consume(&again, "apart"), "the same store id has the same counts");
	check(local_consume(&b, "apart"), "another store id has its own");
	check(test_ask("apart", 1, &q, &answer) == RL_OK && answer.decision.accepted, "and so has the embedded store");
}

static void test_commands(void)
{
	static const rl_op ops[] = {RL_OP_CANCEL, RL_OP_CREDIT, RL_OP_BAN, RL_OP_UNBAN, RL_OP_RESET};
	rl_key key = test_key(RL_SPACE_LIMITER, "commands", 1);

	fake.status = RL_UNAVAILABLE;
	for (int policy = RL_ON_FAILURE_LOCAL; policy <= RL_ON_FAILURE_THROW; policy++) {
		rl_store store;
		rl_guard g = guard_of(&store, 5, (rl_on_failure) policy);

		for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
			rl_question q = test_question(ops[i], test_limit(RL_SLIDING_LOG, 5, 3600 * SECOND), 1);
			rl_answer a;
			rl_error e;

			q.ban = RL_BAN_FOR;
			q.ban_us = 3600 * SECOND;
			check(rl_guard_ask(&g, &key, &q, &a, &e) == RL_UNAVAILABLE, "op %d is not done, says %s", ops[i],
				rl_on_failure_names[policy]);
			check((strstr(e.message, "only on this machine") != NULL) == (policy == RL_ON_FAILURE_LOCAL),
				"op %d: the message under %s: %s", ops[i], rl_on_failure_names[policy], e.message);
		}
	}
}

/* ---- Several keys ---- */

/* Two keys, whose peeks pass, and of which the second refuses each acquire. */
typedef struct {
	uint64_t tag; /* of the last acquire of the first key */
	unsigned taken, undone, peeks;
} two_keys;

static rl_status two_keys_ask(void *context, const rl_key *key, const rl_question *part, rl_answer *a, rl_error *e)
{
	two_keys *two = context;
	bool second = key->int_id == 2;

	(void) e;
	*a = (rl_answer){.decision = {.accepted = part->op != RL_OP_ACQUIRE || !second}};
	a->decision.reason = a->decision.accepted ? RL_ACCEPTED : RL_LIMITED;
	two->peeks += part->op == RL_OP_PEEK;
	if (part->op == RL_OP_ACQUIRE && !second) {
		check(part->tag % 2 == 0 && part->tag > 0 && part->tag <= RL_TAG_MASK && part->tag != two->tag,
			"round %u has another even tag: %llx", two->taken, (unsigned long long) part->tag);
		two->tag = part->tag;
		two->taken++;
		part->held[0].tag = part->tag;
	} else if (part->op == RL_OP_SETTLE) {
		check(!second && part->cost == 0 && part->tag == two->tag && part->held[0].tag == two->tag,
			"what was taken is undone");
		two->undone++;
	}
	return RL_OK;
}

static void test_rounds(void)
{
	for (int cheap = 0; cheap < 2; cheap++) {
		two_keys two = {0};
		rl_key keys[2] = {{.is_int = true, .int_id = 1}, {.is_int = true, .int_id = 2}};
		rl_held held[2] = {{0}};
		rl_question q = {.op = RL_OP_ACQUIRE, .n_limits = 2, .n_keys = 2, .cost = 3, .tag = 42, .held = held};
		rl_answer a;
		rl_error e;

		q.limits[1].identity = 1;
		check(rl_multi_key_decide(&(rl_multi_key){two_keys_ask, &two, cheap}, keys, &q, &a, &e) == RL_OK, "answered");
		check(!a.decision.accepted && a.decision.reason == RL_LIMITED && a.decision.limit_index == 1 && a.granted == 0,
			"refused by the second limit");
		check(two.taken == 16u + (unsigned) cheap && two.undone == two.taken, "%u rounds, %u undone", two.taken,
			two.undone);
		/* Before the first take the first key is not asked where a part costs a round trip. */
		check(two.peeks == (cheap ? 32 : 31), "%u peeks", two.peeks);
	}
}

int main(void)
{
	test_rounds();
	test_segment((size_t) 4 << 20);
	test_no_memory();
	test_fallback_is_apart();
	test_commands();
	test_node_without_place();
	return checks_report();
}
