/* What is said first on a new connection. */
#ifndef RL_REDIS_HANDSHAKE_H
#define RL_REDIS_HANDSHAKE_H

#include "server.h"

/* AUTH with these, as one command; false when there is nothing to be said. */
bool rl_redis_write_login(rl_redis_buffer *b, const rl_redis_login *login);

/* Connects, authenticates, selects the database and looks whom it speaks to, the latter three in one write: one deadline
 * over all of it. RL_OK: it is a server that we can work with. */
rl_status rl_redis_handshake(rl_redis_server *s, rl_redis_tls_context *tls, rl_redis_deadline deadline, rl_error *e);

#endif
