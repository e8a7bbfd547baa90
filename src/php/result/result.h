/* src/php/result: The class Result: a decision as an object, as header fields and as an answer.
 *
 * Declares FrequencyLimit\Result, a decision as a PHP object, and FrequencyLimit\LimitExceeded. */
#ifndef PHP_RATELIMIT_RESULT_H
#define PHP_RATELIMIT_RESULT_H

#include "php.h"

#include "../base/lazy_properties.h"
#include "src/compiler.h"
#include "src/store.h"

/* One limit, as the headers have it. */
typedef struct {
	zend_string *name; /* or NULL; borrowed */
	zend_string *unit; /* that of Limit::unit(), or NULL; borrowed */
	uint64_t limit : 63;
	uint64_t is_steady : 1; /* a token bucket: its permits come one by one */
	int64_t window_us; /* the length of its window; 0: a concurrent limit; PHP_RATELIMIT_NO_WINDOW: Limit::none() */
} php_ratelimit_policy;

#define PHP_RATELIMIT_NO_WINDOW (-1)

/* Returns whether its strings live as long as the process. */
static zend_always_inline bool php_ratelimit_policy_is_permanent(const php_ratelimit_policy *policy)
{
	return (!policy->name || ZSTR_IS_INTERNED(policy->name)) && (!policy->unit || ZSTR_IS_INTERNED(policy->unit));
}

/* Sets the shadow limit that would have refused; takes over the reference. */
ZEND_COLD void php_ratelimit_result_set_shadow(zval *result, zend_string *shadow);

/* The n policies of several limits that are decided together, for many Results. A reference. is_kept: for more than this
 * request. */
typedef struct php_ratelimit_result_more php_ratelimit_result_more;
php_ratelimit_result_more *php_ratelimit_policies_new(const php_ratelimit_policy *policies, unsigned n, bool is_kept);
void php_ratelimit_policies_release(php_ratelimit_result_more *policies);

/* Adds them to a new Result. */
void php_ratelimit_result_share_policies(zval *result, php_ratelimit_result_more *policies);

/* Adds policies that are not shared. */
void php_ratelimit_result_add_policies(zval *result, const php_ratelimit_policy *policies, unsigned n);

/* Makes a Result of a decision about these limits. granted: the cost that was counted. */
void php_ratelimit_result_of_limits(zval *result, const rl_decision *d, uint64_t granted,
	const php_ratelimit_policy *policies, unsigned n);

/* Returns the answer that a Result was made of, and the length of its limit's window. */
rl_answer php_ratelimit_result_answer(zend_object *result, int64_t *window_us);

/* Adds to a refused Result, for messages, its subject: a limiter, an action or a function, of which it takes a reference. Adds the
 * identity of the call, too, if it is an int. A string may be a secret (a token, a session) and must not get into a log. id: or
 * NULL. */
void php_ratelimit_result_set_refused(zval *result, zend_string *subject, const zval *id);

/* Makes such an identity of a key. */
static inline void php_ratelimit_id_of_key(zval *id, const rl_key *key)
{
	ZVAL_NULL(id);
	if (key->is_int) {
		ZVAL_LONG(id, (zend_long) key->int_id);
	}
}

/* Returns the Result of a LimitExceeded, borrowed. */
zend_object *php_ratelimit_result_of_exception(zend_object *exception);

/* Answers the running web request, whose headers must not be sent yet. A refused Result makes the same answer as
 * Result::send(); NULL makes a status of 401. body: with problem details. */
void php_ratelimit_send_refusal(zend_object *result, bool body);

/* Throws the LimitExceeded of a refused Result. */
ZEND_COLD void php_ratelimit_throw_limit_exceeded(zend_object *result);

/* The header fields of one decision, or of several ones. Zeroed, they are none. */
typedef struct {
	HashTable *policies;   /* parts of RateLimit-Policy, by the name of the limit; or NULL */
	HashTable *states;     /* parts of RateLimit */
	int64_t retry_after_s; /* the longest Retry-After; 0: there is none */
} php_ratelimit_fields;

/* The answer of a request so far, as Result::send() has sent it: later decisions add to it. */
typedef struct php_ratelimit_sent {
	php_ratelimit_fields fields;
	zend_string *line; /* the line of RateLimit-Policy, as it was sent */
	bool problem;      /* problem details have been sent */
} php_ratelimit_sent;

/* Frees what send() keeps of a request's earlier decisions. */
void php_ratelimit_sent_clear(void);

/* ---- Between result.c, result_properties.c, result_factory.c, result_http.c and result_send.c ---- */

/* Sets the handlers that make a Result's properties when they are read. */
void php_ratelimit_result_set_handlers(php_ratelimit_lazy_handlers *handlers);

/* Runs at module start-up. set: sets the handlers of the properties, of php_ratelimit_result_set_handlers(). */
void php_ratelimit_result_startup(void (*set)(php_ratelimit_lazy_handlers *handlers));

/* Returns a case of Reason, borrowed. */
zend_object *php_ratelimit_reason_case(rl_reason reason);

/* Returns the core's number of a case of Reason. */
rl_reason php_ratelimit_reason_number(zend_object *reason);

/* Returns the name of a source as in Result::$store, an interned string; NULL: there is no such source. */
zend_string *php_ratelimit_source_name(unsigned source);

/* Adds a decision to the fields, and makes the array of headers that changes with it: name => value. legacy: with X-RateLimit-Limit,
 * -Remaining and -Reset, and with the words of earlier drafts as further parameters of the deciding limit. */
void php_ratelimit_make_headers(zval *headers, php_ratelimit_fields *fields, zend_object *result, bool legacy);
void php_ratelimit_fields_free(php_ratelimit_fields *fields);

/* Makes the problem details of a refused Result; of NULL: of a call that requires a login. */
void php_ratelimit_make_problem(zval *problem, zend_object *result);

/* Returns the HTTP status of a Result; of NULL: of a call that requires a login. */
int php_ratelimit_status_of(zend_object *result);

/* The declared properties, in the order of the stub. The code fills them in by number, which readonly does not
 * prevent. Only accepted is made with the object, the others when they are read (result_properties.c). */
enum {
	PHP_RATELIMIT_RESULT_ACCEPTED,
	PHP_RATELIMIT_RESULT_REASON,
	PHP_RATELIMIT_RESULT_LIMIT,
	PHP_RATELIMIT_RESULT_REMAINING,
	PHP_RATELIMIT_RESULT_RETRY_AFTER,
	PHP_RATELIMIT_RESULT_RESET_AFTER,
	PHP_RATELIMIT_RESULT_NEXT_AFTER,
	PHP_RATELIMIT_RESULT_NAME,
	PHP_RATELIMIT_RESULT_STORE,
	PHP_RATELIMIT_RESULT_GRANTED,
	PHP_RATELIMIT_RESULT_WAIT,
	PHP_RATELIMIT_RESULT_SHADOW,
	PHP_RATELIMIT_RESULT_LEVEL,
	PHP_RATELIMIT_RESULT_LIMITS,
	PHP_RATELIMIT_RESULT_PROPERTIES, /* their number */
};

/* The part that few Results have: those of several limits, of permits with a turn, of refusals. The Results of one limiter may
 * share one that has policies alone. */
struct php_ratelimit_result_more {
	uint32_t references;
	uint8_t n_policies; /* 0: there is only the deciding one */
	bool is_kept;       /* outlives the request: its memory is malloc'ed */
	bool has_caller;
	int64_t wait_us;
	php_ratelimit_policy *policies; /* all of them, with references to their strings */
	zend_string *subject;           /* of a refusal: the limiter, action or function; or NULL */
	zend_long caller;               /* of a refusal: the identity, if has_caller */
};

/* The remaining permits of one limit and the time until it is whole, as rl_left has them. */
typedef struct {
	uint64_t remaining;
	int64_t reset_after_us;
} php_ratelimit_left;

/* The object of a Result. Headers use these integers, not the floats of the properties, and list all limits. */
typedef struct {
	struct {
		bool exists : 1;      /* false: PHP made the object by a detour (PDO), and its properties are not ours */
		bool is_enforced : 1; /* else its limits are shadows, of which limits and the headers say nothing */
		bool accepted;
		uint8_t reason;
		uint8_t source;
		uint8_t limit_index;
		uint8_t n_left; /* the limits that php_ratelimit_result_lefts() has; 0: the deciding one is all that is known */
		uint16_t level;
		uint64_t remaining;
		int64_t retry_after_us;
		int64_t reset_after_us;
	} decision; /* as rl_decision */
	uint64_t granted;
	php_ratelimit_policy policy;     /* the deciding one, with references to its strings */
	php_ratelimit_result_more *more; /* or NULL */
	zend_object std;
} php_ratelimit_result;

static inline php_ratelimit_result *php_ratelimit_result_of(zend_object *object)
{
	return (php_ratelimit_result *) ((char *) object - offsetof(php_ratelimit_result, std));
}

/* Makes a Result of a decision, but for its policy. */
php_ratelimit_result *php_ratelimit_result_make(zval *result, const rl_decision *d, uint64_t granted, int64_t wait_us);

/* Adds the references to the strings of its policy. */
void php_ratelimit_result_own_strings(php_ratelimit_result *result);

/* Makes a Result of a decision. granted: the cost that was counted. wait_us: the time until the turn. policy: the deciding limit's; its
 * number is that of the decision. Inline, so that a policy is written once. */
static zend_always_inline void php_ratelimit_result_init(zval *result, const rl_decision *d, uint64_t granted,
	int64_t wait_us, const php_ratelimit_policy *policy)
{
	php_ratelimit_result *made = php_ratelimit_result_make(result, d, granted, wait_us);

	made->policy = *policy;
	made->policy.limit = d->limit;
	if (!php_ratelimit_policy_is_permanent(policy)) {
		php_ratelimit_result_own_strings(made);
	}
}

/* Makes one of a decision by a window without a name. */
static inline void php_ratelimit_result_of_window(zval *result, const rl_decision *d, int64_t window_us)
{
	php_ratelimit_result_init(result, d, d->accepted, 0, &(php_ratelimit_policy){.window_us = window_us});
}

/* Lets limits and the headers of a Result say nothing: its limits are shadows. */
static inline void php_ratelimit_result_hide(zval *result)
{
	php_ratelimit_result_of(Z_OBJ_P(result))->decision.is_enforced = false;
}

/* Returns the unit of a policy as the draft has it. */
static inline const char *php_ratelimit_policy_unit(const php_ratelimit_policy *policy)
{
	return policy->unit ? ZSTR_VAL(policy->unit) : policy->window_us == 0 ? "concurrent-requests" : "requests";
}

static inline unsigned php_ratelimit_result_n_policies(const php_ratelimit_result *result)
{
	return result->more ? result->more->n_policies : 0;
}

/* Returns the number of limits that a Result tells of; 0: a decision without a limit, or with shadow limits alone. */
static inline unsigned php_ratelimit_result_n_limits(const php_ratelimit_result *result)
{
	return result->policy.window_us == PHP_RATELIMIT_NO_WINDOW || !result->decision.is_enforced
		? 0
		: MAX(php_ratelimit_result_n_policies(result), 1);
}

/* Returns whether limit i is the deciding one. */
static inline bool php_ratelimit_result_decides(const php_ratelimit_result *result, unsigned i)
{
	return php_ratelimit_result_n_policies(result) == 0 || i == result->decision.limit_index;
}

static inline const php_ratelimit_policy *php_ratelimit_result_policy(const php_ratelimit_result *result, unsigned i)
{
	return php_ratelimit_result_decides(result, i) ? &result->policy : &result->more->policies[i];
}

/* Returns the name of limit i in headers, a new reference. A limit without a name is "default", and as the second of several "default-2". */
zend_string *php_ratelimit_wire_name(const php_ratelimit_result *result, unsigned i);

/* Returns the place behind the properties, which the Results of several limits alone have. */
static zend_always_inline php_ratelimit_left *php_ratelimit_result_lefts(const php_ratelimit_result *result)
{
	return (php_ratelimit_left *) &result->std.properties_table[PHP_RATELIMIT_RESULT_PROPERTIES];
}

/* Sets what limit i has left. Returns false if that is not known. */
static inline bool php_ratelimit_result_left(const php_ratelimit_result *result, unsigned i, php_ratelimit_left *left)
{
	if (php_ratelimit_result_decides(result, i)) {
		*left = (php_ratelimit_left){result->decision.remaining, result->decision.reset_after_us};
		return true;
	}
	if (result->decision.n_left != php_ratelimit_result_n_policies(result)) {
		return false;
	}
	*left = php_ratelimit_result_lefts(result)[i];
	return true;
}

/* Lets a Result free a property that refers to memory, once it is made. */
void php_ratelimit_result_owns_property(zend_object *result);

/* Returns whole seconds, rounded up. */
static inline int64_t php_ratelimit_ceil_seconds(int64_t us)
{
	return us / RL_US_PER_SECOND + (us % RL_US_PER_SECOND > 0);
}

/* Warns, once in a request for each line of code, of a Result or Permit that is used in a way that limits nothing. */

/* Forgets the lines that have warned, at the end of a request. */
void php_ratelimit_misuse_end_request(void);

/* Warns of an object as a bool: class: its name, accepted: what to write instead. The warning may run user code, which may
 * free the object, and may throw. */
ZEND_COLD void php_ratelimit_warn_of_bool(const char *class, const char *accepted);

/* Warns of a permit that is thrown away, in the method that returns it. Returns false if the warning has thrown. */
ZEND_COLD bool php_ratelimit_warn_of_lost_permit(void);

/* Returns whether the line that calls a method throws the result away. False where that is not certain: where the engine or a
 * function of C makes the call. */
static zend_always_inline bool php_ratelimit_is_thrown_away(const zend_execute_data *method)
{
	const zend_execute_data *caller = method->prev_execute_data;

	return !(ZEND_CALL_INFO(method) & ZEND_CALL_TOP) && EXPECTED(caller && caller->func)
		&& EXPECTED(ZEND_USER_CODE(caller->func->type)) && UNEXPECTED(caller->opline->result_type == IS_UNUSED);
}

#endif
