/* Computes SHA-1, the name of a script in Redis. It protects no secret, so its strength does not matter. */
#ifndef RL_REDIS_SHA1_H
#define RL_REDIS_SHA1_H

#include <stddef.h>

#define RL_REDIS_SHA1_HEX 40

/* Writes 40 lower-case hexadecimal digits and a terminator. */
void rl_redis_sha1(const char *bytes, size_t len, char hex[RL_REDIS_SHA1_HEX + 1]);

#endif
