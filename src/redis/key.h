/* Writes the Redis key of a state. */
#ifndef RL_REDIS_KEY_H
#define RL_REDIS_KEY_H

#include "../store.h"

/* The most bytes of a key without the prefix: two names of RL_NAME_MAX bytes, an int, two lengths and the colons. */
#define RL_REDIS_KEY_MAX (2 * (size_t) RL_NAME_MAX + 32)

/* Writes the part behind the prefix to out, which has room for RL_REDIS_KEY_MAX bytes; returns the length.
 *
 * An action with an int has the key {name}:{id}. Every other form ends in ":{length of the name}" and the letter of its
 * space. So no such key equals one of the first form, which ends in a digit, and the length marks the end of a name with
 * any bytes.
 *
 * A client could choose the slot of such a key in a cluster by a hash tag in its identity. So one with an opening brace begins
 * with an empty tag, "{}": then the whole key decides. Only a tag of the prefix, or of an action with an int, is a tag. */
size_t rl_redis_key_write(const rl_key *key, char *out);

/* Reads the part behind the prefix. The key borrows the bytes; an identity that is a number stays text, except in the key
 * of an action. Returns false for bytes that rl_redis_key_write() never writes. */
bool rl_redis_key_read(const char *bytes, size_t len, rl_key *key);

#endif
