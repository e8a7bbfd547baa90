/* Shows what was decided: counts by name and by limit, the callers that are refused most, and running bans. Everything here comes
 * after the decision, changes none, and runs no code of the application, but for the decisions of actions: they call the listener. */
#ifndef PHP_RATELIMIT_MONITOR_H
#define PHP_RATELIMIT_MONITOR_H

#include "php.h"

#include "../request/client_address.h"
#include "src/shm/monitor/metrics.h"
#include "src/shm/monitor/refusal_sketch.h"
#include "src/store.h"

/* The places of the counts of a limiter, or of the limits of an attribute. Zeroed at first. */
typedef struct {
	rl_meter *meter; /* NULL: not looked up yet, or there is no segment */
	bool silent;     /* the limiter's decisions are counted by another one, whose shadow limits it has */
	bool is_attribute;
	rl_limit_counts *limits[RL_LIMITS_MAX]; /* NULL: not looked up yet */
} php_ratelimit_monitor;

/* A decision looks the place of a name up after so many uses of what the worker has kept. */
#define PHP_RATELIMIT_METER_USES 1024

#define PHP_RATELIMIT_METERS_ROOM 16

/* The counts of the names that a thread's limiters and attributes have used, in memory that outlives the request. */
typedef struct {
	zend_string *name; /* malloc'ed; NULL: an unused entry */
	rl_kind kind;
	uint32_t uses;
	rl_meter *meter;
} php_ratelimit_known_meters[PHP_RATELIMIT_METERS_ROOM];

void php_ratelimit_known_meters_free(php_ratelimit_known_meters known);

/* The action whose calls doHandle()'s fast path refused last. The sampler counts them. */
typedef struct {
	zend_string *action; /* a reference, so that no other string gets its address; NULL: none */
	rl_meter *meter;
	uint64_t name_id;
} php_ratelimit_refused;

typedef struct php_ratelimit_limiter php_ratelimit_limiter;

/* ---- Limiters ---- */

/* Forgets the places of the counts. The next decision looks them up, and completes the texts of the names. */
static inline void php_ratelimit_monitor_forget(php_ratelimit_monitor *monitor)
{
	monitor->meter = NULL;
	memset(monitor->limits, 0, sizeof(monitor->limits));
}

/* Counts the answer to a limiter's question, also one that is no decision. keys: with labels, one for each. */
void php_ratelimit_monitor_answer(php_ratelimit_limiter *limiter, const rl_key *key, const rl_answer *a);

/* Notes a ban by hand, or what a command forgets. q: the command. */
void php_ratelimit_monitor_command(const php_ratelimit_limiter *limiter, const rl_question *q, const rl_key *key);

/* Bans a network from a limiter, on this machine. Returns false where there is no room for it. */
bool php_ratelimit_monitor_ban_network(const php_ratelimit_limiter *limiter, const rl_key *key,
	const php_ratelimit_network *network);

/* Returns the time until the last of the bans ends that the networks of an identity have; 0: none has one. */
int64_t php_ratelimit_monitor_networks_left_us(const php_ratelimit_limiter *limiter, const rl_key *key);

/* Lifts the ban of a network. Returns whether there was one. */
bool php_ratelimit_monitor_unban_network(const php_ratelimit_limiter *limiter, const rl_key *key,
	const php_ratelimit_network *network);

/* Counts a question that threw an exception. */
ZEND_COLD void php_ratelimit_monitor_failure(php_ratelimit_limiter *limiter, const rl_key *key);

/* Finds the counts of a limiter, before its first decision. */
void php_ratelimit_monitor_begin(php_ratelimit_limiter *limiter);

/* Counts an admission. near: less than a tenth of the limit remains. Returns false if there is more to do. */
static zend_always_inline bool php_ratelimit_monitor_admitted(const php_ratelimit_monitor *monitor, bool near)
{
	if (UNEXPECTED(!monitor->meter)) {
		return false;
	}
	rl_meter_add(monitor->meter, RL_METER_ADMITTED, 1);
	if (UNEXPECTED(near)) {
		rl_meter_add(monitor->meter, RL_METER_NEAR, 1);
	}
	return true;
}

/* Counts a call that passed in the usual way. Returns false if there is more to do. */
static zend_always_inline bool php_ratelimit_monitor_passed(const php_ratelimit_monitor *monitor, rl_op op,
	const rl_decision *d)
{
	/* The operation first: a command has no decision. */
	return EXPECTED(op == RL_OP_CONSUME && d->reason == RL_ACCEPTED && d->source != RL_FROM_LOCAL)
		&& php_ratelimit_monitor_admitted(monitor, (int64_t) d->remaining * 10 < (int64_t) d->limit);
}

/* ---- Attributes ---- */

/* Finds the counts of an attribute's limits, before their first decision. Requires the embedded store. */
void php_ratelimit_monitor_attribute_begin(php_ratelimit_monitor *monitor, zend_string *name);

/* Counts a decision about the limits of an attribute. name: of its counts. */
void php_ratelimit_monitor_attribute(php_ratelimit_monitor *monitor, zend_string *name, const rl_question *q,
	const rl_key *key, const rl_answer *a);
ZEND_COLD void php_ratelimit_monitor_attribute_failure(php_ratelimit_monitor *monitor, zend_string *name);

/* Lets the limiter of an attribute add to its counts. */
void php_ratelimit_monitor_share(php_ratelimit_monitor *limiter, php_ratelimit_monitor *attribute, zend_string *name);

/* ---- Actions ---- */

/* Counts a decision of doHandle(), check() or isActionAllowed() past the fast paths, and calls the listener. q: of the counter, or NULL. seconds: of the
 * window. */
void php_ratelimit_monitor_action(zend_string *action, const rl_key *key, const rl_counter_question *q,
	uint32_t seconds, const rl_decision *d);
ZEND_COLD void php_ratelimit_monitor_action_failure(const rl_key *key);

/* Notes a ban of an action by hand; forgets a ban; forgets an identity. */
void php_ratelimit_monitor_ban(const rl_key *key, int64_t left_us);
void php_ratelimit_monitor_unban(const rl_key *key);
void php_ratelimit_monitor_reset(const rl_key *key);

/* Counts a refusal of doHandle()'s fast path, of another action than the latest one, or one to note. */
void php_ratelimit_refused_slowly(zend_string *action, zend_long user);

/* Counts a refusal of doHandle()'s fast path. latest: the action of the latest one. */
static zend_always_inline void php_ratelimit_refused_fast(const zend_string *latest, zend_string *action,
	zend_long user)
{
	if (UNEXPECTED(latest != action) || UNEXPECTED(rl_sampler_hit())) {
		php_ratelimit_refused_slowly(action, user);
	}
}

/* Adds what the sampler has counted to the counts of the action. */
void php_ratelimit_refused_flush(void);

/* The former frees nothing: memory from code after the last end is freed already. */
void php_ratelimit_refused_begin_request(void);
void php_ratelimit_refused_end_request(void);

#endif
