/* The words of a limit's text: algorithms, and the units of durations. */
#ifndef RL_CORE_LIMIT_WORDS_H
#define RL_CORE_LIMIT_WORDS_H

#include "limit.h"

/* By rl_algorithm: the words of texts, and the largest numbers. */
extern const char *const rl_algorithm_words[RL_ALGORITHMS + 1];
extern const int64_t rl_algorithm_max[RL_ALGORITHMS + 1];

#define RL_DURATION_UNITS 6

/* The units of durations, the largest first. */
extern const struct rl_duration_unit {
	const char *word;
	int64_t us;
} rl_duration_units[RL_DURATION_UNITS];

#endif
