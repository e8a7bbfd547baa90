/* Makes the Results of Result::of(): decisions that no store has made, for tests and for adapters. */
#include "php_ratelimit.h"

#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "../limit/limit_object.h"
#include "result.h"

/* The arguments, as they were given. */
typedef struct {
	zend_object *reason;
	zend_long limit, remaining, granted;
	bool has_remaining, has_granted;
	zval *retry_after, *reset_after, *next_after, *wait, *window; /* NULL: left out, or null */
	zend_string *name, *store;
} of_arguments;

static bool of_source(const zend_string *store, rl_source *source)
{
	zend_string *name;

	for (unsigned i = 0; (name = php_ratelimit_source_name(i)) != NULL; i++) {
		if (zend_string_equals(name, store)) {
			*source = (rl_source) i;
			return true;
		}
	}
	php_ratelimit_invalid(
		"$store must be \"shm\", \"redis\", \"local\", \"cache\", \"lease\", \"exempt\" or \"refuse\", \"%.32s\" given",
		ZSTR_VAL(store));
	return false;
}

/* Reads a duration, or takes the default if there is none. */
static bool of_duration(const char *argument, zval *seconds, int64_t default_us, int64_t *us)
{
	*us = default_us;
	return !seconds || php_ratelimit_duration(argument, seconds, 0, us);
}

/* Reads what is granted, which decides for StoreUnavailable whether the call passes. */
static bool of_granted(const of_arguments *arguments, rl_answer *a)
{
	rl_decision *d = &a->decision;

	d->accepted = d->reason == RL_ACCEPTED;
	a->granted = d->accepted;
	if (!arguments->has_granted) {
		return true;
	}
	if (!php_ratelimit_check_range("$granted", arguments->granted, 0,
			d->accepted || d->reason == RL_STORE_UNAVAILABLE ? RL_LIMIT_MAX : 0)) {
		return false;
	}
	a->granted = arguments->granted;
	d->accepted = d->accepted || a->granted > 0;
	return true;
}

static bool of_remaining(const of_arguments *arguments, rl_decision *d)
{
	if (!arguments->has_remaining) {
		d->remaining = d->reason == RL_ACCEPTED ? d->limit - 1 : d->accepted ? d->limit : 0;
		return true;
	}
	if (!php_ratelimit_check_range("$remaining", arguments->remaining, 0, (int64_t) d->limit)) {
		return false;
	}
	d->remaining = arguments->remaining;
	return true;
}

/* Reads the times. An argument that the decision does not have is refused. */
static bool of_times(const of_arguments *arguments, int64_t window_us, rl_decision *d)
{
	bool retries = !d->accepted && d->reason != RL_TOO_EXPENSIVE;

	if (arguments->retry_after && !retries) {
		php_ratelimit_invalid("$retryAfter must be null for a call that %s", d->accepted ? "passes" : "never passes");
		return false;
	}
	if (arguments->next_after && !d->accepted) {
		php_ratelimit_invalid("$nextAfter must be null for a refusal, whose $retryAfter it has");
		return false;
	}
	if (!of_duration("$retryAfter", arguments->retry_after, window_us, &d->retry_after_us)
		|| !of_duration("$resetAfter", arguments->reset_after, d->retry_after_us, &d->reset_after_us)) {
		return false;
	}
	if (d->accepted) {
		return of_duration("$nextAfter", arguments->next_after, d->remaining > 0 ? 0 : d->reset_after_us,
			&d->retry_after_us);
	}
	if (!retries) {
		d->retry_after_us = RL_NEVER;
	}
	return true;
}

static bool of_answer(const of_arguments *arguments, rl_answer *a, int64_t *window_us)
{
	rl_decision *d = &a->decision;

	d->reason = arguments->reason ? php_ratelimit_reason_number(arguments->reason) : RL_ACCEPTED;
	if (!php_ratelimit_check_range("$limit", arguments->limit, 1, RL_LIMIT_MAX)) {
		return false;
	}
	d->limit = arguments->limit;
	return of_granted(arguments, a) && of_remaining(arguments, d)
		&& of_duration("$window", arguments->window, 60 * RL_US_PER_SECOND, window_us)
		&& of_times(arguments, *window_us, d) && of_duration("$wait", arguments->wait, 0, &a->wait_us)
		&& (!arguments->name || php_ratelimit_limit_check_name("$name", arguments->name))
		&& (!arguments->store || of_source(arguments->store, &d->source));
}

ZEND_METHOD(FrequencyLimit_Result, of)
{
	of_arguments arguments = {.limit = 1};
	bool remaining_is_null = true, granted_is_null = true;
	rl_answer a = {0};
	int64_t window_us;

	ZEND_PARSE_PARAMETERS_START(0, 11)
		Z_PARAM_OPTIONAL
		Z_PARAM_OBJ_OF_CLASS(arguments.reason, php_ratelimit_ce_reason)
		Z_PARAM_LONG(arguments.limit)
		Z_PARAM_LONG_OR_NULL(arguments.remaining, remaining_is_null)
		Z_PARAM_NUMBER_OR_NULL(arguments.retry_after)
		Z_PARAM_NUMBER_OR_NULL(arguments.reset_after)
		Z_PARAM_NUMBER_OR_NULL(arguments.next_after)
		Z_PARAM_STR_OR_NULL(arguments.name)
		Z_PARAM_STR(arguments.store)
		Z_PARAM_LONG_OR_NULL(arguments.granted, granted_is_null)
		Z_PARAM_NUMBER(arguments.wait)
		Z_PARAM_NUMBER(arguments.window)
	ZEND_PARSE_PARAMETERS_END();

	arguments.has_remaining = !remaining_is_null;
	arguments.has_granted = !granted_is_null;
	if (!of_answer(&arguments, &a, &window_us)) {
		RETURN_THROWS();
	}
	php_ratelimit_result_init(return_value, &a.decision, a.granted, a.wait_us,
		&(php_ratelimit_policy){.name = arguments.name, .window_us = window_us});
}
