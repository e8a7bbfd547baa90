/* Commands as they travel to Redis: arrays of byte strings, so that no byte in a key can mean anything. */
#ifndef RL_REDIS_COMMAND_H
#define RL_REDIS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Grows as needed and keeps its memory for the next use. Once it got none, it stays failed until it is emptied. */
typedef struct {
	char *data;
	size_t len;
	size_t capacity;
	bool failed;
} rl_redis_buffer;

void rl_redis_buffer_clear(rl_redis_buffer *b);
void rl_redis_buffer_free(rl_redis_buffer *b);

/* Overwrites what was a password, also where the compiler thinks that nobody will look again. */
void rl_redis_wipe(void *bytes, size_t len);

/* As free, and leaves nothing of what it held in memory. */
void rl_redis_buffer_wipe(rl_redis_buffer *b);

/* Begins a command of n arguments, its name included. */
void rl_redis_buffer_command(rl_redis_buffer *b, size_t n);

/* One argument. */
void rl_redis_buffer_bytes(rl_redis_buffer *b, const char *bytes, size_t len);
void rl_redis_buffer_int(rl_redis_buffer *b, int64_t number);

static inline void rl_redis_buffer_text(rl_redis_buffer *b, const char *text)
{
	rl_redis_buffer_bytes(b, text, strlen(text));
}

#endif
