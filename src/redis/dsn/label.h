/* Writes DSNs for messages, with their passwords masked. rl_redis_dsn_mask() (dsn.h) is defined here, too. */
#ifndef RL_REDIS_LABEL_H
#define RL_REDIS_LABEL_H

#include "dsn.h"

/* Writes the server's text for messages: the DSN with its password masked, without rl_redis_options. */
void rl_redis_dsn_label(const char *dsn, size_t dsn_len, char *out, size_t out_size);

#endif
