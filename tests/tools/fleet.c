/* Simulates a fleet of machines: behind a balancer that hashes the identity, or with a Redis that they share, with leases and without.
 * Calls arrive for identities by Zipf's law; without a hash each on a random machine. The estimate of the demand is the code of the
 * extension (src/shm/machine/demand.c, src/shm/machine/demand_table.c); Redis' part, the batches, the deny cache, the mirror and the
 * debts are modelled here. bench/fleet.sh builds and runs it.
 *
 *     fleet hash|lease|none DENY_CACHE_MS [SECONDS] [SEED [AT FOR [N]]]    DENY_CACHE_MS: 0 to the window's end
 *
 * From second AT on, for so many seconds, Redis is away, and the machines decide as with on_failure=local:1/N (without N: local). With a
 * hash one machine is away then, and returns with its memory.
 *
 * Prints a row for each limit, for all, and for the hottest identities, with tabs: its name; millions of decisions; of the
 * decisions, in per cent: those that asked Redis, those that it refused then, those from a batch, the refusals, the refusals
 * while a batch was valid on any machine; full windows; the share of their permits that no call was given, in per cent; of the
 * windows that met the time away, or of all: the most that was admitted in one, in limits; what was admitted beyond the limits, in
 * per cent of all that was admitted. */
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

/* What a machine has of an identity: a batch, a refusal, and its own window with the mirror's count and the debt. */
typedef struct {
	uint32_t left, end_ms, denied_ms, own_end_ms, count, owed;
	int64_t ready_us;
} share;

/* What passed of an identity anywhere, in windows that begin with a permit. */
typedef struct {
	uint32_t end_ms, admitted;
} audit;

typedef struct {
	uint64_t decisions, asks, refused_asks, from_batch, refusals, early, full_windows, stranded, admitted, beyond;
	double permits_of_full, most;
} row;

static window windows[IDENTITIES];
static audit audits[IDENTITIES];
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

static bool hashed, leases;
static uint32_t deny_ms, away_from_ms, away_until_ms = UINT32_MAX, machines_of_share = 1;

/* The hash of an identity, for the table of demands. */
static rl_position place_of(uint32_t identity)
{
	uint64_t x = (identity + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
	return (rl_position){.fp = x ^ x >> 29};
}

/* Returns the machine of an identity, by the largest hash. The last one may be away. */
static unsigned home_of(uint32_t identity, bool away)
{
	unsigned home = 0;
	uint64_t most = 0;

	for (unsigned m = 0; m < MACHINES - (away ? 1 : 0); m++) {
		uint64_t x = place_of(identity * MACHINES + m).fp;

		if (x >= most) {
			most = x;
			home = m;
		}
	}
	return home;
}

static bool is_away(uint32_t now_ms)
{
	return away_from_ms > 0 && now_ms >= away_from_ms && now_ms < away_until_ms;
}

static void audit_finish(const audit *a, row *r, unsigned kind)
{
	uint32_t limit = limits[kind].limit;

	if (a->end_ms > away_from_ms && a->end_ms - limits[kind].window_ms < away_until_ms) {
		r->admitted += a->admitted;
		r->beyond += a->admitted > limit ? a->admitted - limit : 0;
		r->most = (double) a->admitted / limit > r->most ? (double) a->admitted / limit : r->most;
	}
}

static void audit_permit(audit *a, row *r, unsigned kind, uint32_t now_ms)
{
	if (a->end_ms <= now_ms) {
		audit_finish(a, r, kind);
		*a = (audit){.end_ms = now_ms + limits[kind].window_ms};
	}
	a->admitted++;
}

/* Decides by the machine's own window. */
static bool decide_here(share *s, unsigned kind, uint32_t now_ms)
{
	uint32_t limit = limits[kind].limit, left;

	if (s->own_end_ms <= now_ms) {
		s->own_end_ms = now_ms + limits[kind].window_ms;
		s->count = s->owed = 0;
	}
	left = limit - s->count + s->owed;
	left = left / machines_of_share > 0 ? left / machines_of_share : left > 0;
	if (s->count >= limit || (!hashed && s->owed >= left)) {
		return false;
	}
	s->count++;
	s->owed += !hashed;
	return true;
}

/* Tells Redis what this machine has admitted without it. */
static void tell(window *w, share *s, uint32_t now_ms)
{
	if (s->owed > 0 && s->own_end_ms > now_ms) {
		w->end_ms = w->end_ms > now_ms ? w->end_ms : s->own_end_ms;
		w->count += s->owed;
		w->given += s->owed;
	}
	s->owed = 0;
}

static void window_finish(window *w, row *r, uint32_t limit)
{
	if (w->refused) {
		r->full_windows++;
		r->permits_of_full += limit;
		r->stranded += w->given < limit ? limit - w->given : 0;
	}
}

/* Asks Redis. Returns the verdict, and adds a batch of up to wanted permits to the machine's share. */
static bool ask(window *w, share *s, row *r, unsigned kind, uint32_t wanted, int64_t now_us)
{
	uint32_t now_ms = (uint32_t) (now_us / 1000), limit = limits[kind].limit, leased;

	if (w->end_ms <= now_ms) {
		window_finish(w, r, limit);
		*w = (window){
			.end_ms = s->owed > 0 && s->own_end_ms > now_ms ? s->own_end_ms : now_ms + limits[kind].window_ms};
	}
	tell(w, s, now_ms);
	s->own_end_ms = w->end_ms;
	s->count = limit;
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
	s->count = w->count;
	return true;
}

static void decide(uint32_t identity, unsigned machine, int64_t now_us)
{
	uint32_t now_ms = (uint32_t) (now_us / 1000), wanted = 0;
	bool accepted = false, away = is_away(now_ms);
	unsigned kind = identity % LIMITS;
	row *r = identity < HOTTEST ? &hottest[kind] : &rows[kind];
	share *s = &shares[(size_t) (hashed ? home_of(identity, away) : machine) * IDENTITIES + identity];
	window *w = &windows[identity];

	r->decisions++;
	if (s->left > 0 && s->end_ms > now_ms && s->ready_us <= now_us) {
		s->left--;
		w->given++;
		r->from_batch++;
		audit_permit(&audits[identity], r, kind, now_ms);
		return;
	}
	if (hashed || (away && s->denied_ms <= now_ms)) {
		accepted = decide_here(s, kind, now_ms);
	} else if (s->denied_ms <= now_ms) {
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
	if (accepted) {
		audit_permit(&audits[identity], r, kind, now_ms);
	} else {
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
	sum->admitted += r->admitted;
	sum->beyond += r->beyond;
	sum->most = r->most > sum->most ? r->most : sum->most;
}

static void print(const char *name, const row *r)
{
	double all = (double) r->decisions / 100;

	printf("%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f\t%llu\t%.3f\t%.2f\t%.2f\n", name, all / 10000,
		(double) r->asks / all, (double) r->refused_asks / all, (double) r->from_batch / all,
		(double) r->refusals / all, (double) r->early / all, (unsigned long long) r->full_windows,
		r->permits_of_full > 0 ? 100 * (double) r->stranded / r->permits_of_full : 0.0, r->most,
		r->admitted > 0 ? 100 * (double) r->beyond / (double) r->admitted : 0.0);
}

int main(int argc, char **argv)
{
	int64_t seconds = argc > 3 ? atoll(argv[3]) : 125;
	row hot = {0}, all = {0};
	char name[32];

	if (argc < 3) {
		fprintf(stderr, "usage: fleet hash|lease|none DENY_CACHE_MS [SECONDS] [SEED [AT FOR [N]]]\n");
		return 2;
	}
	if (argc > 6) {
		away_from_ms = (uint32_t) atoll(argv[5]) * 1000;
		away_until_ms = away_from_ms + (uint32_t) atoll(argv[6]) * 1000;
		machines_of_share = argc > 7 ? (uint32_t) atoll(argv[7]) : 1;
	}
	hashed = strcmp(argv[1], "hash") == 0;
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
		audit_finish(&audits[i], i < HOTTEST ? &hottest[i % LIMITS] : &rows[i % LIMITS], i % LIMITS);
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
