/* Compares what two decisions about the same limits say that each has left. */
#ifndef RL_TEST_SAME_LEFT_H
#define RL_TEST_SAME_LEFT_H

#include "src/core/limit/decision.h"
#include "check.h"

static inline bool same_left(const rl_decision *d, const rl_decision *g, unsigned n)
{
	bool same = true;

	for (unsigned i = 0; i < n; i++) {
		rl_left x = {0}, y = {0};
		bool known = rl_decision_left(d, i, &x) && rl_decision_left(g, i, &y);

		/* A ban that is a word says nothing of its limit. */
		if (known && d->reason == RL_BANNED && (d->n_left == 0 || g->n_left == 0)) {
			known = x.ban_after_us == y.ban_after_us && x.level == y.level;
			y = x;
		}
		same &= check(known && x.remaining == y.remaining && x.reset_after_us == y.reset_after_us
				&& x.ban_after_us == y.ban_after_us && x.level == y.level && x.forget_after_us == y.forget_after_us,
			"limit %u of %u, decided by %u (%d), has left %lu and %lu, reset after %ld and %ld, ban %ld and %ld, level %u "
			"and %u, forgotten after %ld and %ld",
			i, n, d->limit_index, (int) d->reason, (unsigned long) x.remaining, (unsigned long) y.remaining,
			(long) x.reset_after_us, (long) y.reset_after_us, (long) x.ban_after_us, (long) y.ban_after_us,
			(unsigned) x.level, (unsigned) y.level, (long) x.forget_after_us, (long) y.forget_after_us);
	}
	return same;
}

#endif
