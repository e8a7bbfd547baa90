/* Asks a script: one round trip for one key or many, each decided on its own, none decided twice. */
#ifndef RL_REDIS_SCRIPT_H
#define RL_REDIS_SCRIPT_H

#include "command.h"
#include "connection.h"

typedef enum {
	RL_REDIS_PLAIN,
	RL_REDIS_LIMITER,
} rl_redis_script;

#define RL_REDIS_SCRIPTS 2

/* What both scripts answer, after the nonce. */
typedef struct {
	int64_t now_us;     /* Redis' clock */
	int64_t outcome;    /* an rl_reason, or RL_REDIS_STALE */
	int64_t limit_index;
	int64_t remaining;
	int64_t retry_us;   /* -1: never */
	int64_t reset_us;
	int64_t found;
} rl_redis_answer;

/* The outcome of a question whose boundaries do not hold Redis' now. */
#define RL_REDIS_STALE 10

typedef struct {
	rl_redis_script script;
	size_t n;                                                          /* questions */
	size_t (*key)(void *context, size_t index, const char **key);      /* writes the key of one; returns its length */
	void *context;
	const rl_redis_buffer *arguments;                                  /* of every question, after the nonce */
	size_t n_arguments;
	size_t n_limits;                                                   /* that an answer may name */
	int connect_timeout_ms;
	int timeout_ms;
	rl_redis_answer *answers;                                          /* n, written where the status is RL_OK */
	rl_status *status;                                                 /* n */
} rl_redis_call;

/* What is kept between calls. */
typedef struct {
	rl_redis_connection connection;
	rl_redis_buffer commands;
	uint64_t nonce;
	char sha1[RL_REDIS_SCRIPTS][41]; /* empty: not computed yet */
} rl_redis_session;

void rl_redis_session_init(rl_redis_session *s);
void rl_redis_session_free(rl_redis_session *s);

/* RL_OK when every question has its answer, otherwise the status of the first that has none, with its reason in e. */
rl_status rl_redis_call_run(rl_redis_session *s, const rl_redis_dsn *dsn, rl_redis_call *call, rl_error *e);

#endif
