/* Implements FrequencyLimit\Request. */
#include "php_ratelimit.h"

#include "../base/arguments.h"
#include "client_address.h"
#include "server_variables.h"
#include "request.h"
#include "../base/optional_string.h"

/* The constructor is private, which does not prevent PDO's fetchObject() from calling it. */
ZEND_METHOD(FrequencyLimit_Request, __construct)
{
	zend_throw_error(NULL, "FrequencyLimit\\Request has static methods only");
}

/* Throws while PHP preloads: there is no request, and opcache moves the objects of a state. */
static bool check_not_preloading(const char *method)
{
	if (EXPECTED(!(CG(compiler_options) & ZEND_COMPILE_PRELOAD))) {
		return true;
	}
	zend_throw_error(NULL, "FrequencyLimit\\Request::%s() is for a request: there is none while preloading", method);
	return false;
}

ZEND_METHOD(FrequencyLimit_Request, identifyBy)
{
	php_ratelimit_request *request;
	php_ratelimit_callback resolver;
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC_OR_NULL(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();

	if (!check_not_preloading("identifyBy")) {
		RETURN_THROWS();
	}
	php_ratelimit_look_for_server();
	php_ratelimit_look_at_server_variables();
	if (!php_ratelimit_callback_init(&resolver, &fci, &fcc)) {
		RETURN_THROWS();
	}
	request = php_ratelimit_current_request();
	if (EXPECTED(request)) {
		php_ratelimit_callback_set(&request->resolver, &resolver);
	} else if (php_ratelimit_callback_exists(&resolver)) {
		php_ratelimit_warn_no_request();
		zval_ptr_dtor(&resolver.closure);
	}
}

ZEND_METHOD(FrequencyLimit_Request, begin)
{
	zend_string *address = NULL, *path = NULL, *forwarded_for = NULL;

	ZEND_PARSE_PARAMETERS_START(0, 3)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(address)
		Z_PARAM_STR_OR_NULL(path)
		Z_PARAM_STR_OR_NULL(forwarded_for)
	ZEND_PARSE_PARAMETERS_END();

	if (!check_not_preloading("begin")) {
		RETURN_THROWS();
	}
	if (address && !php_ratelimit_is_peer_address(address)) {
		php_ratelimit_invalid("$address must be an IP address, with or without a port, \"%.64s\" given",
			ZSTR_VAL(address));
		RETURN_THROWS();
	}
	path = path ? php_ratelimit_canonical_path(path) : NULL;
	php_ratelimit_request_begin(address, path, forwarded_for);
	php_ratelimit_string_release(path);
}

ZEND_METHOD(FrequencyLimit_Request, end)
{
	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_request_end();
}

ZEND_METHOD(FrequencyLimit_Request, clientAddress)
{
	char address[PHP_RATELIMIT_ADDRESS_BYTES];
	const php_ratelimit_request *request;
	size_t length;

	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_look_at_server_variables();
	request = php_ratelimit_current_request();
	if (!request) {
		php_ratelimit_warn_no_request();
	}
	length = php_ratelimit_client_address(request, address);
	RETURN_STRINGL(address, length);
}

/* Makes a Result of the latest decision of this request; false when there has been none. */
static bool make_last(zval *result)
{
	const php_ratelimit_request *request = php_ratelimit_current_request();

	if (request && request->last.n > 0) {
		php_ratelimit_result_of_limits(result, &request->last.decision, request->last.granted, request->last.policies,
			request->last.n);
		return true;
	}
	if (request && request->last.result) {
		ZVAL_OBJ_COPY(result, request->last.result);
		return true;
	}
	return false;
}

ZEND_METHOD(FrequencyLimit_Request, lastResult)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (!make_last(return_value)) {
		RETURN_NULL();
	}
}
