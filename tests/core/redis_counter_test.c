/* The Redis store's counter, and a connection's behaviour under faults, on a Redis of its own. */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../../src/redis/redis_store.h"
#include "../../src/redis/net/deadline.h"
#include "check.h"
#include "redis_server.h"

static redis_server server;
static rl_redis_pool *pool;
static rl_store *store;
static rl_error e;

/* Patient with a slow machine; impatient where a timeout is what is tested, within this slack. */
#define PATIENT   "connect_timeout=30000&timeout=30000"
#define IMPATIENT "connect_timeout=1000&timeout=300"
#define SLACK_US  5000000

static rl_store *store_of(const char *dsn, const char *prefix)
{
	return rl_redis_pool_store(pool, dsn, strlen(dsn), prefix, strlen(prefix), &e);
}

/* Returns the store of the server with these options. */
static rl_store *store_with(const char *options)
{
	char dsn[256];

	snprintf(dsn, sizeof dsn, "%s?%s", server.dsn, options);
	return store_of(dsn, "act:limit:");
}

static rl_key int_key(const char *name, int64_t id)
{
	return (rl_key){.space = RL_SPACE_ACTION, .is_int = true, .name = name, .name_len = strlen(name), .int_id = id};
}

static rl_decision d;
static bool verdict_only; /* a call may be answered without its numbers */

static rl_status take(const char *name, uint32_t seconds, uint32_t number, rl_ban_kind ban, int64_t ban_s)
{
	rl_key key = int_key(name, 7);
	rl_counter_question q = {.seconds = seconds,
		.limit = number,
		.ban = ban,
		.ban_s = ban_s,
		.verdict_only = verdict_only};

	memset(&d, 0xee, sizeof d);
	strcpy(e.message, "(no message)");
	return store->ops->count(store, &key, &q, &d, &e);
}

static bool is_between(int64_t n, int64_t least, int64_t most)
{
	return n >= least && n <= most;
}

static void test_window(void)
{
	for (uint32_t i = 1; i <= 3; i++) {
		check(take("w", 30, 3, RL_BAN_NONE, 0) == RL_OK, "a call is answered: %s", e.message);
		check(d.accepted && d.reason == RL_ACCEPTED && d.source == RL_FROM_REDIS, "call %u of 3 passes", i);
		check(d.limit == 3 && d.remaining == 3 - i && d.retry_after_us == (i < 3 ? 0 : d.reset_after_us),
			"call %u of 3: %lu remain", i, d.remaining);
		check(is_between(d.reset_after_us, 29000000, 30001000), "the window ends in 30 s: %ld",
			(long) d.reset_after_us);
	}
	const char *before = strdup(redis_server_do(&server, "PEXPIRETIME act:limit:w:7"));
	check(take("w", 30, 3, RL_BAN_NONE, 0) == RL_OK && !d.accepted && d.reason == RL_LIMITED,
		"call 4 of 3 does not pass");
	check(d.remaining == 0 && d.retry_after_us == d.reset_after_us && d.reset_after_us > 29000000,
		"it passes after the window");
	check(!strcmp(redis_server_do(&server, "GET act:limit:w:7"), "3"), "a refusal counts nothing");
	check(!strcmp(redis_server_do(&server, "PEXPIRETIME act:limit:w:7"), before), "a refusal moves no end");
	free((void *) before);
	check(take("w", 30, 5, RL_BAN_NONE, 0) == RL_OK && d.accepted && d.remaining == 1, "a larger number holds at once");
	check(is_between(redis_server_int(&server, "PTTL act:limit:w:7"), 29000, 30001),
		"one more leaves the end where it was");
}

static void test_end(void)
{
	check(take("end", 1, 1, RL_BAN_NONE, 0) == RL_OK && d.accepted, "first");
	check(take("end", 1, 1, RL_BAN_NONE, 0) == RL_OK && !d.accepted, "second");
	int64_t wait_us = d.retry_after_us;
	nanosleep(&(struct timespec){.tv_sec = wait_us / 1000000, .tv_nsec = wait_us % 1000000 * 1000}, NULL);
	check(take("end", 1, 1, RL_BAN_NONE, 0) == RL_OK && d.accepted, "retry after is exact");
}

static void test_bans(void)
{
	time_t now = time(NULL);

	take("b1", 10, 1, RL_BAN_FOR, 3600);
	check(d.accepted, "before the ban");
	check(take("b1", 10, 1, RL_BAN_FOR, 3600) == RL_OK && d.reason == RL_BANNED && d.remaining == 0,
		"the first refusal bans");
	check(is_between(d.retry_after_us, 3599000000, 3600001000), "for an hour: %ld", (long) d.retry_after_us);
	check(!strcmp(redis_server_do(&server, "GET act:limit:b1:7"), "16777216"), "a ban is the count 16777216");
	const char *before = strdup(redis_server_do(&server, "PEXPIRETIME act:limit:b1:7"));
	for (int i = 0; i < 3; i++) {
		check(take("b1", 10, 1, RL_BAN_FOR, 7200) == RL_OK && d.reason == RL_BANNED, "a ban goes on");
		check(take("b1", 10, 16777215, RL_BAN_NONE, 0) == RL_OK && d.reason == RL_BANNED, "whatever the number is now");
	}
	check(!strcmp(redis_server_do(&server, "PEXPIRETIME act:limit:b1:7"), before), "a ban begins once");
	free((void *) before);

	take("b2", 100, 1, RL_BAN_NONE, 0);
	check(take("b2", 100, 1, RL_BAN_UNTIL, now + 50) == RL_OK && d.reason == RL_BANNED, "a ban until a moment");
	check(atoll(redis_server_do(&server, "PEXPIRETIME act:limit:b2:7")) == (now + 50) * 1000LL, "ends at that moment");
	take("b3", 100, 1, RL_BAN_NONE, 0);
	check(take("b3", 100, 1, RL_BAN_UNTIL, now - 1) == RL_OK && d.reason == RL_LIMITED,
		"a moment that is past bans nobody");
	check(!strcmp(redis_server_do(&server, "GET act:limit:b3:7"), "1"), "and writes nothing");
}

static void test_the_articles_counters(void)
{
	redis_server_do(&server, "SET act:limit:h:7 3");
	check(take("h", 60, 3, RL_BAN_NONE, 0) == RL_OK && d.reason == RL_LIMITED, "a counter without an expiry is judged");
	check(is_between(redis_server_int(&server, "PTTL act:limit:h:7"), 59000, 60001), "and healed");
	check(!strcmp(redis_server_do(&server, "GET act:limit:h:7"), "3"), "and keeps its count");
	redis_server_do(&server, "SET act:limit:h:7 1");
	check(take("h", 60, 3, RL_BAN_NONE, 0) == RL_OK && d.accepted && d.remaining == 1, "healed and counted");
	check(is_between(redis_server_int(&server, "PTTL act:limit:h:7"), 59000, 60001), "in one step");
	redis_server_do(&server, "SET act:limit:h:7 0 EX 20");
	check(take("h", 60, 3, RL_BAN_NONE, 0) == RL_OK && d.accepted && d.remaining == 2, "a counter at 0 counts on");
	redis_server_do(&server, "INCR act:limit:h:7");
	check(take("h", 60, 3, RL_BAN_NONE, 0) == RL_OK && d.accepted && d.remaining == 0, "an INCR of others counts");
	redis_server_do(&server, "SET act:limit:h:7 99999999 EX 20");
	check(take("h", 60, 3, RL_BAN_NONE, 0) == RL_OK && d.reason == RL_LIMITED && d.remaining == 0,
		"far past the number");
}

static void test_foreign(void)
{
	static const char *const values[] = {"abc", "-1", "+1", "01", " 1", "1 ", "1.5", "1e3", "0x10", "9999999999999999"};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		redis_server_do(&server, "SET act:limit:f:7 %s", values[i]);
		check(take("f", 60, 3, RL_BAN_NONE, 0) == RL_WRONG_TYPE, "\"%s\" is no counter: %s", values[i], e.message);
		check(!strcmp(redis_server_do(&server, "GET act:limit:f:7"), values[i]), "\"%s\" is left alone", values[i]);
	}
	redis_server_do(&server, "DEL act:limit:f:7");
	redis_server_do(&server, "LPUSH act:limit:f:7 a");
	check(take("f", 60, 3, RL_BAN_NONE, 0) == RL_WRONG_TYPE, "a list is no counter: %s", e.message);
	rl_key key = int_key("f", 7);
	bool found;
	check(store->ops->command(store, &key, &(rl_counter_command){.op = RL_OP_RESET}, &found, &e) == RL_WRONG_TYPE,
		"and is not forgotten");
	check(!strcmp(redis_server_do(&server, "LLEN act:limit:f:7"), "1"), "and is left alone");
}

/* The question of doHandle() counts first, and undoes that where it was wrong: any state ends as with the other question,
 * which looks first. */
static void test_verdict_only(void)
{
	static const char *const values[] = {"0", "1", "2", "3", "4", "16777215", "16777216", "16777217", "999999999999998",
		"999999999999999", "1000000000000000", "1000001000000000", "9007199254740993", "9223372036854775806",
		"9223372036854775807", "-1", "-2", "-1000000", "-1000000000000000", "-1000001000000000", "-999999999999999",
		"-9007199254740993", "-9223372036854775808", "01", "+1", " 1", "1.5", "abc", "", NULL};
	static const char *const expiries[] = {"", "PX 40", "EX 20", "EX 900000"};
	static const struct {
		rl_ban_kind kind;
		int64_t s;
	} bans[] = {{RL_BAN_NONE, 0}, {RL_BAN_FOR, 7200}};
	char before[64];
	char expected[64];
	int64_t expected_ms;

	for (size_t i = 0; i < sizeof values / sizeof *values * 4 * 2; i++) {
		const char *value = values[i / 8];
		const char *expiry = expiries[i / 2 % 4];
		rl_status status[2];
		rl_decision decided[2];

		for (int only = 0; only < 2; only++) {
			const char *state = "act:limit:v:7";

			redis_server_do(&server, "DEL %s", state);
			if (value) {
				redis_server_do(&server, "SET %s %b", state, value, strlen(value));
			}
			if (value && *expiry) {
				redis_server_do(&server, *expiry == 'P' ? "PEXPIRE %s %s" : "EXPIRE %s %s", state, expiry + 3);
			}
			if (*expiry == 'P') {
				nanosleep(&(struct timespec){.tv_nsec = 45 * 1000 * 1000}, NULL);
			}
			verdict_only = only;
			status[only] = take("v", 3600, 3, bans[i % 2].kind, bans[i % 2].s);
			decided[only] = d;
			snprintf(only ? before : expected, sizeof before, "%s", redis_server_do(&server, "GET %s", state));
			if (!only) {
				expected_ms = redis_server_int(&server, "PTTL act:limit:v:7");
			}
		}
		verdict_only = false;
		int64_t ms = redis_server_int(&server, "PTTL act:limit:v:7");

		check(status[0] == status[1] && (status[0] != RL_OK || decided[0].reason == decided[1].reason),
			"%s %s: one verdict: %s", value ? value : "none", expiry, e.message);
		check(!strcmp(before, expected) && is_between(ms - expected_ms, -5000, 5000),
			"%s %s: one state: %s, %s; %ld, %ld ms", value ? value : "none", expiry, expected, before,
			(long) expected_ms, (long) ms);
	}
	redis_server_do(&server, "DEL act:limit:v:7");
	redis_server_do(&server, "LPUSH act:limit:v:7 a");
	verdict_only = true;
	check(take("v", 60, 3, RL_BAN_NONE, 0) == RL_WRONG_TYPE && redis_server_int(&server, "LLEN act:limit:v:7") == 1,
		"a list stays: %s", e.message);
	redis_server_do(&server, "DEL act:limit:v:7");
	for (int i = 0; i < 8; i++) {
		take("v", 60, 3, RL_BAN_NONE, 0);
		check(d.accepted == (i < 3), "three pass: call %d", i);
	}
	check(!strcmp(redis_server_do(&server, "GET act:limit:v:7"), "3"), "the refused ones count nothing");
	verdict_only = false;
}

static void test_forget(void)
{
	rl_key key = int_key("forget", 7);
	bool found = true;

	check(store->ops->command(store, &key, &(rl_counter_command){.op = RL_OP_RESET}, &found, &e) == RL_OK && !found,
		"there was none");
	take("forget", 60, 1, RL_BAN_FOR, 60);
	take("forget", 60, 1, RL_BAN_FOR, 60);
	check(store->ops->command(store, &key, &(rl_counter_command){.op = RL_OP_RESET}, &found, &e) == RL_OK && found,
		"there was a ban");
	check(take("forget", 60, 1, RL_BAN_NONE, 0) == RL_OK && d.accepted, "and it is forgotten");
}

static void test_keys(void)
{
	rl_counter_question q = {.seconds = 60, .limit = 100};
	static const struct {
		rl_space space;
		bool is_int;
		const char *name;
		const char *id;
		const char *key;
	} keys[] = {
		{RL_SPACE_ACTION, true, "a", NULL, "act:limit:a:5"},
		{RL_SPACE_ACTION, false, "a", "x", "act:limit:a:x:1s"},
		{RL_SPACE_ACTION, true, "a:x:1s", NULL, "act:limit:a:x:1s:5"},
		{RL_SPACE_ACTION, false, "a:b", "c", "act:limit:a:b:c:3s"},
		{RL_SPACE_ACTION, false, "a", "b:c", "act:limit:a:b:c:1s"},
		{RL_SPACE_ALLOWED, true, "a", NULL, "act:limit:a:5:1a"},
		{RL_SPACE_ALLOWED, false, "a", "x", "act:limit:a:x:1a"},
		{RL_SPACE_LIMITER, true, "a", NULL, "act:limit:a:5:1l"},
		{RL_SPACE_LIMITER, false, "a", "x", "act:limit:a:x:1l"},
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		rl_key key = {.space = keys[i].space,
			.is_int = keys[i].is_int,
			.name = keys[i].name,
			.name_len = strlen(keys[i].name),
			.int_id = 5,
			.id = keys[i].id,
			.id_len = keys[i].id ? strlen(keys[i].id) : 0};
		check(store->ops->count(store, &key, &q, &d, &e) == RL_OK, "%s: %s", keys[i].key, e.message);
		check(!strcmp(redis_server_do(&server, "GET %s", keys[i].key), "1"), "%s is the key", keys[i].key);
	}
	rl_key key = {.space = RL_SPACE_ACTION, .name = "n\0\r\n", .name_len = 4, .id = "{\xff}\0", .id_len = 4};
	check(store->ops->count(store, &key, &q, &d, &e) == RL_OK, "any byte may stand in a name");
	check(!strcmp(redis_server_do(&server, "GET act:limit:%b", "{}n\0\r\n:{\xff}\0:4s", (size_t) 14), "1"),
		"and in its key, behind an empty hash tag");
}

static void test_script_flush(void)
{
	for (uint32_t i = 1; i <= 5; i++) {
		redis_server_do(&server, "SCRIPT FLUSH");
		check(take("flush", 60, 5, RL_BAN_NONE, 0) == RL_OK && d.accepted && d.remaining == 5 - i,
			"a flushed script is sent again, and counts once: %lu", d.remaining);
	}
}

static int connections(void)
{
	int n = 0;
	const char *list = redis_server_do(&server, "CLIENT LIST TYPE normal");
	for (const char *p = list; (p = strstr(p, "id=")); p++) {
		n += p == list || p[-1] == '\n';
	}
	return n;
}

static void test_timeout(void)
{
	store = store_with(IMPATIENT);
	take("t", 60, 100, RL_BAN_NONE, 0);
	kill(server.pid, SIGSTOP);
	for (int i = 0; i < 2; i++) {
		int64_t begin = rl_redis_clock_us();
		check(take("t", 60, 100, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a stopped Redis does not answer");
		int64_t took = rl_redis_clock_us() - begin;
		/* The first meets the open connection (300 ms); the next must connect again (1000 ms). */
		check(is_between(took, i ? 990000 : 295000, (i ? 1000000 : 300000) + SLACK_US), "in bounded time: %ld us",
			(long) took);
		check(strstr(e.message, "no answer within"), "and says so: %s", e.message);
	}
	kill(server.pid, SIGCONT);
	store = store_with(PATIENT);
	/* The late replies to those requests reach no call: each call gets the real count. */
	for (int i = 0; i < 20; i++) {
		check(take("t", 60, 100, RL_BAN_NONE, 0) == RL_OK, "afterwards Redis answers: %s", e.message);
		check(100 - atoi(redis_server_do(&server, "GET act:limit:t:7")) == (int) d.remaining,
			"and each its own question");
	}
	check(connections() == 2, "one connection of ours is left: %d with the test's own", connections());
}

static void test_fork(void)
{
	take("fork", 60, 100000, RL_BAN_NONE, 0);
	pid_t child = fork();
	if (child == 0) {
		bool good = true;
		for (int i = 0; i < 500; i++) {
			good = take("fork", 60, 100000, RL_BAN_NONE, 0) == RL_OK && d.accepted && good;
		}
		rl_redis_pool_free(pool);
		_exit(good ? 0 : 1);
	}
	for (int i = 0; i < 500; i++) {
		if (!check(take("fork", 60, 100000, RL_BAN_NONE, 0) == RL_OK && d.accepted, "the parent goes on: %s",
				e.message)) {
			break;
		}
	}
	int status;
	waitpid(child, &status, 0);
	check(status == 0, "a forked child has answers of its own: %d", status);
	check(!strcmp(redis_server_do(&server, "GET act:limit:fork:7"), "1001"), "and all were counted");
}

static void test_lost_connections(void)
{
	take("lost", 60, 100, RL_BAN_NONE, 0);
	redis_server_do(&server, "CLIENT KILL TYPE normal SKIPME yes");
	check(take("lost", 60, 100, RL_BAN_NONE, 0) == RL_OK && d.remaining == 98,
		"an idle connection that died is replaced: %s", e.message);
	redis_server_kill(&server);
	check(take("lost", 60, 100, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a Redis that is gone cannot be asked");
	check(strstr(e.message, server.dsn) && strstr(e.message, "No such file"), "and the message says where: %s",
		e.message);
	redis_server_launch(&server);
	check(take("lost", 60, 100, RL_BAN_NONE, 0) == RL_OK && d.remaining == 99,
		"a Redis that is back is asked again: %s", e.message);
}

static rl_status take_at(const char *option, const char *password)
{
	char dsn[256];
	rl_store *kept = store;

	snprintf(dsn, sizeof dsn, "unix://%s%s%s?" PATIENT "%s", password, *password ? "@" : "", server.socket, option);
	store = store_of(dsn, "act:limit:");
	rl_status status = store ? take("acl", 60, 100, RL_BAN_NONE, 0) : RL_STALE_BOUNDARIES;
	store = kept;
	return status;
}

static void test_rights(void)
{
	redis_server_do(&server,
		"ACL SETUSER counter on >se:cret ~act:limit:* +eval +evalsha +get +set +incr +pttl +pexpiretime +time +del +select");
	check(take_at("", "counter:se%3Acret") == RL_OK, "a user with just these rights can count: %s", e.message);
	check(take_at("&db=3", "counter:se%3Acret") == RL_OK, "in another database: %s", e.message);
	redis_server_do(&server, "SELECT 3");
	check(!strcmp(redis_server_do(&server, "GET act:limit:acl:7"), "1"), "really there");
	redis_server_do(&server, "SELECT 0");
	check(take_at("&db=16", "") == RL_MISCONFIGURED, "a database that there is not: %s", e.message);
	check(take_at("", "counter:wrong-secret") == RL_MISCONFIGURED, "a wrong password: %s", e.message);
	check(!strstr(e.message, "secret"), "which is not shown");
	check(take_at("", ":wrong-secret") == RL_MISCONFIGURED, "a password where there is none: %s", e.message);
	static const char *const rights[] = {"eval|evalsha", "evalsha", "get", "incr", "pexpiretime", "time"};
	for (size_t i = 1; i < sizeof rights / sizeof *rights; i++) {
		redis_server_do(&server, "DEL act:limit:acl:7");
		take_at("", "counter:se%3Acret");
		redis_server_do(&server, "ACL SETUSER counter -%s", rights[i]);
		check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "without the right to %s: %s", rights[i],
			e.message);
		check(!strcmp(redis_server_do(&server, "GET act:limit:acl:7"), "1"),
			"nothing is counted without the right to %s", rights[i]);
		redis_server_do(&server, "ACL SETUSER counter +%s", rights[i]);
	}
	redis_server_do(&server, "DEL act:limit:acl:7");
	redis_server_do(&server, "ACL SETUSER counter -set");
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "without the right to set: %s", e.message);
	check(redis_server_int(&server, "EXISTS act:limit:acl:7") == 0, "nothing is begun without the right to set");
	verdict_only = true;
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "nor by the question of doHandle(): %s", e.message);
	check(redis_server_int(&server, "EXISTS act:limit:acl:7") == 0, "which takes its count back");
	redis_server_do(&server, "ACL SETUSER counter +set -time");
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "nor without the right to time: %s", e.message);
	check(redis_server_int(&server, "EXISTS act:limit:acl:7") == 0, "where it takes its count back, too");
	verdict_only = false;
	redis_server_do(&server, "ACL SETUSER counter +time resetkeys ~other:*");
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "without the right to the key: %s", e.message);
	redis_server_do(&server, "ACL DELUSER counter");
}

static void test_server_errors(void)
{
	take("oom", 60, 1, RL_BAN_NONE, 0);
	redis_server_do(&server, "CONFIG SET maxmemory 1");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a full Redis: %s", e.message);
	check(strstr(e.message, "OOM"), "says so");
	check(take("oom", 60, 1, RL_BAN_NONE, 0) == RL_OK && !d.accepted, "a refusal needs no memory: %s", e.message);
	verdict_only = true;
	check(take("oom", 60, 1, RL_BAN_NONE, 0) == RL_OK && !d.accepted, "nor one of doHandle(): %s", e.message);
	check(take("oom", 60, 2, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "an admission does: %s", e.message);
	check(!strcmp(redis_server_do(&server, "GET act:limit:oom:7"), "1"), "and counts nothing");
	verdict_only = false;
	redis_server_do(&server, "CONFIG SET maxmemory 0");
	redis_server_do(&server, "CONFIG SET min-replicas-to-write 1");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "too few replicas: %s", e.message);
	redis_server_do(&server, "CONFIG SET min-replicas-to-write 0");
	redis_server_do(&server, "REPLICAOF 127.0.0.1 1");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a replica, met on an open connection: %s", e.message);
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a replica, met on a new one: %s", e.message);
	check(strstr(e.message, "replica"), "says so");
	redis_server_do(&server, "REPLICAOF NO ONE");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_OK && d.accepted && d.remaining == 0, "nothing was counted: %s",
		e.message);
}

/* A server with given replies. */
static void *fake_server(void *listening)
{
	static const char *const scripts[] = {
		"+OK\r\n",
		"HTTP/1.1 200 OK\r\n\r\n",
		"*1000000000\r\n",
		"$500000000\r\n",
		"-ERR max number of clients reached\r\n",
		"-ERR unknown command `HELLO`, with args beginning with: `2`\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n6.0.9\r\n$4\r\nrole\r\n$6\r\nmaster\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nrole\r\n$6\r\nmaster\r\n+unasked\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nrole\r\n$7\r\nreplica\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nro",
	};
	int fd = *(int *) listening;
	char bytes[4096];

	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		int client = accept(fd, NULL, NULL);
		if (read(client, bytes, sizeof bytes) > 0 && write(client, scripts[i], strlen(scripts[i])) > 0) {
			shutdown(client, SHUT_WR);
			(void) !read(client, bytes, sizeof bytes);
		}
		close(client);
	}
	for (int i = 0; i < 3; i++) {
		/* A correct handshake, then: the reply to another request, one that trickles, none. */
		static const char hello[] = "*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nrole\r\n$6\r\nmaster\r\n";
		static const char crossed[] = "*8\r\n:1\r\n:1\r\n:0\r\n:0\r\n:0\r\n:0\r\n:0\r\n:0\r\n";
		int client = accept(fd, NULL, NULL);
		(void) !read(client, bytes, sizeof bytes);
		(void) !write(client, hello, sizeof hello - 1);
		(void) !read(client, bytes, sizeof bytes);
		for (size_t at = 0; i < 2 && at < sizeof crossed - 1; at += i ? 1 : sizeof crossed) {
			if (send(client, crossed + at, i ? 1 : sizeof crossed - 1, MSG_NOSIGNAL) < 0) {
				break;
			}
			nanosleep(&(struct timespec){.tv_nsec = i ? 40 * 1000 * 1000 : 0}, NULL);
		}
		if (i != 1) {
			(void) !read(client, bytes, sizeof bytes);
		}
		close(client);
	}
	return NULL;
}

static void test_strange_servers(void)
{
	static const struct {
		rl_status status;
		const char *message;
	} expected[] = {
		{RL_UNAVAILABLE, "not a Redis server's"},
		{RL_UNAVAILABLE, "not a Redis reply"},
		{RL_UNAVAILABLE, "not a Redis reply"},
		{RL_UNAVAILABLE, "closed the connection"},
		{RL_UNAVAILABLE, "max number of clients"},
		{RL_MISCONFIGURED, "does not know HELLO"},
		{RL_MISCONFIGURED, "too old"},
		{RL_UNAVAILABLE, "more replies"},
		{RL_UNAVAILABLE, "replica"},
		{RL_UNAVAILABLE, "closed the connection"},
		{RL_UNAVAILABLE, "no answer to the question"},
		{RL_UNAVAILABLE, "no answer within 300 ms"},
		{RL_UNAVAILABLE, "no answer within 300 ms"},
	};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char dsn[200];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t thread;
	rl_store *kept = store;

	snprintf(address.sun_path, sizeof address.sun_path, "%s/fake", server.folder);
	snprintf(dsn, sizeof dsn, "unix://%s?" IMPATIENT, address.sun_path);
	if (bind(fd, (struct sockaddr *) &address, sizeof address) || listen(fd, 1)
		|| pthread_create(&thread, NULL, fake_server, &fd)) {
		check(false, "a fake server");
		return;
	}
	store = store_of(dsn, "act:limit:");
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		int64_t begin = rl_redis_clock_us();
		rl_status status = take("fake", 60, 1, RL_BAN_NONE, 0);
		check(status == expected[i].status && strstr(e.message, expected[i].message), "strange server %zu: %d %s", i,
			(int) status, e.message);
		check(rl_redis_clock_us() - begin < SLACK_US, "strange server %zu, in bounded time", i);
	}
	store = kept;
	pthread_join(thread, NULL);
	close(fd);
	unlink(address.sun_path);
}

static void test_prefix(void)
{
	rl_redis_pool_set_prefix(pool, "other:", 6);
	check(take("p", 60, 9, RL_BAN_NONE, 0) == RL_OK && d.remaining == 8, "another prefix");
	check(!strcmp(redis_server_do(&server, "GET other:p:7"), "1"), "holds from the next call on");
	check(store_with(PATIENT) == store, "a store lives as long as its pool");
	int64_t ahead = store->ops->wall_us(store) - (int64_t) time(NULL) * 1000000;
	check(is_between(ahead, -100000, 1100000), "the store knows what time it is: %ld", (long) ahead);
}

/* Counts once by the store of a DSN. *new: how many connections that opens. */
static rl_store *counted_by(const char *login, const char *options, int *new)
{
	rl_store *kept = store, *used;
	char dsn[256];

	snprintf(dsn, sizeof dsn, "unix://%s%s%s", login, server.socket, options);
	*new = -connections();
	used = store = store_of(dsn, "act:limit:");
	check(take("shared", 60, 100, RL_BAN_NONE, 0) == RL_OK, "%s: %s", dsn, e.message);
	*new += connections();
	store = kept;
	return used;
}

static void test_options(void)
{
	static const struct {
		const char *login;
		const char *options;
		bool connects;         /* and the server has a name of its own */
		bool counts_elsewhere; /* than the row above */
	} rows[] = {
		{"", "?timeout=30001", false, false},
		{"", "?timeout=30000&connect_timeout=30000&retry_delay=1&deny_cache=window&lease=auto", false, false},
		{"", "?db=0&deny_cache=0", false, false},
		{"", "?db=5", true, true},
		{"", "?timeout=20000&db=5", false, false},
		{"shared:one@", "?db=5", true, true},
		{"shared:two@", "?db=5", true, false},
		{"shared:two@", "?db=5&lease=auto", false, false},
	};
	const rl_store *last = store;
	int new;

	redis_server_do(&server, "ACL SETUSER shared on >one >two ~* +@all");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const rl_store *used = counted_by(rows[i].login, rows[i].options, &new);
		rl_redis_server_name name = rl_redis_store_server(used);

		check(new == rows[i].connects, "row %zu: %d connections", i, new);
		check((memcmp(used->id, last->id, sizeof used->id) != 0) == rows[i].counts_elsewhere, "row %zu: its counts", i);
		check((strcmp(name.id, rl_redis_store_server(last).id) != 0) == rows[i].connects, "row %zu: the server's name",
			i);
		last = used;
	}
}

int main(void)
{
	signal(SIGPIPE, SIG_DFL);
	redis_server_start(&server);
	pool = rl_redis_pool_new();
	store = store_with(PATIENT);
	test_window();
	test_end();
	test_bans();
	test_the_articles_counters();
	test_foreign();
	test_verdict_only();
	test_forget();
	test_keys();
	test_script_flush();
	test_timeout();
	test_fork();
	test_lost_connections();
	test_rights();
	test_server_errors();
	test_strange_servers();
	test_prefix();
	test_options();
	rl_redis_pool_free(pool);
	redis_server_stop(&server);
	return checks_report();
}
