/* Asks a script about one key or many: one round trip to each server concerned, each key decided on its own, none decided
 * twice. */
#ifndef RL_REDIS_SCRIPT_CALL_H
#define RL_REDIS_SCRIPT_CALL_H

#include "script.h"
#include "topology.h"

typedef struct {
	rl_redis_script script;
	size_t n;                                                     /* questions */
	size_t (*key)(void *context, size_t index, const char **key); /* writes the key of one; returns its length */
	void *context;
	rl_redis_wire *question; /* of every key; its nonce is written in */
	size_t n_limits;         /* that an answer may name */
	int64_t found_max;       /* that an answer may tell */
	int connect_timeout_ms;
	int timeout_ms;
	int spin_us;              /* as in rl_redis_settings */
	rl_redis_answer *answers; /* n, written where the status is RL_OK */
	rl_status *status;        /* n */
} rl_redis_call;

/* What is kept between calls. */
typedef struct {
	rl_redis_topology *topology;
	uint64_t nonce;
	uint64_t rounds;
	char sha1[RL_REDIS_SCRIPTS][RL_REDIS_SHA1_HEX + 1]; /* empty: not computed yet */
} rl_redis_session;

/* False when there is no memory. The DSN is borrowed. */
bool rl_redis_session_init(rl_redis_session *s, const rl_redis_dsn *dsn);
void rl_redis_session_free(rl_redis_session *s);

/* RL_OK when every question has its answer, otherwise the status of the first that was found to have none, with its
 * reason in e. */
rl_status rl_redis_call_run(rl_redis_session *s, rl_redis_call *call, rl_error *e);

#endif
