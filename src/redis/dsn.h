/* Where a Redis is and how to get in, as ratelimit.store writes it:
 *
 *     redis://[user:password@]host[:port][/db]      an IPv6 address in brackets; ?db=n instead of /db, too
 *     unix://[user:password@]/path/to.sock[?db=n]
 *
 * User, password, host and path are percent-decoded; the user may be empty (":password@"). */
#ifndef RL_REDIS_DSN_H
#define RL_REDIS_DSN_H

#include "redis.h"

#define RL_REDIS_PORT 6379

/* Bytes of anything; text is terminated, too. */
typedef struct {
	const char *text;
	size_t len;
} rl_redis_text;

typedef struct {
	bool is_unix;
	rl_redis_text address; /* a host without brackets, or a path; holds no NUL */
	char port[6];          /* digits; not for unix */
	int db;
	bool has_password;
	rl_redis_text user;    /* empty: the default user */
	rl_redis_text password;
	char label[128];       /* the DSN for messages: password masked, shortened when it is long */
	char *storage;         /* what the texts point into */
	size_t storage_size;
} rl_redis_dsn;

/* False, with the reason in e, for a DSN that is none; nothing is to be freed then. The reason quotes nothing that
 * might be a part of a password. */
bool rl_redis_dsn_parse(rl_redis_dsn *dsn, const char *text, size_t len, rl_error *e);

/* Frees what it holds, and wipes the password. */
void rl_redis_dsn_free(rl_redis_dsn *dsn);

/* Writes "Redis at {label}: …" to e, cut where it does not fit. */
__attribute__((format(printf, 3, 4)))
void rl_redis_tell(rl_error *e, const rl_redis_dsn *dsn, const char *format, ...);

#endif
