/* The part of the segment that shows what was decided: counts by name, refused callers, bans, the history. Many processes, killed
 * ones among them, and damaged bytes. An argument is the number of runs against an exact count (default: 1). */
#include "check.h"
#include "harness.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/shm/monitor/ban_list.h"
#include "src/shm/segment/clock.h"
#include "src/shm/monitor/history.h"
#include "src/shm/monitor/metrics.h"
#include "src/shm/segment/monitor_entries.h"
#include "src/shm/monitor/refusal_sketch.h"
#include "src/shm/process/worker.h"

#define NAME    "api"
#define CALLERS 1000000u

static rl_key int_key(int64_t id)
{
	return test_key(RL_SPACE_ACTION, NAME, id);
}

static rl_key string_key(const char *id)
{
	return (rl_key){.space = RL_SPACE_ACTION, .name = NAME, .name_len = strlen(NAME), .id = id, .id_len = strlen(id)};
}

static uint64_t name_id(void)
{
	return rl_subject_name_id(RL_SPACE_ACTION, NAME, strlen(NAME));
}

static void refuse(const rl_key *key, uint32_t weight)
{
	rl_sketch_add(name_id(), RL_KIND_ACTION, key, 0, weight);
}

/* ---- Refused callers ---- */

static void test_few_callers(void)
{
	rl_sketch_row rows[8];
	rl_key seven = int_key(7), bob = string_key("bob"), long_one;
	char text[RL_NAME_MAX + 1];
	int i;

	for (i = 0; i < 5; i++) {
		refuse(&seven, 1);
	}
	refuse(&bob, 1);
	refuse(&bob, 1);
	memset(text, 'x', RL_NAME_MAX);
	text[RL_NAME_MAX] = '\0';
	long_one = string_key(text);
	refuse(&long_one, 1);
	check(rl_sketch_top(rows, 8) == 3, "three callers");
	check(rows[0].refusals == 5 && rows[0].error == 0 && rows[0].subject.is_int && rows[0].subject.int_id == 7,
		"few refusals are exact, %llu found", (unsigned long long) rows[0].refusals);
	check(rows[1].refusals == 2 && rows[1].subject.id_len == 3 && memcmp(rows[1].subject.id, "bob", 3) == 0,
		"a string");
	check(rows[2].subject.id_cut && rows[2].subject.id_len == RL_SUBJECT_ID_MAX, "a long identity is cut");
	check(rl_sketch_top(rows, 2) == 2 && rows[1].refusals == 2, "the first two");
	rl_sketch_forget(name_id(), &bob);
	check(rl_sketch_top(rows, 8) == 2 && rows[1].refusals == 1, "a forgotten caller is gone");
	rl_sketch_clear();
	check(rl_sketch_top(rows, 8) == 0, "all are gone");
}

static void test_text_is_wiped(void)
{
	rl_key key = string_key("a secret of one person");
	const char *from = rl_shm.monitor, *end = from + rl_shm.layout.bytes;
	bool found = false;

	refuse(&key, 1);
	rl_ban_list_put(name_id(), RL_KIND_ACTION, &key, RL_US_PER_SECOND, 0);
	rl_sketch_forget(name_id(), &key);
	rl_ban_list_forget(name_id(), &key);
	for (; from < end - 22; from++) {
		found |= memcmp(from, "a secret of one person", 22) == 0;
	}
	check(!found, "nothing of a forgotten identity is left in the memory");
}

static void test_halving(void)
{
	rl_sketch_row rows[2];
	rl_key key = int_key(1);
	int i;

	rl_clock_freeze(RL_US_PER_SECOND * 1000000000);
	rl_clock_advance(RL_SKETCH_HALF_LIFE_US - 1);
	for (i = 0; i < 64; i++) {
		refuse(&key, 1);
	}
	rl_clock_advance(3 * RL_SKETCH_HALF_LIFE_US);
	check(rl_sketch_top(rows, 2) == 1 && rows[0].refusals == 8, "halved three times: %llu",
		(unsigned long long) rows[0].refusals);
	refuse(&key, 1);
	check(rl_sketch_top(rows, 2) == 1 && rows[0].refusals == 9, "and counted on");
	rl_clock_advance(64 * RL_SKETCH_HALF_LIFE_US);
	check(rl_sketch_top(rows, 2) == 0, "nothing is left of it after hours");
	rl_clock_unfreeze();
	rl_sketch_clear();
}

/* ---- Against an exact count ---- */

/* Draws callers by Zipf's law: caller k with a chance of 1/k (the alias method of Walker and Vose). */
typedef struct {
	double chance[CALLERS];
	uint32_t alias[CALLERS];
	uint32_t exact[CALLERS];
} zipf;

static void zipf_init(zipf *z)
{
	uint32_t *small = malloc(CALLERS * sizeof *small), *large = malloc(CALLERS * sizeof *large), n_small = 0,
			 n_large = 0;
	double sum = 0;
	uint32_t i;

	for (i = 0; i < CALLERS; i++) {
		sum += 1.0 / (i + 1);
	}
	for (i = 0; i < CALLERS; i++) {
		z->chance[i] = CALLERS / (sum * (i + 1));
		z->alias[i] = i;
		if (z->chance[i] < 1) {
			small[n_small++] = i;
		} else {
			large[n_large++] = i;
		}
	}
	while (n_small > 0 && n_large > 0) {
		uint32_t s = small[--n_small], l = large[n_large - 1];

		z->alias[s] = l;
		z->chance[l] -= 1 - z->chance[s];
		if (z->chance[l] < 1) {
			small[n_small++] = l;
			n_large--;
		}
	}
	free(small);
	free(large);
}

static uint32_t zipf_draw(const zipf *z, uint64_t *seed)
{
	uint64_t random = test_random(seed);
	uint32_t i = (uint32_t) ((random >> 32) * CALLERS >> 32);

	return (double) (uint32_t) random / 4294967296.0 < z->chance[i] ? i : z->alias[i];
}

/* Refuses callers as doHandle()'s fast path does. */
static void test_against_exact_count(zipf *z, uint64_t run)
{
	uint64_t seed = run * UINT64_C(0x1234567), counted = 0, id = name_id();
	rl_sketch_row rows[10];
	uint32_t i, n, k;

	memset(z->exact, 0, sizeof z->exact);
	for (i = 0; i < 10000000; i++) {
		uint32_t caller = zipf_draw(z, &seed);

		z->exact[caller]++;
		if (rl_sampler_hit()) {
			counted += rl_sampler_counted();
			rl_sampler_note(id, NAME, strlen(NAME), caller);
		}
	}
	counted += rl_sampler_counted();
	check(counted == i, "run %llu: each refusal is counted: %llu", (unsigned long long) run,
		(unsigned long long) counted);
	n = (uint32_t) rl_sketch_top(rows, 10);
	check(n == 10, "ten callers");
	for (i = 0; i < n; i++) {
		uint32_t exact, more = 0;

		check(rows[i].subject.is_int && rows[i].subject.int_id >= 0 && rows[i].subject.int_id < CALLERS, "a caller");
		exact = z->exact[rows[i].subject.int_id];
		for (k = 0; k < CALLERS; k++) {
			more += z->exact[k] > exact;
		}
		check(more < 10, "run %llu: the one found at %u is among the first ten, and not after %u others",
			(unsigned long long) run, i, more);
		check(rows[i].refusals <= exact + rows[i].error && exact <= rows[i].refusals + rows[i].error,
			"run %llu: %u refusals, and not %llu with an error of %llu", (unsigned long long) run, exact,
			(unsigned long long) rows[i].refusals, (unsigned long long) rows[i].error);
		check(rows[i].error * 8 < rows[i].refusals, "the error %llu is small against %llu",
			(unsigned long long) rows[i].error, (unsigned long long) rows[i].refusals);
	}
	rl_sketch_clear();
}

/* ---- Bans ---- */

static void test_bans(void)
{
	rl_ban_row rows[8];
	rl_key one = int_key(1), two = string_key("two");
	int64_t i, n = (int64_t) rl_shm.layout.n_bans;

	rl_clock_freeze(RL_US_PER_SECOND * 1000000000);
	check(rl_ban_list_put(name_id(), RL_KIND_ACTION, &one, 10 * RL_US_PER_SECOND, 3), "a new ban");
	check(!rl_ban_list_put(name_id(), RL_KIND_ACTION, &one, 10 * RL_US_PER_SECOND, 3), "the same one");
	check(rl_ban_list_put(name_id(), RL_KIND_ACTION, &two, 60 * RL_US_PER_SECOND, 0), "another one");
	check(rl_ban_list_read(rows, 8, false) == 2 && rows[0].left_us == 60 * RL_US_PER_SECOND && rows[1].level == 3,
		"the later end first");
	check(rl_ban_list_put(name_id(), RL_KIND_ACTION, &one, 90 * RL_US_PER_SECOND, 4), "a longer one");
	check(rl_ban_list_read(rows, 8, false) == 2 && rows[0].level == 4, "replaces the old one");
	rl_ban_list_forget(name_id(), &one);
	check(rl_ban_list_read(rows, 8, false) == 1, "forgotten");
	rl_clock_advance(60 * RL_US_PER_SECOND);
	check(rl_ban_list_read(rows, 8, false) == 0, "ended");
	for (i = 0; i < 4 * n; i++) {
		rl_key key = int_key(i);

		rl_ban_list_put(name_id(), RL_KIND_ACTION, &key, (100 + i) * RL_US_PER_SECOND, 0);
	}
	check(rl_ban_list_read(rows, 8, false) == 8 && rows[0].subject.int_id == 4 * n - 1
			&& rows[7].subject.int_id == 4 * n - 8,
		"of too many bans those that end last are kept");
	rl_ban_list_clear();
	check(rl_ban_list_read(rows, 8, false) == 0, "all are gone");
	rl_clock_unfreeze();
}

static void test_networks(void)
{
	rl_ban_row rows[8];
	uint64_t lengths[RL_NETWORK_WORDS];
	rl_key network = string_key("203.0.113.0/24"), other = string_key("10.0.0.0/8");
	int64_t i, n = (int64_t) rl_shm.layout.n_bans;

	rl_clock_freeze(RL_US_PER_SECOND * 1000000000);
	check(!rl_ban_list_has_networks() && !rl_ban_list_network_lengths(lengths), "none");
	check(rl_ban_list_put_network(name_id(), RL_KIND_LIMITER, &network, 60 * RL_US_PER_SECOND, 120), "a network");
	check(rl_ban_list_network_lengths(lengths) && lengths[1] == UINT64_C(1) << (120 - 64), "its length");
	for (i = 0; i < 4 * n; i++) {
		rl_key key = int_key(i);

		rl_ban_list_put(name_id(), RL_KIND_ACTION, &key, (100 + i) * RL_US_PER_SECOND, 0);
	}
	check(rl_ban_list_put(name_id(), RL_KIND_LIMITER, &network, 900 * RL_US_PER_SECOND, 1),
		"the same text, as an identity");
	check(rl_ban_list_network_left_us(name_id(), &network) == 60 * RL_US_PER_SECOND, "it holds, and keeps its end");
	check(rl_ban_list_network_left_us(name_id(), &other) == 0, "no other one");
	check(rl_ban_list_read(rows, 8, true) == 1 && rows[0].level == 0 && rows[0].subject.id_len == 14, "listed alone");
	check(rl_ban_list_put_network(name_id(), RL_KIND_LIMITER, &network, 30 * RL_US_PER_SECOND, 120)
			&& rl_ban_list_network_left_us(name_id(), &network) == 30 * RL_US_PER_SECOND,
		"a shorter one replaces it");
	rl_clock_advance(30 * RL_US_PER_SECOND);
	check(rl_ban_list_network_left_us(name_id(), &network) == 0, "ended");
	rl_clock_advance(30 * RL_US_PER_SECOND);
	check(!rl_ban_list_network_lengths(lengths) && !rl_ban_list_has_networks(), "and nobody looks for it any more");
	for (i = 0; i < 2 * n
		 && rl_ban_list_put_network(name_id(), RL_KIND_LIMITER,
			 &(rl_key){.name = "n", .name_len = 1, .is_int = true, .int_id = i}, RL_US_PER_SECOND, 0);
		 i++) {
	}
	check(i >= n / 8 && i < n + 1, "a full table refuses one: %lld of %lld", (long long) i, (long long) n);
	rl_ban_list_clear();
	rl_clock_unfreeze();
}

/* ---- Counts by name ---- */

typedef struct {
	unsigned n, others;
	uint64_t refused, most;
} names_seen;

static void see_name(void *context, const rl_metrics *metrics)
{
	names_seen *seen = context;

	seen->n++;
	seen->others += metrics->kind == RL_KIND_OTHER;
	seen->refused += metrics->counts[RL_METER_REFUSED];
	if (metrics->counts[RL_METER_REFUSED] > seen->most) {
		seen->most = metrics->counts[RL_METER_REFUSED];
	}
}

static void count_name(unsigned i)
{
	char name[32];
	int length = snprintf(name, sizeof name, "name %u", i);

	rl_meter_add(rl_metrics_of(RL_KIND_LIMITER, name, (size_t) length), RL_METER_REFUSED, 1);
}

/* Many processes count the same names for the first time. */
static void test_names_of_many_processes(void)
{
	names_seen seen = {0};
	unsigned i, child;

	for (child = 0; child < 8; child++) {
		if (fork() == 0) {
			rl_worker_after_fork();
			for (i = 0; i < 100; i++) {
				count_name((i * 7 + child) % 100);
			}
			_exit(0);
		}
	}
	while (wait(NULL) > 0) {
	}
	rl_metrics_each(see_name, &seen);
	check(seen.n == 100 && seen.refused == 800 && seen.most == 8, "%u names with %llu refusals", seen.n,
		(unsigned long long) seen.refused);
	for (i = 0; i < 2 * RL_NAMES_MAX; i++) {
		count_name(i);
	}
	memset(&seen, 0, sizeof seen);
	rl_metrics_each(see_name, &seen);
	check(seen.n == rl_shm.layout.n_names + 1 && seen.others == 1, "the names without room are one: %u", seen.n);
	check(seen.refused == 800 + 2 * RL_NAMES_MAX, "and no count is lost: %llu", (unsigned long long) seen.refused);
}

static void test_limits(void)
{
	rl_meter *meter = rl_metrics_of(RL_KIND_LIMITER, "name 1", 6);
	rl_limit_counts *account = rl_metrics_of_limit(meter, "account", 7),
					*address = rl_metrics_of_limit(meter, "address", 7);
	char label[RL_LIMIT_LABEL_MAX];
	unsigned i;

	check(account != address && rl_metrics_of_limit(meter, "account", 7) == account, "a limit has one place");
	check(rl_metrics_limit_label(meter, rl_metrics_limit_slot(meter, address), label) == 7
			&& memcmp(label, "address", 7) == 0,
		"with its label");
	for (i = 0; i < 40; i++) {
		char text[16];
		int length = snprintf(text, sizeof text, "limit %u", i);

		rl_limit_counts_add(rl_metrics_of_limit(meter, text, (size_t) length), RL_LIMIT_METER_REFUSED);
	}
	check(rl_metrics_limit_slot(meter, rl_metrics_of_limit(meter, "limit 39", 8)) == RL_LIMIT_METER_SLOTS,
		"the limits without room are one");
}

/* ---- Killed workers ---- */

static void work(uint64_t seed)
{
	for (;;) {
		uint64_t random = test_random(&seed);
		rl_key key = int_key((int64_t) (random % 3000));

		refuse(&key, 1);
		rl_ban_list_put(name_id(), RL_KIND_ACTION, &key, (int64_t) (random >> 40) * RL_US_PER_MS, 0);
		if (random % 7 == 0) {
			rl_ban_list_forget(name_id(), &key);
			rl_sketch_forget(name_id(), &key);
		}
		count_name((unsigned) (random >> 20) % 300);
	}
}

/* Every row is one that some worker wrote as a whole. */
static void check_rows(void)
{
	static rl_sketch_row rows[4096];
	static rl_ban_row bans[4096];
	size_t i, n = rl_sketch_top(rows, 4096), wrong = 0;

	for (i = 0; i < n; i++) {
		wrong += !rows[i].subject.is_int || rows[i].subject.int_id < 0 || rows[i].subject.int_id >= 3000
			|| rows[i].subject.name_len != strlen(NAME) || memcmp(rows[i].subject.name, NAME, strlen(NAME)) != 0;
	}
	check(wrong == 0, "%zu of %zu callers are torn", wrong, n);
	n = rl_ban_list_read(bans, 4096, false);
	for (i = 0; i < n; i++) {
		wrong += !bans[i].subject.is_int || bans[i].subject.int_id >= 3000 || bans[i].subject.kind != RL_KIND_ACTION;
	}
	check(wrong == 0, "%zu of %zu bans are torn", wrong, n);
}

static void test_killed_workers(void)
{
	uint64_t seed = 1;
	rl_sketch_row rows[1];
	rl_key key = int_key(1);
	int round, child;

	for (round = 0; round < 60; round++) {
		pid_t children[3];

		for (child = 0; child < 3; child++) {
			children[child] = fork();
			if (children[child] == 0) {
				rl_worker_after_fork();
				work((uint64_t) (round * 3 + child));
			}
		}
		usleep((useconds_t) (1000 + test_random(&seed) % 9000));
		for (child = 0; child < 3; child++) {
			kill(children[child], SIGKILL);
			waitpid(children[child], NULL, 0);
		}
		check_rows();
	}
	rl_sketch_clear();
	rl_ban_list_clear();
	refuse(&key, 1);
	check(rl_sketch_top(rows, 1) == 1 && rows[0].refusals == 1, "it goes on after the deaths");
	rl_sketch_clear();
}

/* ---- History ---- */

static void test_history(void)
{
	rl_history_point points[RL_HISTORY_ROOM + 1];
	size_t i, n;

	rl_clock_freeze(RL_US_PER_SECOND * 1000000000);
	for (i = 0; i < 100; i++) {
		rl_clock_advance(RL_HISTORY_MINUTE_US);
		test_plain("history", (int64_t) i, 3600, 1);
		test_plain("history", (int64_t) i, 3600, 1);
	}
	rl_clock_advance(30 * RL_US_PER_SECOND);
	n = rl_history_read(points);
	check(n == 61 || n == 62, "an hour of minutes: %zu", n);
	for (i = 0; i + 2 < n; i++) {
		check(points[i + 1].us - points[i].us == RL_HISTORY_MINUTE_US
				&& points[i + 1].totals[RL_TOTAL_DECISIONS] - points[i].totals[RL_TOTAL_DECISIONS] == 2
				&& points[i + 1].totals[RL_TOTAL_REFUSED] - points[i].totals[RL_TOTAL_REFUSED] == 1,
			"minute %zu", i);
	}
	rl_clock_unfreeze();
}

/* ---- Damage ---- */

static void test_damage(void)
{
	uint64_t seed = 99;
	static rl_sketch_row rows[64];
	static rl_ban_row bans[64];
	rl_history_point points[RL_HISTORY_ROOM + 1];
	int round;

	for (round = 0; round < 30; round++) {
		names_seen seen = {0};
		uint64_t i;
		rl_meter *meter;

		for (i = 0; i < rl_shm.layout.bytes / 8; i++) {
			((uint64_t *) (void *) rl_shm.monitor)[i] = round % 3 == 0 ? UINT64_MAX : test_random(&seed);
		}
		for (i = 0; i < 2000; i++) {
			rl_key key = int_key((int64_t) i);

			refuse(&key, (uint32_t) (1 + i % 32));
			rl_ban_list_put(name_id(), RL_KIND_ACTION, &key, (int64_t) i * RL_US_PER_SECOND, 0);
		}
		meter = rl_metrics_of(RL_KIND_ACTION, NAME, strlen(NAME));
		rl_limit_counts_add(rl_metrics_of_limit(meter, "x", 1), RL_LIMIT_METER_BANNED);
		rl_metrics_each(see_name, &seen);
		check(rl_sketch_top(rows, 64) <= 64 && rl_ban_list_read(bans, 64, false) <= 64, "rows");
		check(rl_history_read(points) <= RL_HISTORY_ROOM + 1, "points");
	}
	memset(rl_shm.monitor, 0, rl_shm.layout.bytes);
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 1, run;
	zipf *z = malloc(sizeof *z);

	test_segment(16 << 20);
	rl_shm_has_worker();
	test_few_callers();
	test_text_is_wiped();
	test_halving();
	test_bans();
	test_networks();
	test_names_of_many_processes();
	test_limits();
	test_killed_workers();
	test_history();
	test_damage();
	zipf_init(z);
	for (run = 1; run <= runs; run++) {
		test_against_exact_count(z, (uint64_t) run);
	}
	free(z);
	return checks_report();
}
