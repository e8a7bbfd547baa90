/* The storage of the local cache: batches of leased permits, and deny entries. */
#include "check.h"
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

#include "src/shm/machine/deny_entry.h"
#include "src/shm/machine/lease_entry.h"
#include "src/shm/segment/segment.h"
#include "src/shm/table/table.h"

#define MS     RL_US_PER_MS
#define SECOND RL_US_PER_SECOND

static rl_position position(const char *name, int64_t id, uint64_t store, bool record)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_deny_position_of(&key, rl_deny_mix((rl_deny_key){store, ~store}, 1, 2), record);
}

static rl_lease_position batch_of(const char *name, int64_t id)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_lease_position_of(&key, (rl_deny_key){7, ~UINT64_C(7)}, rl_lease_now_read().epoch);
}

static void test_permits(void)
{
	rl_lease_position p = batch_of("permits", 1);
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
		rl_lease_position p = batch_of("steps", (int64_t) i);
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
	rl_lease_position p = batch_of("many", 1);
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
		.retry_us = now + 1000 * MS + 5,
		.reset_us = now + 1000 * MS + 6,
		.reason = RL_BANNED,
		.limit_index = 3,
		.level = 2};
	rl_deny_entry out;
	rl_position before = position("denied", 1, 7, true);

	check(!rl_deny_lookup(before, &out), "none at first");
	rl_deny_store(before, &in);
	check(rl_deny_lookup(before, &out) && memcmp(&in, &out, sizeof in) == 0, "as it was kept");
	check(!rl_deny_lookup(position("denied", 1, 8, true), &out), "not of another store");
	check(!rl_deny_lookup(position("denied", 2, 7, true), &out), "not of another identity");
	check(rl_deny_is_valid(&out, now, 1000 * MS) && !rl_deny_is_valid(&out, now + 1000 * MS, 1000 * MS), "it ends");
	check(!rl_deny_is_valid(&out, now, 999 * MS), "a lower bound holds for it");
	check(!rl_deny_is_valid(&out, now - 1, 1000 * MS), "a clock that began anew ends it");
	rl_deny_invalidate(&key);
	check(!rl_deny_lookup(position("denied", 1, 7, true), &out), "invalidated");
	/* Asked before it was invalidated, answered after: the entry is kept where no lookup finds it. */
	rl_deny_store(before, &in);
	check(!rl_deny_lookup(position("denied", 1, 7, true), &out), "also an answer that was on its way");
	rl_deny_store(position("denied", 1, 7, true), &in);
	check(rl_deny_lookup(position("denied", 1, 7, true), &out), "kept again");
	/* The embedded store has no entry of it. */
	check(rl_table_find(&rl_shm, rl_position_of(&rl_shm, 0, 0, true)) == NULL, "no entry without an identity");
}

/* No lookup answers by an entry whose moments or limit cannot be: a hostile writer may have written it. */
static void test_damaged_deny_entries(void)
{
	int64_t now = rl_shm_now_us();
	rl_deny_entry good = {.end_us = now + SECOND,
		.at_us = now,
		.retry_us = now + SECOND,
		.reset_us = now + SECOND,
		.reason = RL_LIMITED,
		.limit_index = 1};
	rl_deny_entry damaged[6], out;
	size_t i, n = sizeof damaged / sizeof *damaged;

	for (i = 0; i < n; i++) {
		damaged[i] = good;
	}
	damaged[0].retry_us = now;
	damaged[1].retry_us = INT64_MAX;
	damaged[2].retry_us = INT64_MIN;
	damaged[3].reset_us = now;
	damaged[4].reset_us = INT64_MAX;
	damaged[5].limit_index = RL_LIMITS_MAX;
	for (i = 0; i < n; i++) {
		rl_position p = position("damaged", (int64_t) i, 7, true);

		rl_deny_store(p, &good);
		check(rl_deny_lookup(p, &out), "an entry as the guard writes it");
		rl_deny_store(p, &damaged[i]);
		check(!rl_deny_lookup(p, &out), "damaged entry %zu does not answer", i);
	}
}

int main(void)
{
	test_segment((size_t) 4 << 20);
	test_permits();
	test_permits_and_steps();
	test_permits_by_many();
	test_deny_entries();
	test_damaged_deny_entries();
	return checks_report();
}
