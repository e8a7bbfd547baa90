/* A limiter's questions to the Redis store: batches, stale boundaries, foreign keys, expiry, size. */
#include "src/redis/redis_store.h"
#include "check.h"
#include "server.h"

#define MANY 5000

static redis_server server;
static rl_redis_pool *pool;
static rl_store *store;
static rl_error e;

static rl_key keys[MANY];
static rl_answer answers[MANY];
static rl_status statuses[MANY];

static rl_question question(rl_op op, rl_algorithm algorithm, uint32_t limit, int64_t period_us)
{
	rl_question q = {.op = op, .n_limits = 1, .cost = 1};

	q.limits[0] =
		(rl_limit){.algorithm = algorithm, .limit = limit, .rate = limit, .period_us = period_us, .period = RL_HOUR};
	return q;
}

static rl_key key_of(const char *id)
{
	return (rl_key){.space = RL_SPACE_LIMITER, .name = "l", .name_len = 1, .id = id, .id_len = strlen(id)};
}

static void test_many(void)
{
	rl_question q = question(RL_OP_CONSUME, RL_FIXED_WINDOW, 2, 60000000);
	const rl_question *many[MANY];
	int good = 0, refused = 0;

	for (int i = 0; i < MANY; i++) {
		many[i] = &q;
		keys[i] = (rl_key){.space = RL_SPACE_LIMITER,
			.is_int = true,
			.name = "many",
			.name_len = 4,
			.int_id = i % (MANY - 2)};
	}
	redis_server_do(&server, "SCRIPT FLUSH");
	redis_server_do(&server, "CONFIG RESETSTAT");
	redis_server_do(&server, "SET act:limit:many:17:4l foreign");
	rl_status status = store->ops->ask_many(store, keys, MANY, many, answers, statuses, &e);
	check(status == RL_WRONG_TYPE && strstr(e.message, "RATELIMIT_FOREIGN"),
		"a batch tells what went wrong first: %d %s", (int) status, e.message);
	for (int i = 0; i < MANY; i++) {
		good += statuses[i] == RL_OK && answers[i].decision.accepted
			&& answers[i].decision.remaining == (i >= MANY - 2 ? 0 : 1);
	}
	check(statuses[17] == RL_WRONG_TYPE && good == MANY - 1, "and every other question is answered on its own: %d",
		good);
	check(store->ops->ask_many(store, keys + 100, MANY - 100, many, answers, statuses, &e) == RL_OK, "a batch: %s",
		e.message);
	check(store->ops->ask_many(store, keys + 100, MANY - 100, many, answers, statuses, &e) == RL_OK, "a batch: %s",
		e.message);
	for (int i = 0; i < MANY - 100; i++) {
		refused += answers[i].decision.reason == RL_LIMITED;
	}
	check(refused == MANY - 100, "all are counted, none twice: %d", refused);
	check(store->ops->ask_many(store, keys, 0, many, answers, statuses, &e) == RL_OK, "an empty batch");
	kill(server.pid, SIGSTOP);
	check(store->ops->ask_many(store, keys, MANY, many, answers, statuses, &e) == RL_UNAVAILABLE,
		"a batch without an answer");
	check(statuses[0] == RL_UNAVAILABLE && statuses[MANY - 1] == RL_UNAVAILABLE, "leaves no status open");
	kill(server.pid, SIGCONT);
}

static void test_stale(void)
{
	rl_question q = question(RL_OP_CONSUME, RL_CALENDAR_WINDOW, 2, 0);
	rl_key key = key_of("stale");
	int64_t hour_us = INT64_C(3600000000), now_us = store->ops->wall_us(store);

	for (int i = 0; i < 3; i++) {
		q.limits[0].boundary[i] = now_us - now_us % hour_us + (i + 1) * hour_us;
	}
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_STALE_BOUNDARIES,
		"boundaries that do not contain Redis' now are stale");
	check(e.now_us > now_us - 1000000 && e.now_us < now_us + 60000000, "and Redis' now is returned: %ld",
		(long) (e.now_us - now_us));
	check(!strcmp(redis_server_do(&server, "EXISTS act:limit:l:stale:1l"), "0"), "nothing is written");
	redis_server_do(&server, "SET act:limit:l:foreign:1l abc");
	rl_key keys[] = {key_of("foreign"), key};
	rl_status statuses[2];
	e.now_us = 0;
	check(store->ops->ask_many(store, keys, 2, (const rl_question *[2]){&q, &q}, answers, statuses, &e) == RL_WRONG_TYPE
			&& statuses[1] == RL_STALE_BOUNDARIES && e.now_us > now_us - 1000000,
		"in a batch Redis' now is returned whatever fails first: %ld", (long) e.now_us);
	redis_server_do(&server, "DEL act:limit:l:foreign:1l");
	for (int i = 0; i < 3; i++) {
		q.limits[0].boundary[i] -= hour_us;
	}
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_OK && answers[0].decision.accepted,
		"with current ones it is answered: %s", e.message);
}

static void test_foreign(void)
{
	static const char *const values[] = {"", "1", "abc", "\x01", "\x01\x09", "\x09", "\x01\x01",
		"\x01\x05\x05\x05\x05\x05\x05\x05\x05"};
	rl_question q = question(RL_OP_CONSUME, RL_FIXED_WINDOW, 2, 60000000);
	rl_key key = key_of("foreign");
	char state[200];
	redisReply *reply;

	for (rl_op op = RL_OP_CONSUME; op <= RL_OP_RESET; op++) {
		q.op = op;
		for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
			redis_server_do(&server, "SET act:limit:l:foreign:1l %s", values[i]);
			check(store->ops->ask(store, &key, &q, answers, &e) == RL_WRONG_TYPE, "op %d: value %zu is foreign: %s",
				(int) op, i, e.message);
			check(!strcmp(redis_server_do(&server, "GET act:limit:l:foreign:1l"), values[i]),
				"op %d: value %zu is left alone", (int) op, i);
		}
	}
	redis_server_do(&server, "DEL act:limit:l:foreign:1l");
	redis_server_do(&server, "HSET act:limit:l:foreign:1l a b");
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_WRONG_TYPE, "a hash is foreign: %s", e.message);
	redis_server_do(&server, "DEL act:limit:l:foreign:1l");

	/* A state that is cut or changed at any byte gives an answer or is foreign, never anything else. */
	q.op = RL_OP_CONSUME;
	q.n_limits = 5;
	for (int i = 0; i < 5; i++) {
		q.limits[i] = (rl_limit){.algorithm = (rl_algorithm) (i + 1),
			.limit = 9,
			.rate = i == 4 ? 9 : 0,
			.period_us = i == 1 ? 0 : 60000000,
			.period = RL_HOUR,
			.boundary = {0, INT64_C(8000000000000000), INT64_C(8500000000000000)}};
	}
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_OK, "five algorithms: %s", e.message);
	reply = redisCommand(server.admin, "GET act:limit:l:foreign:1l");
	size_t len = (size_t) reply->len < sizeof state ? (size_t) reply->len : 0;
	memcpy(state, reply->str, len);
	freeReplyObject(reply);
	for (size_t i = 0; i < len; i++) {
		char was = state[i];
		redis_server_do(&server, "SET act:limit:l:foreign:1l %b", state, i);
		rl_status status = store->ops->ask(store, &key, &q, answers, &e);
		check(status == RL_WRONG_TYPE, "cut after %zu bytes: %d %s", i, (int) status, e.message);
		for (int bit = 0; bit < 8; bit++) {
			state[i] = (char) (was ^ 1 << bit);
			redis_server_do(&server, "SET act:limit:l:foreign:1l %b", state, len);
			status = store->ops->ask(store, &key, &q, answers, &e);
			check(status == RL_OK || status == RL_WRONG_TYPE || (i == 0 && strstr(e.message, "RATELIMIT_NEWER")),
				"bit %d of byte %zu turned: %d %s", bit, i, (int) status, e.message);
		}
		state[i] = was;
	}
	redis_server_do(&server, "DEL act:limit:l:foreign:1l");
}

static void test_expiry(void)
{
	rl_key key = key_of("expiry");
	rl_question q = question(RL_OP_CONSUME, RL_FIXED_WINDOW, 2, 10000000);

	store->ops->ask(store, &key, &q, answers, &e);
	long long left = atoll(redis_server_do(&server, "PTTL act:limit:l:expiry:1l"));
	check(left > 10500 && left <= 11001, "a key lives a second longer than its window: %lld", left);
	redis_server_do(&server, "PERSIST act:limit:l:expiry:1l");
	store->ops->ask(store, &key, &q, answers, &e);
	check(atoll(redis_server_do(&server, "PTTL act:limit:l:expiry:1l")) > 0, "one that lost its expiry gets it again");
	q.op = RL_OP_BAN;
	q.ban = RL_BAN_FOR;
	q.ban_us = 100000000;
	store->ops->ask(store, &key, &q, answers, &e);
	left = atoll(redis_server_do(&server, "PTTL act:limit:l:expiry:1l"));
	check(left > 100500 && left <= 101001, "or than its ban: %lld", left);
	q.op = RL_OP_RESET;
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_OK && answers[0].found, "a reset");
	check(!strcmp(redis_server_do(&server, "EXISTS act:limit:l:expiry:1l"), "0"), "deletes it");
}

static void test_size(void)
{
	rl_key key = key_of("size");
	rl_question q = question(RL_OP_CONSUME, RL_SLIDING_LOG, 100, 60000000);

	for (int i = 0; i < 101; i++) {
		store->ops->ask(store, &key, &q, answers, &e);
	}
	long bytes = atol(redis_server_do(&server, "MEMORY USAGE act:limit:l:size:1l"));
	printf("100 moments: %ld bytes\n", bytes);
	check(answers[0].decision.reason == RL_LIMITED && bytes > 400 && bytes <= 600,
		"100 moments take at most 600 bytes: %ld", bytes);
}

static void test_out_of_memory(void)
{
	rl_key key = key_of("full");
	rl_question q = question(RL_OP_CONSUME, RL_SLIDING_WINDOW, 2, 60000000);

	redis_server_do(&server, "CONFIG SET maxmemory 1");
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_UNAVAILABLE && strstr(e.message, "OOM"), "no memory: %s",
		e.message);
	q.op = RL_OP_PEEK;
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_OK && answers[0].decision.remaining == 1,
		"a peek needs none: %s", e.message);
	redis_server_do(&server, "CONFIG SET maxmemory 0");
	q.op = RL_OP_CONSUME;
	check(store->ops->ask(store, &key, &q, answers, &e) == RL_OK && answers[0].decision.remaining == 1,
		"and nothing was counted: %s", e.message);
}

int main(void)
{
	char dsn[200];

	redis_server_start(&server);
	pool = rl_redis_pool_new();
	snprintf(dsn, sizeof dsn, "%s?connect_timeout=30000&timeout=30000", server.dsn);
	store = rl_redis_pool_store(pool, dsn, strlen(dsn), "act:limit:", 10, &e);
	test_many();
	test_stale();
	test_foreign();
	test_expiry();
	test_size();
	test_out_of_memory();
	rl_redis_pool_free(pool);
	redis_server_stop(&server);
	return checks_report();
}
