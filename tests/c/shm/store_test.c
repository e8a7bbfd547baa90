/* The embedded store's parts: hash, table, records, workers. stress.c tests many workers at once. */
#include "check.h"
#include "harness.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/shm/process/worker.h"
#include "src/shm/segment/hash.h"
#include "src/shm/store/store_internal.h"
#include "src/shm/record/record_cache.h"

#define S RL_US_PER_SECOND

/* Keys that concatenation, padding or a cast would make equal. */
static void test_no_two_keys_meet(void)
{
	static const struct {
		rl_space space;
		const char *name, *id;
		size_t name_len, id_len;
		bool is_int;
		int64_t number;
	} keys[] = {
		{RL_SPACE_ACTION, "a:1", "2", 3, 1, false, 0},
		{RL_SPACE_ACTION, "a", "1:2", 1, 3, false, 0},
		{RL_SPACE_ACTION, "a", "2", 1, 1, false, 0},
		{RL_SPACE_ACTION, "a", NULL, 1, 0, true, 2},
		{RL_SPACE_ACTION, "a", NULL, 1, 0, true, 0x32},
		{RL_SPACE_ALLOWED, "a", NULL, 1, 0, true, 2},
		{RL_SPACE_LIMITER, "a", NULL, 1, 0, true, 2},
		{RL_SPACE_ACTION, "a\0", NULL, 2, 0, true, 2},
		{RL_SPACE_ACTION, "a\0", "\0", 2, 1, false, 0},
		{RL_SPACE_ACTION, "a", "\0\0", 1, 2, false, 0},
		{RL_SPACE_ACTION, "a", "\0", 1, 1, false, 0},
		{RL_SPACE_ACTION, "aaaaaaaaaaaaaaaa", "b", 16, 1, false, 0},
		{RL_SPACE_ACTION, "aaaaaaaaaaaaaaaab", "b", 17, 1, false, 0},
		{RL_SPACE_ACTION, "aaaaaaaaaaaaaaaa", "bb", 16, 2, false, 0},
		{RL_SPACE_ACTION, "a", NULL, 1, 0, true, -2},
		{RL_SPACE_ACTION, "b", "a", 1, 1, false, 0},
		{RL_SPACE_ACTION, "a", "b", 1, 1, false, 0},
	};
	enum { N = sizeof keys / sizeof keys[0] };
	uint64_t high[2][N], low[2][N];
	rl_hash_key hash_key;
	uint64_t seed = 3;
	unsigned i, j, kind;

	for (i = 0; i < sizeof hash_key; i++) {
		((uint8_t *) &hash_key)[i] = (uint8_t) test_random(&seed);
	}
	for (i = 0; i < N; i++) {
		rl_key k = {keys[i].space, keys[i].is_int, keys[i].name, keys[i].name_len, keys[i].number, keys[i].id,
			keys[i].id_len};

		rl_hash_sip(&hash_key, &k, &high[0][i], &low[0][i]);
#ifdef RL_HASH_HAS_AES
		if (rl_hash_choose() == RL_HASH_AES) {
			rl_hash_aes(&hash_key, &k, &high[1][i], &low[1][i]);
			continue;
		}
#endif
		high[1][i] = high[0][i];
		low[1][i] = low[0][i];
	}
	for (kind = 0; kind < 2; kind++) {
		for (i = 0; i < N; i++) {
			for (j = 0; j < i; j++) {
				check(high[kind][i] != high[kind][j] && low[kind][i] != low[kind][j], "hash %u: keys %u and %u meet",
					kind, i, j);
			}
		}
	}
}

#ifdef RL_HASH_HAS_AES
/* An identity has the same hash by its key and by the hash of its name. */
static void test_the_hash_of_a_name(void)
{
	uint64_t seed = 5, high[2], low[2];
	char text[2 * RL_NAME_MAX];
	unsigned i;

	if (rl_shm.hash_kind != RL_HASH_AES) {
		return;
	}
	for (i = 0; i < sizeof text; i++) {
		text[i] = (char) test_random(&seed);
	}
	for (i = 0; i < 4000; i++) {
		rl_key k = {.space = RL_SPACE_LIMITER,
			.is_int = i % 2,
			.name = text,
			.name_len = 1 + i % RL_NAME_MAX,
			.int_id = i % 2 ? (int64_t) test_random(&seed) : 0,
			.id = i % 2 ? NULL : text + RL_NAME_MAX,
			.id_len = i % 2 ? 0 : 1 + test_random(&seed) % RL_NAME_MAX};
		const rl_hash_key *key = &rl_shm.header->hash_key;
		rl_name_hash name;

		rl_hash_aes(key, &k, &high[0], &low[0]);
		rl_name_hash_make(k.space, k.name, k.name_len, &name);
		if (k.is_int) {
			rl_hash_aes_named_int(key, &name, k.int_id, &high[1], &low[1]);
		} else {
			rl_hash_aes_named_string(key, &name, k.id, k.id_len, &high[1], &low[1]);
		}
		check(name.shape != 0 && high[0] == high[1] && low[0] == low[1],
			"a name of %zu bytes, an identity of %zu (0: an int)", k.name_len, k.id_len);
	}
}
#endif

/* Keys that differ in one bit, and keys that count up, spread over the buckets like random ones. */
static void test_lines_fill_evenly(void)
{
	static unsigned load[4096];
	unsigned i, worst = 0;

	memset(load, 0, sizeof load);
	for (i = 0; i < 4096 * 16; i++) {
		rl_key k = test_key(RL_SPACE_ACTION, "comment", i);
		rl_position p = rl_shm_position(&rl_shm, &k, false);

		load[p.home * 4096 / rl_shm.n_buckets]++;
	}
	for (i = 0; i < 4096; i++) {
		worst = load[i] > worst ? load[i] : worst;
	}
	check(worst < 16 + 8 * 4, "the fullest of 4096 buckets holds %u of 16 expected", worst);
}

static void test_exhausted_and_banned_outlive_a_flood(void)
{
	rl_store *store = rl_shm_store();
	rl_key banned = test_key(RL_SPACE_ACTION, "like", 1);
	rl_counter_question q = {.seconds = 3600, .limit = 2, .ban = RL_BAN_FOR, .ban_s = 7200};
	rl_question log = test_question(RL_OP_CONSUME, test_limit(RL_SLIDING_LOG, 3, 3600 * S), 1);
	rl_shm_stats stats;
	rl_decision d;
	rl_answer a;
	rl_error e;
	unsigned i, hot = 0;

	for (i = 0; i < 3; i++) {
		store->ops->count(store, &banned, &q, &d, &e);
		test_plain("exhausted", 1, 3600, 3);
		test_ask("log", 1, &log, &a);
	}
	rl_shm_stats_read(&stats);
	for (i = 0; i < 10 * stats.slots; i++) {
		test_plain("flood", 1000 + i, 3600, 10);
		if (i % 4 == 0) {
			rl_question flood = test_question(RL_OP_CONSUME, test_limit(RL_SLIDING_LOG, 3, 3600 * S), 1);

			check(test_ask("flood", 1000 + i, &flood, &a) == RL_OK && a.decision.accepted, "a new identity is served");
		}
		if (i % 1000 == 0) {
			hot += test_plain("hot", 1, 3600, 50);
		}
	}
	check(hot == 50, "a hot identity had %u of 50", hot);
	check(!test_plain("exhausted", 1, 3600, 3), "an exhausted identity stays refused");
	store->ops->count(store, &banned, &q, &d, &e);
	check(d.reason == RL_BANNED && d.retry_after_us > 7000 * S, "a banned one stays banned");
	check(test_ask("log", 1, &log, &a) == RL_OK && !a.decision.accepted, "an exhausted log stays refused");
	rl_shm_stats_read(&stats);
	check(stats.counts[RL_STAT_EVICTIONS] > 0, "what was given up was counted");
	check(stats.slots_used <= stats.slots, "%llu of %llu slots", (unsigned long long) stats.slots_used,
		(unsigned long long) stats.slots);
}

/* Pages of one size class are reassigned to another on demand. */
static void test_every_size_finds_room(void)
{
	rl_question small = test_question(RL_OP_CONSUME, test_limit(RL_TOKEN_BUCKET, 5, 3600 * S), 1);
	rl_answer a;
	unsigned i, n;

	for (i = 0; i < 40000; i++) {
		test_ask("small", i, &small, &a);
	}
	for (n = 1; n < 200; n += 13) {
		rl_question log = test_question(RL_OP_CONSUME, test_limit(RL_SLIDING_LOG, 200, 3600 * S), n);

		check(test_ask("sized", n, &log, &a) == RL_OK && a.decision.accepted, "a log of %u finds room", n);
		check(test_ask("sized", n, &log, &a) == RL_OK && a.decision.accepted == (2 * n <= 200), "and is remembered");
	}
}

static void test_a_dead_worker_leaves_nothing(void)
{
	rl_question q = test_question(RL_OP_CONSUME, test_limit(RL_SLIDING_LOG, 100, 3600 * S), 1);
	rl_shm_stats before, after;
	rl_answer a;
	unsigned i;

	rl_shm_stats_read(&before);
	for (i = 0; i < 200; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			/* Different sizes, so that it has cached records of several when it dies. */
			for (unsigned n = 0; n < 40; n++) {
				test_ask("mortal", i * 100 + n % 3, &q, &a);
			}
			kill(getpid(), SIGKILL);
		}
		waitpid(pid, NULL, 0);
	}
	rl_shm_stats_read(&after);
	check(after.workers <= before.workers + 2, "%llu workers are taken", (unsigned long long) after.workers);
	for (i = 0; i < 200; i++) {
		check(test_ask("mortal", i * 100, &q, &a) == RL_OK, "the survivor answers");
	}
}

/* A reader of the statistics subtracts and adds them as signed numbers. */
static void test_damaged_statistics(void)
{
	static const uint64_t damage[] = {UINT64_MAX, UINT64_C(1) << 63, INT64_MAX};
	rl_shm_stats before, after;
	unsigned i, c;

	check(rl_shm_has_worker(), "a worker");
	rl_shm_stats_read(&before);
	for (i = 0; i < sizeof damage / sizeof *damage; i++) {
		rl_worker kept = *rl_worker_self;

		rl_worker_self->entries_used = damage[i];
		for (c = 0; c < RL_STATS; c++) {
			rl_worker_self->stats[c] = damage[i];
		}
		rl_shm_stats_read(&after);
		*rl_worker_self = kept;
		check(after.slots_used <= after.slots && after.decisions <= before.decisions, "damage %u: no impossible number",
			i);
		for (c = 0; c < RL_STATS; c++) {
			check(after.counts[c] <= before.counts[c], "damage %u: statistic %u is %llu", i, c,
				(unsigned long long) after.counts[c]);
		}
	}
}

int main(void)
{
	test_segment(RL_SHM_BYTES_MIN);
	test_damaged_statistics();
	test_no_two_keys_meet();
#ifdef RL_HASH_HAS_AES
	test_the_hash_of_a_name();
#endif
	test_lines_fill_evenly();
	test_a_dead_worker_leaves_nothing();
	test_every_size_finds_room();
	test_exhausted_and_banned_outlive_a_flood();
	rl_shm_shutdown();
	return checks_report();
}
