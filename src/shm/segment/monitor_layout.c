#include "monitor_layout.h"

#include "monitor_entries.h"

#define BYTES_PER_NAME   ((size_t) 1 << 16) /* of the segment */
#define NAMES_MIN        16u
#define BYTES_PER_SHARD  ((size_t) 1 << 22)
#define SHARDS_MAX       8u
#define BYTES_PER_HITTER ((size_t) 1 << 14)
#define HITTERS_MIN      64u
#define HITTERS_MAX      4096u
#define BYTES_PER_BAN    ((size_t) 1 << 14)
#define BANS_MIN         64u
#define BANS_MAX         16384u

static uint64_t within(uint64_t n, uint64_t min, uint64_t max)
{
	return n < min ? min : n > max ? max : n;
}

/* Returns the largest power of two up to n, which is not 0. */
static uint64_t power_of_two(uint64_t n)
{
	return UINT64_C(1) << (63 - __builtin_clzll(n));
}

static uint64_t put_part(uint64_t *end, uint64_t bytes)
{
	uint64_t at = *end;

	*end = (at + bytes + 63) / 64 * 64;
	return at;
}

rl_monitor_layout rl_monitor_plan(size_t segment_bytes)
{
	rl_monitor_layout l = {
		.n_names = within(segment_bytes / BYTES_PER_NAME, NAMES_MIN, RL_NAMES_MAX),
		.n_shards = within(segment_bytes / BYTES_PER_SHARD, 1, SHARDS_MAX),
		.n_hitters = power_of_two(within(segment_bytes / BYTES_PER_HITTER, HITTERS_MIN, HITTERS_MAX)),
		.n_bans = power_of_two(within(segment_bytes / BYTES_PER_BAN, BANS_MIN, BANS_MAX)),
	};

	l.ids_at = put_part(&l.bytes, l.n_names * sizeof(uint64_t));
	l.labels_at = put_part(&l.bytes, l.n_names * sizeof(rl_label));
	l.meters_at = put_part(&l.bytes, l.n_shards * (l.n_names + 1) * sizeof(rl_meter));
	l.limits_at = put_part(&l.bytes, (l.n_names + 1) * sizeof(rl_limit_meters));
	l.hitters_at = put_part(&l.bytes, l.n_hitters * sizeof(rl_pair));
	l.hitter_texts_at = put_part(&l.bytes, l.n_hitters * sizeof(rl_hitter_text));
	l.bans_at = put_part(&l.bytes, l.n_bans * sizeof(rl_pair));
	l.ban_texts_at = put_part(&l.bytes, l.n_bans * sizeof(rl_subject_text));
	l.history_at = put_part(&l.bytes, RL_HISTORY_ROOM * sizeof(rl_history_entry));
	return l;
}
