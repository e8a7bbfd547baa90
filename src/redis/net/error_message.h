/* Writes messages about a server. */
#ifndef RL_REDIS_ERROR_MESSAGE_H
#define RL_REDIS_ERROR_MESSAGE_H

#include "../../store.h"

/* Writes "Redis at {label}: …" to e, truncated to fit. Sets question_only and unexecuted to false: a caller that knows
 * better sets them afterwards. */
__attribute__((format(printf, 3, 4))) void rl_redis_error_set(rl_error *e, const char *label, const char *format, ...);

/* Replaces all but printable ASCII: a server has sent the text, and it goes to logs. */
void rl_redis_text_clean(char *text);

#endif
