/* Does the handshake of a new connection: AUTH, HELLO, SELECT. */
#ifndef RL_REDIS_HANDSHAKE_H
#define RL_REDIS_HANDSHAKE_H

#include "server.h"

/* Appends AUTH as one command. Returns false, without a command, if the login is not given. */
bool rl_redis_write_login(rl_redis_buffer *b, const rl_redis_login *login);

/* Connects, authenticates, checks the server's version and role, and selects the database: the latter three in one write,
 * all under one deadline. RL_OK: the server is usable. */
rl_status rl_redis_handshake(rl_redis_server *s, rl_redis_tls_context *tls, rl_redis_deadline deadline, rl_error *e);

#endif
