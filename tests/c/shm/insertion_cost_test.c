/* The cost of an insertion into a full segment has a bound that does not depend on the segment's size. The cost is counted,
 * not timed: the records and page words that the allocator looks at, and the basic blocks that src/ executes (run.sh
 * compiles it with -fsanitize-coverage=trace-pc). Usage: insertion_cost_test [megabytes ...] (default: 2 and 8). */
#include "check.h"
#include "harness.h"

#include "src/shm/record/alloc_cursor.h"
#include "src/shm/segment/clock.h"

#define S       RL_US_PER_SECOND
#define MB      ((size_t) 1 << 20)
#define WALL_US INT64_C(1900000000000000)

/* The bounds that docs/internals.md has: the mean of the looks at a full segment, for a record that fits a page and for a
 * run. */
#define MEAN_PAGE 2000
#define MEAN_RUN  24000

/* A look executes fewer blocks than this, and the rest of a decision fewer than BLOCKS_REST and BLOCKS_MOMENT for each
 * moment of a log. So no part of an insertion escapes the count of looks. */
#define BLOCKS_LOOK   40
#define BLOCKS_REST   5000
#define BLOCKS_MOMENT 20

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

static void fresh_segment(size_t bytes)
{
	rl_shm_shutdown();
	rl_clock_unfreeze();
	test_segment(bytes);
	test_records_only();
	rl_clock_freeze(WALL_US);
	(void) test_plain("registers the worker", 1, 10, 1);
}

static rl_status put(const char *name, int64_t id, rl_limit limit, uint32_t cost)
{
	rl_question q = test_question(RL_OP_CONSUME, limit, cost);
	rl_store *store = rl_shm_store();
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);
	rl_answer a;
	rl_error e;

	return store->ops->ask(store, &key, &q, &a, &e);
}

static rl_limit window_of(uint32_t limit)
{
	return test_limit(RL_SLIDING_WINDOW, limit, 3600 * S);
}

static rl_limit log_of(uint32_t limit)
{
	return test_limit(RL_SLIDING_LOG, limit, 3600 * S);
}

static rl_limit banning(void)
{
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 1, 3600 * S);

	limit.ban = RL_BAN_FOR;
	limit.ban_us = 86400 * S;
	return limit;
}

/* Counts n insertions. The allocator sets the number of looks for each allocation; 0 is for an insertion without one. */
static void insert(size_t bytes, const char *what, rl_limit limit, uint32_t cost, unsigned n)
{
	bool run = cost > 2000;
	unsigned most = run ? RL_ALLOC_LOOKS_RUN : RL_ALLOC_LOOKS_PAGE;
	uint64_t sum = 0, max = 0, over = 0, i;

	for (i = 0; i < n; i++) {
		uint64_t looks;

		rl_alloc_hands_load(&rl_shm)->looks = most;
		blocks = 0;
		(void) put(what, (int64_t) i, limit, cost);
		looks = most - rl_alloc_hands_load(&rl_shm)->looks;
		over += blocks > BLOCKS_REST + BLOCKS_MOMENT * (uint64_t) cost + BLOCKS_LOOK * looks;
		sum += looks;
		max = looks > max ? looks : max;
	}
	printf("%4zu MB, %-28s %6llu looks on average, %6llu at most\n", bytes / MB, what, (unsigned long long) (sum / n),
		(unsigned long long) max);
	check(sum / n <= (run ? MEAN_RUN : MEAN_PAGE), "%zu MB, %s: %llu looks on average", bytes / MB, what,
		(unsigned long long) (sum / n));
	check(max <= most, "%zu MB, %s: %llu looks", bytes / MB, what, (unsigned long long) max);
	check(over == 0, "%zu MB, %s: %llu insertions do more than they look", bytes / MB, what, (unsigned long long) over);
}

static void insert_all_sizes(size_t bytes, const char *among)
{
	char what[64];

	snprintf(what, sizeof what, "window, %s", among);
	insert(bytes, what, window_of(5), 1, 1000);
	snprintf(what, sizeof what, "log of 10, %s", among);
	insert(bytes, what, log_of(10), 10, 1000);
	snprintf(what, sizeof what, "log of 1,900, %s", among);
	insert(bytes, what, log_of(1900), 1900, 200);
	snprintf(what, sizeof what, "log of 10,000, %s", among);
	insert(bytes, what, log_of(10000), 10000, 20);
}

/* Puts more states than there is room for, so that the segment is full. Bans have a part of it. */
static void test_full_of(size_t bytes, const char *among, rl_limit limit, uint32_t cost, unsigned banned_share)
{
	unsigned i, n = (unsigned) (bytes / (cost == 1 ? 100 : 8 * (size_t) cost)), full = 0;
	rl_shm_stats stats;

	fresh_segment(bytes);
	for (i = 0; i < n && full < 100; i++) {
		full += put("fill", i, limit, cost) != RL_OK;
		if (banned_share > 0 && i % banned_share == 0) {
			(void) put("fill", i, limit, cost);
		}
	}
	for (i = 0; i < n && banned_share > 0; i++) {
		(void) put("rest", i, window_of(5), 1);
	}
	rl_shm_stats_read(&stats);
	check(stats.records_used > stats.records / 10 * 9, "%s: the segment is full", among);
	insert_all_sizes(bytes, among);
}

/* Fills all records with running bans, which is more than they may have. */
static void fill_with_bans(size_t bytes)
{
	unsigned i, n = (unsigned) (bytes / 100), full = 0;

	for (i = 0; i < n && full < 100; i++) {
		full += put("fill", i, banning(), 1) != RL_OK;
		(void) put("fill", i, banning(), 1);
		rl_shm.header->ban_share = 0;
	}
	check(full == 100, "the segment is full of bans");
}

/* Returns the looks of a call, which finds no room. */
static unsigned looks_in_vain(int64_t id, rl_limit limit, uint32_t cost)
{
	unsigned most = RL_ALLOC_LOOKS_RUN;

	rl_alloc_hands_load(&rl_shm)->looks = most;
	check(put("vain", id, limit, cost) == RL_UNAVAILABLE, "there is no room");
	most = rl_alloc_hands_load(&rl_shm)->looks;
	return (cost > 2000 ? RL_ALLOC_LOOKS_RUN : RL_ALLOC_LOOKS_PAGE) - most;
}

/* A search in vain is not repeated at full cost. */
static void test_in_vain(size_t bytes, rl_limit limit, uint32_t cost)
{
	unsigned i, first, sum = 0;
	uint64_t all;

	fresh_segment(bytes);
	fill_with_bans(bytes);
	blocks = 0;
	first = looks_in_vain(0, limit, cost);
	all = blocks;
	blocks = 0;
	for (i = 1; i <= 64; i++) {
		sum += looks_in_vain(i, limit, cost);
	}
	printf("%4zu MB, in vain, %u moments: %u looks, then %u on average; %llu blocks, then %llu\n", bytes / MB, cost,
		first, sum / 64, (unsigned long long) all, (unsigned long long) (blocks / 64));
	check(first > 1000 && sum / 64 < first / 8, "%zu MB: a search in vain of %u looks, then %u on average", bytes / MB,
		first, sum / 64);
	/* After a second it looks everywhere again. */
	rl_clock_advance(S);
	check(looks_in_vain(i, limit, cost) >= first / 2, "%zu MB: a search a second later", bytes / MB);
}

static void test_segments_of(size_t bytes)
{
	test_full_of(bytes, "partly used", window_of(5), 1, 0);
	test_full_of(bytes, "exhausted", window_of(1), 1, 0);
	test_full_of(bytes, "a third banned", banning(), 1, 3);
	test_full_of(bytes, "as many banned as may be", banning(), 1, 1);
	test_full_of(bytes, "large", log_of(10000), 9999, 0);
	test_in_vain(bytes, log_of(1900), 1900);
	test_in_vain(bytes, log_of(10000), 10000);
}

int main(int argc, char **argv)
{
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 1; i < argc; i++) {
		test_segments_of((size_t) atoi(argv[i]) * MB);
	}
	if (argc == 1) {
		test_segments_of(2 * MB);
		test_segments_of(8 * MB);
	}
	check(blocks > 0, "src/ is compiled with -fsanitize-coverage=trace-pc");
	rl_shm_shutdown();
	return checks_report();
}
