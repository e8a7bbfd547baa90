/* Implements the circuit breaker of a Redis server, which all workers of the machine share. Closed: the server gets
 * requests. Open: the server is away, and no worker sends it a request before the next try. Half-open: one worker's request
 * is the probe, and the failure policy decides for the others until the probe has its answer.
 *
 * The breaker judges the server, not a request. It opens when the server is silent: the two latest requests failed, and no
 * worker was answered since the later one began. It also opens when 8 of the last 64 requests failed, because each of them
 * kept its caller waiting; and at once, when the server rejects us or has never answered. The first probe comes after 100 ms,
 * each further one twice as late, up to retry_delay.
 *
 * The state of a server is one pair of words, which changes by one compare-and-swap. A worker claims the probe: it
 * moves the next try into the future. It takes no lock, so a worker that dies during its probe costs one more delay. */
#ifndef RL_GUARD_BREAKER_H
#define RL_GUARD_BREAKER_H

#include "../shm/machine/breaker_table.h"
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

/* The result of a call, as far as the server is concerned. */
typedef enum {
	RL_ATTEMPT_OK,       /* it answered; perhaps with an error about this question only */
	RL_ATTEMPT_FAILED,   /* it is away, or not ready */
	RL_ATTEMPT_REJECTED, /* it rejects us: the credentials, its version */
} rl_attempt_result;

/* A breaker for stats(), at one moment. */
typedef struct {
	rl_breaker_facts facts; /* of its place */
	rl_breaker_state state;
	int64_t since_us; /* time since it became closed, or ceased to be closed */
} rl_breaker_info;

/* Decides whether the server may get a request now. RL_OK: yes, and rl_breaker_record() must follow. If the call takes
 * longer than probe_timeout_us, another worker may probe the server meanwhile. Any other status is that of the last
 * failure; e has its reason, its beginning, and the next try. A server that is NULL, or has no place, always gets the
 * request. The call borrows the server's name. */
rl_status rl_breaker_allow(const rl_breaker_name *server, int64_t probe_timeout_us, rl_breaker_call *call, rl_error *e);

/* Records the result of an allowed call. why: the reason of a result that is not RL_ATTEMPT_OK. on_failure: the
 * policy's name, for the log. */
void rl_breaker_record(const rl_breaker_call *call, rl_attempt_result result, const char *why, int64_t retry_delay_us,
	const char *on_failure);

void rl_breaker_snapshot(const rl_breaker *breaker, rl_breaker_info *info);

/* Writes a line to the log: one for each change of state and machine. Must be set before a second thread exists. */
extern void (*rl_breaker_report)(const char *line);

#endif
