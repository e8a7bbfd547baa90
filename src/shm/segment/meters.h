/* Names what is counted about decisions. */
#ifndef RL_SHM_METERS_H
#define RL_SHM_METERS_H

#include <stdint.h>

typedef enum {
	RL_METER_ADMITTED,
	RL_METER_REFUSED,
	RL_METER_BANNED,   /* bans begun */
	RL_METER_SHADOW,   /* calls that a shadow limit would have refused */
	RL_METER_NEAR,     /* admitted with less than a tenth of the limit left */
	RL_METER_FALLBACK, /* decided by ratelimit.on_failure */
	RL_METER_ERRORS,   /* a failure of the store instead of a decision */
	RL_METERS,
} rl_meter_kind;

/* The counts of a name, in a cache line: one of some copies (shards), so that few workers write the same line. */
typedef struct {
	_Alignas(64) uint64_t counts[8];
} rl_meter;

typedef enum {
	RL_LIMIT_METER_REFUSED,
	RL_LIMIT_METER_SHADOW,
	RL_LIMIT_METER_BANNED,
	RL_LIMIT_METERS,
} rl_limit_meter_kind;

#define RL_LIMIT_LABEL_MAX   64
#define RL_LIMIT_METER_SLOTS 12 /* limits of a name with counts of their own; the next slot is that of all others */

/* The counts of a limit. */
typedef struct {
	uint64_t counts[RL_LIMIT_METERS];
} rl_limit_counts;

/* The counts of stats() that the history keeps. */
typedef enum {
	RL_TOTAL_DECISIONS,
	RL_TOTAL_REFUSED,
	RL_TOTAL_BANNED,
	RL_TOTAL_FALLBACK,
	RL_TOTAL_ERRORS,
	RL_TOTALS,
} rl_total;

#endif
