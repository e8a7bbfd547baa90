/* Declares TLS over a connected socket, by OpenSSL. In a build without OpenSSL rl_redis_has_tls() returns false,
 * and a DSN that needs TLS is invalid. */
#ifndef RL_REDIS_TLS_H
#define RL_REDIS_TLS_H

#include <sys/types.h>

#include "deadline.h"
#include "../../store.h"
#include "address.h"

#define RL_REDIS_NO_TLS "OpenSSL and its headers were not found when it was built"

/* The trusted CAs and the client's certificate: read from files once, for any number of connections. */
typedef struct rl_redis_tls_context rl_redis_tls_context;

/* One connection. */
typedef struct rl_redis_tls rl_redis_tls;

/* Reads the files. Returns NULL, with the reason in e, for a missing or invalid file. */
rl_redis_tls_context *rl_redis_tls_context_new(const rl_redis_tls_options *options, const char *label, rl_error *e);

/* Frees the context. Open connections keep a share of it. */
void rl_redis_tls_context_free(rl_redis_tls_context *context);

/* Does the TLS handshake. The caller keeps the socket. host: the name that the certificate must have. Returns NULL, with the
 * reason in e, when the deadline passes, or if one side rejects the other (*status is RL_MISCONFIGURED then). */
rl_redis_tls *rl_redis_tls_open(rl_redis_tls_context *context, int fd, const char *host, rl_redis_deadline deadline,
	const char *label, rl_status *status, rl_error *e);

/* Frees the TLS state and sends nothing: in a forked child the connection still belongs to the parent. */
void rl_redis_tls_close(rl_redis_tls *tls);

/* Like rl_redis_socket_send() and _receive(). After EPROTO rl_redis_tls_reason() returns the reason. */
ssize_t rl_redis_tls_send(rl_redis_tls *tls, const char *data, size_t len);
ssize_t rl_redis_tls_receive(rl_redis_tls *tls, char *data, size_t len);
const char *rl_redis_tls_reason(const rl_redis_tls *tls);

/* Returns whether the server rejected the client, as for a missing certificate. With TLS 1.3 that comes after the handshake. */
bool rl_redis_tls_is_refused(const rl_redis_tls *tls);

/* Returns whether decrypted bytes wait that the socket does not show. */
bool rl_redis_tls_has_pending(const rl_redis_tls *tls);

/* Returns whether there is nothing to receive. Consumes messages of TLS itself, such as session tickets. */
bool rl_redis_tls_is_idle(rl_redis_tls *tls);

/* Returns whether the build supports TLS. */
bool rl_redis_has_tls(void);

#endif
