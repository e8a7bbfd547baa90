/* Runs a script for one key or many: one write to each server involved, and one round trip. Each key is decided on its own, none twice. */
#ifndef RL_REDIS_SCRIPT_CALL_H
#define RL_REDIS_SCRIPT_CALL_H

#include "script.h"
#include "topology/topology.h"

typedef struct {
	rl_redis_script script;
	size_t n; /* questions */
	/* Sets *keys to the keys of a question: one, or those of limits with identities of their own. */
	void (*keys)(void *context, size_t index, rl_redis_keys *keys);
	void *context;
	bool differ; /* each question has a wire and a shape of its own; else the first ones are those of all */
	rl_redis_wire *questions;     /* each call writes its nonce into it */
	const rl_redis_shape *shapes; /* of the answers */
	int connect_timeout_ms;
	int timeout_ms;
	rl_redis_answer *answers; /* n; set where the status is RL_OK */
	rl_status *status;        /* n */
} rl_redis_call;

/* The state between calls. */
typedef struct {
	rl_redis_topology *topology;
	uint64_t nonce;
	uint64_t rounds;
	rl_redis_call_head heads[RL_REDIS_SCRIPTS]; /* zeros: not made yet */
} rl_redis_session;

/* Returns false when there is no memory. The DSN stays borrowed. */
bool rl_redis_session_init(rl_redis_session *s, const rl_redis_dsn *dsn);
void rl_redis_session_free(rl_redis_session *s);

/* Returns RL_OK if every question was answered, otherwise the status of the first failure, with its reason in e. */
rl_status rl_redis_call_run(rl_redis_session *s, rl_redis_call *call, rl_error *e);

#endif
