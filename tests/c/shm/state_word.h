/* Shared by the programs about one-word states. */
#ifndef RL_TEST_STATE_WORD_H
#define RL_TEST_STATE_WORD_H

#include "check.h"
#include "harness.h"
#include "random.h"
#include "same_left.h"

#include "src/shm/segment/clock.h"
#include "src/shm/store/limiter_fast.h"
#include "src/shm/table/ban_word.h"
#include "src/shm/table/state_word.h"
#include "src/shm/store/store_internal.h"

#define S RL_US_PER_SECOND

static rl_terms ignored;

static inline void restart(void)
{
	rl_shm_shutdown();
	rl_clock_unfreeze();
	test_segment(RL_SHM_BYTES_MIN);
	rl_clock_freeze(INT64_C(1700000000) * S);
}

/* The frozen clock's, on the segment's time. */
static inline rl_now test_now(void)
{
	rl_now now = rl_clock_read();

	now.mono_us = rl_segment_us(&rl_shm, now.mono_us);
	return now;
}

static inline rl_entry *entry_of(const char *name, int64_t id)
{
	rl_key key = test_key(RL_SPACE_LIMITER, name, id);

	return rl_table_find(&rl_shm, rl_shm_position(&rl_shm, &key, true));
}

static inline void compare_answers(const rl_question *q, const rl_answer *a, const rl_answer *b)
{
	const rl_decision *x = &a->decision, *y = &b->decision;

	if (q->op == RL_OP_CONSUME || q->op == RL_OP_PEEK || q->op == RL_OP_ACQUIRE) {
		check(x->reason == y->reason && x->accepted == y->accepted && x->limit == y->limit
				&& x->remaining == y->remaining && x->retry_after_us == y->retry_after_us
				&& x->reset_after_us == y->reset_after_us,
			"op %u of algorithm %u: reason %u and %u, remaining %lu and %lu, retry %ld and %ld, reset %ld and %ld",
			q->op, q->limits[0].algorithm, x->reason, y->reason, (unsigned long) x->remaining,
			(unsigned long) y->remaining, (long) x->retry_after_us, (long) y->retry_after_us, (long) x->reset_after_us,
			(long) y->reset_after_us);
		same_left(x, y, q->n_limits);
	} else if (q->op == RL_OP_UNBAN || q->op == RL_OP_RESET) {
		check(a->found == b->found, "op %u: found %u and %u", q->op, a->found, b->found);
	}
}

#endif
