/* The deny cache's key: two questions that differ in one deciding field never share a cached refusal. */
#include "check.h"
#include "harness.h"

#include <stddef.h>

#include "src/guard/deny_cache.h"
#include "src/shm/segment/clock.h"

#define BOUND_US (1000 * RL_US_PER_SECOND)

/* The fields of a struct, as bytes: a test changes one at a time. */
typedef struct {
	const char *name;
	size_t offset, size;
} key_field;

#define FIELD(type, member)                                                                                            \
 {                                                                                                                     \
#  member, offsetof(type, member), sizeof(((type *) NULL)->member)                                                     \
 }
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
	ALGORITHM,
	PERIOD,
	LIMIT,
	RATE,
	PERIOD_US,
	BEGIN,
	END,
	NEXT_END,
	BAN,
	IDENTITY,
	MARK,
	BAN_US,
	STEPS,
	LIMIT_FIELDS
};

static const key_field limit_fields[] = {
	[ALGORITHM] = FIELD(rl_limit, algorithm),
	[PERIOD] = FIELD(rl_limit, period),
	[LIMIT] = FIELD(rl_limit, limit),
	[RATE] = FIELD(rl_limit, rate),
	[PERIOD_US] = FIELD(rl_limit, period_us),
	[BEGIN] = FIELD(rl_limit, boundary[0]),
	[END] = FIELD(rl_limit, boundary[1]),
	[NEXT_END] = FIELD(rl_limit, boundary[2]),
	[BAN] = FIELD(rl_limit, ban),
	[IDENTITY] = FIELD(rl_limit, identity),
	[MARK] = FIELD(rl_limit, mark),
	[BAN_US] = FIELD(rl_limit, ban_us),
	[STEPS] = FIELD(rl_limit, steps),
};

#define BIT(field) (1U << (field))

/* The cache has no question about several keys. */
#define NEVER_DECIDES BIT(IDENTITY)
#define CALENDAR_ONLY (BIT(PERIOD) | BIT(BEGIN) | BIT(END) | BIT(NEXT_END))

/* The fields that decide nothing, for each algorithm; every other field must change the key. A new algorithm needs a row
 * here, and a new field of rl_limit a row above. */
static const struct {
	rl_algorithm algorithm;
	unsigned ignored;
} algorithms[] = {
	{RL_FIXED_WINDOW, NEVER_DECIDES | CALENDAR_ONLY | BIT(RATE)},
	{RL_CALENDAR_WINDOW, NEVER_DECIDES | BIT(RATE) | BIT(PERIOD_US)},
	{RL_SLIDING_LOG, NEVER_DECIDES | CALENDAR_ONLY | BIT(RATE)},
	{RL_SLIDING_WINDOW, NEVER_DECIDES | CALENDAR_ONLY | BIT(RATE)},
	{RL_TOKEN_BUCKET, NEVER_DECIDES | CALENDAR_ONLY},
	{RL_CONCURRENT, NEVER_DECIDES | CALENDAR_ONLY | BIT(RATE)},
};

_Static_assert(COUNT(algorithms) == RL_ALGORITHMS, "an algorithm has no row in deny_key_test.c");

/* A store's id has 128 mixed bits, as a part of a SHA-1 has. */
static const uint64_t store_id[2] = {UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b)};
static int64_t next_identity;

static rl_limit sample(rl_algorithm algorithm)
{
	return (rl_limit){
		.algorithm = algorithm,
		.period = RL_HOUR,
		.limit = 10,
		.rate = 5,
		.period_us = 60 * RL_US_PER_SECOND,
		.boundary = {1000, 2000, 3000},
		.ban = RL_BAN_FOR,
		.ban_us = 30 * RL_US_PER_SECOND,
	};
}

static void change_byte(void *object, const key_field *field, size_t byte)
{
	((unsigned char *) object)[field->offset + byte] ^= 1;
}

/* Stores a refusal by the first limit. */
static void store_refusal(const rl_deny_query *query)
{
	rl_decision d = {.reason = RL_LIMITED, .retry_after_us = BOUND_US / 2, .reset_after_us = BOUND_US / 2};

	rl_deny_cache_store(query, BOUND_US, rl_shm_now_us(), &d);
}

static bool is_cached(const rl_deny_query *query)
{
	rl_decision d;

	return rl_deny_cache_lookup(query, BOUND_US, &d);
}

static void test_limit_field(const rl_limit *limit, const key_field *field, bool decides)
{
	for (size_t byte = 0; byte < field->size; byte++) {
		rl_key key = test_key(RL_SPACE_LIMITER, "limits", ++next_identity);
		rl_question q = test_question(RL_OP_CONSUME, *limit, 1);
		rl_question other = q;
		rl_deny_query query = rl_deny_query_limiter(store_id, &key, &q);
		rl_deny_query other_query;

		query.concurrent = 0; /* only the key matters here */
		change_byte(&other.limits[0], field, byte);
		other_query = rl_deny_query_limiter(store_id, &key, &other);
		store_refusal(&query);
		check(is_cached(&query), "algorithm %d: a refusal is cached", limit->algorithm);
		check(is_cached(&other_query) != decides, "algorithm %d: byte %zu of %s %s", limit->algorithm, byte,
			field->name, decides ? "must be part of the deny cache's key" : "decides nothing");
	}
}

static void test_limits(void)
{
	for (size_t a = 0; a < COUNT(algorithms); a++) {
		rl_limit limit = sample(algorithms[a].algorithm);

		check((size_t) algorithms[a].algorithm == a + 1, "algorithm %zu has a row", a + 1);
		for (size_t f = 0; f < LIMIT_FIELDS; f++) {
			if (f != ALGORITHM && f != STEPS) {
				test_limit_field(&limit, &limit_fields[f], !(algorithms[a].ignored & BIT(f)));
			}
		}
	}
}

/* The times of bans that escalate are part of the key, not their address. */
static void test_steps(void)
{
	rl_ban_steps steps = {.forget_us = 1000, .n = 2, .us = {10, 20}}, equal = steps;
	rl_key key = test_key(RL_SPACE_LIMITER, "steps", 1);
	rl_limit limit = sample(RL_FIXED_WINDOW);
	rl_question q;
	rl_deny_query query;

	limit.ban = RL_BAN_STEPS;
	limit.steps = &steps;
	q = test_question(RL_OP_CONSUME, limit, 1);
	query = rl_deny_query_limiter(store_id, &key, &q);
	store_refusal(&query);
	q.limits[0].steps = &equal;
	query = rl_deny_query_limiter(store_id, &key, &q);
	check(is_cached(&query), "the same times elsewhere");
	equal.us[1] = 21;
	query = rl_deny_query_limiter(store_id, &key, &q);
	check(!is_cached(&query), "another time");
	equal = steps;
	equal.n = 1;
	query = rl_deny_query_limiter(store_id, &key, &q);
	check(!is_cached(&query), "fewer times");
	equal = steps;
	equal.forget_us = 1001;
	query = rl_deny_query_limiter(store_id, &key, &q);
	check(!is_cached(&query), "another time to forget");
}

/* Two algorithms with the same numbers. */
static void test_algorithms(void)
{
	for (size_t a = 0; a < COUNT(algorithms); a++) {
		rl_key key = test_key(RL_SPACE_LIMITER, "algorithms", ++next_identity);
		rl_question q = test_question(RL_OP_CONSUME, sample(algorithms[a].algorithm), 1);
		rl_deny_query query = rl_deny_query_limiter(store_id, &key, &q);

		query.concurrent = 0;
		store_refusal(&query);
		for (size_t b = 0; b < COUNT(algorithms); b++) {
			rl_question other = test_question(RL_OP_CONSUME, sample(algorithms[b].algorithm), 1);
			rl_deny_query other_query = rl_deny_query_limiter(store_id, &key, &other);

			check(is_cached(&other_query) == (a == b), "algorithm %zu after a refusal of algorithm %zu", b + 1, a + 1);
		}
	}
}

/* The number of a limiter's limits, and their order. */
static void test_compound(void)
{
	rl_key key = test_key(RL_SPACE_LIMITER, "compound", 1);
	rl_limit first = sample(RL_FIXED_WINDOW), second = sample(RL_SLIDING_LOG);
	rl_question q = {.op = RL_OP_CONSUME, .n_limits = 2, .cost = 1, .limits = {first, second}};
	rl_question swapped = {.op = RL_OP_CONSUME, .n_limits = 2, .cost = 1, .limits = {second, first}};
	rl_question single = test_question(RL_OP_CONSUME, first, 1);
	rl_deny_query query = rl_deny_query_limiter(store_id, &key, &q);
	rl_deny_query swapped_query = rl_deny_query_limiter(store_id, &key, &swapped);
	rl_deny_query single_query = rl_deny_query_limiter(store_id, &key, &single);

	store_refusal(&query);
	check(is_cached(&query), "two limits: a refusal is cached");
	check(!is_cached(&swapped_query), "the limits in another order");
	check(!is_cached(&single_query), "one of the limits");
}

/* The refusal of a concurrent limit may end at any time; a rate limit's beside it does not. */
static void test_concurrent(void)
{
	rl_limit rate = sample(RL_FIXED_WINDOW), concurrent = sample(RL_CONCURRENT);
	rl_key key = test_key(RL_SPACE_LIMITER, "concurrent", 1);
	rl_question by_rate = {.op = RL_OP_ACQUIRE, .n_limits = 2, .cost = 1, .limits = {rate, concurrent}};
	rl_question by_place = {.op = RL_OP_ACQUIRE, .n_limits = 2, .cost = 1, .limits = {concurrent, rate}};
	rl_deny_query query = rl_deny_query_limiter(store_id, &key, &by_rate);
	rl_deny_query place_query = rl_deny_query_limiter(store_id, &key, &by_place);
	rl_decision banned = {.reason = RL_BANNED, .retry_after_us = BOUND_US / 2, .reset_after_us = BOUND_US / 4};

	store_refusal(&place_query);
	check(!is_cached(&place_query), "a refusal by a concurrent limit is not cached");
	rl_deny_cache_store(&query, BOUND_US, rl_shm_now_us(), &banned);
	check(!is_cached(&query), "a ban after which a place may be missing is not cached");
	store_refusal(&query);
	check(is_cached(&query), "a refusal by a rate limit is cached, beside a concurrent limit, too");
}

/* Questions with another cost, a share or a time to wait have answers of their own. */
static void test_other_questions(void)
{
	rl_key key = test_key(RL_SPACE_LIMITER, "others", 1);
	rl_question q = test_question(RL_OP_CONSUME, sample(RL_FIXED_WINDOW), 1);
	rl_question acquire = test_question(RL_OP_ACQUIRE, sample(RL_FIXED_WINDOW), 1);
	rl_question cost = q, leave = q, wait = acquire;
	rl_deny_query query = rl_deny_query_limiter(store_id, &key, &q);
	rl_deny_query other;

	cost.cost = 2;
	leave.leave = 1;
	wait.max_wait_us = 1;
	store_refusal(&query);
	other = rl_deny_query_limiter(store_id, &key, &acquire);
	check(is_cached(&other), "a refused consume answers an acquire of the same cost");
	other = rl_deny_query_limiter(store_id, &key, &cost);
	check(!other.may_answer && !other.may_keep, "a cost of 2");
	other = rl_deny_query_limiter(store_id, &key, &leave);
	check(!other.may_answer && !other.may_keep, "a share to leave");
	other = rl_deny_query_limiter(store_id, &key, &wait);
	check(!other.may_answer && !other.may_keep, "a time to wait");
}

static void test_counter(void)
{
	static const key_field fields[] = {
		FIELD(rl_counter_question, seconds),
		FIELD(rl_counter_question, limit),
		FIELD(rl_counter_question, ban),
		FIELD(rl_counter_question, ban_s),
	};

	for (size_t f = 0; f < COUNT(fields); f++) {
		for (size_t byte = 0; byte < fields[f].size; byte++) {
			rl_key key = test_key(RL_SPACE_ACTION, "counter", ++next_identity);
			rl_counter_question q = {.seconds = 60, .limit = 10, .ban = RL_BAN_FOR, .ban_s = 30};
			rl_deny_query query = rl_deny_query_counter(store_id, &key, &q, false);
			rl_deny_query other_query;

			/* A ban's kind has two bits in the key: no other bit of it is ever set. */
			if (fields[f].offset == offsetof(rl_counter_question, ban) && byte > 0) {
				continue;
			}
			store_refusal(&query);
			check(is_cached(&query), "counter: a refusal is cached");
			change_byte(&q, &fields[f], byte);
			other_query = rl_deny_query_counter(store_id, &key, &q, false);
			check(!is_cached(&other_query), "counter: byte %zu of %s must be part of the deny cache's key", byte,
				fields[f].name);
		}
	}
}

/* Every byte of rl_limit belongs to a field above. */
static void test_fields_are_complete(void)
{
	bool covered[sizeof(rl_limit)] = {false};

	for (size_t f = 0; f < LIMIT_FIELDS; f++) {
		for (size_t byte = 0; byte < limit_fields[f].size; byte++) {
			covered[limit_fields[f].offset + byte] = true;
		}
	}
	/* Padding. */
	for (size_t byte = sizeof(rl_algorithm); byte < offsetof(rl_limit, period); byte++) {
		covered[byte] = true;
	}
	for (size_t byte = 0; byte < sizeof covered; byte++) {
		check(covered[byte], "byte %zu of rl_limit belongs to no field in deny_key_test.c", byte);
	}
}

int main(void)
{
	test_segment((size_t) 4 << 20);
	test_fields_are_complete();
	test_limits();
	test_steps();
	test_algorithms();
	test_compound();
	test_concurrent();
	test_other_questions();
	test_counter();
	return checks_report();
}
