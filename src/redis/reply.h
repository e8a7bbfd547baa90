/* What Redis answers: hiredis parses it, here it is judged. */
#ifndef RL_REDIS_REPLY_H
#define RL_REDIS_REPLY_H

#include <hiredis/hiredis.h>

#include "../store.h"

#if HIREDIS_MAJOR >= 1
typedef size_t rl_redis_elements;
#else
typedef int rl_redis_elements;
#endif

/* Of an array, if nothing else is set: HELLO's answer and the list of modules in it are longest. */
#define RL_REDIS_ELEMENTS_MAX 256

/* hiredis' reader, with a bound on what a reply may announce: an array of a billion elements is announced in 13 bytes,
 * and the reader makes room for it at once. Not to be moved while it is open: hiredis points into it. */
typedef struct {
	redisReader *hiredis; /* NULL: closed */
	size_t elements_max;  /* of one array */
	redisReplyObjectFunctions functions;
	void *(*make_array)(const redisReadTask *task, rl_redis_elements n);
} rl_redis_reader;

bool rl_redis_reader_open(rl_redis_reader *reader);
void rl_redis_reader_close(rl_redis_reader *reader);

/* Are these bytes one reply, whole, and a string of at most 99 bytes? So are the answers to most questions, for which hiredis
 * would make and free objects. The reply's text is among the bytes, and terminated there. False, with nothing touched, for
 * anything else, the same written otherwise included. */
bool rl_redis_reply_is_short(char *bytes, size_t len, redisReply *reply);

/* Of an error reply: what the server said, without what a Redis up to 6.2 wraps around an error inside a script. */
const char *rl_redis_reply_text(const redisReply *reply);

/* Of an error reply: what it means for us. RL_OK for NOSCRIPT, the only one after which a question is sent again. */
rl_status rl_redis_reply_judge(const redisReply *reply);

/* Would it be told on every connection, until the server has room in memory or on its disk again? */
bool rl_redis_reply_is_for_want_of_room(const redisReply *reply);

/* Is it this question alone that it refuses? A server that has no room to write still tells who is over the limit. */
bool rl_redis_reply_is_about_a_write(const redisReply *reply);

/* Does a text begin with this word? */
bool rl_redis_begins_with(const char *text, const char *word);

#endif
