/* Parses the options of a DSN. */
#ifndef RL_REDIS_DSN_OPTIONS_H
#define RL_REDIS_DSN_OPTIONS_H

#include "dsn.h"
#include "span.h"

/* Reads the options behind the "?". */
bool rl_redis_dsn_options(rl_redis_dsn *dsn, rl_redis_span options, bool db_given, char **storage, rl_error *e);

typedef enum {
	RL_REDIS_OPTION_SECRET, /* or no option */
	RL_REDIS_OPTION_OF_SERVER,
	RL_REDIS_OPTION_OF_STORE, /* one of rl_redis_options */
} rl_redis_option_kind;

rl_redis_option_kind rl_redis_dsn_option_kind(rl_redis_span name);

/* Reads the number of a database. */
bool rl_redis_dsn_db(rl_redis_dsn *dsn, rl_redis_span s, rl_error *e);

/* ---- The texts in a DSN, and its errors: of all its parts ---- */

/* Writes the reason why a DSN is invalid to e, and returns false. */
__attribute__((format(printf, 2, 3))) bool rl_redis_dsn_refuse(rl_error *e, const char *format, ...);

/* Decodes s to *storage and moves that behind the text. Returns false, with the reason in e, for a bad encoding. */
bool rl_redis_dsn_text(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e);

/* The same for a text that must not be empty or contain a NUL. */
bool rl_redis_dsn_word(rl_redis_span s, rl_redis_text *text, char **storage, const char *what, rl_error *e);

#endif
