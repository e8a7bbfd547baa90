#include "history.h"

#include <string.h>

#include "../segment/clock.h"
#include "../segment/monitor_entries.h"

#define HOUR_US (60 * RL_HISTORY_MINUTE_US)

static rl_history_entry *history_entry_of(const rl_segment *s, uint64_t minute)
{
	return (rl_history_entry *) (void *) (s->monitor + s->layout.history_at) + minute % RL_HISTORY_ROOM;
}

int64_t rl_history_wall_us(const rl_segment *s, int64_t us)
{
	rl_now now = rl_clock_read();

	/* The sum of any number does not overflow: a damaged segment has one. */
	return (int64_t) ((uint64_t) now.wall_us + (uint64_t) us - (uint64_t) rl_segment_us(s, now.mono_us));
}

/* Returns the totals of counts. */
static void history_totals(const uint64_t counts[RL_STATS], uint64_t totals[RL_TOTALS])
{
	totals[RL_TOTAL_DECISIONS] = counts[RL_STAT_ADMISSIONS] + counts[RL_STAT_REFUSALS] + counts[RL_STAT_REDIS_DECISIONS]
		+ counts[RL_STAT_CACHED] + counts[RL_STAT_LEASED];
	totals[RL_TOTAL_REFUSED] = counts[RL_STAT_REFUSALS] + counts[RL_STAT_REDIS_REFUSALS] + counts[RL_STAT_CACHED];
	totals[RL_TOTAL_BANNED] = counts[RL_STAT_BANS] + counts[RL_STAT_REDIS_BANS];
	totals[RL_TOTAL_FALLBACK] = counts[RL_STAT_FALLBACKS];
	totals[RL_TOTAL_ERRORS] = counts[RL_STAT_ERRORS] + counts[RL_STAT_REDIS_ERRORS];
}

static uint64_t history_check(const rl_history_point *point)
{
	uint64_t check = (uint64_t) point->us ^ RL_SEGMENT_MAGIC;

	for (unsigned i = 0; i < RL_TOTALS; i++) {
		check = (check ^ point->totals[i]) * UINT64_C(0x9e3779b97f4a7c15);
		check ^= check >> 29;
	}
	return check != 0 ? check : 1;
}

static rl_history_point history_now(int64_t us)
{
	rl_history_point point = {.us = us};
	uint64_t counts[RL_STATS], entries_used;

	rl_worker_stats_sum(counts, &entries_used);
	history_totals(counts, point.totals);
	return point;
}

void rl_history_note(const rl_segment *s, int64_t us)
{
	uint64_t minute = 1 + (uint64_t) (us / RL_HISTORY_MINUTE_US), noted = rl_load(&s->header->history_minute);
	rl_history_point point;
	rl_history_entry *entry;

	/* A clock may be behind another one by a moment, but not by a minute. */
	if (RL_LIKELY(noted == minute) || noted == minute + 1
		|| !__atomic_compare_exchange_n(&s->header->history_minute, &noted, minute, false, __ATOMIC_SEQ_CST,
			__ATOMIC_SEQ_CST)) {
		return;
	}
	point = history_now(us);
	entry = history_entry_of(s, minute);
	__atomic_store_n(&entry->us, (uint64_t) point.us, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < RL_TOTALS; i++) {
		__atomic_store_n(&entry->totals[i], point.totals[i], __ATOMIC_RELAXED);
	}
	__atomic_store_n(&entry->check, history_check(&point), __ATOMIC_RELEASE);
}

static bool read_history_entry(const rl_segment *s, uint64_t minute, rl_history_point *point)
{
	const rl_history_entry *entry = history_entry_of(s, minute);
	uint64_t check = rl_load(&entry->check);

	point->us = (int64_t) rl_load(&entry->us);
	for (unsigned i = 0; i < RL_TOTALS; i++) {
		point->totals[i] = rl_load(&entry->totals[i]);
	}
	return check == history_check(point);
}

/* Returns whether a point may stand between two others. */
static bool is_between(const rl_history_point *before, const rl_history_point *point, const rl_history_point *now)
{
	for (unsigned i = 0; i < RL_TOTALS; i++) {
		if ((before != NULL && point->totals[i] < before->totals[i]) || point->totals[i] > now->totals[i]) {
			return false;
		}
	}
	return (before == NULL || point->us > before->us) && point->us < now->us;
}

size_t rl_history_read(rl_history_point points[RL_HISTORY_ROOM + 1])
{
	const rl_segment *s = &rl_shm;
	rl_history_point now;
	uint64_t minute;
	size_t n = 0;
	int64_t us;

	if (s->header == NULL) {
		return 0;
	}
	us = rl_segment_us(s, rl_clock_read_for(false).mono_us);
	rl_history_note(s, us);
	now = history_now(us);
	minute = 1 + (uint64_t) (us / RL_HISTORY_MINUTE_US);
	for (uint64_t m = minute > 60 ? minute - 60 : 1; m <= minute; m++) {
		rl_history_point point;

		if (read_history_entry(s, m, &point) && point.us >= us - HOUR_US - RL_HISTORY_MINUTE_US
			&& is_between(n > 0 ? &points[n - 1] : NULL, &point, &now)) {
			points[n++] = point;
		}
	}
	points[n++] = now;
	for (size_t i = 0; i < n; i++) {
		points[i].wall_us = rl_history_wall_us(s, points[i].us);
	}
	return n;
}
