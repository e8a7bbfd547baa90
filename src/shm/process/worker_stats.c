#include "worker_stats.h"

#include <string.h>

#include "worker.h"

rl_status rl_shm_no_worker(rl_error *e)
{
	rl_stat_add(RL_STAT_ERRORS);
	rl_worker_explain(e->message, sizeof e->message);
	return RL_UNAVAILABLE;
}

RL_THREAD_LOCAL rl_stat_mode rl_stat_counts_as;

void rl_stat_add_decision(const rl_decision *d, bool ban_begun)
{
	bool admitted = rl_stat_is_admission(d);

	rl_worker_stat_add(rl_worker_self, admitted ? RL_STAT_ADMISSIONS : RL_STAT_REFUSALS);
	if (!admitted && ban_begun) {
		rl_worker_stat_add(rl_worker_self, RL_STAT_BANS);
	}
}

void rl_shm_count_decision(const rl_decision *d, bool ban_begun)
{
	if (rl_worker_register() != NULL) {
		rl_stat_add_decision(d, ban_begun);
	}
}

void rl_stat_add_many(rl_stat which, uint64_t n)
{
	if (n > 0 && rl_worker_register() != NULL) {
		uint64_t *count = &rl_worker_self->stats[which];

		__atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
	}
}

/* A count above this is damaged: a hundred thousand calls a second take ninety years. With this bound the sum over
 * all 2^14 workers is at most 2^62, and a difference of two sums does not overflow. */
#define STAT_MAX (UINT64_C(1) << 48)

uint64_t rl_stat_read(const uint64_t *count)
{
	uint64_t n = rl_load(count);

	return n <= STAT_MAX ? n : 0;
}

void rl_worker_stats_sum(uint64_t counts[RL_STATS], uint64_t *entries_used)
{
	const rl_segment *s = &rl_shm;
	uint64_t n = rl_workers_used(s);

	memset(counts, 0, RL_STATS * sizeof *counts);
	*entries_used = 0;
	for (uint64_t i = 0; i < n; i++) {
		const rl_worker *w = rl_worker_at(s, i);

		for (unsigned c = 0; c < RL_STATS; c++) {
			counts[c] += rl_stat_read(&w->stats[c]);
		}
		*entries_used += rl_stat_read(&w->entries_used);
	}
}
