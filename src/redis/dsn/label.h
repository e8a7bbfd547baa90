/* What messages say about a server: its DSN, without what is secret. rl_redis_dsn_mask() (redis.h) is here, too. */
#ifndef RL_REDIS_LABEL_H
#define RL_REDIS_LABEL_H

#include "../redis.h"

/* Writes "Redis at {label}: …" to e, cut where it does not fit: of a server that cannot be asked, unless the caller then
 * says that it is about one question only. */
__attribute__((format(printf, 3, 4))) void rl_redis_error_set(rl_error *e, const char *label, const char *format, ...);

#endif
