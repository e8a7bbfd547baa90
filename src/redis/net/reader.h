/* Reads replies from the bytes of a server. */
#ifndef RL_REDIS_READER_H
#define RL_REDIS_READER_H

#include <stdbool.h>
#include <stddef.h>

#include <hiredis/hiredis.h>

#if HIREDIS_MAJOR >= 1
typedef size_t rl_redis_elements;
#else
typedef int rl_redis_elements;
#endif

/* The default bound on an array's elements: HELLO's reply and its list of modules are the longest. */
#define RL_REDIS_ELEMENTS_MAX 256

/* Wraps hiredis' reader with a bound on the length of an array: 13 bytes announce a billion elements, for which hiredis
 * would allocate at once. Must not move while it is open: hiredis points into it. */
typedef struct {
	redisReader *hiredis; /* NULL: closed */
	size_t elements_max;  /* of one array */
	redisReplyObjectFunctions functions;
	void *(*make_array)(const redisReadTask *task, rl_redis_elements n);
} rl_redis_reader;

bool rl_redis_reader_open(rl_redis_reader *reader);
void rl_redis_reader_close(rl_redis_reader *reader);

/* Reads the bytes as exactly one string reply of at most 99 bytes, without hiredis' objects: most answers are such. The
 * reply's text points into the bytes, and is terminated there. Returns false, and changes nothing, for anything else,
 * another notation of the same reply included. */
bool rl_redis_reply_is_short(char *bytes, size_t len, redisReply *reply);

#endif
