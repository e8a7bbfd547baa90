/* The allocator of records uses room that is free, whatever the segment held before: states of other sizes, bans, spares of
 * idle workers, claims of dead ones. */
#include "alloc_scenes.h"

#include <sys/mman.h>

#include "src/shm/record/alloc_cursor.h"
#include "src/shm/record/page_alloc.h"
#include "src/shm/record/page_reassign.h"
#include "src/shm/table/table.h"

/* The same, and bans escalate. */
static rl_limit escalating(int64_t period_us, int64_t ban_us)
{
	static rl_ban_steps steps = {.n = 2};
	rl_limit limit = banning(period_us, 0);

	steps.us[0] = ban_us;
	steps.us[1] = steps.forget_us = 2 * ban_us;
	limit.ban = RL_BAN_STEPS;
	limit.steps = &steps;
	return limit;
}

static void test_large_states_take_the_pages_of_small_ones(void)
{
	rl_shm_stats before;
	unsigned n;

	fresh_segment(32 * MB);
	flood("small", 300000, test_limit(RL_FIXED_WINDOW, 5, S), 1);
	rl_clock_advance(2 * S);
	before = stats();
	check(before.records_used > before.records / 10 * 9, "the flood has used %llu of %llu bytes",
		(unsigned long long) before.records_used, (unsigned long long) before.records);
	for (n = 0; n < 10000 && is_admitted("log", 1, big_log(3600 * S), 1); n++) {
	}
	check(n == 10000, "%u of 10000 calls of a log pass after a flood of small states", n);
	check(admitted_of("cost", 8, big_log(3600 * S), 10000) == 8, "logs of 10,000 at once pass");
	check(stats().counts[RL_STAT_EVICTIONS] == before.counts[RL_STAT_EVICTIONS], "nothing live is given up");
}

static void test_small_states_take_the_pages_of_large_ones(void)
{
	unsigned i, forgotten = 0;
	rl_shm_stats before;

	fresh_segment(32 * MB);
	flood("big", 600, big_log(S), 10000);
	rl_clock_advance(2 * S);
	before = stats();
	check(admitted_of("api", 10000, window(3600 * S), 1) == 10000, "10,000 first calls pass after large logs");
	for (i = 0; i < 5000; i++) {
		(void) is_admitted("full", i, window(3600 * S), 2);
	}
	for (i = 0; i < 5000; i++) {
		forgotten += is_admitted("full", i, window(3600 * S), 1);
	}
	check(forgotten == 0, "%u of 5,000 exhausted limits are forgotten", forgotten);
	check(stats().counts[RL_STAT_EVICTIONS] == before.counts[RL_STAT_EVICTIONS], "nothing live is given up");
}

/* One identity in so many is banned for an hour; the others' states have ended. */
static void test_a_ban_does_not_pin_its_page(unsigned share)
{
	enum { WINDOWS = 170000 };
	rl_limit login = banning(60 * S, 3600 * S);
	unsigned i, bans = 0, kept = 0;
	rl_shm_stats before;

	fresh_segment(32 * MB);
	for (i = 0; i < WINDOWS; i++) {
		(void) is_admitted("login", i, login, 1);
		if (i % share == 0) {
			(void) is_admitted("login", i, login, 1);
			bans++;
		}
	}
	rl_clock_advance(61 * S);
	before = stats();
	check(admitted_of("search", 2000, window(3600 * S), 1) == 2000, "windows find room, 1 ban in %u", share);
	check(admitted_of("log", 20, test_limit(RL_SLIDING_LOG, 100, 3600 * S), 100) == 20, "logs, too");
	check(admitted_of("big", 3, big_log(3600 * S), 10000) == 3, "and large ones");
	for (i = 0; i < WINDOWS; i += share) {
		kept += is_banned("login", i, login);
	}
	check(kept == bans, "%u of %u bans stand", kept, bans);
	check(stats().counts[RL_STAT_EVICTIONS] == before.counts[RL_STAT_EVICTIONS], "nothing live is given up");
}

/* Bans of invented identities, more than all records: every other limiter goes on, and nothing else is given up for them. */
static void test_bans_leave_room(rl_limit login, const char *what)
{
	enum { BANS = 240000, USED_UP = 5000, LATE = 10000 };
	unsigned i, refused = 0, kept = 0, late = 0, remembered = 0;
	uint64_t bans_bytes, others;
	rl_shm_stats before, after;

	fresh_segment(32 * MB);
	flood("full", USED_UP, window(3600 * S), 2);
	before = stats();
	for (i = 0; i < BANS; i++) {
		(void) is_admitted("login", i, login, 1);
		(void) is_admitted("login", i, login, 1);
		rl_clock_advance(S / 10000);
		refused += i % 100 == 0 && !is_admitted("other", i, window(3600 * S), 1);
	}
	after = stats();
	check(refused == 0, "%s: %u of %u other calls are refused", what, refused, BANS / 100);
	check(admitted_of("search", 2000, window(3600 * S), 1) == 2000, "%s: windows find room", what);
	check(admitted_of("log", 20, test_limit(RL_SLIDING_LOG, 100, 3600 * S), 100) == 20, "%s: logs, too", what);
	check(admitted_of("big", 3, big_log(3600 * S), 10000) == 3, "%s: and large ones", what);
	for (i = 0; i < BANS; i++) {
		bool banned = is_banned("login", i, login);

		kept += banned;
		late += banned && i >= BANS - LATE;
	}
	for (i = 0; i < USED_UP; i++) {
		remembered += !is_admitted("full", i, window(3600 * S), 1);
	}
	check(after.counts[RL_STAT_BANS_EVICTED] == BANS - kept, "%s: %u bans stand, %llu are counted as evicted", what,
		kept, (unsigned long long) after.counts[RL_STAT_BANS_EVICTED]);
	check(remembered == USED_UP, "%s: %u of %u used-up limits are remembered", what, remembered, USED_UP);
	/* The first calls need room, too. */
	others = after.counts[RL_STAT_EVICTIONS] - before.counts[RL_STAT_EVICTIONS] - after.counts[RL_STAT_BANS_EVICTED];
	check(others < BANS / 1000, "%s: %llu others are given up", what, (unsigned long long) others);
	bans_bytes = kept * UINT64_C(64);
	check(bans_bytes > after.records / 5 * 2 && bans_bytes < after.records / 5 * 3,
		"%s: %u bans have %llu of %llu bytes", what, kept, (unsigned long long) bans_bytes,
		(unsigned long long) after.records);
	check(late > LATE / 100 * 98, "%s: %u of the latest %u bans stand", what, late, LATE);
	printf("%s: %u of %u bans stand, %u of the latest %u\n", what, kept, BANS, late, LATE);
}

/* Two workers refuse one identity: the ban of the first one ends before all others, and is not given up for that of the second one. */
static void test_a_ban_spares_its_own(void)
{
	enum { BANS = 9000, BEGINS = 2000 };
	const rl_segment *s = &rl_shm;
	rl_limit first = banning(60 * S, 100 * S), others = banning(60 * S, 86400 * S);
	rl_key key = test_key(RL_SPACE_LIMITER, "first", 1);
	uint64_t evicted;
	rl_entry *own;
	unsigned i;

	fresh_segment(1 * MB);
	for (i = 0; i < BANS; i++) {
		(void) is_admitted("others", i, others, 1);
		(void) is_admitted("others", i, others, 1);
	}
	evicted = stats().counts[RL_STAT_BANS_EVICTED];
	check(evicted > 100, "bans have their share");
	(void) is_admitted("first", 1, first, 1);
	(void) is_admitted("first", 1, first, 1);
	own = rl_table_find(s, rl_shm_position(s, &key, true));
	check(own != NULL && is_banned("first", 1, first), "it is banned");
	for (i = 0; i < BEGINS; i++) {
		__atomic_store_n(&s->header->ban_share, UINT64_C(1) << 20, __ATOMIC_RELAXED); /* bans have more than half */
		rl_ban_share_hold(s, own, RL_STATE_HEAD_WORDS, rl_segment_us(s, rl_clock_read().mono_us));
	}
	check(is_banned("first", 1, first), "its own ban stands after %u begins", i);
	check(stats().counts[RL_STAT_BANS_EVICTED] > evicted, "others have made room");
}

/* Bans on a third of the records: none is given up. */
static void test_few_bans_stand(void)
{
	enum { BANS = 80000 };
	unsigned i, kept = 0;

	fresh_segment(32 * MB);
	for (i = 0; i < BANS; i++) {
		(void) is_admitted("login", i, banning(60 * S, 3600 * S), 1);
		(void) is_admitted("login", i, banning(60 * S, 3600 * S), 1);
	}
	flood("search", 300000, window(3600 * S), 1);
	for (i = 0; i < BANS; i++) {
		kept += is_banned("login", i, banning(60 * S, 3600 * S));
	}
	check(kept == BANS && stats().counts[RL_STAT_BANS_EVICTED] == 0, "%u of %u bans stand", kept, BANS);
}

static void grow_a_log(unsigned n)
{
	unsigned i;

	for (i = 0; i < 200; i++) {
		(void) is_admitted("growing", n, big_log(S), 50);
	}
}

static void test_idle_workers_keep_no_room(void)
{
	enum { WORKERS = 60 };
	pid_t pids[WORKERS];
	unsigned i;

	fresh_segment(32 * MB);
	for (i = 0; i < WORKERS; i++) {
		pids[i] = hire(grow_a_log, i);
	}
	rl_clock_advance(2 * S);
	check(admitted_of("log", 20, big_log(3600 * S), 10000) == 20, "20 large logs beside 60 idle workers");
	check(admitted_of("window", 2000, window(3600 * S), 1) == 2000, "2,000 windows beside 60 idle workers");
	check(stats().counts[RL_STAT_EVICTIONS] == 0, "nothing live is given up");
	dismiss(pids, WORKERS);
}

/* Large states that are live do not keep small ones from a fair share, nor the other way round. */
static void test_no_size_starves_another(void)
{
	unsigned i, kept = 0;

	fresh_segment(32 * MB);
	flood("big", 600, big_log(3600 * S), 9999); /* live, not exhausted, more than there is room for */
	for (i = 0; i < 5000; i++) {
		check(is_admitted("full", i, window(3600 * S), 2), "a small state finds room among large ones");
	}
	for (i = 0; i < 5000; i++) {
		kept += !is_admitted("full", i, window(3600 * S), 1);
	}
	check(kept == 5000, "%u of 5,000 exhausted windows are remembered", kept);
	check(admitted_of("more", 50, big_log(3600 * S), 9999) == 50, "large states still find room");
}

/* Eight workers assemble runs at the same time, in little more room than they need. */
static void test_run_builders_do_not_fail_each_other(void)
{
	enum { BUILDERS = 8, ROUNDS = 50 };
	uint64_t *failed = mmap(NULL, sizeof *failed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[BUILDERS];
	unsigned i, k;
	int status;

	fresh_segment(8 * MB);
	flood("small", 60000, window(S), 1);
	rl_clock_advance(2 * S);
	for (i = 0; i < BUILDERS; i++) {
		if ((pids[i] = fork()) == 0) {
			for (k = 0; k < ROUNDS; k++) {
				rl_question reset = test_question(RL_OP_RESET, big_log(S), 1);
				rl_answer a;

				if (!is_admitted("run", i, big_log(3600 * S), 10000)) {
					__atomic_fetch_add(failed, 1, __ATOMIC_RELAXED);
				}
				test_ask("run", i, &reset, &a);
			}
			_exit(0);
		}
	}
	for (i = 0; i < BUILDERS; i++) {
		waitpid(pids[i], &status, 0);
		check(status == 0, "builder %u ends", i);
	}
	check(*failed == 0, "%llu of %u runs found no room", (unsigned long long) *failed, BUILDERS * ROUNDS);
	munmap(failed, sizeof *failed);
}

/* Returns how many records of a page are not free. */
static unsigned busy_records(uint64_t page, unsigned class)
{
	unsigned i, busy = 0;

	for (i = 0; i < rl_page_records(class); i++) {
		busy += rl_record_of_unit(&rl_shm, rl_page_unit(page, i, class))->owner != 0;
	}
	return busy;
}

/* A page from which nothing was published has the marks of who took its records, too. */
static void test_an_unused_page_changes_its_class(void)
{
	const rl_segment *s = &rl_shm;
	rl_page_request rq = {.now_us = 1};
	uint64_t page;

	fresh_segment(8 * MB);
	flood("registers the worker", 1, window(S), 1);
	check(rl_page_take_free(s, 0), "a page of small records");
	page = rl_alloc_cursor_load(s, 0)->page;
	check(rl_page_hold(s, page, 0, &rq) && rl_page_give(s, page, 1), "the page changes its class");
	check(busy_records(page, 1) == 0, "%u of %u records of a reassigned page are busy", busy_records(page, 1),
		rl_page_records(1));
	check(rl_run_take_free(s, RL_CLASSES - 5, &rq), "a run");
	page = rl_alloc_cursor_load(s, RL_CLASSES - 5)->page;
	check(rl_page_hold(s, page, 0, &rq) && rl_page_give(s, page, 1), "the run is divided");
	check(busy_records(page, 1) == 0, "%u records of a divided run are busy", busy_records(page, 1));
}

int main(void)
{
	test_large_states_take_the_pages_of_small_ones();
	test_small_states_take_the_pages_of_large_ones();
	test_a_ban_does_not_pin_its_page(200);
	test_a_ban_does_not_pin_its_page(7);
	test_bans_leave_room(banning(60 * S, 3600 * S), "bans");
	test_bans_leave_room(escalating(60 * S, 3600 * S), "escalating bans");
	test_a_ban_spares_its_own();
	test_few_bans_stand();
	test_idle_workers_keep_no_room();
	test_no_size_starves_another();
	test_run_builders_do_not_fail_each_other();
	test_an_unused_page_changes_its_class();
	rl_shm_shutdown();
	return checks_report();
}
