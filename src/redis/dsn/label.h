/* Writes messages about a server, with its DSN masked. rl_redis_dsn_mask() (redis.h) is defined here, too. */
#ifndef RL_REDIS_LABEL_H
#define RL_REDIS_LABEL_H

#include "../redis.h"

/* Writes "Redis at {label}: …" to e, truncated to fit. Sets question_only to false: a caller whose error concerns one
 * question sets it afterwards. */
__attribute__((format(printf, 3, 4))) void rl_redis_error_set(rl_error *e, const char *label, const char *format, ...);

#endif
