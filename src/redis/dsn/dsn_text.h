/* The texts in a DSN, and what is wrong with it. */
#ifndef RL_REDIS_DSN_TEXT_H
#define RL_REDIS_DSN_TEXT_H

#include "dsn.h"
#include "span.h"

/* Says why a DSN is none: writes to e, and is false. */
__attribute__((format(printf, 2, 3))) bool rl_redis_dsn_refuse(rl_error *e, const char *format, ...);

/* Decodes s to *storage and moves that behind it. False, with the reason in e, where it is badly encoded. */
bool rl_redis_dsn_text(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e);

/* The same for a text that can be neither empty nor hold a NUL. */
bool rl_redis_dsn_word(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e);

#endif
