/* Where a Redis is and how to get in, as ratelimit.store writes it:
 *
 *     redis://[user:password@]host[:port][/db]      an IPv6 address in brackets; ?db=n instead of /db, too
 *     rediss://…                                    the same over TLS
 *     unix://[user:password@]/path/to.sock[?db=n]
 *     redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[?db=n&sentinel_user=…&sentinel_password=…]
 *     redis+cluster://[user:password@]host[:port][,host[:port]…]
 *
 * User, password, host, path, the master's name and the values of options are percent-decoded; the user may be empty
 * (":password@"). Options: db; tls=1 (TLS to every server); with TLS ca (a file or a directory; else the system's),
 * cert and key (the client's certificate), verify_name (instead of the host), verify=0 (trust anybody). */
#ifndef RL_REDIS_DSN_H
#define RL_REDIS_DSN_H

#include "../redis.h"

#define RL_REDIS_PORT          6379
#define RL_REDIS_SENTINEL_PORT 26379

/* Bytes of anything; text is terminated, too. */
typedef struct {
	const char *text;
	size_t len;
} rl_redis_text;

#define RL_REDIS_HOST_MAX 255

typedef struct {
	char host[RL_REDIS_HOST_MAX + 1]; /* without brackets; or a socket's path */
	char port[6];                     /* digits; empty: host is a path */
} rl_redis_address;

typedef struct {
	bool given;
	rl_redis_text user; /* empty: the default user */
	rl_redis_text password;
} rl_redis_login;

/* Texts without a NUL; empty where not given. */
typedef struct {
	bool on;
	bool verify;
	rl_redis_text ca;
	rl_redis_text cert;
	rl_redis_text key;
	rl_redis_text verify_name;
} rl_redis_tls_options;

typedef enum {
	RL_REDIS_SINGLE,
	RL_REDIS_SENTINEL,
	RL_REDIS_CLUSTER,
} rl_redis_kind;

typedef struct {
	rl_redis_kind kind;
	rl_redis_address *addresses; /* one; or the sentinels; or the nodes to begin with */
	size_t n_addresses;
	rl_redis_text master; /* the name that the sentinels know it by */
	int db;
	rl_redis_login login;
	rl_redis_login sentinel_login;
	rl_redis_tls_options tls;
	char label[128]; /* the DSN for messages: passwords masked, shortened when it is long */
	char *storage;   /* what the texts point into */
	size_t storage_size;
} rl_redis_dsn;

/* False, with the reason in e, for a DSN that is none; nothing is to be freed then. The reason quotes nothing that
 * might be a part of a password. */
bool rl_redis_dsn_parse(rl_redis_dsn *dsn, const char *text, size_t len, rl_error *e);

/* Frees what it holds, and wipes the passwords. */
void rl_redis_dsn_free(rl_redis_dsn *dsn);

#endif
