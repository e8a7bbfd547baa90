/* Classifies the replies that hiredis parses. */
#ifndef RL_REDIS_REPLY_H
#define RL_REDIS_REPLY_H

#include <hiredis/hiredis.h>

#include "../../store.h"

/* Returns an error reply's text, without the text that Redis up to 6.2 and KeyDB wrap around an error inside a script. */
const char *rl_redis_reply_text(const redisReply *reply);

/* Returns the status of an error reply. Never RL_OK. */
rl_status rl_redis_reply_judge(const redisReply *reply);

/* Returns whether the server lacks the script. */
bool rl_redis_reply_is_noscript(const redisReply *reply);

/* Returns whether the server executes no question at present: this one was certainly not executed. */
bool rl_redis_reply_is_unexecuted(const redisReply *reply);

/* Returns whether the server would reply so on every connection, until it has room in memory or on disk again. */
bool rl_redis_reply_is_for_want_of_room(const redisReply *reply);

/* Returns whether a newer version of ratelimit wrote what the key holds: nothing was changed, and other keys are as ever. */
bool rl_redis_reply_is_about_a_newer_state(const redisReply *reply);

/* Returns whether the error concerns a write only. A server that is out of memory can still refuse by its counts. */
bool rl_redis_reply_is_about_a_write(const redisReply *reply);

/* Returns whether a text begins with this word. */
bool rl_redis_begins_with(const char *text, const char *word);

#endif
