/* Resolves a host's name within a deadline, which the system's resolver does not have. */
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

/* The state of one name. Valid when zeroed. */
typedef struct {
	rl_redis_lookup *pending; /* the lookup that is still running; the next call takes its result */
	pid_t owner;              /* the process of the pending lookup: a forked child does not have its thread */
	rl_redis_addresses last;  /* the last result */
	int64_t last_us;
} rl_redis_resolver;

/* Clears the state. The result of a running lookup is discarded. */
void rl_redis_resolver_clear(rl_redis_resolver *r);

/* Resolves a host. Uses a numeric address as it is. Looks a name up each time, because some setups publish a new master by
 * DNS. If the lookup fails or takes more than half of the time, uses the last result of the past hour. Returns NULL on
 * success, otherwise the reason. */
const char *rl_redis_resolve(rl_redis_resolver *r, const char *host, const char *port, int64_t deadline_us,
	rl_redis_addresses *found);

#endif
