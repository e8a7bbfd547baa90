/* Decides a call of ordinary limits on the fast path. A function that returns false has changed no state and counted nothing;
 * rl_store_ops.ask then decides. */
#ifndef RL_SHM_LIMITER_FAST_H
#define RL_SHM_LIMITER_FAST_H

#include "../../core/decide/usual.h"
#include "../../store.h"
#include "../segment/name_hash.h"
#include "../table/position.h"

/* Decides a consume: fills in d as rl_store_ops.ask does. limit: with up-to-date boundaries, if it is a calendar window. */
bool rl_limiter_fast(const rl_key *key, const rl_limit *limit, uint64_t cost, rl_decision *d);

/* Does the same with the hash of the key's name, which may have no shape. */
bool rl_limiter_fast_named(const rl_key *key, const rl_name_hash *name, const rl_limit *limit, uint64_t cost,
	rl_decision *d);

/* A verdict alone. An admission is one of the last two. */
typedef enum {
	RL_VERDICT_NONE,    /* nothing has changed: rl_limiter_fast_named() */
	RL_VERDICT_REFUSED, /* by the limit, which begins no ban */
	RL_VERDICT_ADMITTED,
	RL_VERDICT_NEAR, /* less than a tenth of the limit remains; of a bucket as of the coarse clock's last tick */
} rl_verdict;

/* Returns whether a limit's state may be one word. */
static inline bool rl_limiter_has_words(const rl_limit *limit)
{
	return limit->algorithm == RL_FIXED_WINDOW || limit->algorithm == RL_CALENDAR_WINDOW
		|| limit->algorithm == RL_TOKEN_BUCKET;
}

/* Decides a consume of an int identity of the space of limiters and a cost of 1, by the word alone, and by the coarse clocks where they
 * leave no doubt. It begins the state of an identity that has no entry. name: with a shape; limit: with rl_limiter_has_words(). */
rl_verdict rl_limiter_verdict_int(const rl_name_hash *name, int64_t id, const rl_limit *limit);

/* Does so for a string identity, which is not the decimal text of an int, while no network may be banned. */
rl_verdict rl_limiter_verdict_string(const rl_name_hash *name, const char *id, size_t id_len, const rl_limit *limit);

/* Returns the position of an identity, which is the same as long as the process lives. */
rl_position rl_limiter_position(const rl_key *key);

/* Admits a call of a fixed window with a cost of 1, by the coarse clock, and fills in d. The time left is then rounded up, by at most
 * a tick of that clock. Returns false where a refusal, the end of the window or the exact clock may decide. */
bool rl_limiter_admit(rl_position position, const rl_limit *limit, rl_decision *d);

/* Does so by the identity's record: more calls than a word counts. */
bool rl_limiter_admit_by_record(rl_position position, const rl_limit *limit, rl_decision *d);

/* Decides a consume of one or more limits, which share the key's state: as rl_limiter_fast_named() does. wall: whether a limit needs the
 * wall clock (rl_limiter_needs_wall()). */
bool rl_limiter_fast_several(const rl_key *key, const rl_name_hash *name, bool wall, const rl_usual_call *call,
	rl_decision *d);

/* The hash of a key whose name is not known to have one. */
extern RL_HIDDEN const rl_name_hash rl_limiter_no_name;

#endif
