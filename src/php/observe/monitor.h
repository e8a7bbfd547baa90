/* src/php/observe: The traces of a decision: counts by name, refused callers, the call of the listener.
 *
 * Shows what was decided: counts by name and by limit, the callers that are refused most, and running bans. Everything here comes
 * after the decision, changes none, and runs no code of the application, but for the decisions of actions: they call the listener. */
#ifndef PHP_RATELIMIT_MONITOR_H
#define PHP_RATELIMIT_MONITOR_H

#include "php_ratelimit.h"

#include "../limit/limit_object.h"
#include "src/shm/monitor/metrics.h"
#include "src/shm/monitor/refusal_sketch.h"
#include "src/shm/store/shm.h"
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
typedef struct php_ratelimit_known_meter {
	zend_string *name; /* malloc'ed; NULL: an unused entry */
	rl_kind kind;
	uint32_t uses;
	rl_meter *meter;
} php_ratelimit_known_meters[PHP_RATELIMIT_METERS_ROOM];

void php_ratelimit_known_meters_free(php_ratelimit_known_meters known);

/* The counts of the action whose calls doHandle()'s fast path refused last. The sampler counts them. */
typedef struct php_ratelimit_refused {
	rl_meter *meter;
	uint64_t name_id;
} php_ratelimit_refused;

/* Forgets the places of the counts. The next decision looks them up, and completes the texts of the names. */
static inline void php_ratelimit_monitor_forget(php_ratelimit_monitor *monitor)
{
	monitor->meter = NULL;
	memset(monitor->limits, 0, sizeof(monitor->limits));
}

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

/* ---- For what counts the decisions of a kind of name ---- */

/* A decision, with what its counts need. */
typedef struct {
	rl_kind kind; /* of the name among refused and banned callers */
	rl_meter *meter;
	const rl_key *key;
	rl_space space; /* the same */
	const rl_decision *d;
	bool begins_ban; /* where the reason is RL_BANNED */
	bool passed;     /* it would have been refused */
} php_ratelimit_seen;

/* Returns the counts of a name, which the monitor keeps; NULL: there is no segment. */
rl_meter *php_ratelimit_meter_of(php_ratelimit_monitor *monitor, rl_kind kind, zend_string *name);

/* Returns the counts of limit i. limits: with their names; NULL: they have none. */
rl_limit_counts *php_ratelimit_counts_of(php_ratelimit_monitor *monitor, const rl_meter *meter, const rl_question *q,
	const php_ratelimit_limit *limits, unsigned i);

/* Counts a decision about limits. */
void php_ratelimit_note_limits(php_ratelimit_seen *seen, php_ratelimit_monitor *monitor, const rl_question *q,
	const php_ratelimit_limit *limits);

/* Notes a refusal among the callers that are refused most. limit: the counts of the limit; or NULL. */
void php_ratelimit_note_caller(rl_kind kind, rl_space space, const rl_key *key, const rl_meter *meter,
	const rl_limit_counts *limit);

/* Adds what the sampler has counted to the counts of the action. */
void php_ratelimit_refused_flush(void);

static inline uint64_t php_ratelimit_name_id_of(rl_space space, const rl_key *key)
{
	return rl_subject_name_id(space, key->name, key->name_len);
}

static inline bool php_ratelimit_has_segment(void)
{
	return rl_shm_store() != NULL;
}

/* Returns whether the refusal of a ban began it. An answer of this machine's cache does not. */
static inline bool php_ratelimit_begins_ban(const rl_answer *a)
{
	return a->decision.reason == RL_BANNED && a->decision.source != RL_FROM_CACHE && a->decision.source != RL_FROM_LEASE
		&& a->found;
}

/* Counts a refusal in the sampler, of which some are noted. */
static zend_always_inline void php_ratelimit_note_refusal(rl_kind kind, rl_space space, const rl_key *key,
	const rl_meter *meter, const rl_limit_counts *limit)
{
	php_ratelimit_refused_flush();
	if (UNEXPECTED(rl_sampler_hit())) {
		php_ratelimit_note_caller(kind, space, key, meter, limit);
	} else {
		(void) rl_sampler_counted(); /* it is counted already */
	}
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

/* Counts a refusal of doHandle()'s fast path. */
static zend_always_inline void php_ratelimit_refused_fast(zend_string *action, zend_long user)
{
	if (UNEXPECTED(RATELIMIT_G(refused_action) != action) || UNEXPECTED(rl_sampler_hit())) {
		php_ratelimit_refused_slowly(action, user);
	}
}

/* Adds the rest of what the sampler has counted, at the end of a request. */
void php_ratelimit_refused_end_request(void);

#endif
