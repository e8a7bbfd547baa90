/* Defines the question that PHP puts to a store, and the store's answer. */
#ifndef RL_CORE_DECISION_H
#define RL_CORE_DECISION_H

#include <stddef.h>
#include <string.h>

#include "limit.h"

/* The store's clocks, read once per decision: mono_us for durations, wall_us for calendar times. */
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

/* Where a decision was taken: Result::$store. */
typedef enum {
	RL_FROM_SHM,
	RL_FROM_REDIS,
	RL_FROM_LOCAL,  /* the embedded store, because Redis was unavailable */
	RL_FROM_CACHE,  /* the deny cache: an earlier refusal of Redis */
	RL_FROM_LEASE,  /* a batch of permits that this machine has leased from Redis */
	RL_FROM_EXEMPT, /* no store: the file of named limiters exempts the identity */
	RL_FROM_REFUSE, /* no store: that file refuses it, or the ban of its network on this machine */
} rl_source;

/* One limit after a decision, as if no ban ran, and the ban and the level of its identity. */
typedef struct {
	uint64_t remaining : 48; /* 0 to the limit's number */
	uint64_t level : 16;     /* the bans of its identity that have escalated */
	int64_t reset_after_us;  /* until the limit has all its permits again; >= 0 */
	int64_t ban_after_us;    /* until the ban of its identity ends; 0: none runs */
	int64_t forget_after_us; /* until the level is forgotten; 0: there is none */
} rl_left;

typedef struct {
	rl_reason reason;
	rl_source source;
	bool ban_begun;      /* a counter's refusal by the embedded store: it began a ban. Of a limiter: rl_answer.found */
	bool accepted;       /* may be either with RL_STORE_UNAVAILABLE, by ratelimit.on_failure */
	uint8_t limit_index; /* the deciding limit, an index into the question's limits */
	uint8_t n_left;      /* the question's limits, which left has; 0: what is below is all that is known */
	uint16_t level;      /* the bans that have escalated, after the decision */
	uint32_t leased;     /* of a counter with a lease: the permits that were taken beside the count */
	uint64_t limit;      /* its number */
	uint64_t remaining;  /* 0 to limit */
	int64_t
		retry_after_us; /* until the call passes, RL_NEVER: never; accepted: until the next one with a cost of 1 does */
	int64_t reset_after_us;      /* >= 0; of a ban: until it ends */
	rl_left left[RL_LIMITS_MAX]; /* n_left are set: after the call, also of a peek; refused: as it is */
} rl_decision;

/* Copies a decision without what is not set. */
static inline void rl_decision_copy(rl_decision *to, const rl_decision *from)
{
	memcpy(to, from, offsetof(rl_decision, left) + from->n_left * sizeof *from->left);
}

/* Sets what limit i has left. Returns false if the decision does not know it. */
static inline bool rl_decision_left(const rl_decision *d, unsigned i, rl_left *left)
{
	if (i < d->n_left) {
		*left = d->left[i];
		return true;
	}
	*left = (rl_left){
		.remaining = d->remaining,
		.level = d->level,
		.reset_after_us = d->reset_after_us,
		.ban_after_us = d->reason == RL_BANNED ? d->reset_after_us : 0,
	};
	return d->n_left == 0 && i == d->limit_index;
}

typedef enum {
	RL_OP_CONSUME = 1,
	RL_OP_PEEK = 2,
	RL_OP_RESERVE = 3,
	RL_OP_CANCEL = 4,
	RL_OP_CREDIT = 5, /* gives back up to the cost of what is counted now; not tied to an earlier call */
	RL_OP_BAN = 6,
	RL_OP_UNBAN = 7,
	RL_OP_RESET = 8,
	RL_OP_LEASE = 9,    /* Redis only: consume, and take as many more permits as lease allows */
	RL_OP_ACQUIRE = 10, /* consume for a permit that may be given back, or whose turn comes later */
	RL_OP_SETTLE = 11,  /* ends a permit with its true cost: the cost */
	RL_OP_RELEASE = 12, /* ends a permit's concurrent places */
	RL_OP_RENEW = 13,   /* moves the end of a permit's concurrent places to renew_us from now */
	RL_OP_MIRROR = 14,  /* embedded store only: writes what another store has answered: rl_question.told */
} rl_op;

/* Returns whether the op is a decision, which another store can take in place of one that has no answer. Any other op is a command,
 * which takes effect in the store or does not. */
static inline bool rl_op_is_decision(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_PEEK || op == RL_OP_RESERVE || op == RL_OP_ACQUIRE;
}

/* Returns whether an accepted decision of this op counts. A peek does not. */
static inline bool rl_op_counts(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_RESERVE || op == RL_OP_ACQUIRE;
}

#define RL_TAG_MASK ((UINT64_C(1) << 48) - 1)

/* In a tag: its acquire has not begun the limit state. An undo asks for it; two tags are compared without it. */
#define RL_TAG_WAS_THERE UINT64_C(1)

/* A permit's part of one limit. docs/semantics.md defines tags and places. */
typedef struct {
	uint64_t tag;     /* of the limit state, or of the concurrent place; 0: nothing is held */
	int64_t place;    /* a window's end, a moment, a sub-window's begin, a take number */
	int64_t moved_us; /* by how much a booking moved a bucket's TAT beside the cost */
	uint64_t cost;    /* what was charged */
} rl_held;

/* A part of a question about several keys, which asks one state. Statistics do not count it. */
typedef enum {
	RL_WHOLE = 0,
	RL_PART,
	RL_PART_TENTATIVE, /* acquire: takes only where a later undo leaves no trace, in a state of these limits and periods, and else refuses; peek: of an
	                * admission only that it is one; settle: without a decision */
} rl_part;

/* An answer of another store about one limit, after the call. */
typedef struct {
	bool is_known;   /* else the limit's own state stays as it is */
	uint64_t used;   /* at most the limit */
	int64_t full_us; /* until the limit has all its permits again, from the answer on */
} rl_told_limit;

/* An answer of another store about an identity. */
typedef struct {
	int64_t trip_us;   /* from before the question until now: the store decided between the two */
	bool is_latest;    /* the state has not changed since the question, and the store knows of all that counts in it */
	int64_t ban_us;    /* until the end of its ban; 0: none runs */
	uint8_t ban_limit; /* the limit that the ban is by; n_limits: not known */
	uint16_t level;    /* the bans that have escalated */
	int64_t forget_us; /* until the level is forgotten */
	rl_told_limit limits[RL_LIMITS_MAX];
} rl_told;

/* The permits of one limit that a machine has admitted while another store was away. */
typedef struct {
	uint64_t n;      /* permits; 0: none */
	int64_t age_us;  /* since a moment of the window in which they passed */
	int64_t left_us; /* until the limit forgets them */
} rl_debt;

/* One question to a limiter. docs/semantics.md defines each op. */
typedef struct {
	rl_op op;
	uint8_t n_limits; /* 1 to RL_LIMITS_MAX */
	uint8_t n_keys; /* above 1: the states that have parts of the limits (rl_limit.identity); else one state has all */
	bool leased;    /* a limit is leased() */
	bool as_is;     /* peek: rl_decision.left is of the state as it is, not after the call */
	rl_part part;   /* of a question about several keys */
	bool owes;      /* consume, acquire: debts is set */
	uint16_t
		share; /* embedded store only: one of so many machines, which admits its share of what is left; 0: all of it */
	uint64_t cost; /* 1 to RL_LIMIT_MAX; consume, peek, reserve, cancel, credit, lease, acquire; peek, settle: from 0 */
	uint64_t leave;    /* 0 to RL_LIMIT_MAX; consume, acquire: what must remain */
	uint64_t at_least; /* 1 to cost: a part of the cost that is enough; 0: all of it; consume, acquire */
	const uint64_t *
		costs; /* the cost of each limit, in the place of cost; 0: the limit is skipped. NULL: all have cost. Not only 0 for a peek */
	union {
		int64_t at_us;        /* reserve, cancel: the wall-clock moment; lease: the longest life of the batch */
		const rl_debt *debts; /* n_limits of them, which Redis counts first, whatever the limits are */
	};
	uint32_t lease;  /* lease: the most permits to take beside the cost, 1 to RL_COUNTER_MAX */
	rl_ban_kind ban; /* ban: how to read ban_us */
	int64_t ban_us;
	int64_t max_wait_us; /* acquire: 0 to RL_PERIOD_MAX_US */
	int64_t renew_us;    /* renew: RL_PERIOD_MIN_US to RL_PERIOD_MAX_US; 0: each limit's own period */
	uint64_t
		tag; /* acquire: the permit's own number, even, 2 to RL_TAG_MASK; settle: that of an acquire to undo, or 0 */
	uint64_t owner; /* acquire: the worker that holds the places; 0: their end alone frees them */
	union {
		rl_held *held; /* n_limits of them: an admitted acquire fills them in; settle, release and renew read them */
		rl_told *told; /* mirror: the embedded store ends is_latest where the state has changed */
	};
	rl_limit limits[RL_LIMITS_MAX];
} rl_question;

/* Returns the number of states that a question is about. */
static inline unsigned rl_question_keys(const rl_question *q)
{
	return q->n_keys > 1 ? q->n_keys : 1;
}

/* Copies a question without the limits that it does not have. */
static inline void rl_question_copy(rl_question *to, const rl_question *from)
{
	memcpy(to, from, offsetof(rl_question, limits) + from->n_limits * sizeof *from->limits);
}

typedef struct {
	rl_decision decision; /* consume, peek, reserve, acquire, settle */
	bool
		found; /* cancel, unban, reset, release, renew: whether there was a booking, a ban, a state, the places; of a ban's refusal:
	             * whether this call begins it */
	uint64_t
		granted;     /* consume, acquire: the cost that was counted, with costs by the deciding limit; 0 when refused */
	int64_t wait_us; /* acquire: the time until the turn */
	uint8_t shadow;  /* set by src/php: 1 + the index of the shadow limit that would have refused; 0: none */
	bool passed;     /* set by src/php: a refusal that passes, because all limits are shadows. Nothing was counted */
	uint32_t leased; /* lease: permits leased beside the cost */
	bool question_only; /* in a batch, of a question without an answer: its rl_error.question_only */
} rl_answer;

/* The question of doHandle() and check(): one counter with its ban. */
typedef struct {
	uint32_t seconds; /* 1 to RL_SECONDS_MAX */
	uint32_t limit;   /* 1 to RL_COUNTER_MAX */
	rl_ban_kind ban;
	int64_t ban_s;       /* a duration in seconds, or a unix time */
	const rl_debt *debt; /* of this machine, or NULL */
	bool verdict_only;   /* an admission's reset_after_us may be of whole milliseconds */
	uint32_t lease;      /* the most permits to take beside the count, 0 to RL_COUNTER_MAX */
} rl_counter_question;

/* A command to that counter. */
typedef struct {
	rl_op op;        /* RL_OP_RESET, RL_OP_BAN or RL_OP_UNBAN */
	rl_ban_kind ban; /* ban: how to read ban_ms */
	int64_t ban_ms;  /* a duration, or a wall-clock moment since 1970 */
} rl_counter_command;

#endif
