/* src/core/limit: Limits, questions, decisions, and their text.
 *
 * Defines a limit and its bounds. Plain C11: the core uses no PHP, no Redis and no clock. */
#ifndef RL_CORE_LIMIT_H
#define RL_CORE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RL_LIMIT_MAX                                                                                                   \
 INT64_C(1000000000000) /* a limit, a burst, a rate, a cost, a count: docs/internals.md has the proofs */
#define RL_COUNTER_MAX    INT64_C(16777215) /* the number of doHandle() and check(), of an attribute, of a batch */
#define RL_LOG_LIMIT_MAX  INT64_C(10000) /* a sliding log's limit, and the most moments it keeps; a concurrent limit */
#define RL_WINDOWS_MAX    1000           /* windows that a limit keeps, those booked ahead included */
#define RL_LIMITS_MAX     8              /* in one limiter */
#define RL_BAN_STEPS_MAX  16             /* lengths of bans that escalate */
#define RL_LEVEL_MAX      UINT16_MAX     /* bans that are counted */
#define RL_NAME_MAX       255            /* bytes of an action, a limiter's name, an identity */
#define RL_LIMIT_NAME_MAX 64             /* bytes of a limit's name */
#define RL_SECONDS_MAX    INT64_C(315360000) /* ten years of 365 days */
#define RL_MS_PER_SECOND  INT64_C(1000)
#define RL_US_PER_MS      INT64_C(1000)
#define RL_US_PER_SECOND  INT64_C(1000000)
#define RL_PERIOD_MIN_US  RL_US_PER_MS
#define RL_PERIOD_MAX_US  (RL_SECONDS_MAX * RL_US_PER_SECOND)
#define RL_LEASE_MIN      1000             /* the smallest limit of which a machine takes permits ahead */
#define RL_LEASE_US       RL_US_PER_SECOND /* the longest life of such a batch */
#define RL_NEVER          INT64_MAX
#define RL_MARK_BITS      13

/* The algorithms, a row each: its number, its name, the word of its texts, its factory method, and the largest number that it takes.
 * PERIOD: the method takes a number and a time, and is made of the row; OWN: it is written by hand. The numbers are stored: never renumber.
 * The file <name>.c has its functions, rl_<name>_ops (algorithm.h). */
#define RL_ALGORITHM_ROWS(ROW)                                                                                         \
 ROW(1, RL_FIXED_WINDOW, fixed_window, "fixed", PERIOD, fixedWindow, RL_LIMIT_MAX)                                     \
 ROW(2, RL_CALENDAR_WINDOW, calendar_window, "calendar", OWN, calendar, RL_LIMIT_MAX)                                  \
 ROW(3, RL_SLIDING_LOG, sliding_log, "log", PERIOD, slidingLog, RL_LOG_LIMIT_MAX)                                      \
 ROW(4, RL_SLIDING_WINDOW, sliding_window, "window", PERIOD, slidingWindow, RL_LIMIT_MAX)                              \
 ROW(5, RL_TOKEN_BUCKET, token_bucket, "bucket", OWN, tokenBucket, RL_LIMIT_MAX)                                       \
 ROW(6, RL_CONCURRENT, concurrent, "concurrent", PERIOD, concurrent, RL_LOG_LIMIT_MAX)

#define RL_ALGORITHM_NUMBER(number, NAME, ...) NAME = number,
#define RL_ALGORITHM_ONE(...)                  +1

typedef enum { RL_ALGORITHM_ROWS(RL_ALGORITHM_NUMBER) } rl_algorithm;

#define RL_ALGORITHMS (0 RL_ALGORITHM_ROWS(RL_ALGORITHM_ONE))

typedef enum {
	RL_MINUTE = 1,
	RL_HOUR = 2,
	RL_DAY = 3,
	RL_WEEK = 4,
	RL_MONTH = 5,
	RL_QUARTER = 6,
	RL_YEAR = 7,
	RL_WEEK_FROM = 8,     /* + 2 to 7: a week that begins on Tuesday to Sunday; RL_WEEK begins on Monday */
	RL_EVERY_MONTHS = 16, /* these three are intervals, counted from an anchor, of so many units */
	RL_EVERY_DAYS = 17,
	RL_EVERY_SECONDS = 18,
} rl_period;

/* A calendar window's period: an rl_period (8 bits, low), and of an interval the number of its units (29 bits). */
#define RL_PERIOD_UNITS_AT 8

typedef enum {
	RL_BAN_NONE = 0,
	RL_BAN_FOR,   /* for ban_us from the refusal */
	RL_BAN_UNTIL, /* until the wall-clock moment ban_us */
	RL_BAN_STEPS, /* for a time that grows from ban to ban; of a limit only */
} rl_ban_kind;

/* The times of bans that escalate: the n-th ban lasts the n-th time, later ones the last. */
typedef struct {
	int64_t forget_us; /* the time after a ban's end without another one, after which they begin anew */
	uint32_t n;        /* 1 to RL_BAN_STEPS_MAX */
	int64_t us[RL_BAN_STEPS_MAX];
} rl_ban_steps;

/* The units of a token bucket (bucket.h). */
typedef struct {
	uint64_t permit; /* that one permit takes to refill */
	uint64_t parts;  /* of a microsecond */
} rl_bucket_units;

typedef struct {
	rl_algorithm algorithm;
	rl_ban_kind ban;
	uint64_t period;   /* calendar windows only: an rl_period, with the number of units of an interval */
	uint64_t limit;    /* 1 to RL_LIMIT_MAX; a token bucket's capacity */
	uint64_t rate;     /* token buckets only: permits per period_us */
	int64_t period_us; /* RL_PERIOD_MIN_US to RL_PERIOD_MAX_US; 0 for a calendar window; how long a place is held */
	union {
		int64_t boundary[3]; /* calendar windows only, wall us: begin and end of the clock's window, end of the next */
		struct {
			rl_bucket_units units; /* token buckets only: of rl_bucket_prepare(); a permit of 0: it was not called */
			uint64_t divisor;
		};
	};
	uint32_t identity;         /* the index of its identity's key, of limits with identities of their own */
	uint32_t mark;             /* of its limit state, below 1 << RL_MARK_BITS: of rl_limits_mark() */
	int64_t ban_us;            /* a duration, or a wall-clock moment since 1970 */
	const rl_ban_steps *steps; /* RL_BAN_STEPS only; borrowed */
} rl_limit;

#endif
