#include "limit_words.h"

const char *const rl_algorithm_words[RL_ALGORITHMS + 1] = {
	[RL_FIXED_WINDOW] = "fixed",
	[RL_CALENDAR_WINDOW] = "calendar",
	[RL_SLIDING_LOG] = "log",
	[RL_SLIDING_WINDOW] = "window",
	[RL_TOKEN_BUCKET] = "bucket",
	[RL_CONCURRENT] = "concurrent",
};

const struct rl_duration_unit rl_duration_units[RL_DURATION_UNITS] = {
	{"w", 604800 * RL_US_PER_SECOND},
	{"d", 86400 * RL_US_PER_SECOND},
	{"h", 3600 * RL_US_PER_SECOND},
	{"m", 60 * RL_US_PER_SECOND},
	{"s", RL_US_PER_SECOND},
	{"ms", RL_US_PER_MS},
};
