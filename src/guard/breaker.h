/* The breaker: after a failure no worker of the machine asks that server again for a while; then one does, and the
 * others take on_failure until it is known what that one found.
 *
 * All of a server's state is one pair of words that changes by one swap. Who asks on behalf of all claims it by moving on
 * the moment of the next try: nothing is held, and one who dies while asking costs one more delay. */
#ifndef RL_GUARD_BREAKER_H
#define RL_GUARD_BREAKER_H

#include "../shm/breaker_table.h"
#include "../store.h"

typedef enum {
	RL_BREAKER_CLOSED,    /* it is asked */
	RL_BREAKER_OPEN,      /* it is not asked before the next try */
	RL_BREAKER_HALF_OPEN, /* one is asking it */
} rl_breaker_state;

/* One question on its way. */
typedef struct {
	rl_breaker *breaker; /* whose breaker let it go */
	int64_t began_us;
	bool probe; /* on behalf of all */
} rl_attempt;

/* How it went, as far as the server is concerned. */
typedef enum {
	RL_ATTEMPT_OK,       /* it answered; if only that it cannot answer this one question */
	RL_ATTEMPT_FAILED,   /* it is away, or says that it is not ready */
	RL_ATTEMPT_REJECTED, /* it will not have us: the credentials, its version */
} rl_attempt_result;

/* What a breaker shows of itself. */
typedef struct {
	char label[RL_BREAKER_LABEL_MAX];
	rl_breaker_state state;
	int64_t since_us; /* how long it has been closed, or not closed */
	uint64_t failures;
	int64_t latency_ns;
} rl_breaker_info;

/* May it be asked now? RL_OK: yes, and rl_breaker_record() is to be told how it went; if that takes longer than probe_timeout_us,
 * another worker may try meanwhile. Else what the last one met, with since when and the next try in e. A server that is
 * NULL has no breaker, and is always asked. */
rl_status rl_breaker_allow(rl_breaker *breaker, int64_t probe_timeout_us, rl_attempt *attempt, rl_error *e);

/* why: with RL_ATTEMPT_FAILED and RL_ATTEMPT_REJECTED, the reason. on_failure: the policy's name, for the log. */
void rl_breaker_record(rl_breaker *breaker, const rl_attempt *attempt, rl_attempt_result how, const char *why,
	int64_t retry_delay_us, const char *on_failure);

void rl_breaker_snapshot(const rl_breaker *breaker, rl_breaker_info *facts);

/* Where a change of state is reported: one line, once for each machine and change. Set before there is a second thread. */
extern void (*rl_breaker_report)(const char *line);

#endif
