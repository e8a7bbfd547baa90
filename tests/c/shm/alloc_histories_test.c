/* The allocator of records uses room that is free after any history: floods, large states, bans, and workers that were killed at any
 * instruction. Usage: alloc_histories_test [rounds [seed]]; rounds of random histories (default: 12). */
#include "alloc_scenes.h"

#include <sys/ptrace.h>

#include "src/shm/record/page_alloc.h"

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
