/* The benchmark's floor: what a call of doHandle() costs when it decides nothing. Same signature, same parameter
 * parsing, same kind of class; whatever ratelimit costs above it is the decision. */
#include "php.h"

PHP_METHOD(RatelimitFloor, doHandle)
{
	zend_string *action;
	zend_long user_id, time, number;
	HashTable *expire = NULL;

	ZEND_PARSE_PARAMETERS_START(4, 5)
		Z_PARAM_STR(action)
		Z_PARAM_LONG(user_id)
		Z_PARAM_LONG(time)
		Z_PARAM_LONG(number)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_NULL(expire)
	ZEND_PARSE_PARAMETERS_END();

	(void) action;
	(void) expire;
	/* Keeps the parsed values alive, or the compiler would drop what ours has to do. */
	RETURN_BOOL((user_id | time | number) != 0);
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_do_handle, 0, 4, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, action, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, userId, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, time, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, number, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, expire, IS_ARRAY, 1, "[]")
ZEND_END_ARG_INFO()

static const zend_function_entry floor_methods[] = {
	ZEND_ME(RatelimitFloor, doHandle, arginfo_do_handle, ZEND_ACC_PUBLIC | ZEND_ACC_STATIC)
	ZEND_FE_END
};

static PHP_MINIT_FUNCTION(ratelimit_floor)
{
	zend_class_entry ce;

	INIT_CLASS_ENTRY(ce, "RatelimitFloor", floor_methods);
	zend_register_internal_class(&ce)->ce_flags |= ZEND_ACC_FINAL;
	return SUCCESS;
}

zend_module_entry ratelimit_floor_module_entry = {
	STANDARD_MODULE_HEADER,
	"ratelimit_floor",
	NULL,
	PHP_MINIT(ratelimit_floor),
	NULL,
	NULL,
	NULL,
	NULL,
	NO_VERSION_YET,
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(ratelimit_floor)
