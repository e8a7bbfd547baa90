/* The question that travels from PHP to a store, and the answer that comes back. */
#ifndef RL_CORE_DECISION_H
#define RL_CORE_DECISION_H

#include "limit.h"

/* The store's clock, as one decision reads it once: durations on the first, calendar times on the second. */
typedef struct {
	int64_t mono_us;
	int64_t wall_us;
} rl_now;

/* The numbers travel in Redis replies: never renumber. */
typedef enum {
	RL_ACCEPTED = 0,
	RL_LIMITED = 1,
	RL_BANNED = 2,
	RL_TOO_EXPENSIVE = 3,
	RL_STORE_UNAVAILABLE = 4,
} rl_reason;

/* Where a decision was taken, as Result::$store tells. */
typedef enum {
	RL_FROM_SHM,
	RL_FROM_REDIS,
	RL_FROM_LOCAL, /* the embedded store, because Redis was away */
	RL_FROM_CACHE, /* a remembered refusal of Redis */
	RL_FROM_LEASE, /* a batch of permits that Redis handed out to this machine */
} rl_source;

typedef struct {
	rl_reason reason;
	rl_source source;
	bool accepted;          /* RL_STORE_UNAVAILABLE may be either, as ratelimit.on_failure says */
	uint8_t limit_index;    /* the deciding limit, an index into the question's limits */
	uint32_t limit;         /* its number */
	uint32_t remaining;     /* 0 to limit */
	int64_t retry_after_us; /* 0 when accepted; RL_NEVER when it can never pass */
	int64_t reset_after_us; /* >= 0 */
} rl_decision;

typedef enum {
	RL_OP_CONSUME = 1,
	RL_OP_PEEK = 2,
	RL_OP_RESERVE = 3,
	RL_OP_CANCEL = 4,
	RL_OP_REFUND = 5,
	RL_OP_BAN = 6,
	RL_OP_UNBAN = 7,
	RL_OP_RESET = 8,
	RL_OP_LEASE = 9, /* Redis alone: consume, and take as many more as limits[0].lease allows */
} rl_op;

/* One question to a limiter; see docs/semantics.md for what each op does. */
typedef struct {
	rl_op op;
	uint8_t n_limits; /* 1 to RL_LIMITS_MAX */
	uint32_t cost;    /* 1 to RL_LIMIT_MAX; consume, peek, reserve, cancel, refund, lease */
	int64_t at_us;    /* reserve, cancel: the wall-clock moment */
	rl_ban_kind ban;  /* ban: how to read ban_us */
	int64_t ban_us;
	rl_limit limits[RL_LIMITS_MAX];
} rl_question;

typedef struct {
	rl_decision decision; /* consume, peek, reserve */
	bool found;           /* cancel, unban, reset: there was one */
	uint32_t leased;      /* lease: permits handed out beside the cost */
	bool question_only;   /* of many, where there is no answer: rl_error's, of this question */
} rl_answer;

/* doHandle's and check's question: one counter with its ban. */
typedef struct {
	uint32_t seconds; /* 1 to RL_SECONDS_MAX */
	uint32_t limit;   /* 1 to RL_LIMIT_MAX */
	rl_ban_kind ban;
	int64_t ban_s;     /* a duration in seconds, or a unix time */
	bool verdict_only; /* of an admission nothing else is wanted: what remains, and until when, may be left out */
} rl_counter_question;

#endif
