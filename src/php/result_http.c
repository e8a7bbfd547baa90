/* Writes a Result in HTTP: headers of the IETF's draft (RateLimit header fields for HTTP), and problem details (RFC
 * 9457). */
#include "php_ratelimit.h"

#include "SAPI.h"
#include "ext/json/php_json.h"
#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "classes.h"
#include "result.h"

/* The types that the draft registers with IANA. */
#define PROBLEM_TYPES "https://iana.org/assignments/http-problem-types#"

#define PROBLEM_MEDIA_TYPE    "application/problem+json"
#define LOGIN_REQUIRED_STATUS 401

/* Returns whether there is a Retry-After. By the draft, it is no earlier than t. A call that never passes has none. */
static bool has_retry_after(const php_ratelimit_result *result)
{
	return !result->accepted && result->retry_after_us != RL_NEVER;
}

static int64_t retry_after_s(const php_ratelimit_result *result)
{
	return MAX(php_ratelimit_ceil_seconds(result->retry_after_us), 1);
}

/* ---- Headers ---- */

static unsigned n_policies(const php_ratelimit_result *result)
{
	return MAX(result->n_policies, 1);
}

static const php_ratelimit_policy *policy_at(const php_ratelimit_result *result, unsigned i)
{
	return result->n_policies > 0 && i != result->deciding ? &result->policies[i] : &result->policy;
}

/* Appends a limit's name. A limit without a name is "default", and as the second of several "default-2". */
static void append_name(smart_str *s, const zend_string *name, unsigned i)
{
	if (name) {
		smart_str_append(s, name);
	} else {
		smart_str_appends(s, "default");
		if (i > 0) {
			smart_str_append_printf(s, "-%u", i + 1);
		}
	}
}

zend_string *php_ratelimit_result_wire_name(zend_object *object)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(object);
	smart_str s = {0};

	append_name(&s, result->policy.name, result->deciding);
	return smart_str_extract(&s);
}

/* Appends a string of RFC 8941, which is printable ASCII, as names are. */
static void append_quoted_name(smart_str *s, const zend_string *name, unsigned i)
{
	smart_str plain = {0};

	append_name(&plain, name, i);
	smart_str_appendc(s, '"');
	for (size_t j = 0; j < ZSTR_LEN(plain.s); j++) {
		char c = ZSTR_VAL(plain.s)[j];

		if (c == '"' || c == '\\') {
			smart_str_appendc(s, '\\');
		}
		smart_str_appendc(s, c);
	}
	smart_str_appendc(s, '"');
	smart_str_free(&plain);
}

/* Lists all limits: "minute";q=3;w=60, "uploads";q=2;qu="concurrent-requests" */
static zend_string *policy_header(const php_ratelimit_result *result)
{
	smart_str s = {0};

	for (unsigned i = 0; i < n_policies(result); i++) {
		const php_ratelimit_policy *policy = policy_at(result, i);

		if (i > 0) {
			smart_str_appends(&s, ", ");
		}
		append_quoted_name(&s, policy->name, i);
		smart_str_append_printf(&s, ";q=%" PRIu64, policy->limit);
		if (policy->window_us > 0) {
			smart_str_append_printf(&s, ";w=%" PRId64, php_ratelimit_ceil_seconds(policy->window_us));
		} else {
			smart_str_appends(&s, ";qu=\"concurrent-requests\"");
		}
	}
	return smart_str_extract(&s);
}

/* Formats the deciding limit, whose state is known: "minute";r=0;t=12 */
static zend_string *state_header(const php_ratelimit_result *result)
{
	smart_str s = {0};

	append_quoted_name(&s, result->policy.name, result->deciding);
	smart_str_append_printf(&s, ";r=%" PRIu64 ";t=%" PRId64, result->remaining,
		has_retry_after(result) ? retry_after_s(result) : php_ratelimit_ceil_seconds(result->reset_after_us));
	return smart_str_extract(&s);
}

static void make_headers(zval *headers, const php_ratelimit_result *result)
{
	array_init_size(headers, 3);
	add_assoc_str(headers, "RateLimit-Policy", policy_header(result));
	add_assoc_str(headers, "RateLimit", state_header(result));
	if (has_retry_after(result)) {
		add_assoc_str(headers, "Retry-After", strpprintf(0, "%" PRId64, retry_after_s(result)));
	}
}

ZEND_METHOD(FrequencyLimit_Result, headers)
{
	ZEND_PARSE_PARAMETERS_NONE();
	make_headers(return_value, php_ratelimit_result_of(Z_OBJ_P(ZEND_THIS)));
}

/* ---- A response ---- */

static zend_string *detail(const php_ratelimit_result *result)
{
	int64_t s = retry_after_s(result);
	const char *plural = s == 1 ? "" : "s";

	switch (result->reason) {
		case RL_TOO_EXPENSIVE:
			return strpprintf(0, "This costs more than the whole limit of %" PRIu64 ": it never passes.",
				result->policy.limit);
		case RL_BANNED:
			return strpprintf(0, "Banned for going past the limit. Try again in %" PRId64 " second%s.", s, plural);
		case RL_STORE_UNAVAILABLE:
			return strpprintf(0, "The limit cannot be checked at the moment. Try again in %" PRId64 " second%s.", s,
				plural);
		default:
			if (result->policy.window_us == 0) {
				return strpprintf(0,
					"The limit is %" PRIu64 " at the same time. Try again in at most %" PRId64 " second%s.",
					result->policy.limit, s, plural);
			}
			return strpprintf(0, "The limit is %" PRIu64 " in %" PRId64 " seconds. Try again in %" PRId64 " second%s.",
				result->policy.limit, MAX(php_ratelimit_ceil_seconds(result->policy.window_us), 1), s, plural);
	}
}

static int status_of(const php_ratelimit_result *result)
{
	return result->reason == RL_STORE_UNAVAILABLE ? 503 : 429;
}

static void make_problem(zval *problem, const php_ratelimit_result *result)
{
	bool unavailable = result->reason == RL_STORE_UNAVAILABLE;

	array_init(problem);
	add_assoc_string(problem, "type",
		unavailable ? PROBLEM_TYPES "temporary-reduced-capacity" : PROBLEM_TYPES "quota-exceeded");
	add_assoc_string(problem, "title",
		unavailable ? "Request cannot be satisfied due to temporary server capacity constraints"
					: "Request cannot be satisfied as assigned quota has been exceeded");
	add_assoc_long(problem, "status", status_of(result));
	add_assoc_str(problem, "detail", detail(result));
	if (has_retry_after(result)) {
		add_assoc_long(problem, "retry_after", (zend_long) retry_after_s(result));
	}
	if (!unavailable) {
		smart_str name = {0};
		zval violated;

		append_name(&name, result->policy.name, result->deciding);
		array_init(&violated);
		add_next_index_str(&violated, smart_str_extract(&name));
		add_assoc_zval(problem, "violated-policies", &violated);
	}
}

static void send_header(const char *name, const char *value)
{
	sapi_header_line line = {0};
	zend_string *header = strpprintf(0, "%s: %s", name, value);

	line.line = ZSTR_VAL(header);
	line.line_len = ZSTR_LEN(header);
	sapi_header_op(SAPI_HEADER_REPLACE, &line);
	zend_string_release(header);
}

static void send_status(int status)
{
	sapi_header_op(SAPI_HEADER_SET_STATUS, (void *) (zend_intptr_t) status);
}

static void send_headers(const php_ratelimit_result *result)
{
	zend_string *name;
	zval headers, *value;

	make_headers(&headers, result);
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL(headers), name, value)
	{
		send_header(ZSTR_VAL(name), Z_STRVAL_P(value));
	}
	ZEND_HASH_FOREACH_END();
	zval_ptr_dtor(&headers);
}

static void send_body(zval *problem)
{
	smart_str body = {0};

	php_json_encode(&body, problem, PHP_JSON_UNESCAPED_SLASHES);
	smart_str_appendc(&body, '\n');
	php_output_write(ZSTR_VAL(body.s), ZSTR_LEN(body.s));
	smart_str_free(&body);
	zval_ptr_dtor(problem);
}

static void send_problem(const php_ratelimit_result *result)
{
	zval problem;

	if (SG(request_info).request_method) {
		send_status(status_of(result));
		send_header("Content-Type", PROBLEM_MEDIA_TYPE);
	}
	make_problem(&problem, result);
	send_body(&problem);
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

void php_ratelimit_send_refusal(zend_object *object, bool body)
{
	zval problem;

	send_status(object ? status_of(php_ratelimit_result_of(object)) : LOGIN_REQUIRED_STATUS);
	if (object) {
		send_headers(php_ratelimit_result_of(object));
	}
	if (!body) {
		return;
	}
	send_header("Content-Type", PROBLEM_MEDIA_TYPE);
	if (object) {
		make_problem(&problem, php_ratelimit_result_of(object));
	} else {
		make_login_problem(&problem);
	}
	send_body(&problem);
}

ZEND_METHOD(FrequencyLimit_Result, send)
{
	const php_ratelimit_result *result = php_ratelimit_result_of(Z_OBJ_P(ZEND_THIS));

	ZEND_PARSE_PARAMETERS_NONE();
	/* On the command line there is neither a request nor a header. */
	if (SG(headers_sent) && SG(request_info).request_method) {
		const char *file = php_output_get_start_filename();

		zend_throw_exception_ex(spl_ce_LogicException, 0,
			"FrequencyLimit\\Result::send() comes too late: headers were sent by the output that began in %s:%d",
			file ? file : "an unknown file", php_output_get_start_lineno());
		RETURN_THROWS();
	}
	if (SG(request_info).request_method) {
		send_headers(result);
	}
	if (!result->accepted) {
		send_problem(result);
	}
}
