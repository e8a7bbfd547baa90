#include "single_sliding.h"

bool rl_single_sliding_window(const rl_limit *limit, uint64_t cost, int64_t now_us, uint64_t *limit_state,
	rl_single_outcome *outcome, rl_decision *d)
{
	rl_single_sliding o;

	if (!rl_single_sliding_decide(limit, cost, now_us, limit_state, &o)) {
		return false;
	}
	rl_single_sliding_answer(&o, limit, d);
	if (o.accepted) {
		*outcome = o.next;
	}
	return true;
}
