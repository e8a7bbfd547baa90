/* The Redis store's counter: its windows, bans, keys and options. */
#include "counter.h"

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
	begin();
	test_window();
	test_end();
	test_bans();
	test_the_articles_counters();
	test_foreign();
	test_verdict_only();
	test_forget();
	test_keys();
	test_script_flush();
	test_prefix();
	test_options();
	return end();
}
