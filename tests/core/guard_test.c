/* The guard: the breaker's changes of state in every order of results, its places, batches of permits, the deny cache, and
 * the failure policy, with a store that fails when it is told to. */
#include "check.h"
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

#include "../../src/guard/guard.h"
#include "../../src/shm/deny_entry.h"
#include "../../src/shm/lease_entry.h"
#include "../../src/shm/segment.h"
#include "../../src/shm/table.h"

/* ask_many.c once more, with a malloc() that fails when it is told to. */
static bool no_memory;
#define rl_guard_ask_many ask_many_short_of_memory
#define malloc(size)      (no_memory ? NULL : malloc(size))
#include "../../src/guard/ask_many.c"
#undef malloc
#undef rl_guard_ask_many

#define MS     RL_US_PER_MS
#define SECOND RL_US_PER_SECOND

static int n_lines;
static char last_line[512];

static void take_line(const char *line)
{
	n_lines++;
	snprintf(last_line, sizeof last_line, "%s", line);
}

static rl_breaker_name server(const char *dsn)
{
	return rl_breaker_name_of(dsn, strlen(dsn), dsn);
}

static rl_breaker *place_of(const rl_breaker_name *name)
{
	return rl_breaker_place(name, rl_shm_now_us());
}

static rl_breaker_state state_of(const rl_breaker_name *name)
{
	rl_breaker_info facts;

	rl_breaker_snapshot(place_of(name), &facts);
	return facts.state;
}

static void fail(const rl_breaker_call *call, int64_t delay_us)
{
	rl_breaker_record(call, RL_ATTEMPT_FAILED, "gone", delay_us, "local");
}

static void succeed(const rl_breaker_call *call)
{
	rl_breaker_record(call, RL_ATTEMPT_OK, "", 1, "local");
}

static void test_breaker(void)
{
	rl_breaker_name one = server("one"), two = server("two"), three = server("three"), four = server("four");
	rl_breaker_call early, late, other, probe;
	rl_breaker_words w;
	rl_error e = {0};

	check(place_of(&one) != NULL && place_of(&one) == place_of(&one) && place_of(&one) != place_of(&two),
		"a server has one place");
	check(rl_breaker_allow(&one, MS, &early, &e) == RL_OK && !early.probe, "a new server is asked");
	check(rl_breaker_allow(&one, MS, &late, &e) == RL_OK, "by any number of workers");
	n_lines = 0;
	fail(&early, 1000 * MS);
	check(n_lines == 1 && strstr(last_line, "one is away (gone): on_failure=local") != NULL, "the log: %s", last_line);
	fail(&late, 1000 * MS);
	check(n_lines == 1, "one line for each change of state");
	check(rl_breaker_allow(&one, MS, &other, &e) == RL_UNAVAILABLE, "an open breaker allows no call");
	check(strstr(e.message, "Redis at one: away since ") != NULL && strstr(e.message, "(gone)") != NULL,
		"and gives the reason: %s", e.message);
	check(state_of(&one) == RL_BREAKER_OPEN && state_of(&two) == RL_BREAKER_CLOSED, "open, and the other one closed");
	succeed(&late);
	check(state_of(&one) == RL_BREAKER_OPEN, "an answer to a question of before does not close it");

	/* The delay is over. */
	check(rl_breaker_allow(&three, MS, &early, &e) == RL_OK && rl_breaker_allow(&three, MS, &late, &e) == RL_OK,
		"asked");
	fail(&early, 1);
	usleep(2000);
	check(rl_breaker_allow(&three, 1000 * MS, &probe, &e) == RL_OK && probe.probe, "one call probes the server");
	check(state_of(&three) == RL_BREAKER_HALF_OPEN, "half-open");
	check(rl_breaker_allow(&three, 1000 * MS, &other, &e) == RL_UNAVAILABLE, "the other calls do not");
	n_lines = 0;
	succeed(&probe);
	check(n_lines == 1 && strstr(last_line, "is back after 0.") != NULL && state_of(&three) == RL_BREAKER_CLOSED,
		"the probe closes it: %s", last_line);
	fail(&late, 1000 * MS);
	check(n_lines == 1 && state_of(&three) == RL_BREAKER_CLOSED, "a failure of before that does not open it");
	check(rl_breaker_allow(&three, MS, &other, &e) == RL_OK, "asked again");
	fail(&other, 1);
	check(n_lines == 2, "a later failure opens it");

	/* A probe that never ends costs what it may take, no more. */
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &probe, &e) == RL_OK && probe.probe, "a probe whose worker dies");
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &other, &e) == RL_OK && other.probe, "another probe");
	fail(&other, 1000 * MS);
	check(n_lines == 2 && state_of(&three) == RL_BREAKER_OPEN, "still open, without another line");
	succeed(&probe);
	check(state_of(&three) == RL_BREAKER_CLOSED, "the first probe was only slow");

	/* A probe whose answer comes after another one has closed the breaker, and a later failure has opened it again. */
	check(rl_breaker_allow(&three, MS, &other, &e) == RL_OK, "asked");
	fail(&other, 1);
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &probe, &e) == RL_OK && probe.probe, "a probe");
	usleep(2000);
	check(rl_breaker_allow(&three, 1, &other, &e) == RL_OK && other.probe, "another probe");
	succeed(&other);
	check(rl_breaker_allow(&three, MS, &late, &e) == RL_OK, "asked again");
	fail(&late, 1);
	succeed(&probe);
	check(state_of(&three) == RL_BREAKER_OPEN, "the first probe's answer is older than the failure");
	usleep(2000);
	check(rl_breaker_allow(&three, MS, &probe, &e) == RL_OK && probe.probe, "one more probe");
	succeed(&probe);

	/* The server rejects us. */
	check(rl_breaker_allow(&three, MS, &other, &e) == RL_OK, "asked");
	rl_breaker_record(&other, RL_ATTEMPT_REJECTED, "Redis at three: WRONGPASS", 1000 * MS, "deny");
	check(strstr(last_line, "three refuses us (WRONGPASS): on_failure=deny") != NULL, "the log: %s", last_line);
	check(rl_breaker_allow(&three, MS, &other, &e) == RL_MISCONFIGURED && strstr(e.message, "refuses us") != NULL,
		"and the message");

	/* A damaged segment: a next try in a thousand years. */
	check(rl_breaker_load(place_of(&four), four.id, &w)
			&& rl_breaker_cas(place_of(&four), &w, (uint64_t) 1 << 60, w.since_us),
		"damaged");
	check(rl_breaker_allow(&four, MS, &probe, &e) == RL_OK, "a moment that cannot be is not waited for");
	check(rl_breaker_allow(NULL, MS, &probe, &e) == RL_OK && probe.place == NULL, "no server, no breaker");
}

static void name_number(rl_breaker_name *name, int i)
{
	char dsn[32];

	snprintf(dsn, sizeof dsn, "server %d", i);
	*name = server(dsn);
}

static void count_place(void *context, const rl_breaker *breaker)
{
	(void) breaker;
	++*(int *) context;
}

/* More servers than places, one after the other: as with a DSN for each tenant, or pods that come back with a new IP. */
static void test_places(void)
{
	enum { SERVERS = 2000 };
	int64_t now = rl_shm_now_us() + 24 * 3600 * SECOND;
	rl_breaker_name name, other;
	rl_breaker_words w, again;
	rl_breaker *p;
	int without = 0, places = 0, i;

	for (i = 0; i < SERVERS; i++) {
		name_number(&name, i);
		without += rl_breaker_place(&name, now + i * SECOND) == NULL;
	}
	check(without > 0, "while all are in use a new server has no breaker");
	without = 0;
	now += 24 * 3600 * SECOND;
	for (i = 0; i < SERVERS; i++) {
		name_number(&name, SERVERS + i);
		p = rl_breaker_place(&name, now + i * 3600 * SECOND);
		without += p == NULL || p != rl_breaker_place(&name, now + i * 3600 * SECOND);
	}
	check(without == 0, "the place of a server that is no longer asked is taken over: %d have none", without);
	rl_breakers_each(count_place, &places);
	check(places > 0 && places <= 16 + 16, "no more places than there are: %d", places);

	/* An open breaker, and one that is asked, keep their places. */
	now += 365 * 24 * 3600 * SECOND;
	name_number(&name, -1);
	p = rl_breaker_place(&name, now);
	check(p != NULL && rl_breaker_load(p, name.id, &w), "a place");
	check(rl_breaker_cas(p, &w, (uint64_t) (now + 3600 * SECOND) << 2, now), "open");
	for (i = 0; i < SERVERS; i++) {
		name_number(&other, 3 * SERVERS + i);
		rl_breaker_place(&other, now + 3000 * SECOND);
	}
	check(rl_breaker_load(p, name.id, &w) && w.word != 0, "an open breaker keeps its place");

	/* What the former owner of a place still records does not reach the new one. */
	check(rl_breaker_cas(p, &w, 0, now), "closed");
	check(rl_breaker_load(p, name.id, &w), "as its owner has seen it");
	for (i = 0; i < SERVERS && rl_breaker_load(p, name.id, &again); i++) {
		name_number(&other, 5 * SERVERS + i);
		rl_breaker_place(&other, now + 30 * 24 * 3600 * SECOND + i * 3600 * SECOND);
	}
	check(i < SERVERS, "taken over");
	check(!rl_breaker_cas(p, &w, 4, now), "a swap of the former owner fails");
	check(!rl_breaker_load(p, name.id, &w), "and it finds another place");
}

/* Eight processes claim places for more servers than there are, at once: a server never has another one's state. */
static void test_places_by_many(void)
{
	enum { PROCESSES = 8, ROUNDS = 20000, SERVERS = 24 };
	int64_t began = rl_shm_now_us() + 400 * 24 * 3600 * SECOND;
	int i, status, wrong = 0;

	for (i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			uint64_t seed = (uint64_t) i;

			for (int round = 0; round < ROUNDS; round++) {
				int64_t now = began + round * 400 * SECOND;
				int n = (int) (test_random(&seed) % SERVERS);
				rl_breaker_name name;
				rl_breaker_words w;
				rl_breaker *p;

				name_number(&name, n);
				p = rl_breaker_place(&name, now);
				/* The word of a server is 0, or its own number. */
				if (p != NULL && rl_breaker_load(p, name.id, &w)) {
					if (w.word != 0 && w.word != 4 * (uint64_t) (n + 1)) {
						_exit(1);
					}
					rl_breaker_cas(p, &w, w.word == 0 ? 4 * (uint64_t) (n + 1) : 0, now);
				}
			}
			_exit(0);
		}
	}
	for (i = 0; i < PROCESSES; i++) {
		wait(&status);
		wrong += status != 0;
	}
	check(wrong == 0, "%d processes found the state of another server", wrong);
}

/* Names that agree in their first 72 characters, as of long DNS names, or in more than a label holds. */
static void test_node_names(void)
{
	rl_breaker_name cluster = server("redis+cluster://a"), here, there;
	char label[300];

	memset(label, 'x', sizeof label - 1);
	label[sizeof label - 1] = '\0';
	label[sizeof label - 2] = '1';
	here = rl_breaker_name_of_node(&cluster, label);
	label[sizeof label - 2] = '2';
	there = rl_breaker_name_of_node(&cluster, label);
	check(here.id != there.id && strlen(here.label) == RL_BREAKER_LABEL_MAX - 1, "each node its own breaker");
}

static rl_place place(const char *name, int64_t id, uint64_t store, bool record)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_deny_place_of(&key, rl_deny_mix((rl_deny_key){store, ~store}, 1, 2), record);
}

static rl_lease_place batch_of(const char *name, int64_t id)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_lease_place_of(&key, (rl_deny_key){7, ~UINT64_C(7)}, rl_lease_now_read().epoch);
}

static void test_permits(void)
{
	rl_lease_place p = batch_of("permits", 1);
	int64_t now = rl_lease_now_read().now_us;
	rl_lease_entry seen;

	check(!rl_lease_entry_take(p, 1, false, &seen), "none at first");
	rl_lease_entry_put(p, 5, now + 3600 * SECOND);
	check(rl_lease_entry_take(p, 3, false, &seen) && seen.left == 2, "3 of 5");
	check(!rl_lease_entry_take(p, 3, false, &seen), "not 3 of 2");
	check(rl_lease_entry_take(p, 2, true, &seen) && seen.left == 0, "a peek");
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 1, "takes none");
	rl_lease_entry_put(p, 4, now + 1800 * SECOND);
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 4 && seen.left_us <= 1800 * SECOND,
		"two batches end with the first of them");
	rl_lease_entry_put(p, 9, now + 3000 * SECOND);
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 12 && seen.left_us <= 1800 * SECOND,
		"in either order");
	rl_lease_entry_put(p, 9, rl_lease_now_read().now_us);
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 11, "a batch that has ended is not added");

	p = batch_of("permits", 2);
	rl_lease_entry_put(p, 5, rl_lease_now_read().now_us + 20 * MS);
	usleep(21000);
	check(!rl_lease_entry_take(p, 1, false, &seen), "the end");
	rl_lease_entry_put(p, 3, rl_lease_now_read().now_us + SECOND);
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 2, "what has ended does not come back");
}

/* The clocks as a worker finds them after one of them was stepped by that much. */
static void step_clocks(int64_t us)
{
	rl_pair *clocks = &rl_shm.header->lease_clocks;

	check(rl_pair_cas(clocks, clocks->a, clocks->b, clocks->a - (uint64_t) us, clocks->b), "stepped");
}

static void test_permits_and_steps(void)
{
	static const int64_t steps[] = {5 * SECOND, -5 * SECOND, 3 * MS, -3 * MS, INT64_MAX, INT64_MIN};
	rl_lease_entry seen;
	uint64_t epoch = rl_lease_now_read().epoch;

	check(epoch != 0 && epoch == rl_lease_epoch(), "an epoch");
	for (int i = 0; i < 1000; i++) {
		check(rl_lease_now_read().epoch == epoch, "it lasts while no clock is stepped");
	}
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		rl_lease_place p = batch_of("steps", (int64_t) i);
		int64_t end = rl_lease_now_read().now_us + 3600 * SECOND;

		rl_lease_entry_put(p, 5, end);
		check(rl_lease_entry_take(p, 1, false, &seen), "before the step");
		step_clocks(steps[i]);
		check(!rl_lease_entry_take(p, 1, false, &seen), "a batch ends with a step of %lld us", (long long) steps[i]);
		rl_lease_entry_put(p, 5, end);
		check(!rl_lease_entry_take(p, 1, false, &seen), "also one that was leased before the step, and comes after");
		p = batch_of("steps", (int64_t) i);
		check(!rl_lease_entry_take(p, 1, false, &seen), "it is not found again");
		rl_lease_entry_put(p, 5, end);
		check(rl_lease_entry_take(p, 1, false, &seen), "the next batch is good");
	}
}

/* Four processes take while one puts: each permit is given once. */
static void test_permits_by_many(void)
{
	enum { TAKERS = 4, BATCHES = 2000, BATCH = 7 };
	rl_lease_place p = batch_of("many", 1);
	int64_t end = rl_lease_now_read().now_us + 3600 * SECOND;
	long sum = 0;
	int pipes[2], i;

	check(pipe(pipes) == 0, "a pipe");
	for (i = 0; i < TAKERS; i++) {
		if (fork() == 0) {
			rl_lease_entry seen;
			long taken = 0;
			int idle = 0;

			while (idle < 2000) {
				if (rl_lease_entry_take(p, 1 + taken % 2, false, &seen)) {
					taken += 1 + taken % 2;
					idle = 0;
				} else {
					usleep(100);
					idle++;
				}
			}
			_exit(write(pipes[1], &taken, sizeof taken) == sizeof taken ? 0 : 1);
		}
	}
	for (i = 0; i < BATCHES; i++) {
		rl_lease_entry_put(p, BATCH, end);
	}
	for (i = 0; i < TAKERS; i++) {
		long taken = 0;

		check(read(pipes[0], &taken, sizeof taken) == sizeof taken, "a taker's sum");
		sum += taken;
		wait(NULL);
	}
	while (rl_lease_entry_take(p, 1, false, &(rl_lease_entry){0})) {
		sum++;
	}
	check(sum == (long) BATCHES * BATCH, "%ld permits given of %d", sum, BATCHES * BATCH);
}

static void test_deny_entries(void)
{
	rl_key key = test_key(RL_SPACE_LIMITER, "denied", 1);
	int64_t now = rl_shm_now_us();
	rl_deny_entry in = {.end_us = now + 1000 * MS,
		.at_us = now,
		.retry_us = now + 5,
		.reset_us = now + 6,
		.reason = RL_BANNED,
		.limit_index = 3};
	rl_deny_entry out;
	rl_place before = place("denied", 1, 7, true);

	check(!rl_deny_lookup(before, &out), "none at first");
	rl_deny_store(before, &in);
	check(rl_deny_lookup(before, &out) && memcmp(&in, &out, sizeof in) == 0, "as it was kept");
	check(!rl_deny_lookup(place("denied", 1, 8, true), &out), "not of another store");
	check(!rl_deny_lookup(place("denied", 2, 7, true), &out), "not of another identity");
	check(rl_deny_is_valid(&out, now, 1000 * MS) && !rl_deny_is_valid(&out, now + 1000 * MS, 1000 * MS), "it ends");
	check(!rl_deny_is_valid(&out, now, 999 * MS), "a lower bound holds for it");
	check(!rl_deny_is_valid(&out, now - 1, 1000 * MS), "a clock that began anew ends it");
	rl_deny_invalidate(&key);
	check(!rl_deny_lookup(place("denied", 1, 7, true), &out), "invalidated");
	/* Asked before it was invalidated, answered after: the entry is kept where no lookup finds it. */
	rl_deny_store(before, &in);
	check(!rl_deny_lookup(place("denied", 1, 7, true), &out), "also an answer that was on its way");
	rl_deny_store(place("denied", 1, 7, true), &in);
	check(rl_deny_lookup(place("denied", 1, 7, true), &out), "kept again");
	/* The embedded store has no entry of it. */
	check(rl_table_find(&rl_shm, rl_place_of(&rl_shm, 0, 0, true)) == NULL, "no entry without an identity");
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

static rl_status fake_ask_many(rl_store *store, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	for (size_t i = 0; i < n; i++) {
		status[i] = fake_ask(store, &keys[i], q, &a[i], e);
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
		.on_failure = on_failure,
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
		check(ask_many_short_of_memory(&g, keys, N, &q, a, status, &e) == expected[p].status, "%s: the status",
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

int main(void)
{
	rl_breaker_report = take_line;
	test_segment((size_t) 4 << 20);
	test_breaker();
	test_node_names();
	test_permits();
	test_permits_and_steps();
	test_permits_by_many();
	test_deny_entries();
	test_no_memory();
	test_fallback_is_apart();
	test_commands();
	test_node_without_place();
	test_places();
	test_places_by_many();
	return checks_report();
}
