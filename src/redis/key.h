/* The Redis key of a state. */
#ifndef RL_REDIS_KEY_H
#define RL_REDIS_KEY_H

#include "../store.h"

/* What a key can need beside the prefix: two names of RL_NAME_MAX bytes, an int, two lengths and the colons. */
#define RL_REDIS_KEY_MAX (2 * (size_t) RL_NAME_MAX + 32)

/* Writes what follows the prefix to out, which has room for RL_REDIS_KEY_MAX bytes; returns the length.
 *
 * An action's int has the article's key, {name}:{id}. Every other form ends in ":{length of the name}" and the letter of
 * its space: no such key can be a plain one (which ends in a digit), and the length says where the name ends, whatever
 * bytes it holds. */
size_t rl_redis_key_write(const rl_key *key, char *out);

#endif
