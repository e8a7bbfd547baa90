/* From a host's name to addresses, within a deadline: the system's resolver has none. */
#ifndef RL_REDIS_RESOLVER_H
#define RL_REDIS_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#define RL_REDIS_ADDRESSES_MAX 8

typedef struct {
	size_t n;
	struct {
		struct sockaddr_storage address;
		socklen_t len;
	} each[RL_REDIS_ADDRESSES_MAX];
} rl_redis_addresses;

typedef struct rl_redis_lookup rl_redis_lookup;

/* What is known of one name. Zero is a good beginning. */
typedef struct {
	rl_redis_lookup *pending; /* still being looked up, for whoever asks next */
	pid_t owner;              /* of the pending one: a forked child has not got the thread */
	rl_redis_addresses last;  /* what it was when it was last found */
	int64_t last_us;
} rl_redis_resolver;

/* Forgets the name; what is still being looked up will reach nobody. */
void rl_redis_resolver_clear(rl_redis_resolver *r);

/* A numeric address is taken as it is. A name is looked up each time, because that is how some tell of a new master; when
 * nobody answers in time, it is what it was within the last hour, and half of the time is left to connect. NULL: found;
 * else why not. */
const char *rl_redis_resolve(rl_redis_resolver *r, const char *host, const char *port, int64_t deadline_us,
	rl_redis_addresses *found);

#endif
