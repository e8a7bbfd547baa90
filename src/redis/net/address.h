/* Declares where a server is, and by which certificates it is known. */
#ifndef RL_REDIS_ADDRESS_H
#define RL_REDIS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Any bytes, with a terminator behind them. */
typedef struct {
	const char *text;
	size_t len;
} rl_redis_text;

#define RL_REDIS_HOST_MAX 255

typedef struct {
	char host[RL_REDIS_HOST_MAX + 1]; /* without brackets; or a socket's path */
	char port[6];                     /* digits; empty: host is a path */
} rl_redis_address;

/* Texts without a NUL; empty if not given. */
typedef struct {
	bool on;
	bool verify;
	rl_redis_text ca;
	rl_redis_text cert;
	rl_redis_text key;
	rl_redis_text verify_name;
} rl_redis_tls_options;

#endif
