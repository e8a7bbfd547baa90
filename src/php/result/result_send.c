/* Sends a decision as the answer of the running web request. A later decision of the request adds to the earlier ones. */
#include "php_ratelimit.h"

#include "SAPI.h"
#include "ext/json/php_json.h"
#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "result.h"
#include "../base/optional_string.h"

/* ---- What the request has sent ---- */

void php_ratelimit_sent_clear(void)
{
	php_ratelimit_sent *sent = RATELIMIT_G(sent);

	php_ratelimit_fields_free(&sent->fields);
	php_ratelimit_string_release(sent->line);
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

/* ---- Headers and body ---- */

/* Sends a line in place of earlier ones of its name. */
static void send_line(const char *text, size_t length)
{
	sapi_header_line line = {.line = text, .line_len = length};

	sapi_header_op(SAPI_HEADER_REPLACE, &line);
}

static void send_status(int status)
{
	sapi_header_op(SAPI_HEADER_SET_STATUS, (void *) (zend_intptr_t) status);
}

/* Sends the headers of all decisions of the request, and returns what it has sent. */
static php_ratelimit_sent *send_headers(zend_object *object, bool legacy)
{
	php_ratelimit_sent *sent = RATELIMIT_G(sent);
	zval headers, *value;
	zend_string *name;

	if (!sent_line_is_there(sent)) {
		php_ratelimit_sent_clear();
	}
	php_ratelimit_make_headers(&headers, &sent->fields, object, legacy);
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL(headers), name, value)
	{
		zend_string *line = strpprintf(0, "%s: %s", ZSTR_VAL(name), Z_STRVAL_P(value));

		send_line(ZSTR_VAL(line), ZSTR_LEN(line));
		if (zend_string_equals_literal(name, "RateLimit-Policy")) {
			php_ratelimit_string_release(sent->line);
			sent->line = zend_string_copy(line);
		}
		zend_string_release(line);
	}
	ZEND_HASH_FOREACH_END();
	zval_ptr_dtor(&headers);
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

static void send_problem(zend_object *object)
{
	send_line(ZEND_STRL("Content-Type: application/problem+json"));
	send_body(object);
}

void php_ratelimit_send_refusal(zend_object *object, bool body)
{
	send_status(php_ratelimit_status_of(object));
	if (object) {
		send_headers(object, false);
	}
	if (body) {
		send_problem(object);
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
	send_problem(object);
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
