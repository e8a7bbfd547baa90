/* A PHP extension that stands in for FrankenPHP's worker mode, in a php of the command line: the SAPI's name, and
 * worker_mode_serve($server, $handler), which does with the engine what FrankenPHP's frankenphp_handle_request() does for
 * each request: sapi_activate(), $_SERVER anew, the handler, sapi_deactivate(); no RINIT, no RSHUTDOWN. */
#include "php.h"

#include "SAPI.h"
#include "php_globals.h"
#include "zend_exceptions.h"

static void set_server(HashTable *server)
{
	zval *own = &PG(http_globals)[TRACK_VARS_SERVER], array;

	zval_ptr_dtor(own);
	ZVAL_ARR(own, zend_array_dup(server));
	ZVAL_COPY(&array, own);
	zend_hash_update(&EG(symbol_table), ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER), &array);
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_serve, 0, 0, 2)
ZEND_ARG_TYPE_INFO(0, server, IS_ARRAY, 0)
ZEND_ARG_TYPE_INFO(0, handler, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

static PHP_FUNCTION(worker_mode_serve)
{
	HashTable *server;
	zend_fcall_info call;
	zend_fcall_info_cache cache;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_ARRAY_HT(server)
		Z_PARAM_FUNC(call, cache)
	ZEND_PARSE_PARAMETERS_END();

	if (!SG(request_info).request_method) {
		sapi_deactivate(); /* the script's own begin, which is a request, too */
	}
	SG(request_info).request_method = "GET";
	sapi_activate();
	set_server(server);
	call.retval = return_value;
	zend_call_function(&call, &cache);
	if (EG(exception)) {
		zend_exception_error(EG(exception), E_ERROR);
		RETVAL_LONG(SG(sapi_headers).http_response_code);
	}
	sapi_deactivate();
}

static const zend_function_entry functions[] = {PHP_FE(worker_mode_serve, arginfo_serve) PHP_FE_END};

static zend_module_entry entry = {STANDARD_MODULE_HEADER, "worker_mode", functions, NULL, NULL, NULL, NULL, NULL, "1",
	STANDARD_MODULE_PROPERTIES};

ZEND_DLEXPORT zend_module_entry *get_module(void);

/* Before any module starts, each of which may look at the name. */
ZEND_DLEXPORT zend_module_entry *get_module(void)
{
	sapi_module.name = (char *) "frankenphp";
	return &entry;
}
