/* Sends a decision as the answer of the running web request. A later decision of the request adds to the earlier ones. */
#include "php_ratelimit.h"

#include "SAPI.h"
#include "ext/json/php_json.h"
#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "result.h"

#define PROBLEM_MEDIA_TYPE "application/problem+json"

/* ---- What the request has sent ---- */

void php_ratelimit_sent_clear(void)
{
	php_ratelimit_sent *sent = RATELIMIT_G(sent);

	if (sent->policies) {
		zend_array_release(sent->policies);
		zend_array_release(sent->states);
	}
	if (sent->line) {
		zend_string_release(sent->line);
	}
	*sent = (php_ratelimit_sent){0};
}

/* Returns whether the headers of the response still have the line that was sent: the code may have removed it, or a worker may
 * serve another request now. */
static bool sent_line_is_there(const php_ratelimit_sent *sent)
{
	zend_llist_position position;
	const sapi_header_struct *header = sent->line ? zend_llist_get_first_ex(&SG(sapi_headers).headers, &position)
												  : NULL;

	while (header) {
		if (header->header_len == ZSTR_LEN(sent->line)
			&& memcmp(header->header, ZSTR_VAL(sent->line), header->header_len) == 0) {
			return true;
		}
		header = zend_llist_get_next_ex(&SG(sapi_headers).headers, &position);
	}
	return false;
}

/* Returns what the running request has sent, empty if that is nothing. */
static php_ratelimit_sent *sent_begin(void)
{
	php_ratelimit_sent *sent = RATELIMIT_G(sent);

	if (!sent_line_is_there(sent)) {
		php_ratelimit_sent_clear();
	}
	if (!sent->policies) {
		sent->policies = zend_new_array(1);
		sent->states = zend_new_array(1);
	}
	return sent;
}

/* ---- Headers and body ---- */

/* Sends a line in place of earlier ones of its name. */
static void send_line(zend_string *text)
{
	sapi_header_line line = {.line = ZSTR_VAL(text), .line_len = ZSTR_LEN(text)};

	sapi_header_op(SAPI_HEADER_REPLACE, &line);
}

static void send_header(const char *name, const char *value)
{
	zend_string *line = strpprintf(0, "%s: %s", name, value);

	send_line(line);
	zend_string_release(line);
}

static void send_status(int status)
{
	sapi_header_op(SAPI_HEADER_SET_STATUS, (void *) (zend_intptr_t) status);
}

/* Sends the list fields of all decisions of the request. legacy: NULL, or the last decision. */
static void send_fields(php_ratelimit_sent *sent, zend_object *legacy)
{
	zend_string *policies = php_ratelimit_join_fields(sent->policies, NULL);
	zend_string *states = php_ratelimit_join_fields(sent->states, legacy);

	if (sent->line) {
		zend_string_release(sent->line);
	}
	sent->line = strpprintf(0, "RateLimit-Policy: %s", ZSTR_VAL(policies));
	send_line(sent->line);
	send_header("RateLimit", ZSTR_VAL(states));
	zend_string_release(policies);
	zend_string_release(states);
}

static void send_legacy_headers(zend_object *object)
{
	zval headers, *value;
	zend_string *name;

	array_init(&headers);
	php_ratelimit_add_legacy_headers(&headers, object);
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL(headers), name, value)
	{
		send_header(ZSTR_VAL(name), Z_STRVAL_P(value));
	}
	ZEND_HASH_FOREACH_END();
	zval_ptr_dtor(&headers);
}

/* Sends the headers, and returns what the request has sent. */
static php_ratelimit_sent *send_headers(zend_object *object, bool legacy)
{
	php_ratelimit_sent *sent = sent_begin();
	int64_t retry_s = php_ratelimit_retry_after_s(object);

	php_ratelimit_add_fields(object, sent->policies, sent->states);
	if (zend_hash_num_elements(sent->policies) > 0) {
		send_fields(sent, legacy ? object : NULL);
	}
	if (retry_s > sent->retry_after_s) {
		char value[24];

		sent->retry_after_s = retry_s;
		snprintf(value, sizeof(value), "%" PRId64, retry_s);
		send_header("Retry-After", value);
	}
	if (legacy) {
		send_legacy_headers(object);
	}
	return sent;
}

static void send_body(zend_object *object)
{
	zval problem;
	smart_str body = {0};

	php_ratelimit_make_problem(&problem, object);
	php_json_encode(&body, &problem, PHP_JSON_UNESCAPED_SLASHES);
	smart_str_appendc(&body, '\n');
	php_output_write(ZSTR_VAL(body.s), ZSTR_LEN(body.s));
	smart_str_free(&body);
	zval_ptr_dtor(&problem);
}

void php_ratelimit_send_refusal(zend_object *object, bool body)
{
	send_status(php_ratelimit_status_of(object));
	if (object) {
		send_headers(object, false);
	}
	if (body) {
		send_header("Content-Type", PROBLEM_MEDIA_TYPE);
		send_body(object);
	}
}

/* Sends a decision in a web request. Only the first refusal has a body: two would be no JSON. */
static void send_in_request(zend_object *object, bool legacy)
{
	php_ratelimit_sent *sent = send_headers(object, legacy);

	if (php_ratelimit_result_of(object)->decision.accepted || sent->problem) {
		return;
	}
	sent->problem = true;
	send_status(php_ratelimit_status_of(object));
	send_header("Content-Type", PROBLEM_MEDIA_TYPE);
	send_body(object);
}

ZEND_METHOD(FrequencyLimit_Result, send)
{
	zend_object *object = Z_OBJ_P(ZEND_THIS);
	bool legacy = false;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(legacy)
	ZEND_PARSE_PARAMETERS_END();

	/* On the command line there is neither a request nor a header. */
	if (!SG(request_info).request_method) {
		if (!php_ratelimit_result_of(object)->decision.accepted) {
			send_body(object);
		}
		return;
	}
	if (SG(headers_sent) && RATELIMIT_G(sent)->problem && sent_line_is_there(RATELIMIT_G(sent))) {
		return; /* an earlier refusal is the answer */
	}
	if (SG(headers_sent)) {
		const char *file = php_output_get_start_filename();

		zend_throw_exception_ex(spl_ce_LogicException, 0,
			"FrequencyLimit\\Result::send() comes too late: headers were sent by the output that began in %s:%d",
			file ? file : "an unknown file", php_output_get_start_lineno());
		RETURN_THROWS();
	}
	send_in_request(object, legacy);
}
