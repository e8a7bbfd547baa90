/* The limiters' script against src/core: random questions, put to a real Redis and, with the moment that Redis answered
 * by, to the C arithmetic. Two writings of docs/semantics.md: every number of every answer has to be the same.
 *
 *     limiter_test [questions of each program] [first seed] [programs] */
#include "src/redis/redis_store.c"

#include "src/core/limit/limit_mark.h"
#include "src/core/decide/limiter.h"
#include "check.h"
#include "questions.h"
#include "server.h"
#include "same_left.h"

#define FLAT_STEPS 1500

static redis_server server;
/* What the C core keeps between two questions. */
typedef struct {
	uint64_t *words;
	size_t n;
} kept_state;

static void ask_core(kept_state *kept, const rl_question *q, int64_t now_us, rl_answer *a, bool *stale)
{
	rl_now now = {now_us, now_us};
	int64_t at_us = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL ? q->at_us : now_us;
	uint64_t *out = malloc(rl_limiter_size(q, &now, kept->words, kept->n) * sizeof *out);
	size_t n = 0;
	rl_outcome outcome = rl_limiter_decide(q, &now, at_us, kept->words, kept->n, out, &n, a);

	*stale = outcome == RL_WRITE_STALE;
	if (outcome == RL_WRITE_STATE || outcome == RL_WRITE_DELETE) {
		free(kept->words);
		*kept = outcome == RL_WRITE_STATE ? (kept_state){out, n} : (kept_state){NULL, 0};
	}
	if (outcome != RL_WRITE_STATE) {
		free(out);
	}
}

static const char *const op_names[] = {"", "consume", "peek", "reserve", "cancel", "credit", "ban", "unban", "reset",
	"lease", "acquire", "settle", "release", "renew"};

static bool same(uint64_t seed, int step, const rl_question *q, const rl_redis_answer *lua, const rl_answer *core,
	bool stale)
{
	bool decides = q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK || q->op == RL_OP_RESERVE || q->op == RL_OP_ACQUIRE
		|| q->op == RL_OP_SETTLE;
	bool tells = q->op == RL_OP_CANCEL || q->op == RL_OP_UNBAN || q->op == RL_OP_RESET || q->op == RL_OP_SETTLE
		|| q->op == RL_OP_RELEASE || q->op == RL_OP_RENEW;
	const rl_decision *d = &core->decision;
	rl_decision of_lua;
	bool good;

	if (stale || lua->outcome == RL_REDIS_STALE_BOUNDARIES) {
		return check(stale && lua->outcome == RL_REDIS_STALE_BOUNDARIES, "seed %lu step %d: stale, Lua %ld, C %d", seed,
			step, (long) lua->outcome, stale);
	}
	if (tells
		&& !check(lua->found == core->found, "seed %lu step %d %s: found, Lua %ld, C %d", seed, step, op_names[q->op],
			(long) lua->found, core->found)) {
		return false;
	}
	if (!decides) {
		return true;
	}
	if (rl_redis_question_shape(q, 1).permit
		&& !check((uint64_t) lua->granted == core->granted && lua->wait_us == core->wait_us,
			"seed %lu step %d %s cost %lu: granted, Lua %ld, C %lu; wait, Lua %ld, C %ld", seed, step, op_names[q->op],
			q->cost, (long) lua->granted, core->granted, (long) lua->wait_us, (long) core->wait_us)) {
		return false;
	}
	int64_t retry_us = lua->retry_us < 0 ? RL_NEVER : lua->retry_us;
	good = (int64_t) d->reason == lua->outcome && d->limit_index == lua->limit_index
		&& (int64_t) d->remaining == lua->remaining && d->retry_after_us == retry_us
		&& d->reset_after_us == lua->reset_us;
	rl_redis_decision_read(&of_lua, lua, d->limit);
	good = check(good,
		"seed %lu step %d %s cost %lu (%u limits): Lua %ld [%ld] remaining %ld retry %ld reset %ld, C %d [%d] "
		"remaining %lu retry %ld reset %ld; algorithm %d",
		seed, step, op_names[q->op], q->cost, q->n_limits, (long) lua->outcome, (long) lua->limit_index,
		(long) lua->remaining, (long) retry_us, (long) lua->reset_us, (int) d->reason, d->limit_index, d->remaining,
		(long) d->retry_after_us, (long) d->reset_after_us, (int) q->limits[d->limit_index].algorithm);
	return good
		&& check(same_left(d, &of_lua, q->n_limits) && d->level == of_lua.level, "seed %lu step %d %s: level %u and %u",
			seed, step, op_names[q->op], d->level, of_lua.level);
}

/* The names of a program's limits, NULL for none. */
static const char *names[RL_LIMITS_MAX];

static const char *any_name(void)
{
	static const char *const all[] = {NULL, "requests", "tokens", "images"};

	return all[any(sizeof all / sizeof *all)];
}

static void mark_limits(rl_question *q)
{
	rl_limits_mark(q->limits, names, (const char *const[RL_LIMITS_MAX]){NULL}, q->n_limits);
}

/* A deploy: a limit gets another number, another period, another place, another name, or a twin; it is replaced, added or dropped. */
static void change_limits(rl_question *q, bool bookings)
{
	uint64_t i = any(q->n_limits);
	rl_limit *limit = &q->limits[i], *second = &q->limits[any(q->n_limits)];
	const char **name = &names[i], **second_name = &names[second - q->limits];
	rl_limit kept = *limit, other;
	const char *kept_name = *name;

	switch (any(8)) {
		case 0:
			limit->limit = 1 + any(2 * limit->limit);
			limit->limit = limit->limit > RL_LOG_LIMIT_MAX ? RL_LOG_LIMIT_MAX : limit->limit;
			break;
		case 1:
			other = any_limit();
			if (other.algorithm == limit->algorithm && other.algorithm != RL_TOKEN_BUCKET) {
				limit->period_us = other.period_us;
				limit->period = other.period;
			}
			break;
		case 2:
			*limit = *second;
			*second = kept;
			*name = *second_name;
			*second_name = kept_name;
			break;
		case 3:
			*name = any_name();
			break;
		case 4:
			if (second->limit < 1000 && second->algorithm != RL_TOKEN_BUCKET) {
				*limit = *second;
				limit->limit = 1 + any(12);
				*name = any_name();
			}
			break;
		case 5:
			if (q->n_limits < RL_LIMITS_MAX) {
				q->limits[q->n_limits] = *limit;
				names[q->n_limits++] = any_name();
			}
			break;
		case 6:
			if (q->n_limits > 1) {
				*limit = q->limits[--q->n_limits];
				*name = names[q->n_limits];
			}
			break;
		default:
			other = any_limit();
			if (!bookings || other.algorithm == RL_CALENDAR_WINDOW || other.algorithm == RL_SLIDING_LOG) {
				*limit = other;
			}
	}
}

/* Compares what an admitted acquire holds. */
static bool same_held(uint64_t seed, int step, const rl_question *q, const rl_held *lua, const rl_held *core)
{
	bool good = true;

	for (unsigned i = 0; good && i < q->n_limits; i++) {
		good = check(lua[i].tag == core[i].tag && lua[i].place == core[i].place && lua[i].moved_us == core[i].moved_us
				&& lua[i].cost == core[i].cost,
			"seed %lu step %d limit %u of algorithm %d: Lua holds %lu at %ld moved %ld cost %lu, C %lu at %ld moved %ld cost %lu",
			seed, step, i, (int) q->limits[i].algorithm, lua[i].tag, (long) lua[i].place, (long) lua[i].moved_us,
			lua[i].cost, core[i].tag, (long) core[i].place, (long) core[i].moved_us, core[i].cost);
	}
	return good;
}

/* Puts one question to both. */
static bool put(rl_redis_store *store, const rl_key *key, kept_state *kept, const rl_question *q, int step,
	rl_redis_answer *lua)
{
	rl_redis_shape shape = rl_redis_question_shape(q, 1);
	rl_held held[RL_LIMITS_MAX] = {0}, held_of_core[RL_LIMITS_MAX] = {0};
	uint64_t seed = (uint64_t) key->int_id;
	rl_question for_core = *q;
	rl_answer core = {0};
	rl_error e;
	bool stale;

	rl_redis_question_pack(&store->question, q);
	if (q->op == RL_OP_ACQUIRE) {
		shape.held = held;
		for_core.held = held_of_core;
	}
	if (!check(redis_run_one(store, RL_REDIS_LIMITER, key, 1, &shape, lua, &e) == RL_OK, "seed %lu step %d %s: %s",
			seed, step, op_names[q->op], e.message)) {
		return false;
	}
	ask_core(kept, &for_core, lua->now_us, &core, &stale);
	if (!same(seed, step, q, lua, &core, stale)) {
		return false;
	}
	if (q->op == RL_OP_ACQUIRE && lua->outcome == RL_ACCEPTED) {
		memcpy(q->held, held, sizeof held);
		return same_held(seed, step, q, held, held_of_core);
	}
	return true;
}

static rl_key key_of(uint64_t seed)
{
	return (
		rl_key){.space = RL_SPACE_LIMITER, .is_int = true, .name = "random", .name_len = 6, .int_id = (int64_t) seed};
}

static bool play(rl_redis_store *store, uint64_t seed, int steps)
{
	rl_question q = {.n_limits = 1};
	rl_key key = key_of(seed);
	kept_state kept = {NULL, 0};
	bool good = true;

	memset(&player, 0, sizeof player);
	seed_now = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	q.n_limits = (uint8_t) (any(3) ? 1 : 1 + any(RL_LIMITS_MAX));
	bool bookings = any(3) == 0;
	player.calm = any(2);
	for (int i = 0; i < q.n_limits; i++) {
		names[i] = any_name();
		do {
			q.limits[i] = any_limit();
		} while (bookings && q.limits[i].algorithm != RL_CALENDAR_WINDOW && q.limits[i].algorithm != RL_SLIDING_LOG);
	}
	for (int step = 0; step < steps && good; step++) {
		rl_redis_answer lua;

		if (any(60) == 0) {
			change_limits(&q, bookings);
		}
		mark_limits(&q);
		if (any(10) == 0) {
			nanosleep(&(struct timespec){.tv_nsec = (long) any(3000000)}, NULL);
		}
		any_question(&q, local_wall_us() + 60, player.booked);
		good = put(store, &key, &kept, &q, step, &lua);
		if (good && q.op == RL_OP_RESERVE && lua.outcome == RL_ACCEPTED) {
			player.booked[any(8)] = q.at_us;
		}
		if (good && q.op == RL_OP_ACQUIRE && lua.outcome == RL_ACCEPTED) {
			permit *kept_permit = &player.permits[any(PERMITS)];

			kept_permit->number = q.tag;
			kept_permit->n_limits = q.n_limits;
			memcpy(kept_permit->held, player.held, sizeof player.held);
		}
	}
	free(kept.words);
	return good;
}

/* A log's 10,000 moments, booked over a day and a half, so that they take 5 bytes each; and a calendar's 1,000 windows. */
static void fill(rl_redis_store *store, rl_algorithm algorithm, uint64_t seed)
{
	rl_question q = {.op = RL_OP_RESERVE, .n_limits = 1, .cost = algorithm == RL_SLIDING_LOG ? 50 : 1};
	rl_key key = key_of(seed);
	kept_state kept = {NULL, 0};
	int64_t now_us = local_wall_us(), hour_us = 3600 * RL_US_PER_SECOND;
	rl_redis_answer lua;
	int refused = 0;

	q.limits[0] = (rl_limit){.algorithm = algorithm, .limit = 10000, .period_us = hour_us, .period = RL_HOUR};
	for (int i = 0; i < (algorithm == RL_SLIDING_LOG ? 205 : 1005); i++) {
		q.at_us = now_us + hour_us + (i * 37 % 1009) * (algorithm == RL_SLIDING_LOG ? hour_us / 6 : hour_us);
		q.limits[0].boundary[0] = q.at_us - q.at_us % hour_us;
		q.limits[0].boundary[1] = q.limits[0].boundary[0] + hour_us;
		q.limits[0].boundary[2] = q.limits[0].boundary[1] + hour_us;
		if (!put(store, &key, &kept, &q, i, &lua)) {
			break;
		}
		refused += lua.outcome == RL_LIMITED;
	}
	check(refused == 5, "beyond what is kept, nothing is booked: %d", refused);
	q.op = RL_OP_CANCEL;
	check(put(store, &key, &kept, &q, 2000, &lua) && !lua.found, "what was refused was not booked");
	q.op = RL_OP_CONSUME;
	q.limits[0].boundary[0] = now_us - now_us % hour_us;
	q.limits[0].boundary[1] = q.limits[0].boundary[0] + hour_us;
	q.limits[0].boundary[2] = q.limits[0].boundary[1] + hour_us;
	put(store, &key, &kept, &q, 2001, &lua);
	free(kept.words);
}

/* Ordinary limits, whose windows end and begin all the while: the script's usual calls (30_usual.lua). */
static void play_flat(rl_redis_store *store, uint64_t seed, const char *what, rl_op op, const rl_limit *limits,
	uint8_t n)
{
	rl_question q = {.op = op, .n_limits = n, .lease = op == RL_OP_LEASE ? 4 : 0};
	rl_key key = key_of(seed);
	kept_state kept = {NULL, 0};
	rl_redis_answer lua;
	int refused = 0, mortal = 0;

	seed_now = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	memcpy(q.limits, limits, n * sizeof *limits);
	memset(names, 0, sizeof names);
	for (int step = 0; step < FLAT_STEPS; step++) {
		int64_t now_us = local_wall_us(), hour_us = 3600 * RL_US_PER_SECOND;

		for (uint8_t i = 0; i < n; i++) {
			q.limits[i].boundary[0] = now_us - now_us % hour_us;
			q.limits[i].boundary[1] = q.limits[i].boundary[0] + hour_us;
			q.limits[i].boundary[2] = q.limits[i].boundary[1] + hour_us;
		}
		q.n_limits = step == 0 ? 1 : n; /* so the others begin later */
		mark_limits(&q);
		q.cost = 1 + (uint32_t) (step % 5 == 0) * 2;
		if (any(12) == 0) {
			nanosleep(&(struct timespec){.tv_nsec = (long) any(4000000)}, NULL);
		}
		if (!put(store, &key, &kept, &q, step, &lua)) {
			break;
		}
		refused += lua.outcome == RL_LIMITED;
		if (step % 16 == 0) {
			char command[64];

			snprintf(command, sizeof command, "PTTL t:random:%llu:6l", (unsigned long long) seed);
			int64_t ttl_us = redis_server_int(&server, command) * RL_US_PER_MS;
			mortal += lua.outcome == RL_LIMITED || (ttl_us > 0 && ttl_us + 1100 * RL_US_PER_MS > lua.reset_us);
		}
	}
	check(refused > 0 && refused < FLAT_STEPS, "%s: %d of %d refused", what, refused, FLAT_STEPS);
	check(mortal == (FLAT_STEPS + 15) / 16, "%s: the key lives as long as its state: %d of %d", what, mortal,
		(FLAT_STEPS + 15) / 16);
	free(kept.words);
}

static void play_all_flat(rl_redis_store *store)
{
	const int64_t ms = RL_US_PER_MS;
	const rl_limit fixed = {.algorithm = RL_FIXED_WINDOW, .limit = 7, .period_us = 5 * ms},
				   calendar = {.algorithm = RL_CALENDAR_WINDOW, .limit = 300, .period = RL_HOUR},
				   sliding = {.algorithm = RL_SLIDING_WINDOW, .limit = 30, .period_us = 30 * ms},
				   quick = {.algorithm = RL_SLIDING_WINDOW, .limit = 4, .period_us = 3 * ms},
				   bucket = {.algorithm = RL_TOKEN_BUCKET, .limit = 9, .rate = 7, .period_us = 5 * ms},
				   slow = {.algorithm = RL_TOKEN_BUCKET, .limit = 60, .rate = 11, .period_us = 90 * ms},
				   years = {.algorithm = RL_TOKEN_BUCKET, .limit = 900, .rate = 16000003, .period_us = 157000000000007},
				   decade = {.algorithm = RL_TOKEN_BUCKET,
					   .limit = 1600,
					   .rate = 16777213,
					   .period_us = 315359999999989},
				   log = {.algorithm = RL_SLIDING_LOG, .limit = 20, .period_us = 20 * ms},
				   longer = {.algorithm = RL_FIXED_WINDOW, .limit = 12, .period_us = 11 * ms};

	play_flat(store, 1u << 30, "a fixed window", RL_OP_CONSUME, &fixed, 1);
	play_flat(store, (1u << 30) + 1, "a calendar window", RL_OP_CONSUME, &calendar, 1);
	play_flat(store, (1u << 30) + 2, "a sliding window", RL_OP_CONSUME, &sliding, 1);
	play_flat(store, (1u << 30) + 3, "a quick sliding window", RL_OP_CONSUME, &quick, 1);
	play_flat(store, (1u << 30) + 4, "a bucket", RL_OP_CONSUME, &bucket, 1);
	play_flat(store, (1u << 30) + 5, "a slow bucket", RL_OP_CONSUME, &slow, 1);
	play_flat(store, (1u << 30) + 12, "a bucket of years", RL_OP_CONSUME, &years, 1);
	play_flat(store, (1u << 30) + 13, "a bucket of ten years", RL_OP_CONSUME, &decade, 1);
	play_flat(store, (1u << 30) + 6, "a log", RL_OP_CONSUME, &log, 1);
	play_flat(store, (1u << 30) + 7, "three limits", RL_OP_CONSUME, (rl_limit[]){fixed, sliding, slow}, 3);
	play_flat(store, (1u << 30) + 8, "five limits", RL_OP_CONSUME, (rl_limit[]){log, calendar, bucket, sliding, longer},
		5);
	play_flat(store, (1u << 30) + 9, "two alike", RL_OP_CONSUME, (rl_limit[]){fixed, longer, quick, quick, fixed}, 5);
	rl_limit leased = fixed;

	leased.limit = 40;
	play_flat(store, (1u << 30) + 10, "a leased fixed window", RL_OP_LEASE, &leased, 1);
	play_flat(store, (1u << 30) + 11, "a leased calendar window", RL_OP_LEASE, &calendar, 1);
}

/* Puts a lease of at most 100 permits for at most valid_us. */
static rl_redis_answer lease(rl_redis_store *store, const rl_limit *limit, uint64_t seed, int64_t valid_us)
{
	rl_question q = {.op = RL_OP_LEASE, .n_limits = 1, .cost = 1, .at_us = valid_us, .lease = 100, .limits = {*limit}};
	rl_key key = key_of((1u << 31) + seed); /* no random program has it */
	rl_redis_shape shape;
	rl_redis_answer lua = {0};
	rl_error e;

	rl_redis_question_pack(&store->question, &q);
	shape = rl_redis_question_shape(&q, 1);
	check(redis_run_one(store, RL_REDIS_LIMITER, &key, 1, &shape, &lua, &e) == RL_OK, "a lease: %s", e.message);
	check(lua.outcome == RL_ACCEPTED, "a lease is admitted");
	return lua;
}

/* A batch counts as used at the end of its life, in a bucket, and in the sub-window that contains now, in a sliding window. */
static void test_lease_moments(rl_redis_store *store)
{
	const int64_t ms = RL_US_PER_MS, second = RL_US_PER_SECOND;
	const rl_limit bucket = {.algorithm = RL_TOKEN_BUCKET, .limit = 8000, .rate = 1000, .period_us = second},
				   small = {.algorithm = RL_TOKEN_BUCKET, .limit = 1000, .rate = 1000, .period_us = second},
				   sliding = {.algorithm = RL_SLIDING_WINDOW, .limit = 8000, .period_us = 3 * second};
	rl_redis_answer a = lease(store, &bucket, 1, 500 * ms), b;
	int64_t full_us = 600 * ms;

	check(a.found == 100 && a.reset_us == full_us, "a bucket's batch, from its end on: %ld, %ld us", (long) a.found,
		(long) a.reset_us);
	for (int i = 0; i < 20; i++) {
		b = lease(store, &bucket, 1, 500 * ms);
		full_us = full_us - (b.now_us - a.now_us) + ms;
		full_us = (full_us > 500 * ms ? full_us : 500 * ms) + 100 * ms;
		check(b.found == 100 && b.reset_us == full_us, "and %d more: %ld us, not %ld", i + 1, (long) b.reset_us,
			(long) full_us);
		a = b;
	}
	a = lease(store, &small, 2, 500 * ms);
	check(a.found == 62 && a.reset_us == 562 * ms, "what is refilled is withheld: %ld", (long) a.found);
	a = lease(store, &small, 3, 1000 * ms);
	check(a.found == 0 && a.reset_us == ms, "all of it: %ld", (long) a.found);

	a = lease(store, &sliding, 4, second);
	check(a.found == 25 && a.reset_us == 3100 * ms, "a quarter of a batch for half of its time: %ld", (long) a.found);
	for (int i = 0; i < 50; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 2500000}, NULL);
		a = lease(store, &sliding, 4, second);
		check(a.reset_us > 3 * second && a.reset_us <= 3100 * ms
				&& a.found == (a.reset_us - 3 * second) * 100 / (400 * ms),
			"%ld for the %ld us of a sub-window", (long) a.found, (long) (a.reset_us - 3 * second));
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 400;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	uint64_t programs = argc > 3 ? strtoull(argv[3], NULL, 10) : 60;
	rl_redis_pool *pool = rl_redis_pool_new();
	rl_redis_store *store;
	char dsn[200];
	int broken = 0;
	rl_error e;

	redis_server_start(&server);
	snprintf(dsn, sizeof dsn, "%s?connect_timeout=30000&timeout=30000", server.dsn);
	store = (rl_redis_store *) rl_redis_pool_store(pool, dsn, strlen(dsn), "t:", 2, &e);
	fill(store, RL_SLIDING_LOG, UINT32_MAX);
	fill(store, RL_CALENDAR_WINDOW, UINT32_MAX - 1);
	play_all_flat(store);
	test_lease_moments(store);
	for (uint64_t seed = first; seed < first + programs && broken < 10; seed++) {
		broken += !play(store, seed, steps);
	}
	rl_redis_pool_free(pool);
	redis_server_stop(&server);
	return checks_report();
}
