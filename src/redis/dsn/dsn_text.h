/* Decodes the texts in a DSN, and reports its errors. */
#ifndef RL_REDIS_DSN_TEXT_H
#define RL_REDIS_DSN_TEXT_H

#include "dsn.h"
#include "span.h"

/* Writes the reason why a DSN is invalid to e, and returns false. */
__attribute__((format(printf, 2, 3))) bool rl_redis_dsn_refuse(rl_error *e, const char *format, ...);

/* Decodes s to *storage and moves that behind the text. Returns false, with the reason in e, for a bad encoding. */
bool rl_redis_dsn_text(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e);

/* The same for a text that must not be empty or contain a NUL. */
bool rl_redis_dsn_word(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e);

#endif
