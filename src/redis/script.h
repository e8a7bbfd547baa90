/* Writes the call of a script and reads its answer. */
#ifndef RL_REDIS_SCRIPT_H
#define RL_REDIS_SCRIPT_H

#include "net/command.h"
#include "wire_format.h"
#include "topology/reply.h"
#include "dsn/sha1.h"

typedef enum {
	RL_REDIS_COUNTER,
	RL_REDIS_LIMITER,
} rl_redis_script;

#define RL_REDIS_SCRIPTS 2

/* The answer of both scripts, behind the nonce. */
typedef struct {
	int64_t now_us;  /* Redis' clock; 0 in the short answer of an admission */
	int64_t outcome; /* an rl_reason, or RL_REDIS_STALE_BOUNDARIES */
	int64_t limit_index;
	int64_t remaining;
	int64_t retry_us; /* -1: never */
	int64_t reset_us;
	int64_t found;      /* 0 or 1; lease: permits leased beside the cost */
	int64_t granted;    /* of a permit's question: the cost that was counted, by the deciding limit */
	int64_t wait_us;    /* acquire: the time until the turn */
	bool question_only; /* without an answer: its rl_error.question_only */
	uint8_t n_left;     /* as rl_decision has them */
	rl_left left[RL_LIMITS_MAX];
} rl_redis_answer;

/* The parts and the bounds of an answer to a question. */
typedef struct {
	size_t n_limits;         /* bound on the limit index */
	int64_t found_max;       /* bound on found */
	bool counter;            /* the question is about a counter */
	bool verdict;            /* an admission may have the short answer */
	const rl_limit *decided; /* of a decision: its limits; what each has left may follow at the end. Else NULL */
	size_t n_keys;           /* of a decision: its keys */
	bool permit;             /* granted and wait_us follow */
	int64_t granted_max;     /* bounds on them */
	int64_t wait_max_us;
	bool parts;            /* if admitted, the permit's parts follow, n_limits of them */
	const uint64_t *costs; /* what an admitted acquire charged of each limit; NULL: of each what was granted */
	rl_held *held;         /* n_limits of them, which an answer with the parts fills in; NULL: they are not read */
} rl_redis_shape;

/* The outcome of a question whose calendar boundaries do not contain Redis' now. */
#define RL_REDIS_STALE_BOUNDARIES 10

#define RL_REDIS_BEFORE_SHA1 "*5\r\n$7\r\nEVALSHA\r\n$40\r\n"
#define RL_REDIS_BEHIND_SHA1 "\r\n$1\r\n1\r\n"

/* A script's call for one key, up to the key: the same bytes in each call. It contains the digest by which Redis names the script. */
typedef struct {
	char before[sizeof RL_REDIS_BEFORE_SHA1 - 1];
	char sha1[RL_REDIS_SHA1_HEX];
	char behind[sizeof RL_REDIS_BEHIND_SHA1 - 1];
} rl_redis_call_head;

void rl_redis_script_head(rl_redis_script script, rl_redis_call_head *head);

/* The keys of a call: each has the length in lengths, and they follow each other in bytes. */
typedef struct {
	size_t n;
	const char *bytes;
	size_t lengths[RL_LIMITS_MAX];
} rl_redis_keys;

/* Appends the call of a script for its keys, and writes the nonce into the question. head: the script's, or NULL to send its
 * text, which Redis then caches. The answer repeats the nonce's lower 48 bits. */
void rl_redis_script_write(rl_redis_buffer *b, rl_redis_script script, const rl_redis_call_head *head,
	const rl_redis_keys *keys, uint64_t nonce, rl_redis_wire *question);

/* Reads an answer. Returns false for a reply that does not answer the question with this nonce, or has not this shape. */
bool rl_redis_script_read(const redisReply *reply, uint64_t nonce, const rl_redis_shape *shape, rl_redis_answer *a);

#endif
