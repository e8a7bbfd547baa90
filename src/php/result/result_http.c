/* Writes a Result in HTTP: headers of the IETF's draft-ietf-httpapi-ratelimit-headers-11, problem details (RFC 9457), and a
 * text for people. result_send.c sends them. */
#include "php_ratelimit.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "result.h"
#include "src/shm/segment/clock.h"
#include "../base/optional_string.h"

/* The types that the draft registers with IANA. */
#define PROBLEM_TYPES "https://iana.org/assignments/http-problem-types#"

#define LOGIN_REQUIRED_STATUS 401

/* Returns whether there is a Retry-After. By the draft, it is no earlier than t. A call that never passes has none. */
static bool has_retry_after(const php_ratelimit_result *result)
{
	return !result->decision.accepted && result->decision.retry_after_us != RL_NEVER;
}

static int64_t retry_after_s(const php_ratelimit_result *result)
{
	return MAX(php_ratelimit_ceil_seconds(result->decision.retry_after_us), 1);
}

/* ---- Headers ---- */

/* Appends a string of RFC 9651, which is printable ASCII, as names and units are. */
static void append_quoted(smart_str *s, const char *text)
{
	smart_str_appendc(s, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			smart_str_appendc(s, '\\');
		}
		smart_str_appendc(s, *text);
	}
	smart_str_appendc(s, '"');
}

/* Returns the part of a policy: "minute";q=3;w=60, "tokens";q=9000;qu="tokens";w=60, or "uploads";q=2;qu="concurrent-requests" */
static zend_string *policy_field(const php_ratelimit_policy *policy, const zend_string *name)
{
	smart_str s = {0};

	append_quoted(&s, ZSTR_VAL(name));
	smart_str_append_printf(&s, ";q=%" PRIu64, (uint64_t) policy->limit);
	if (policy->unit || policy->window_us == 0) {
		smart_str_appends(&s, ";qu=");
		append_quoted(&s, php_ratelimit_policy_unit(policy));
	}
	if (policy->window_us > 0) {
		smart_str_append_printf(&s, ";w=%" PRId64, php_ratelimit_ceil_seconds(policy->window_us));
	}
	return smart_str_extract(&s);
}

/* Returns the time within which the client can use no more than what limit i has left. A window gives all permits back at its end. Of a
 * log or a sliding window with permits left, the bound that is known is the time until all of them are back. So it is without, where
 * another limit decides. */
static int64_t effective_window_us(const php_ratelimit_result *result, unsigned i, const php_ratelimit_left *left)
{
	const php_ratelimit_policy *policy = php_ratelimit_result_policy(result, i);
	uint64_t missing = policy->limit - left->remaining;

	if (left->remaining == 0 && php_ratelimit_result_decides(result, i)) { /* another limit may be used up for longer */
		return MIN(result->decision.retry_after_us, left->reset_after_us);
	}
	if (!policy->is_steady || missing < 2) {
		return left->reset_after_us;
	}
	return MAX(left->reset_after_us
			- (int64_t) ((__int128) (missing - 1) * policy->window_us / (int64_t) policy->limit),
		0);
}

/* Returns the part of limit i's state, "minute";r=0;t=12, or NULL if the state is not known. */
static zend_string *state_field(const php_ratelimit_result *result, unsigned i, const zend_string *name)
{
	php_ratelimit_left left;
	smart_str s = {0};

	if (!php_ratelimit_result_left(result, i, &left)) {
		return NULL;
	}
	append_quoted(&s, ZSTR_VAL(name));
	smart_str_append_printf(&s, ";r=%" PRIu64 ";t=%" PRId64, left.remaining,
		has_retry_after(result) && php_ratelimit_result_decides(result, i)
			? retry_after_s(result)
			: php_ratelimit_ceil_seconds(effective_window_us(result, i, &left)));
	return smart_str_extract(&s);
}

/* Sets the part of a name. Takes the reference to the field. */
static void set_field(HashTable *fields, zend_string *name, zend_string *field)
{
	zval value;

	ZVAL_STR(&value, field);
	zend_hash_update(fields, name, &value);
}

/* Adds the parts of all limits: the policy of each, and its state where that is known. */
static void add_parts(php_ratelimit_fields *fields, const php_ratelimit_result *result)
{
	if (!fields->policies) {
		fields->policies = zend_new_array(1);
		fields->states = zend_new_array(1);
	}
	for (unsigned i = 0; i < php_ratelimit_result_n_limits(result); i++) {
		zend_string *name = php_ratelimit_wire_name(result, i), *state = state_field(result, i, name);

		set_field(fields->policies, name, policy_field(php_ratelimit_result_policy(result, i), name));
		if (state) {
			set_field(fields->states, name, state);
		}
		zend_string_release(name);
	}
}

/* Returns the time until the refused call passes, or after an accepted one until the limit is whole again. */
static int64_t legacy_reset_us(const php_ratelimit_result *result)
{
	return has_retry_after(result) ? result->decision.retry_after_us : result->decision.reset_after_us;
}

/* Appends the words of earlier drafts, which parsers of these find in the present list. Parameters of a vendor have its prefix. */
static void append_legacy_words(smart_str *s, const php_ratelimit_result *result)
{
	smart_str_append_printf(s, ";ratelimit-limit=%" PRIu64 ";ratelimit-remaining=%" PRIu64 ";ratelimit-reset=%" PRId64,
		(uint64_t) result->policy.limit, result->decision.remaining,
		php_ratelimit_ceil_seconds(legacy_reset_us(result)));
}

/* Joins the parts to the value of a list field, a new string. legacy: NULL, or a Result whose deciding limit gets the words of earlier
 * drafts as further parameters. */
static zend_string *join_parts(HashTable *parts, const php_ratelimit_result *legacy)
{
	bool has_words = legacy && php_ratelimit_result_n_limits(legacy) > 0;
	zend_string *name, *deciding = has_words ? php_ratelimit_wire_name(legacy, legacy->decision.limit_index) : NULL;
	smart_str s = {0};
	zval *field;

	ZEND_HASH_FOREACH_STR_KEY_VAL(parts, name, field)
	{
		if (s.s) {
			smart_str_appends(&s, ", ");
		}
		smart_str_append(&s, Z_STR_P(field));
		if (deciding && zend_string_equals(name, deciding)) {
			append_legacy_words(&s, legacy);
		}
	}
	ZEND_HASH_FOREACH_END();
	php_ratelimit_string_release(deciding);
	return smart_str_extract(&s);
}

static void add_legacy_headers(zval *headers, const php_ratelimit_result *result)
{
	add_assoc_str(headers, "X-RateLimit-Limit", strpprintf(0, "%" PRIu64, (uint64_t) result->policy.limit));
	add_assoc_str(headers, "X-RateLimit-Remaining", strpprintf(0, "%" PRIu64, result->decision.remaining));
	add_assoc_str(headers, "X-RateLimit-Reset",
		strpprintf(0, "%" PRId64, php_ratelimit_ceil_seconds(rl_clock_wall_us() + legacy_reset_us(result))));
}

void php_ratelimit_make_headers(zval *headers, php_ratelimit_fields *fields, zend_object *object, bool legacy)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(object);
	int64_t retry_s = has_retry_after(result) ? retry_after_s(result) : 0;

	array_init_size(headers, 6);
	add_parts(fields, result);
	if (zend_hash_num_elements(fields->policies) > 0) {
		add_assoc_str(headers, "RateLimit-Policy", join_parts(fields->policies, NULL));
		add_assoc_str(headers, "RateLimit", join_parts(fields->states, legacy ? result : NULL));
	}
	if (retry_s > fields->retry_after_s) {
		fields->retry_after_s = retry_s;
		add_assoc_str(headers, "Retry-After", strpprintf(0, "%" PRId64, retry_s));
	}
	if (legacy && php_ratelimit_result_n_limits(result) > 0) {
		add_legacy_headers(headers, result);
	}
}

void php_ratelimit_fields_free(php_ratelimit_fields *fields)
{
	if (fields->policies) {
		zend_array_release(fields->policies);
		zend_array_release(fields->states);
	}
}

ZEND_METHOD(FrequencyLimit_Result, headers)
{
	php_ratelimit_fields fields = {0};
	bool legacy = false;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(legacy)
	ZEND_PARSE_PARAMETERS_END();

	php_ratelimit_make_headers(return_value, &fields, Z_OBJ_P(ZEND_THIS), legacy);
	php_ratelimit_fields_free(&fields);
}

/* ---- Problem details ---- */

/* Returns a time for people: in seconds below two minutes, in minutes below two hours, in hours below two days, else in days, so that
 * rounding up adds at most a half. exact: in the largest unit that needs no rounding. */
static zend_string *time_text(int64_t s, bool exact)
{
	static const struct {
		int64_t s, until;
		const char *name;
	} units[] = {{1, 120, "second"}, {60, 7200, "minute"}, {3600, 172800, "hour"}, {86400, INT64_MAX, "day"}};
	unsigned i = 0;
	int64_t n;

	while (s >= units[i].until) {
		i++;
	}
	while (exact && s % units[i].s != 0) {
		i--;
	}
	n = (s + units[i].s - 1) / units[i].s;
	return strpprintf(0, "%" PRId64 " %s%s", n, units[i].name, n == 1 ? "" : "s");
}

/* Returns the limit with its unit, if the application named one: "9000 tokens", or "100". */
static zend_string *limit_text(const php_ratelimit_policy *policy)
{
	return strpprintf(0, "%" PRIu64 "%s%s", (uint64_t) policy->limit, policy->unit ? " " : "",
		policy->unit ? ZSTR_VAL(policy->unit) : "");
}

/* limit: limit_text(). again: the time until the call passes. */
static zend_string *detail_with(const php_ratelimit_result *result, const char *limit, const char *again)
{
	zend_string *window, *text;

	switch (result->decision.reason) {
		case RL_TOO_EXPENSIVE:
			return strpprintf(0, "This costs more than the whole limit of %s: it never passes.", limit);
		case RL_BANNED:
			return strpprintf(0, "Banned. Try again in %s.", again);
		case RL_STORE_UNAVAILABLE:
			return strpprintf(0, "The limit cannot be checked at the moment. Try again in %s.", again);
		default:
			break;
	}
	if (result->policy.window_us == 0) {
		return strpprintf(0, "The limit is %s at the same time. Try again in at most %s.", limit, again);
	}
	window = time_text(MAX(php_ratelimit_ceil_seconds(result->policy.window_us), 1), true);
	text = strpprintf(0, "The limit is %s in %s. Try again in %s.", limit, ZSTR_VAL(window), again);
	zend_string_release(window);
	return text;
}

static zend_string *detail(const php_ratelimit_result *result)
{
	zend_string *limit = limit_text(&result->policy), *again = time_text(retry_after_s(result), false);
	zend_string *text = detail_with(result, ZSTR_VAL(limit), ZSTR_VAL(again));

	zend_string_release(limit);
	zend_string_release(again);
	return text;
}

int php_ratelimit_status_of(zend_object *object)
{
	const php_ratelimit_result *result;

	if (!object) {
		return LOGIN_REQUIRED_STATUS;
	}
	result = php_ratelimit_result_of(object);
	return result->decision.accepted ? 200 : result->decision.reason == RL_STORE_UNAVAILABLE ? 503 : 429;
}

/* The draft has no type for it: the status is enough. */
static void make_login_problem(zval *problem)
{
	array_init(problem);
	add_assoc_string(problem, "type", "about:blank");
	add_assoc_string(problem, "title", "Unauthorized");
	add_assoc_long(problem, "status", LOGIN_REQUIRED_STATUS);
	add_assoc_string(problem, "detail", "This requires a user who is logged in.");
}

void php_ratelimit_make_problem(zval *problem, zend_object *object)
{
	const php_ratelimit_result *result;
	bool unavailable;

	if (!object) {
		make_login_problem(problem);
		return;
	}
	result = php_ratelimit_result_of(object);
	unavailable = result->decision.reason == RL_STORE_UNAVAILABLE;
	array_init(problem);
	add_assoc_string(problem, "type",
		unavailable ? PROBLEM_TYPES "temporary-reduced-capacity" : PROBLEM_TYPES "quota-exceeded");
	add_assoc_string(problem, "title",
		unavailable ? "Request cannot be satisfied due to temporary server capacity constraints"
					: "Request cannot be satisfied as assigned quota has been exceeded");
	add_assoc_long(problem, "status", php_ratelimit_status_of(object));
	add_assoc_str(problem, "detail", detail(result));
	if (has_retry_after(result)) {
		add_assoc_long(problem, "retry_after", (zend_long) retry_after_s(result));
	}
	if (!unavailable) {
		zval violated;

		array_init(&violated);
		add_next_index_str(&violated, php_ratelimit_wire_name(result, result->decision.limit_index));
		add_assoc_zval(problem, "violated-policies", &violated);
	}
}

ZEND_METHOD(FrequencyLimit_Result, status)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_LONG(php_ratelimit_status_of(Z_OBJ_P(ZEND_THIS)));
}

ZEND_METHOD(FrequencyLimit_Result, problem)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS);

	ZEND_PARSE_PARAMETERS_NONE();
	if (php_ratelimit_result_of(object)->decision.accepted) {
		zend_throw_exception(spl_ce_LogicException,
			"FrequencyLimit\\Result::problem() describes a refusal, and this call passed: check $accepted first", 0);
		RETURN_THROWS();
	}
	php_ratelimit_make_problem(return_value, object);
}

/* ---- For people ---- */

ZEND_METHOD(FrequencyLimit_Result, retryText)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(Z_OBJ_P(ZEND_THIS));
	zend_string *time;

	ZEND_PARSE_PARAMETERS_NONE();
	if (result->decision.accepted) {
		RETURN_STRING("now");
	}
	if (!has_retry_after(result)) {
		RETURN_STRING("never");
	}
	time = time_text(retry_after_s(result), false);
	RETVAL_STR(zend_string_concat2("in ", 3, ZSTR_VAL(time), ZSTR_LEN(time)));
	zend_string_release(time);
}
