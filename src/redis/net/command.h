/* Writes Redis commands: arrays of byte strings with lengths, so that a key may contain any byte. */
#ifndef RL_REDIS_COMMAND_H
#define RL_REDIS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Grows as needed and keeps its memory for the next use. After a failed allocation it stays failed until it is cleared. */
typedef struct {
	char *data;
	size_t len;
	size_t capacity;
	bool failed;
} rl_redis_buffer;

void rl_redis_buffer_clear(rl_redis_buffer *b);
void rl_redis_buffer_free(rl_redis_buffer *b);

/* Overwrites a password. The compiler cannot remove the write as dead. */
void rl_redis_wipe(void *bytes, size_t len);

/* Overwrites the contents, then frees them. */
void rl_redis_buffer_wipe(rl_redis_buffer *b);

/* Begins a command of n arguments, its name included. */
void rl_redis_buffer_command(rl_redis_buffer *b, size_t n);

/* Append one argument. */
void rl_redis_buffer_bytes(rl_redis_buffer *b, const char *bytes, size_t len);
void rl_redis_buffer_int(rl_redis_buffer *b, int64_t number);

/* Appends bytes that are part of a command already. */
void rl_redis_buffer_raw(rl_redis_buffer *b, const char *bytes, size_t len);

static inline void rl_redis_buffer_text(rl_redis_buffer *b, const char *text)
{
	rl_redis_buffer_bytes(b, text, strlen(text));
}

#endif
