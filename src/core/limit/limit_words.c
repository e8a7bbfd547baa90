#include "limit_words.h"

#define ALGORITHM_WORD(number, NAME, name, word, ...) [number] = word,

const char *const rl_algorithm_words[RL_ALGORITHMS + 1] = {RL_ALGORITHM_ROWS(ALGORITHM_WORD)};

#define ALGORITHM_MAX(number, NAME, name, word, kind, method, max) [number] = max,

const int64_t rl_algorithm_max[RL_ALGORITHMS + 1] = {RL_ALGORITHM_ROWS(ALGORITHM_MAX)};

const struct rl_duration_unit rl_duration_units[RL_DURATION_UNITS] = {
	{"w", 604800 * RL_US_PER_SECOND},
	{"d", 86400 * RL_US_PER_SECOND},
	{"h", 3600 * RL_US_PER_SECOND},
	{"m", 60 * RL_US_PER_SECOND},
	{"s", RL_US_PER_SECOND},
	{"ms", RL_US_PER_MS},
};
