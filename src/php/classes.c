#include "php_ratelimit.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_enum.h"

#include "access_limit.h"
#include "arguments.h"
#include "classes.h"

#include "ratelimit_arginfo.h"

zend_class_entry *php_ratelimit_ce_limit;
zend_class_entry *php_ratelimit_ce_limiter;
zend_class_entry *php_ratelimit_ce_period;
zend_class_entry *php_ratelimit_ce_reason;
zend_class_entry *php_ratelimit_ce_result;
zend_class_entry *php_ratelimit_ce_limit_exceeded;
zend_class_entry *php_ratelimit_ce_login_required;
zend_class_entry *php_ratelimit_ce_invalid_argument;
zend_class_entry *php_ratelimit_ce_store_exception;

void php_ratelimit_classes_startup(void)
{
	register_class_FrequencyLimit();
	register_class_FrequencyLimit_Algorithm();
	php_ratelimit_ce_period = register_class_FrequencyLimit_Period();
	php_ratelimit_ce_reason = register_class_FrequencyLimit_Reason();
	php_ratelimit_ce_limit = register_class_FrequencyLimit_Limit();
	php_ratelimit_ce_limiter = register_class_FrequencyLimit_Limiter();
	php_ratelimit_ce_result = register_class_FrequencyLimit_Result();
	register_class_FrequencyLimit_Clock();
	php_ratelimit_ce_limit_exceeded = register_class_FrequencyLimit_LimitExceeded(spl_ce_RuntimeException);
	php_ratelimit_ce_login_required = register_class_FrequencyLimit_LoginRequired(spl_ce_RuntimeException);
	php_ratelimit_ce_invalid_argument = register_class_FrequencyLimit_InvalidArgument(spl_ce_InvalidArgumentException);
	php_ratelimit_ce_store_exception = register_class_FrequencyLimit_StoreException(spl_ce_RuntimeException);

	php_ratelimit_access_limit_startup(register_class_FrequencyLimit_AccessLimit());
	php_ratelimit_arguments_startup();
	php_ratelimit_limit_startup();
	php_ratelimit_limiter_startup();
	php_ratelimit_result_startup();
}
