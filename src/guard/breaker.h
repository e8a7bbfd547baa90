/* The breaker: after a failure no worker of the machine asks that server again for a while; then one does, and the
 * others take on_failure until it is known what that one found.
 *
 * All of a server's state is one pair of words that changes by one swap. Who asks on behalf of all claims it by moving on
 * the moment of the next try: nothing is held, and one who dies while asking costs one more delay. */
#ifndef RL_GUARD_BREAKER_H
#define RL_GUARD_BREAKER_H

#include "../shm/servers.h"
#include "../store.h"

typedef enum {
	RL_BREAKER_CLOSED,    /* it is asked */
	RL_BREAKER_OPEN,      /* it is not asked before the next try */
	RL_BREAKER_HALF_OPEN, /* one is asking it */
} rl_breaker_state;

/* One question on its way. */
typedef struct {
	rl_server *server; /* whose breaker let it go */
	int64_t began_us;
	bool probe; /* on behalf of all */
} rl_attempt;

/* How it went, as far as the server is concerned. */
typedef enum {
	RL_WENT_WELL,    /* it answered; if only that it cannot answer this one question */
	RL_WENT_SILENT,  /* it is away, or says that it is not ready */
	RL_WENT_REFUSED, /* it will not have us: the credentials, its version */
} rl_how_it_went;

/* What a breaker shows of itself. */
typedef struct {
	char label[RL_SERVER_LABEL_MAX];
	rl_breaker_state state;
	int64_t since_us;     /* how long it has been closed, or not closed */
	uint64_t failures;
	int64_t latency_ns;
} rl_breaker_facts;

/* May it be asked now? RL_OK: yes, and rl_breaker_went() is to be told how it went; if that takes longer than hold_us,
 * another worker may try meanwhile. Else what the last one met, with since when and the next try in e. A server that is
 * NULL has no breaker, and is always asked. */
rl_status rl_breaker_may_ask(rl_server *server, int64_t hold_us, rl_attempt *attempt, rl_error *e);

/* why: with RL_WENT_SILENT and RL_WENT_REFUSED, the reason. on_failure: the policy's name, for the log. */
void rl_breaker_went(rl_server *server, const rl_attempt *attempt, rl_how_it_went how, const char *why,
	int64_t retry_delay_us, const char *on_failure);

void rl_breaker_look(const rl_server *server, rl_breaker_facts *facts);

/* Where a change of state is reported: one line, once for each machine and change. Set before there is a second thread. */
extern void (*rl_breaker_report)(const char *line);

#endif
