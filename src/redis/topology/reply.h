/* Classifies the replies that hiredis parses. */
#ifndef RL_REDIS_REPLY_H
#define RL_REDIS_REPLY_H

#include <hiredis/hiredis.h>

#include "../../store.h"

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

/* Returns an error reply's text, without the text that Redis up to 6.2 and KeyDB wrap around an error inside a script. */
const char *rl_redis_reply_text(const redisReply *reply);

/* Returns the status of an error reply: RL_OK for NOSCRIPT, the only one after which a question is sent again. */
rl_status rl_redis_reply_judge(const redisReply *reply);

/* Returns whether the server would reply so on every connection, until it has room in memory or on disk again. */
bool rl_redis_reply_is_for_want_of_room(const redisReply *reply);

/* Returns whether a newer version of ratelimit wrote what the key holds: nothing was changed, and other keys are as ever. */
bool rl_redis_reply_is_about_a_newer_state(const redisReply *reply);

/* Returns whether the error concerns a write only. A server that is out of memory can still refuse by its counts. */
bool rl_redis_reply_is_about_a_write(const redisReply *reply);

/* Returns whether a text begins with this word. */
bool rl_redis_begins_with(const char *text, const char *word);

#endif
