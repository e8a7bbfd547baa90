/* TLS on a socket that is there already, by OpenSSL. Where the build found none, rl_redis_has_tls() (redis.h) is false,
 * and no DSN that needs TLS is taken. */
#ifndef RL_REDIS_TLS_H
#define RL_REDIS_TLS_H

#include <sys/types.h>

#include "deadline.h"
#include "../dsn/dsn.h"

#define RL_REDIS_NO_TLS "OpenSSL and its headers were not found when it was built"

/* Whom to trust, and who we are: read from files once, for any number of connections. */
typedef struct rl_redis_tls_context rl_redis_tls_context;

/* One connection. */
typedef struct rl_redis_tls rl_redis_tls;

/* NULL, with the reason in e, when a file is not what it should be. */
rl_redis_tls_context *rl_redis_tls_context_new(const rl_redis_tls_options *options, const char *label, rl_error *e);

/* Its connections keep what they need of it. */
void rl_redis_tls_context_free(rl_redis_tls_context *context);

/* Shakes hands; the socket stays the caller's. NULL, with the reason in e, when the deadline comes first, or when one
 * side does not trust the other (*status is RL_MISCONFIGURED then). host: whom the certificate must name. */
rl_redis_tls *rl_redis_tls_open(rl_redis_tls_context *context, int fd, const char *host, rl_redis_deadline deadline,
	const char *label, rl_status *status, rl_error *e);

/* Says nothing to the server: in a forked child the connection goes on being the parent's. */
void rl_redis_tls_close(rl_redis_tls *tls);

/* As rl_redis_socket_send() and _receive(). EPROTO: rl_redis_tls_reason() tells why. */
ssize_t rl_redis_tls_send(rl_redis_tls *tls, const char *data, size_t len);
ssize_t rl_redis_tls_receive(rl_redis_tls *tls, char *data, size_t len);
const char *rl_redis_tls_reason(const rl_redis_tls *tls);

/* Has the server refused us, as for want of a certificate? TLS 1.3 says so only after the handshake. */
bool rl_redis_tls_is_refused(const rl_redis_tls *tls);

/* Can something be received for which nothing needs to arrive? */
bool rl_redis_tls_has_pending(const rl_redis_tls *tls);

/* Is there nothing to be received? Takes what TLS says for itself, as the tickets for later sessions. */
bool rl_redis_tls_is_idle(rl_redis_tls *tls);

#endif
