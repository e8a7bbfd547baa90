/* Simulates a fleet of machines that share a Redis, with leases and without. Calls arrive for identities by Zipf's law,
 * each on a random machine. The estimate of the demand is the code of the extension (src/shm/machine/demand.c,
 * src/shm/machine/demand_table.c); Redis' part, the batches and the deny cache are modelled here. bench/fleet.sh builds and runs it.
 *
 *     fleet lease|none DENY_CACHE_MS [SECONDS] [SEED]    DENY_CACHE_MS: 0 to the window's end
 *
 * Prints a row for each limit, for all, and for the hottest identities, with tabs: its name; millions of decisions; of the
 * decisions, in per cent: those that asked Redis, those that it refused then, those from a batch, the refusals, the refusals
 * while a batch was valid on any machine; full windows; the share of their permits that no call was given, in per cent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/shm/machine/demand.c"
#include "../../src/shm/machine/demand_table.c"

#define MACHINES    10
#define IDENTITIES  1000000
#define HOTTEST     200
#define RATE_PER_MS 1000
#define LATENCY_US  500   /* of a request to Redis */
#define DEMANDS     16384 /* words of a segment of 32 MB */
#define LEASE_SHARE 8

static const struct {
	uint32_t limit, window_ms;
} limits[] = {{10, 30000}, {100, 60000}, {1000, 60000}, {100000, 60000}};

#define LIMITS 4

rl_segment rl_shm;

/* What Redis has of an identity, and what the simulation knows of it. */
typedef struct {
	uint32_t end_ms, count, given, batches_end_ms;
	bool refused;
} window;

/* What a machine has of an identity. */
typedef struct {
	uint32_t left, end_ms, denied_ms;
	int64_t ready_us;
} share;

typedef struct {
	uint64_t decisions, asks, refused_asks, from_batch, refusals, early, full_windows, stranded;
	double permits_of_full;
} row;

static window windows[IDENTITIES];
static share *shares; /* of a machine, then of an identity */
static uint64_t demands[MACHINES][DEMANDS];
static row rows[LIMITS], hottest[LIMITS];

static uint64_t seed_now;

static uint64_t any(void)
{
	seed_now ^= seed_now << 13;
	seed_now ^= seed_now >> 7;
	seed_now ^= seed_now << 17;
	return seed_now * UINT64_C(0x2545f4914f6cdd1d);
}

/* ---- Zipf's law, by the alias method ---- */

static uint32_t alias_of[IDENTITIES], threshold_of[IDENTITIES];

static void zipf_init(void)
{
	double *share_of = malloc(IDENTITIES * sizeof *share_of), sum = 0;
	uint32_t *small = malloc(IDENTITIES * sizeof *small), *large = malloc(IDENTITIES * sizeof *large);
	size_t n_small = 0, n_large = 0;

	for (size_t i = 0; i < IDENTITIES; i++) {
		sum += 1.0 / (double) (i + 1);
	}
	for (size_t i = 0; i < IDENTITIES; i++) {
		share_of[i] = IDENTITIES / ((double) (i + 1) * sum);
		if (share_of[i] < 1) {
			small[n_small++] = (uint32_t) i;
		} else {
			large[n_large++] = (uint32_t) i;
		}
	}
	while (n_small > 0 && n_large > 0) {
		uint32_t s = small[--n_small], l = large[n_large - 1];

		threshold_of[s] = (uint32_t) (share_of[s] * UINT32_MAX);
		alias_of[s] = l;
		share_of[l] -= 1 - share_of[s];
		if (share_of[l] < 1) {
			n_large--;
			small[n_small++] = l;
		}
	}
	while (n_large > 0) {
		threshold_of[large[--n_large]] = UINT32_MAX;
	}
	while (n_small > 0) {
		threshold_of[small[--n_small]] = UINT32_MAX;
	}
	free(share_of);
	free(small);
	free(large);
}

static uint32_t any_identity(void)
{
	uint32_t i = (uint32_t) (((any() >> 32) * IDENTITIES) >> 32);

	return (uint32_t) any() <= threshold_of[i] ? i : alias_of[i];
}

/* ---- The fleet ---- */

static bool leases;
static uint32_t deny_ms;

/* The hash of an identity, for the table of demands. */
static rl_place place_of(uint32_t identity)
{
	uint64_t x = (identity + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
	return (rl_place){.fp = x ^ x >> 29};
}

static void window_finish(window *w, row *r, uint32_t limit)
{
	if (w->refused) {
		r->full_windows++;
		r->permits_of_full += limit;
		r->stranded += limit - w->given;
	}
}

/* Asks Redis. Returns the verdict, and adds a batch of up to wanted permits to the machine's share. */
static bool ask(window *w, share *s, row *r, unsigned kind, uint32_t wanted, int64_t now_us)
{
	uint32_t now_ms = (uint32_t) (now_us / 1000), limit = limits[kind].limit, leased;

	if (w->end_ms <= now_ms) {
		window_finish(w, r, limit);
		*w = (window){.end_ms = now_ms + limits[kind].window_ms};
	}
	if (w->count >= limit) {
		uint32_t end_ms = deny_ms > 0 && now_ms + deny_ms < w->end_ms ? now_ms + deny_ms : w->end_ms;

		s->denied_ms = end_ms;
		r->refused_asks++;
		return false;
	}
	w->count++;
	w->given++;
	leased = (limit - w->count) / LEASE_SHARE;
	leased = leased < wanted ? leased : wanted;
	if (leased > 0) {
		uint32_t end_ms = now_ms + RL_LEASE_US / 1000 - 4; /* without the margins of src/guard/lease.c */

		w->count += leased;
		s->left = leased;
		s->end_ms = end_ms < w->end_ms - 4 ? end_ms : w->end_ms - 4;
		s->ready_us = now_us + LATENCY_US;
		w->batches_end_ms = s->end_ms > w->batches_end_ms ? s->end_ms : w->batches_end_ms;
	}
	return true;
}

static void decide(uint32_t identity, unsigned machine, int64_t now_us)
{
	unsigned kind = identity % LIMITS;
	row *r = identity < HOTTEST ? &hottest[kind] : &rows[kind];
	share *s = &shares[(size_t) machine * IDENTITIES + identity];
	window *w = &windows[identity];
	uint32_t now_ms = (uint32_t) (now_us / 1000), wanted = 0;
	bool accepted = false;

	r->decisions++;
	if (s->left > 0 && s->end_ms > now_ms && s->ready_us <= now_us) {
		s->left--;
		w->given++;
		r->from_batch++;
		return;
	}
	if (s->denied_ms <= now_ms) {
		if (leases && limits[kind].limit >= RL_LEASE_MIN) {
			rl_shm.demands = demands[machine];
			wanted = rl_demand_table_ask(place_of(identity), 1, now_us);
		}
		r->asks++;
		accepted = ask(w, s, r, kind, wanted, now_us);
		if (accepted && wanted > 0 && s->left > 0 && s->ready_us == now_us + LATENCY_US) {
			rl_demand_table_add(place_of(identity), s->left);
		}
	}
	if (!accepted) {
		r->refusals++;
		w->refused = true;
		r->early += w->batches_end_ms > now_ms && w->given < limits[kind].limit;
	}
}

static void add(row *sum, const row *r)
{
	sum->decisions += r->decisions;
	sum->asks += r->asks;
	sum->refused_asks += r->refused_asks;
	sum->from_batch += r->from_batch;
	sum->refusals += r->refusals;
	sum->early += r->early;
	sum->full_windows += r->full_windows;
	sum->stranded += r->stranded;
	sum->permits_of_full += r->permits_of_full;
}

static void print(const char *name, const row *r)
{
	double all = (double) r->decisions / 100;

	printf("%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f\t%llu\t%.3f\n", name, all / 10000, (double) r->asks / all,
		(double) r->refused_asks / all, (double) r->from_batch / all, (double) r->refusals / all,
		(double) r->early / all, (unsigned long long) r->full_windows,
		r->permits_of_full > 0 ? 100 * (double) r->stranded / r->permits_of_full : 0.0);
}

int main(int argc, char **argv)
{
	int64_t seconds = argc > 3 ? atoll(argv[3]) : 125;
	row hot = {0}, all = {0};
	char name[32];

	if (argc < 3) {
		fprintf(stderr, "usage: fleet lease|none DENY_CACHE_MS [SECONDS] [SEED]\n");
		return 2;
	}
	leases = strcmp(argv[1], "lease") == 0;
	deny_ms = (uint32_t) atoll(argv[2]);
	seed_now = argc > 4 ? (uint64_t) atoll(argv[4]) + 1 : 1;
	for (int i = 0; i < 20; i++) {
		(void) any();
	}
	rl_shm.n_demands = DEMANDS;
	shares = calloc((size_t) MACHINES * IDENTITIES, sizeof *shares);
	if (shares == NULL) {
		fprintf(stderr, "fleet: out of memory\n");
		return 2;
	}
	zipf_init();
	for (int64_t i = 0; i < seconds * 1000 * RATE_PER_MS; i++) {
		decide(any_identity(), (unsigned) (((any() >> 32) * MACHINES) >> 32), i * 1000 / RATE_PER_MS + 1000);
	}
	for (uint32_t i = 0; i < IDENTITIES; i++) {
		if (windows[i].end_ms <= seconds * 1000) {
			window_finish(&windows[i], i < HOTTEST ? &hottest[i % LIMITS] : &rows[i % LIMITS],
				limits[i % LIMITS].limit);
		}
	}
	for (unsigned i = 0; i < LIMITS; i++) {
		add(&hot, &hottest[i]);
		add(&rows[i], &hottest[i]);
		add(&all, &rows[i]);
		snprintf(name, sizeof name, "%u in %u s", limits[i].limit, limits[i].window_ms / 1000);
		print(name, &rows[i]);
	}
	print("all", &all);
	snprintf(name, sizeof name, "the %d hottest", HOTTEST);
	print(name, &hot);
	snprintf(name, sizeof name, "of them, %u in %u s", limits[LIMITS - 1].limit, limits[LIMITS - 1].window_ms / 1000);
	print(name, &hottest[LIMITS - 1]);
	return 0;
}
