/* Writes messages about a server, with its DSN masked. rl_redis_dsn_mask() (redis.h) is defined here, too. */
#ifndef RL_REDIS_LABEL_H
#define RL_REDIS_LABEL_H

#include "../redis.h"

/* Writes "Redis at {label}: …" to e, truncated to fit. Sets question_only to false: a caller whose error concerns one
 * question sets it afterwards. */
__attribute__((format(printf, 3, 4))) void rl_redis_error_set(rl_error *e, const char *label, const char *format, ...);

/* Writes the server's text for messages: the DSN with its password masked, without rl_redis_options. */
void rl_redis_dsn_label(const char *dsn, size_t dsn_len, char *out, size_t out_size);

#endif
