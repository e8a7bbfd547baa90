#include "algorithm.h"

const rl_algorithm_ops *const rl_algorithms[RL_ALGORITHMS + 1] = {
	[RL_FIXED_WINDOW] = &rl_fixed_window_ops,
	[RL_CALENDAR_WINDOW] = &rl_calendar_window_ops,
	[RL_SLIDING_LOG] = &rl_sliding_log_ops,
	[RL_SLIDING_WINDOW] = &rl_sliding_window_ops,
	[RL_TOKEN_BUCKET] = &rl_token_bucket_ops,
	[RL_CONCURRENT] = &rl_concurrent_ops,
};
