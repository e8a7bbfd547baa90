/* src/redis/dsn: The place of Redis, and how it is asked: the DSN, its options, its text for messages.
 *
 * Parses the DSN of ratelimit.store:
 *
 *     redis://[user:password@]host[:port][/db]      an IPv6 address in brackets; ?db=n instead of /db, too
 *     rediss://…                                    the same over TLS
 *     unix://[user:password@]/path/to.sock[?db=n]
 *     redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[?db=n&sentinel_user=…&sentinel_password=…]
 *     redis+cluster://[user:password@]host[:port][,host[:port]…]
 *
 * User, password, host, path, the master's name and the values of options are percent-decoded; the user may be empty
 * (":password@"). Options: db; tls=1 (TLS to every server); with TLS ca (a file or a directory; else the system's),
 * cert and key (the client's certificate), verify_name (instead of the host), verify=0 (trust any certificate). Those of
 * rl_redis_options are connect_timeout, timeout, retry_delay, deny_cache, lease. */
#ifndef RL_REDIS_DSN_H
#define RL_REDIS_DSN_H

#include "../../store.h"
#include "../net/address.h"
#include "sha1.h"

typedef struct {
	bool given;
	rl_redis_text user; /* empty: the default user */
	rl_redis_text password;
} rl_redis_login;

#define RL_REDIS_DENY_CACHE_WINDOW (-1)

/* How a store asks its server: options of its DSN. They are no part of its identity: two stores that differ in them alone share
 * connections, breaker and counts. */
typedef struct {
	int connect_timeout_ms; /* to connect, the handshake included: one deadline */
	int timeout_ms;         /* for one question, from the first byte sent to the last one read: one deadline */
	int retry_delay_ms;     /* until a failed server gets the next request */
	int deny_cache_ms; /* how long a refusal is cached; RL_REDIS_DENY_CACHE_WINDOW: until the call could pass; 0: never */
	bool auto_lease;   /* permits are taken ahead, as Limit::leased() has it */
} rl_redis_options;

extern const rl_redis_options rl_redis_default_options;

typedef enum {
	RL_REDIS_SINGLE,
	RL_REDIS_SENTINEL,
	RL_REDIS_CLUSTER,
} rl_redis_kind;

typedef struct {
	rl_redis_kind kind;
	rl_redis_address *addresses; /* one; or the sentinels; or the seed nodes */
	size_t n_addresses;
	rl_redis_text master; /* the master's name at the sentinels */
	int db;
	rl_redis_login login;
	rl_redis_login sentinel_login;
	rl_redis_tls_options tls;
	rl_redis_options options;
	char label[128]; /* the server for messages: passwords masked, rl_redis_options left out, truncated if long */
	char *storage;   /* the texts point into it */
	size_t storage_size;
} rl_redis_dsn;

/* Parses a DSN. Returns false, with the reason in e and nothing to free, for an invalid one. The reason quotes nothing that
 * may be part of a password. */
bool rl_redis_dsn_parse(rl_redis_dsn *dsn, const char *text, size_t len, rl_error *e);

/* Frees the DSN, and wipes the passwords. */
void rl_redis_dsn_free(rl_redis_dsn *dsn);

/* Writes the name of the place of the counts, which a prefix makes complete: kind, addresses, the master's name, database, user.
 * Two DSNs that differ in other things alone have one place. Returns false when there is no memory. */
bool rl_redis_dsn_place(const rl_redis_dsn *dsn, const char *prefix, size_t prefix_len,
	char hex[RL_REDIS_SHA1_HEX + 1]);

/* Writes the name of what decides whether a connection is the right one: the place, the passwords, TLS. Two DSNs that differ in
 * rl_redis_options alone share connections. Returns false when there is no memory. */
bool rl_redis_dsn_connection(const rl_redis_dsn *dsn, char hex[RL_REDIS_SHA1_HEX + 1]);

/* Returns whether rl_redis_pool_store() accepts the DSN; if not, sets e to the reason, which never contains a password. */
bool rl_redis_dsn_check(const char *dsn, size_t dsn_len, rl_error *e);

/* Writes the DSN with its password masked, for phpinfo() and messages. Always terminates it. */
void rl_redis_dsn_mask(const char *dsn, size_t dsn_len, char *out, size_t out_size);

/* Writes the server's text for messages: the DSN with its password masked, without rl_redis_options. */
void rl_redis_dsn_label(const char *dsn, size_t dsn_len, char *out, size_t out_size);

#endif
