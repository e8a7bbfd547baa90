/* The allocator of records uses room that is free, whatever the segment held before: states of other sizes, bans, spares of
 * idle workers, claims of dead ones. Usage: alloc_test [rounds [seed]]; rounds of random histories (default: 12). */
#include "check.h"
#include "harness.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/shm/record/alloc_cursor.h"
#include "../../src/shm/segment/clock.h"
#include "../../src/shm/record/page_alloc.h"
#include "../../src/shm/record/page_reassign.h"
#include "../../src/shm/record/run_alloc.h"

#define S       RL_US_PER_SECOND
#define MB      ((size_t) 1 << 20)
#define WALL_US INT64_C(1900000000000000)

static void fresh_segment(size_t bytes)
{
	rl_shm_shutdown();
	rl_clock_unfreeze();
	test_segment(bytes);
	test_records_only();
	rl_clock_freeze(WALL_US);
}

static rl_shm_stats stats(void)
{
	rl_shm_stats all;

	rl_shm_stats_read(&all);
	return all;
}

static bool is_admitted(const char *name, int64_t id, rl_limit limit, uint32_t cost)
{
	rl_question q = test_question(RL_OP_CONSUME, limit, cost);
	rl_store *store = rl_shm_store();
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);
	rl_answer a;
	rl_error e;

	return store->ops->ask(store, &key, &q, &a, &e) == RL_OK && a.decision.accepted;
}

static bool is_banned(const char *name, int64_t id, rl_limit limit)
{
	rl_question q = test_question(RL_OP_PEEK, limit, 1);
	rl_store *store = rl_shm_store();
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);
	rl_answer a;
	rl_error e;

	return store->ops->ask(store, &key, &q, &a, &e) == RL_OK && a.decision.reason == RL_BANNED;
}

static rl_limit window(int64_t period_us)
{
	return test_limit(RL_SLIDING_WINDOW, 2, period_us);
}

/* A second call within the period begins a ban. */
static rl_limit banning(int64_t period_us, int64_t ban_us)
{
	rl_limit limit = test_limit(RL_FIXED_WINDOW, 1, period_us);

	limit.ban = RL_BAN_FOR;
	limit.ban_us = ban_us;
	return limit;
}

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

static rl_limit big_log(int64_t period_us)
{
	return test_limit(RL_SLIDING_LOG, 10000, period_us);
}

static void flood(const char *name, unsigned n, rl_limit limit, uint32_t cost)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		(void) is_admitted(name, i, limit, cost);
	}
}

static unsigned admitted_of(const char *name, unsigned n, rl_limit limit, uint32_t cost)
{
	unsigned i, yes = 0;

	for (i = 0; i < n; i++) {
		yes += is_admitted(name, i, limit, cost);
	}
	return yes;
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

static pid_t hire(void (*work)(unsigned), unsigned n)
{
	pid_t pid;
	int done[2];
	char c;

	if (pipe(done) != 0) {
		abort();
	}
	pid = fork();
	if (pid == 0) {
		work(n);
		if (write(done[1], "x", 1) != 1) {
			_exit(1);
		}
		for (;;) {
			pause();
		}
	}
	close(done[1]);
	if (read(done[0], &c, 1) != 1) {
		abort();
	}
	close(done[0]);
	return pid;
}

static void dismiss(pid_t *pids, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
	}
	for (i = 0; i < n; i++) {
		waitpid(pids[i], NULL, 0);
	}
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

/* ---- Random histories ---- */

static uint64_t seed;
static int64_t round_no;

static unsigned below(unsigned n)
{
	return (unsigned) (test_random(&seed) % n);
}

typedef struct {
	char name[32];
	unsigned n, share; /* identities; every share-th is banned */
	rl_limit limit;
} banned_group;

#define GROUPS 64
static banned_group groups[GROUPS];
static unsigned n_groups, n_bans;

static void some_flood(unsigned n)
{
	static const unsigned costs[] = {1, 2, 5, 20, 60, 150, 400, 900};
	unsigned i, most = costs[below(sizeof costs / sizeof costs[0])], count = 40000 / (most / 4 + 1) + 1;
	char name[32];

	snprintf(name, sizeof name, "flood-%u", n);
	for (i = 0; i < count; i++) {
		(void) is_admitted(name, i, test_limit(RL_SLIDING_LOG, 2000, (1 + below(5)) * S), 1 + below(most));
	}
}

static void some_large(unsigned n)
{
	unsigned i, count = 5 + below(40);
	char name[32];

	snprintf(name, sizeof name, "large-%u", n);
	for (i = 0; i < count; i++) {
		(void) is_admitted(name, i, big_log((1 + below(5)) * S), 500 + below(9500));
	}
}

static void some_bans(unsigned n)
{
	banned_group *g = &groups[n_groups];
	unsigned i;

	if (n_groups == GROUPS || n_bans > 8000) {
		return;
	}
	n_groups++;
	snprintf(g->name, sizeof g->name, "bans-%u", n);
	g->n = 1000 + below(20000);
	g->share = 1 + below(300);
	if (g->n / g->share > 1500) {
		g->share = g->n / 1500 + 1;
	}
	g->limit = banning(S, 86400 * S);
	if (below(2)) {
		g->limit.algorithm = RL_SLIDING_LOG;
		g->limit.limit = 1 + below(150);
	}
	for (i = 0; i < g->n; i++) {
		(void) is_admitted(g->name, i, g->limit, g->limit.limit);
		if (i % g->share == 0) {
			/* Another process' flood may evict the count before it is exceeded. */
			while (is_admitted(g->name, i, g->limit, 1)) {
				(void) is_admitted(g->name, i, g->limit, g->limit.limit);
			}
			n_bans++;
		}
	}
}

static void wander(unsigned n)
{
	seed += n * 7919;
	for (;;) {
		below(3) ? some_flood(n) : some_large(n);
	}
}

static void wander_a_little(unsigned n)
{
	seed += n * 7919;
	some_flood(1000 + n);
	some_large(1000 + n);
}

#ifdef __x86_64__
static unsigned n_stepped; /* workers that were stepped to their death */

/* Decides once about a state of a random size. */
static void some_decision(const char *name, unsigned most)
{
	(void) is_admitted(name, below(5000), test_limit(RL_SLIDING_LOG, 10000, (1 + below(5)) * S), 1 + below(most));
}

/* A worker decides for a while, and is stopped before a decision. */
static void decide_stopped(unsigned n)
{
	static const unsigned costs[] = {2, 20, 150, 900, 9500};
	unsigned i, most, before;
	char name[32];

	seed += n * 7919;
	most = costs[below(sizeof costs / sizeof costs[0])];
	before = below(200);
	snprintf(name, sizeof name, "stepped-%u", n);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
		_exit(1);
	}
	for (i = 0; i < before; i++) {
		some_decision(name, most);
	}
	raise(SIGSTOP);
	for (;;) {
		some_decision(name, most);
	}
}

/* Kills a worker after a random number of instructions of a decision: as many in each power of two. Where tracing is
 * forbidden, the worker ends before. */
static void stepped_death(unsigned n)
{
	unsigned steps = 1u << below(13);
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		decide_stopped(n);
	}
	steps += below(steps);
	if (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		while (steps-- > 0 && WIFSTOPPED(status) && ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0) {
			waitpid(pid, &status, 0);
		}
		check(WIFSTOPPED(status), "a stepped worker is alive until it is killed");
		n_stepped++;
		dismiss(&pid, 1);
	}
}
#else
/* Steps through a load-linked/store-conditional loop never end. */
static void stepped_death(unsigned n)
{
	(void) n;
}
#endif

static void random_round(void)
{
	enum { VICTIMS = 6, IDLE = 4 };
	pid_t victims[VICTIMS], idle[IDLE];
	rl_shm_stats before, after;
	unsigned i, k, step, kept = 0, room, yes, stopped = below(3);
	uint64_t bans_at_most;
	uint32_t cost;
	char name[32];

	fresh_segment((4 + below(3) * 6) * MB);
	n_groups = n_bans = 0;
	for (i = 0; i < IDLE; i++) {
		idle[i] = hire(wander_a_little, i);
	}
	for (step = 0; step < 6; step++) {
		switch (below(5)) {
			case 0:
				some_flood(step);
				break;
			case 1:
				some_large(step);
				break;
			case 2:
				some_bans(step);
				break;
			case 3:
				for (i = 0; i < VICTIMS; i++) {
					stepped_death(step * VICTIMS + i);
				}
				break;
			default:
				for (i = 0; i < VICTIMS; i++) {
					victims[i] = fork();
					if (victims[i] == 0) {
						wander(i);
					}
				}
				usleep(20000 + below(30000)); /* so that they die in the middle of anything */
				dismiss(victims, VICTIMS);
		}
		rl_clock_advance((int64_t) below(3) * S);
	}
	/* Some are stopped in the middle of a call, and stay so. */
	for (i = 0; i < stopped; i++) {
		victims[i] = fork();
		if (victims[i] == 0) {
			wander(i);
		}
	}
	usleep(20000);
	for (i = 0; i < stopped; i++) {
		kill(victims[i], SIGSTOP);
	}
	/* From here on nothing is live but the bans. They take 640 bytes each at most. */
	rl_clock_advance(20 * S);
	before = stats();
	bans_at_most = 640 * (uint64_t) n_bans;
	snprintf(name, sizeof name, "new-%lld", (long long) round_no);
	cost = below(2) ? 1 + below(120) : 500 + below(3000);
	/* Half of what the bans have left, and a quarter for states of more than a page. */
	room = (unsigned) ((before.records > bans_at_most ? before.records - bans_at_most : 0) / (cost > 3500 ? 4 : 2)
		/ (100 + 6 * (uint64_t) cost));
	yes = admitted_of(name, room, test_limit(RL_SLIDING_LOG, cost, 3600 * S), cost);
	check(yes == room, "round %lld: %u of %u states of %u moments find room", (long long) round_no, yes, room, cost);
	yes = admitted_of(name, room, test_limit(RL_SLIDING_LOG, cost, 3600 * S), 1);
	after = stats();
	check(yes <= after.counts[RL_STAT_EVICTIONS] - before.counts[RL_STAT_EVICTIONS], "%u of them are forgotten", yes);
	check(after.counts[RL_STAT_EVICTIONS] - before.counts[RL_STAT_EVICTIONS] <= room / 50, "round %lld: %llu evictions",
		(long long) round_no,
		(unsigned long long) (after.counts[RL_STAT_EVICTIONS] - before.counts[RL_STAT_EVICTIONS]));
	for (k = 0; k < n_groups; k++) {
		for (i = 0; i < groups[k].n; i += groups[k].share) {
			kept += !is_banned(groups[k].name, i, groups[k].limit);
		}
	}
	check(kept == 0, "round %lld: %u of %u bans were given up", (long long) round_no, kept, n_bans);
	dismiss(victims, stopped);
	dismiss(idle, IDLE);
}

/* Returns the bytes of the records that running bans have. */
static uint64_t bytes_of_bans(void)
{
	const rl_segment *s = &rl_shm;
	uint64_t page, bytes = 0;
	unsigned i;

	for (page = 0; page < s->n_pages; page++) {
		unsigned class = rl_page_class_of_word(s->pages[page].word);

		for (i = rl_page_first_index(page); class < RL_CLASSES && i < rl_page_records(class); i++) {
			rl_publication p = rl_record_publication(s, rl_record_of_unit(s, rl_page_unit(page, i, class)));

			if (p.entry != NULL
				&& rl_record_worth_of(s, p.entry, p.ref, rl_segment_us(s, rl_clock_read().mono_us)).ban_end_us != 0) {
				bytes += rl_class_units[class] * RL_UNIT_BYTES;
			}
		}
	}
	return bytes;
}

/* Begins bans of many sizes: each keeps the log of another limit. */
static void ban_with_logs(unsigned n)
{
	unsigned i, cost = 1 + below(below(2) ? 20 : 600);
	rl_question q = test_question(RL_OP_CONSUME, banning(86400 * S, 30 * 86400 * S), cost);
	rl_answer a;
	char name[32];

	q.n_limits = 2;
	q.limits[0].limit = cost;
	q.limits[1] = test_limit(RL_SLIDING_LOG, 2000, 86400 * S);
	snprintf(name, sizeof name, "sizes-%u", n);
	for (i = 0; i < 20 + below(200); i++) {
		test_ask(name, i, &q, &a);
		test_ask(name, i, &q, &a);
	}
}

/* Bans of many sizes, as many as may be: half of what they leave is found, and at most 5 % as many states are evicted. */
static void bans_round(void)
{
	uint64_t bans, evicted;
	unsigned n, room, yes;
	rl_shm_stats before, after;
	uint32_t cost;
	char name[32];

	fresh_segment((4 + below(3) * 6) * MB);
	for (n = 0; stats().counts[RL_STAT_BANS_EVICTED] < 200 && n < 5000; n++) {
		below(8) ? ban_with_logs(n) : some_flood(n);
	}
	rl_clock_advance(20 * S);
	before = stats();
	bans = bytes_of_bans();
	snprintf(name, sizeof name, "new-%lld", (long long) round_no);
	cost = 1 + below(below(2) ? 120 : 3000);
	room = (unsigned) ((before.records - bans) / (cost > 3500 ? 4 : 2) / (100 + 6 * (uint64_t) cost));
	yes = admitted_of(name, room, test_limit(RL_SLIDING_LOG, cost, 3600 * S), cost);
	after = stats();
	evicted = after.counts[RL_STAT_EVICTIONS] - before.counts[RL_STAT_EVICTIONS];
	check(bans > before.records / 10 * 4 && bans < before.records / 10 * 6, "bans have half of the records");
	check(yes == room, "%u of %u states of %u moments find room among bans", yes, room, cost);
	check(evicted <= room / 20 + 4, "%llu evictions among bans, for %u states of %u moments",
		(unsigned long long) evicted, room, cost);
	check(after.counts[RL_STAT_BANS_EVICTED] == before.counts[RL_STAT_BANS_EVICTED], "no ban makes room for a count");
}

/* Used-up limits and partly used ones of two sizes have the segment. A flood of partly used ones forgets few of the used-up ones. */
static void flood_round(void)
{
	rl_limit used_up = below(2) ? window(3600 * S) : test_limit(RL_SLIDING_LOG, 20, 3600 * S);
	rl_limit flooding = below(2) ? window(3600 * S) : test_limit(RL_SLIDING_LOG, 2 + below(60), 3600 * S);
	size_t bytes = (2 + below(3)) * MB;
	unsigned i, share = 5 + below(86), forgotten = 0, n;
	fresh_segment(bytes);
	n = (unsigned) (stats().records / 256 * share / 100);
	for (i = 0; i < n; i++) {
		(void) is_admitted("full", i, used_up, (uint32_t) used_up.limit);
	}
	flood("part", (unsigned) (bytes / 100), flooding, 1);
	flood("flood", (unsigned) (bytes / 100), flooding, 1);
	for (i = 0; i < n; i++) {
		forgotten += is_admitted("full", i, used_up, 1);
	}
	check(forgotten <= n / 100, "%u of %u used-up limits are forgotten in a flood", forgotten, n);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned) atoi(argv[1]) : 12;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	test_large_states_take_the_pages_of_small_ones();
	test_small_states_take_the_pages_of_large_ones();
	test_a_ban_does_not_pin_its_page(200);
	test_a_ban_does_not_pin_its_page(7);
	test_bans_leave_room(banning(60 * S, 3600 * S), "bans");
	test_bans_leave_room(escalating(60 * S, 3600 * S), "escalating bans");
	test_few_bans_stand();
	test_idle_workers_keep_no_room();
	test_no_size_starves_another();
	test_run_builders_do_not_fail_each_other();
	test_an_unused_page_changes_its_class();
	for (round_no = 0; round_no < rounds; round_no++) {
		seed = (first + (uint64_t) round_no) * UINT64_C(0x9e3779b97f4a7c15);
		random_round();
		bans_round();
		flood_round();
	}
	rl_shm_shutdown();
#ifdef __x86_64__
	printf("%u workers were stepped to their death\n", n_stepped);
#endif
	return checks_report();
}
