#include "algorithm.h"

#define ALGORITHM_OPS(number, NAME, name, ...) [number] = &rl_##name##_ops,

const rl_algorithm_ops *const rl_algorithms[RL_ALGORITHMS + 1] = {RL_ALGORITHM_ROWS(ALGORITHM_OPS)};
