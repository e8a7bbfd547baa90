#include "php_ratelimit.h"

#include "zend_attributes.h"
#include "zend_closures.h"

#include "access_limit.h"
#include "access_rule.h"
#include "arguments.h"
#include "classes.h"
#include "client_address.h"
#include "request.h"
#include "request_state.h"
#include "server_process.h"

/* The declared properties, in the order of the stub. */
enum {
	PROP_SECONDS,
	PROP_MAX_COUNT,
	PROP_NEED_LOGIN,
	PROP_ACTION,
};

/* Checks an attribute; the compiler calls this for each attribute of ours, with its function as the active one. Returns an
 * error for wrong arguments, and for an attribute that the hook has not seen: PHP never ignores a limit without a
 * message. */
static zend_string *validate(const zend_attribute *attribute)
{
	const zend_op_array *function = CG(active_op_array);
	php_ratelimit_access_rule rule;
	zend_string *error;

	if (!function || !function->attributes) {
		return NULL;
	}
	error = php_ratelimit_access_rule_read(&rule, function->attributes, NULL, false);
	php_ratelimit_access_rule_release(&rule);
	if (error) {
		const php_ratelimit_attribute_class *class = &php_ratelimit_attribute_classes[rule.latest];
		/* The validator of the other class has its own turn, and the line. */
		bool own = strcmp(ZSTR_VAL(attribute->lcname), class->lc_name) == 0;
		zend_string *message = own ? strpprintf(0, "#[%s]: %s", class->name, ZSTR_VAL(error)) : NULL;

		zend_string_release(error);
		return message;
	}
	if (php_ratelimit_attribute_hook_is_on() && !php_ratelimit_is_enforced(function->line_start, function->line_end)) {
		return strpprintf(0, "#[%s] cannot be enforced here", ZSTR_VAL(attribute->name));
	}
	return NULL;
}

#if PHP_VERSION_ID >= 80500
static zend_string *validator(zend_attribute *attribute, uint32_t target, zend_class_entry *scope)
{
	zend_string *error = validate(attribute);

	if (error) {
		CG(zend_lineno) = attribute->lineno;
	}
	return error;
}
#else
static void validator(zend_attribute *attribute, uint32_t target, zend_class_entry *scope)
{
	zend_string *error = validate(attribute);

	if (error) {
		CG(zend_lineno) = attribute->lineno;
		zend_error_noreturn(E_COMPILE_ERROR, "%s", ZSTR_VAL(error));
	}
}
#endif

void php_ratelimit_attribute_startup(zend_class_entry *ce, uint32_t flags)
{
	/* The stub's #[\Attribute] is no replacement: its flags differ between versions of PHP. */
	zend_internal_attribute *attribute = zend_internal_attribute_register(ce,
		ZEND_ATTRIBUTE_TARGET_FUNCTION | ZEND_ATTRIBUTE_TARGET_METHOD | flags);

	attribute->validator = validator;
}

bool php_ratelimit_attribute_check(php_ratelimit_attribute attribute, zval *values, zval *seconds, zend_long number,
	bool need_login, zend_string *action)
{
	php_ratelimit_access_rule rule = {0};
	zend_string *error;

	ZVAL_COPY_VALUE(&values[PHP_RATELIMIT_ARG_SECONDS], seconds);
	ZVAL_LONG(&values[PHP_RATELIMIT_ARG_NUMBER], number);
	ZVAL_BOOL(&values[PHP_RATELIMIT_ARG_NEED_LOGIN], need_login);
	ZVAL_NULL(&values[PHP_RATELIMIT_ARG_ACTION]);
	if (action) {
		ZVAL_STR(&values[PHP_RATELIMIT_ARG_ACTION], action);
	}
	error = php_ratelimit_access_rule_add(&rule, attribute, values);
	php_ratelimit_access_rule_release(&rule);
	if (error) {
		php_ratelimit_invalid("%s", ZSTR_VAL(error));
		zend_string_release(error);
		return false;
	}
	return true;
}

ZEND_METHOD(FrequencyLimit_AccessLimit, __construct)
{
	zval *seconds, values[PHP_RATELIMIT_ARGS];
	zend_long max_count = 5;
	bool need_login = false;
	zend_string *action = NULL;
	zend_object *object = Z_OBJ_P(ZEND_THIS);

	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_NUMBER(seconds)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(max_count)
		Z_PARAM_BOOL(need_login)
		Z_PARAM_STR_OR_NULL(action)
	ZEND_PARSE_PARAMETERS_END();

	if (!Z_ISUNDEF_P(OBJ_PROP_NUM(object, PROP_SECONDS))) {
		zend_throw_error(NULL, "A FrequencyLimit\\AccessLimit is constructed only once");
		RETURN_THROWS();
	}
	if (!php_ratelimit_attribute_check(PHP_RATELIMIT_ACCESS_LIMIT, values, seconds, max_count, need_login, action)) {
		RETURN_THROWS();
	}
	ZVAL_COPY_VALUE(OBJ_PROP_NUM(object, PROP_SECONDS), seconds);
	ZVAL_LONG(OBJ_PROP_NUM(object, PROP_MAX_COUNT), max_count);
	ZVAL_BOOL(OBJ_PROP_NUM(object, PROP_NEED_LOGIN), need_login);
	ZVAL_COPY(OBJ_PROP_NUM(object, PROP_ACTION), &values[PHP_RATELIMIT_ARG_ACTION]);
}

/* Throws while PHP preloads: there is no request, and opcache moves the objects of a state. */
static bool check_not_preloading(const char *method)
{
	if (EXPECTED(!(CG(compiler_options) & ZEND_COMPILE_PRELOAD))) {
		return true;
	}
	zend_throw_error(NULL, "FrequencyLimit\\AccessLimit::%s() is for a request: there is none while preloading",
		method);
	return false;
}

/* Makes a Closure of a callable where the caller's scope is known: in another scope PHP cannot call a private
 * method. */
void php_ratelimit_to_closure(zval *closure, zval *callable)
{
	zend_function *from_callable = zend_hash_str_find_ptr(&zend_ce_closure->function_table, ZEND_STRL("fromcallable"));

	zend_call_known_function(from_callable, NULL, zend_ce_closure, closure, 1, callable, NULL);
}

static void set_resolver(zval *closure, const zend_fcall_info_cache *cache)
{
	php_ratelimit_request *request = php_ratelimit_current_request();

	if (EXPECTED(request)) {
		php_ratelimit_request_set_resolver(request, closure, cache);
	} else {
		php_ratelimit_warn_no_request();
	}
}

static void set_resolver_of(zval *callable)
{
	zend_fcall_info info;
	zend_fcall_info_cache cache;
	zval closure;

	php_ratelimit_to_closure(&closure, callable);
	if (!EG(exception) && zend_fcall_info_init(&closure, 0, &info, &cache, NULL, NULL) == SUCCESS) {
		set_resolver(&closure, &cache);
	}
	zval_ptr_dtor(&closure);
}

static zend_always_inline bool is_closure(const zval *callable)
{
	return Z_TYPE_P(callable) == IS_OBJECT && Z_OBJCE_P(callable) == zend_ce_closure;
}

ZEND_METHOD(FrequencyLimit_AccessLimit, identifyBy)
{
	php_ratelimit_request *request;
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC_OR_NULL(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();

	if (!check_not_preloading("identifyBy")) {
		RETURN_THROWS();
	}
	php_ratelimit_look_for_server_objects();
	php_ratelimit_look_at_server_variables();
	if (ZEND_FCI_INITIALIZED(fci)) {
		/* Of a Closure the parser knows already how it is called. */
		if (EXPECTED(is_closure(&fci.function_name) && fcc.function_handler)) {
			set_resolver(&fci.function_name, &fcc);
		} else {
			set_resolver_of(&fci.function_name);
		}
	} else if ((request = php_ratelimit_current_request())) {
		php_ratelimit_request_set_resolver(request, NULL, NULL);
	}
}

ZEND_METHOD(FrequencyLimit_AccessLimit, request)
{
	zend_string *address = NULL, *path = NULL, *forwarded_for = NULL;

	ZEND_PARSE_PARAMETERS_START(0, 3)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(address)
		Z_PARAM_STR_OR_NULL(path)
		Z_PARAM_STR_OR_NULL(forwarded_for)
	ZEND_PARSE_PARAMETERS_END();

	if (!check_not_preloading("request")) {
		RETURN_THROWS();
	}
	if (address && !php_ratelimit_is_peer_address(address)) {
		php_ratelimit_invalid("$address must be an IP address, with or without a port, \"%.64s\" given",
			ZSTR_VAL(address));
		RETURN_THROWS();
	}
	path = path ? php_ratelimit_canonical_path(path) : NULL;
	php_ratelimit_request_begin(address, path, forwarded_for);
	if (path) {
		zend_string_release(path);
	}
}

ZEND_METHOD(FrequencyLimit_AccessLimit, endRequest)
{
	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_request_end();
}

ZEND_METHOD(FrequencyLimit_AccessLimit, clientAddress)
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

ZEND_METHOD(FrequencyLimit_AccessLimit, lastResult)
{
	ZEND_PARSE_PARAMETERS_NONE();
	if (!php_ratelimit_enforce_last(return_value)) {
		RETURN_NULL();
	}
}

ZEND_METHOD(FrequencyLimit_AccessLimit, enforce)
{
	ZEND_PARSE_PARAMETERS_NONE();
	php_ratelimit_enforce(EX(prev_execute_data), NULL);
}
