#include "module.h"

#include "php_ratelimit.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_attributes.h"
#include "zend_enum.h"

#include "../attribute/access_rule.h"
#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "../limit/limit_object.h"
#include "../limiter/limiter_object.h"
#include "../permit/permit_object.h"
#include "../result/result.h"
#include "../base/time_zone.h"

#include "ratelimit_arginfo.h"

/* Hides Limiter's $store from the traces of exceptions, from PHP 8.2 on: a DSN may have a password. */
static void hide_store_from_traces(void)
{
#if PHP_VERSION_ID >= 80200
	zend_function *constructor = zend_hash_str_find_ptr(&php_ratelimit_ce_limiter->function_table,
		ZEND_STRL("__construct"));

	zend_add_parameter_attribute(constructor, 2, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
#endif
}

void php_ratelimit_classes_startup(void)
{
	php_ratelimit_global_class_startup(register_class_FrequencyLimit(), RATELIMIT_G(global_class));
	php_ratelimit_ce_period = register_class_FrequencyLimit_Period();
	php_ratelimit_ce_reason = register_class_FrequencyLimit_Reason();
	php_ratelimit_ce_limit = register_class_FrequencyLimit_Limit();
	php_ratelimit_ce_limiter_interface = register_class_FrequencyLimit_LimiterInterface();
	php_ratelimit_ce_limiter = register_class_FrequencyLimit_Limiter(php_ratelimit_ce_limiter_interface);
	hide_store_from_traces();
	php_ratelimit_ce_permit = register_class_FrequencyLimit_Permit();
	php_ratelimit_ce_result = register_class_FrequencyLimit_Result();
	register_class_FrequencyLimit_Request();
	register_class_FrequencyLimit_Monitor();
	register_class_FrequencyLimit_Clock();
	php_ratelimit_ce_limit_exceeded = register_class_FrequencyLimit_LimitExceeded(spl_ce_RuntimeException);
	php_ratelimit_ce_login_required = register_class_FrequencyLimit_LoginRequired(spl_ce_RuntimeException);
	php_ratelimit_ce_invalid_argument = register_class_FrequencyLimit_InvalidArgument(spl_ce_InvalidArgumentException);
	php_ratelimit_ce_store_exception = register_class_FrequencyLimit_StoreException(spl_ce_RuntimeException);

	php_ratelimit_ce_access_limit = register_class_FrequencyLimit_AccessLimit();
	php_ratelimit_attribute_startup(php_ratelimit_ce_access_limit, ZEND_ATTRIBUTE_IS_REPEATABLE);
	php_ratelimit_ce_concurrency_limit = register_class_FrequencyLimit_ConcurrencyLimit();
	php_ratelimit_attribute_startup(php_ratelimit_ce_concurrency_limit, 0);
	php_ratelimit_ce_rate_limit = register_class_FrequencyLimit_RateLimit();
	php_ratelimit_attribute_startup(php_ratelimit_ce_rate_limit,
		ZEND_ATTRIBUTE_TARGET_CLASS | ZEND_ATTRIBUTE_IS_REPEATABLE);
	php_ratelimit_arguments_startup();
	php_ratelimit_zones_startup();
	php_ratelimit_limit_startup(php_ratelimit_limit_set_handlers);
	php_ratelimit_limiter_startup(php_ratelimit_limiter_set_handlers);
	php_ratelimit_permit_startup();
	php_ratelimit_result_startup(php_ratelimit_result_set_handlers);
}
