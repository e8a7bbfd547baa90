/* Counts what the workers of this machine decide, for stats(). */
#ifndef RL_SHM_WORKER_STATS_H
#define RL_SHM_WORKER_STATS_H

#include "../../compiler.h"
#include "../../store.h"

/* Counters of stats(). */
typedef enum {
	RL_STAT_ADMISSIONS, /* by the embedded store */
	RL_STAT_REFUSALS,
	RL_STAT_BANS,
	RL_STAT_EVICTIONS,    /* of something that was live */
	RL_STAT_BANS_EVICTED, /* of them running bans */
	RL_STAT_ERRORS,       /* decisions the embedded store could not take */
	RL_STAT_REDIS_DECISIONS,
	RL_STAT_REDIS_REFUSALS,
	RL_STAT_REDIS_ERRORS,
	RL_STAT_FALLBACKS, /* decisions taken by ratelimit.on_failure */
	RL_STAT_CACHED,    /* refusals of Redis that were remembered */
	RL_STAT_LEASED,    /* decisions from a batch of permits that Redis has handed out */
	RL_STAT_REDIS_BANS,
	RL_STAT_UNNOTED,   /* places in Redis without a note (held_places.h) */
	RL_STAT_OWED,      /* permits of limits that the fallback admitted without a request to Redis */
	RL_STAT_OWED_TOLD, /* of them told Redis later */
	RL_STAT_OWED_LOST, /* of them told in a request without a reply, or not to be told at all */
	RL_STATS,
} rl_stat;

/* How this thread's decisions count. */
typedef enum {
	RL_STAT_DECIDED,        /* those of shadow limits beside others do not */
	RL_STAT_PASSED,         /* the same, and a refusal counts as an admission: no limit is enforced */
	RL_STAT_PASSED_SHADOWS, /* a refusal counts as an admission, and shadow limits decide */
} rl_stat_mode;

extern RL_HIDDEN RL_THREAD_LOCAL rl_stat_mode rl_stat_counts_as;

/* Returns whether decisions about keys of this name space count. A shadow limit beside others decides nothing: the call counts
 * once. */
static inline bool rl_stat_has_space(rl_space space)
{
	return space != RL_SPACE_SHADOW || rl_stat_counts_as == RL_STAT_PASSED_SHADOWS;
}

static inline bool rl_stat_is_admission(const rl_decision *d)
{
	return d->accepted || rl_stat_counts_as != RL_STAT_DECIDED;
}

/* Adds n to a counter of this machine. Does nothing without a segment. */
void rl_stat_add_many(rl_stat which, uint64_t n);

static inline void rl_stat_add(rl_stat which)
{
	rl_stat_add_many(which, 1);
}

/* Returns a count of the segment, or 0 if it is damaged. */
uint64_t rl_stat_read(const uint64_t *count);

/* Counts a decision that the embedded store took in parts. */
void rl_shm_count_decision(const rl_decision *d, bool ban_begun);

/* Fills in the reason why a thread without a worker cannot decide, and returns the status. */
rl_status rl_shm_no_worker(rl_error *e);

/* Counts a decision for stats(). */
void rl_stat_add_decision(const rl_decision *d, bool ban_begun);

/* Sums the workers' counts, and sets *entries_used to the entries of the table that were ever used. */
void rl_worker_stats_sum(uint64_t counts[RL_STATS], uint64_t *entries_used);

#endif
