/* The circuit breaker of a Redis server, shared by all workers of the machine. Closed: the server is asked. Open: after a
 * failure no worker asks it before the next try. Half-open: one worker's request probes it, and the others take on_failure
 * until the probe has its answer.
 *
 * The state of a server is one pair of words, which changes by one compare-and-swap. A worker claims the probe by moving
 * the moment of the next try on. It takes no lock: a worker that dies while it probes costs one more delay. */
#ifndef RL_GUARD_BREAKER_H
#define RL_GUARD_BREAKER_H

#include "../shm/breaker_table.h"
#include "../store.h"

typedef enum {
	RL_BREAKER_CLOSED,
	RL_BREAKER_OPEN,
	RL_BREAKER_HALF_OPEN,
} rl_breaker_state;

/* One call that a breaker has allowed. */
typedef struct {
	const rl_breaker_name *server; /* NULL: a server without a breaker */
	rl_breaker *place;             /* NULL: there is no place for its breaker */
	int64_t began_us;              /* the segment's time */
	bool probe;
} rl_breaker_call;

/* How a call ended, as far as the server is concerned. */
typedef enum {
	RL_ATTEMPT_OK,       /* it answered; perhaps that it cannot answer this one question */
	RL_ATTEMPT_FAILED,   /* it is away, or not ready */
	RL_ATTEMPT_REJECTED, /* it rejects us: the credentials, its version */
} rl_attempt_result;

/* What stats() shows of a breaker. */
typedef struct {
	char label[RL_BREAKER_LABEL_MAX];
	rl_breaker_state state;
	int64_t since_us; /* how long it has been closed, or not closed */
	uint64_t failures;
	int64_t latency_ns;
} rl_breaker_info;

/* May the server be asked now? RL_OK: yes, and rl_breaker_record() must follow; when that takes longer than
 * probe_timeout_us, another worker may probe the server meanwhile. Any other status is that of the last failure, with its
 * reason, since when, and the next try in e. A server that is NULL, or has no place, is always asked. The call borrows
 * the server's name. */
rl_status rl_breaker_allow(const rl_breaker_name *server, int64_t probe_timeout_us, rl_breaker_call *call, rl_error *e);

/* Records how an allowed call ended. why: the reason of a result that is not RL_ATTEMPT_OK. on_failure: the policy's name,
 * for the log. */
void rl_breaker_record(const rl_breaker_call *call, rl_attempt_result result, const char *why, int64_t retry_delay_us,
	const char *on_failure);

void rl_breaker_snapshot(const rl_breaker *breaker, rl_breaker_info *info);

/* Writes a line to the log: one for each change of state and machine. To be set before there is a second thread. */
extern void (*rl_breaker_report)(const char *line);

#endif
