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

#endif
