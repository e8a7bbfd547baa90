/* What stands before Redis: the breaker's changes of state in every order of news, batches of permits, memos. */
#include "check.h"
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

#include "../../src/guard/breaker.h"
#include "../../src/shm/clock.h"
#include "../../src/shm/deny_entry.h"
#include "../../src/shm/lease_entry.h"
#include "../../src/shm/record_cache.h"

#define MS RL_US_PER_MS

static int n_buckets;
static char last_line[512];

static void take_line(const char *line)
{
	n_buckets++;
	snprintf(last_line, sizeof last_line, "%s", line);
}

static rl_breaker *server(const char *dsn)
{
	return rl_breaker_of(dsn, strlen(dsn), dsn);
}

static rl_breaker_state state_of(const rl_breaker *s)
{
	rl_breaker_info facts;

	rl_breaker_snapshot(s, &facts);
	return facts.state;
}

static void fail(rl_breaker *s, const rl_attempt *attempt, int64_t delay_us)
{
	rl_breaker_record(s, attempt, RL_ATTEMPT_FAILED, "gone", delay_us, "local");
}

static void succeed(rl_breaker *s, const rl_attempt *attempt)
{
	rl_breaker_record(s, attempt, RL_ATTEMPT_OK, "", 1, "local");
}

static void test_breaker(void)
{
	rl_breaker *s = server("one");
	rl_attempt early, late, other, probe;
	rl_error e = {0};

	check(s != NULL && s == server("one") && s != server("two"), "a server has one place");
	check(rl_breaker_allow(s, MS, &early, &e) == RL_OK && !early.probe, "a new one is asked");
	check(rl_breaker_allow(s, MS, &late, &e) == RL_OK, "by everybody");
	n_buckets = 0;
	fail(s, &early, 1000 * MS);
	check(n_buckets == 1 && strstr(last_line, "away (gone): on_failure=local") != NULL, "it says that it is away: %s",
		last_line);
	fail(s, &late, 1000 * MS);
	check(n_buckets == 1, "once");
	check(rl_breaker_allow(s, MS, &other, &e) == RL_UNAVAILABLE, "then nobody asks");
	check(strstr(e.message, "Redis at one: away since ") != NULL && strstr(e.message, "(gone)") != NULL,
		"and is told why: %s", e.message);
	check(state_of(s) == RL_BREAKER_OPEN && state_of(server("two")) == RL_BREAKER_CLOSED,
		"open, and the other one closed");
	succeed(s, &late);
	check(state_of(s) == RL_BREAKER_OPEN, "an answer to a question of before opens nothing");

	/* The delay is over. */
	s = server("three");
	check(rl_breaker_allow(s, MS, &early, &e) == RL_OK && rl_breaker_allow(s, MS, &late, &e) == RL_OK, "asked");
	fail(s, &early, 1);
	usleep(2000);
	check(rl_breaker_allow(s, 1000 * MS, &probe, &e) == RL_OK && probe.probe, "one tries");
	check(state_of(s) == RL_BREAKER_HALF_OPEN, "half open");
	check(rl_breaker_allow(s, 1000 * MS, &other, &e) == RL_UNAVAILABLE, "the others do not");
	n_buckets = 0;
	succeed(s, &probe);
	check(n_buckets == 1 && strstr(last_line, "is back after 0.") != NULL && state_of(s) == RL_BREAKER_CLOSED,
		"it is back: %s", last_line);
	fail(s, &late, 1000 * MS);
	check(n_buckets == 1 && state_of(s) == RL_BREAKER_CLOSED, "a failure of before that is older news");
	check(rl_breaker_allow(s, MS, &other, &e) == RL_OK, "asked again");
	fail(s, &other, 1);
	check(n_buckets == 2, "a later failure is news");

	/* Who tries and is never heard of again costs what it may take, no more. */
	usleep(2000);
	check(rl_breaker_allow(s, 1, &probe, &e) == RL_OK && probe.probe, "one tries and dies");
	usleep(2000);
	check(rl_breaker_allow(s, 1, &other, &e) == RL_OK && other.probe, "another one tries");
	fail(s, &other, 1000 * MS);
	check(n_buckets == 2 && state_of(s) == RL_BREAKER_OPEN, "still away: nothing new");
	succeed(s, &probe);
	check(state_of(s) == RL_BREAKER_CLOSED, "the first one was only slow");

	/* A try whose answer comes when another one has closed it, and a later failure has opened it again. */
	check(rl_breaker_allow(s, MS, &other, &e) == RL_OK, "asked");
	fail(s, &other, 1);
	usleep(2000);
	check(rl_breaker_allow(s, 1, &probe, &e) == RL_OK && probe.probe, "one tries");
	usleep(2000);
	check(rl_breaker_allow(s, 1, &other, &e) == RL_OK && other.probe, "another one tries");
	succeed(s, &other);
	check(rl_breaker_allow(s, MS, &late, &e) == RL_OK, "it is asked again");
	fail(s, &late, 1);
	succeed(s, &probe);
	check(state_of(s) == RL_BREAKER_OPEN, "the first one's answer is older news");
	usleep(2000);
	check(rl_breaker_allow(s, MS, &probe, &e) == RL_OK && probe.probe, "one tries again");
	succeed(s, &probe);

	/* It will not have us. */
	check(rl_breaker_allow(s, MS, &other, &e) == RL_OK, "asked");
	rl_breaker_record(s, &other, RL_ATTEMPT_REJECTED, "Redis at three: WRONGPASS", 1000 * MS, "deny");
	check(strstr(last_line, "three refuses us (WRONGPASS): on_failure=deny") != NULL, "what it says: %s", last_line);
	check(rl_breaker_allow(s, MS, &other, &e) == RL_MISCONFIGURED && strstr(e.message, "refuses us") != NULL,
		"and is told");

	/* Nonsense in the segment: a next try in a thousand years. */
	s = server("four");
	s->state.a = (uint64_t) 1 << 60;
	check(rl_breaker_allow(s, MS, &probe, &e) == RL_OK, "nobody waits for a moment that cannot be");
	check(rl_breaker_allow(NULL, MS, &probe, &e) == RL_OK, "no server, no breaker");
}

static rl_place place(const char *name, int64_t id, uint64_t store, bool record)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_deny_place_of(&key, rl_deny_mix((rl_deny_key){store, ~store}, 1, 2), record);
}

static void test_permits(void)
{
	rl_place p = place("permits", 1, 7, false);
	int64_t now = rl_lease_now_us();
	rl_lease_entry seen;

	check(!rl_lease_entry_take(p, 1, false, &seen), "none at first");
	rl_lease_entry_put(p, 5, now + 3600 * 1000 * MS);
	check(rl_lease_entry_take(p, 3, false, &seen) && seen.left == 2, "3 of 5");
	check(!rl_lease_entry_take(p, 3, false, &seen), "not 3 of 2");
	check(rl_lease_entry_take(p, 2, true, &seen) && seen.left == 0, "a look");
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 1, "takes nothing");
	rl_lease_entry_put(p, 4, now + 1800 * 1000 * MS);
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 4 && seen.end_us <= now + 1800 * 1000 * MS,
		"two batches end with the first of them");
	rl_lease_entry_put(p, 9, now + 3000 * 1000 * MS);
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 12 && seen.end_us <= now + 1800 * 1000 * MS,
		"in either order");
	rl_lease_entry_put(p, 9, rl_lease_now_us());
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 11, "a batch that has ended is none");

	p = place("permits", 2, 7, false);
	rl_lease_entry_put(p, 5, rl_lease_now_us() + 20 * MS);
	usleep(21000);
	check(!rl_lease_entry_take(p, 1, false, &seen), "the end");
	rl_lease_entry_put(p, 3, rl_lease_now_us() + 1000 * MS);
	check(rl_lease_entry_take(p, 1, false, &seen) && seen.left == 2, "what has ended does not come back");
}

/* Four take while one puts: each permit is given once. */
static void test_permits_by_many(void)
{
	enum { TAKERS = 4, BATCHES = 2000, BATCH = 7 };
	rl_place p = place("many", 1, 7, false);
	int64_t end = rl_lease_now_us() + 3600 * 1000 * MS;
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

		check(read(pipes[0], &taken, sizeof taken) == sizeof taken, "a taker's word");
		sum += taken;
		wait(NULL);
	}
	while (rl_lease_entry_take(p, 1, false, &(rl_lease_entry){0})) {
		sum++;
	}
	check(sum == (long) BATCHES * BATCH, "%ld permits given of %d", sum, BATCHES * BATCH);
}

static void test_memos(void)
{
	rl_key key = test_key(RL_SPACE_LIMITER, "memo", 1);
	int64_t now = rl_segment_us(&rl_shm, rl_clock_true_us());
	rl_deny_entry in = {.end_us = now + 1000 * MS,
		.at_us = now,
		.retry_us = now + 5,
		.reset_us = now + 6,
		.reason = RL_BANNED,
		.limit_index = 3};
	rl_deny_entry out;
	rl_place before = place("memo", 1, 7, true);

	check(!rl_deny_lookup(before, &out), "nothing at first");
	rl_deny_store(before, &in);
	check(rl_deny_lookup(before, &out) && memcmp(&in, &out, sizeof in) == 0, "as it was kept");
	check(!rl_deny_lookup(place("memo", 1, 8, true), &out), "not of another store");
	check(!rl_deny_lookup(place("memo", 2, 7, true), &out), "not of another identity");
	check(rl_deny_is_valid(&out, now, 1000 * MS) && !rl_deny_is_valid(&out, now + 1000 * MS, 1000 * MS), "it ends");
	check(!rl_deny_is_valid(&out, now, 999 * MS), "a lower bound holds for it");
	check(!rl_deny_is_valid(&out, now - 1, 1000 * MS), "a clock that began anew ends it");
	rl_deny_invalidate(&key);
	check(!rl_deny_lookup(place("memo", 1, 7, true), &out), "forgotten");
	/* Asked before it was forgotten, answered after: what comes of it is kept where nobody looks any more. */
	rl_deny_store(before, &in);
	check(!rl_deny_lookup(place("memo", 1, 7, true), &out), "also what was on its way");
	rl_deny_store(place("memo", 1, 7, true), &in);
	check(rl_deny_lookup(place("memo", 1, 7, true), &out), "kept anew");
	/* The embedded store knows nothing of it. */
	check(rl_table_find(&rl_shm, rl_place_of(&rl_shm, 0, 0, true)) == NULL, "no cell of nobody's");
}

int main(void)
{
	rl_breaker_report = take_line;
	test_segment((size_t) 4 << 20);
	test_breaker();
	test_permits();
	test_permits_by_many();
	test_memos();
	return checks_report();
}
