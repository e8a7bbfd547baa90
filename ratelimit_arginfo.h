/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: f87735beaf7e9eed8aa81e5fc18915e8178a7c28 */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_doHandle, 0, 4, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, action, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, userId, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, time, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, number, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, expire, IS_ARRAY, 1, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_check, 0, 4, FrequencyLimit\\Result, 0)
	ZEND_ARG_TYPE_INFO(0, action, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(0, time, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, number, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, expire, IS_ARRAY, 1, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_peek arginfo_class_FrequencyLimit_check

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_isActionAllowed, 0, 4, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, userId, MAY_BE_LONG|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(0, actionKey, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, period, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, maxCount, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, peek, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_ban, 0, 3, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, action, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, end, FrequencyLimit\\Period|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_unban, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, action, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_reset arginfo_class_FrequencyLimit_unban

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_flush, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrequencyLimit_Limit___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_parse, 0, 1, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, text, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Limit___toString, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit___set_state, 0, 1, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, array, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Limit___serialize, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Limit___unserialize, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_fixedWindow, 0, 2, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_calendar, 0, 2, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
	ZEND_ARG_OBJ_INFO(0, period, FrequencyLimit\\Period, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timezone, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, weekStart, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_every, 0, 3, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
	ZEND_ARG_OBJ_INFO(0, interval, DateInterval, 0)
	ZEND_ARG_OBJ_INFO(0, anchor, DateTimeInterface, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timezone, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Limit_slidingLog arginfo_class_FrequencyLimit_Limit_fixedWindow

#define arginfo_class_FrequencyLimit_Limit_slidingWindow arginfo_class_FrequencyLimit_Limit_fixedWindow

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_tokenBucket, 0, 2, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, rate, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, burst, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Limit_concurrent arginfo_class_FrequencyLimit_Limit_fixedWindow

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_none, 0, 0, FrequencyLimit\\Limit, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_ban, 0, 1, FrequencyLimit\\Limit, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, end, FrequencyLimit\\Period|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_MASK(0, forget, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_named, 0, 1, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_unit, 0, 1, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, unit, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limit_by, 0, 1, FrequencyLimit\\Limit, 0)
	ZEND_ARG_TYPE_INFO(0, identity, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Limit_shadow arginfo_class_FrequencyLimit_Limit_none

#define arginfo_class_FrequencyLimit_Limit_leased arginfo_class_FrequencyLimit_Limit_none

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_consume, 0, 1, FrequencyLimit\\Result, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, leave, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, atLeast, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_allow, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_acquire, 0, 1, FrequencyLimit\\Permit, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
	ZEND_ARG_TYPE_MASK(0, maxWait, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, leave, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, atLeast, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_peek, 0, 1, FrequencyLimit\\Result, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_consumeMany, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, ids, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_reserve, 0, 2, FrequencyLimit\\Result, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, at, DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_cancel, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, at, DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_credit, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_ban, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, end, FrequencyLimit\\Period|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_LimiterInterface_unban, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_LimiterInterface_reset arginfo_class_FrequencyLimit_LimiterInterface_unban

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrequencyLimit_Limiter___construct, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, limits, FrequencyLimit\\Limit, MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, store, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Limiter_named, 0, 1, FrequencyLimit\\Limiter, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Limiter_define, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, limiter, FrequencyLimit\\Limiter, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Limiter_consume arginfo_class_FrequencyLimit_LimiterInterface_consume

#define arginfo_class_FrequencyLimit_Limiter_allow arginfo_class_FrequencyLimit_LimiterInterface_allow

#define arginfo_class_FrequencyLimit_Limiter_acquire arginfo_class_FrequencyLimit_LimiterInterface_acquire

#define arginfo_class_FrequencyLimit_Limiter_peek arginfo_class_FrequencyLimit_LimiterInterface_peek

#define arginfo_class_FrequencyLimit_Limiter_consumeMany arginfo_class_FrequencyLimit_LimiterInterface_consumeMany

#define arginfo_class_FrequencyLimit_Limiter_reserve arginfo_class_FrequencyLimit_LimiterInterface_reserve

#define arginfo_class_FrequencyLimit_Limiter_cancel arginfo_class_FrequencyLimit_LimiterInterface_cancel

#define arginfo_class_FrequencyLimit_Limiter_credit arginfo_class_FrequencyLimit_LimiterInterface_credit

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Limiter_ban, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, end, FrequencyLimit\\Period|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, network, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Limiter_unban arginfo_class_FrequencyLimit_LimiterInterface_unban

#define arginfo_class_FrequencyLimit_Limiter_reset arginfo_class_FrequencyLimit_LimiterInterface_unban

#define arginfo_class_FrequencyLimit_Permit___construct arginfo_class_FrequencyLimit_Limit___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Permit_of, 0, 1, FrequencyLimit\\Permit, 0)
	ZEND_ARG_OBJ_INFO(0, result, FrequencyLimit\\Result, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Permit_wait, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Permit_release arginfo_class_FrequencyLimit_Permit_wait

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Permit_settle, 0, 1, FrequencyLimit\\Result, 1)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Permit_cancel arginfo_class_FrequencyLimit_Permit_wait

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Permit_renew, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Result___construct arginfo_class_FrequencyLimit_Limit___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Result_of, 0, 0, FrequencyLimit\\Result, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, reason, FrequencyLimit\\Reason, 0, "FrequencyLimit\\Reason::Accepted")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, remaining, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_MASK(0, retryAfter, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_MASK(0, resetAfter, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_MASK(0, nextAfter, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, store, IS_STRING, 0, "\"shm\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, granted, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_MASK(0, wait, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_MASK(0, window, MAY_BE_LONG|MAY_BE_DOUBLE, "60")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Result_ensureAccepted, 0, 0, IS_STATIC, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Result_headers, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, legacy, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Result_status, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Result_problem arginfo_class_FrequencyLimit_Limit___serialize

#define arginfo_class_FrequencyLimit_Result_retryText arginfo_class_FrequencyLimit_Limit___toString

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Result_send, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, legacy, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Request___construct arginfo_class_FrequencyLimit_Limit___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Request_begin, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, address, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, path, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, forwardedFor, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Request_end arginfo_class_FrequencyLimit_flush

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Request_identifyBy, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, resolver, IS_CALLABLE, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Request_clientAddress arginfo_class_FrequencyLimit_Limit___toString

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_Request_lastResult, 0, 0, FrequencyLimit\\Result, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrequencyLimit_AccessLimit___construct, 0, 0, 1)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxCount, IS_LONG, 0, "5")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, needLogin, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, action, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_AccessLimit_enforce arginfo_class_FrequencyLimit_flush

#define arginfo_class_FrequencyLimit_AccessLimit_reportUnresolved arginfo_class_FrequencyLimit_flush

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrequencyLimit_ConcurrencyLimit___construct, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, needLogin, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, action, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_ConcurrencyLimit_enforce, 0, 0, FrequencyLimit\\Permit, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrequencyLimit_RateLimit___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, cost, MAY_BE_LONG|MAY_BE_ARRAY, "1")
	ZEND_ARG_TYPE_MASK(0, id, MAY_BE_STRING|MAY_BE_ARRAY|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, needLogin, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrequencyLimit_RateLimit_enforce, 0, 0, FrequencyLimit\\Permit, 1)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, class, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Monitor___construct arginfo_class_FrequencyLimit_Limit___construct

#define arginfo_class_FrequencyLimit_Monitor_stats arginfo_class_FrequencyLimit_Limit___serialize

#define arginfo_class_FrequencyLimit_Monitor_limiters arginfo_class_FrequencyLimit_Limit___serialize

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Monitor_top, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, count, IS_LONG, 0, "10")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Monitor_bans, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, count, IS_LONG, 0, "100")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Monitor_history arginfo_class_FrequencyLimit_Limit___serialize

#define arginfo_class_FrequencyLimit_Monitor_metrics arginfo_class_FrequencyLimit_Limit___toString

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Monitor_listen, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, listener, IS_CALLABLE, 1)
	ZEND_ARG_VARIADIC_OBJ_INFO(0, reasons, FrequencyLimit\\Reason, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Monitor_preflight, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, identities, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Monitor_scan, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, position, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Clock___construct arginfo_class_FrequencyLimit_Limit___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Clock_freeze, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, at, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Clock_advance, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrequencyLimit_Clock_travelTo, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, at, DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_Clock_unfreeze arginfo_class_FrequencyLimit_flush

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrequencyLimit_LimitExceeded___construct, 0, 0, 1)
	ZEND_ARG_OBJ_INFO(0, result, FrequencyLimit\\Result, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, message, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrequencyLimit_LimitExceeded___toString arginfo_class_FrequencyLimit_Limit___toString

#define arginfo_class_FrequencyLimit_LoginRequired___toString arginfo_class_FrequencyLimit_Limit___toString


ZEND_METHOD(FrequencyLimit, doHandle);
ZEND_METHOD(FrequencyLimit, check);
ZEND_METHOD(FrequencyLimit, peek);
ZEND_METHOD(FrequencyLimit, isActionAllowed);
ZEND_METHOD(FrequencyLimit, ban);
ZEND_METHOD(FrequencyLimit, unban);
ZEND_METHOD(FrequencyLimit, reset);
ZEND_METHOD(FrequencyLimit, flush);
ZEND_METHOD(FrequencyLimit_Limit, __construct);
ZEND_METHOD(FrequencyLimit_Limit, parse);
ZEND_METHOD(FrequencyLimit_Limit, __toString);
ZEND_METHOD(FrequencyLimit_Limit, __set_state);
ZEND_METHOD(FrequencyLimit_Limit, __serialize);
ZEND_METHOD(FrequencyLimit_Limit, __unserialize);
ZEND_METHOD(FrequencyLimit_Limit, fixedWindow);
ZEND_METHOD(FrequencyLimit_Limit, calendar);
ZEND_METHOD(FrequencyLimit_Limit, every);
ZEND_METHOD(FrequencyLimit_Limit, slidingLog);
ZEND_METHOD(FrequencyLimit_Limit, slidingWindow);
ZEND_METHOD(FrequencyLimit_Limit, tokenBucket);
ZEND_METHOD(FrequencyLimit_Limit, concurrent);
ZEND_METHOD(FrequencyLimit_Limit, none);
ZEND_METHOD(FrequencyLimit_Limit, ban);
ZEND_METHOD(FrequencyLimit_Limit, named);
ZEND_METHOD(FrequencyLimit_Limit, unit);
ZEND_METHOD(FrequencyLimit_Limit, by);
ZEND_METHOD(FrequencyLimit_Limit, shadow);
ZEND_METHOD(FrequencyLimit_Limit, leased);
ZEND_METHOD(FrequencyLimit_Limiter, __construct);
ZEND_METHOD(FrequencyLimit_Limiter, named);
ZEND_METHOD(FrequencyLimit_Limiter, define);
ZEND_METHOD(FrequencyLimit_Limiter, consume);
ZEND_METHOD(FrequencyLimit_Limiter, allow);
ZEND_METHOD(FrequencyLimit_Limiter, acquire);
ZEND_METHOD(FrequencyLimit_Limiter, peek);
ZEND_METHOD(FrequencyLimit_Limiter, consumeMany);
ZEND_METHOD(FrequencyLimit_Limiter, reserve);
ZEND_METHOD(FrequencyLimit_Limiter, cancel);
ZEND_METHOD(FrequencyLimit_Limiter, credit);
ZEND_METHOD(FrequencyLimit_Limiter, ban);
ZEND_METHOD(FrequencyLimit_Limiter, unban);
ZEND_METHOD(FrequencyLimit_Limiter, reset);
ZEND_METHOD(FrequencyLimit_Permit, __construct);
ZEND_METHOD(FrequencyLimit_Permit, of);
ZEND_METHOD(FrequencyLimit_Permit, wait);
ZEND_METHOD(FrequencyLimit_Permit, release);
ZEND_METHOD(FrequencyLimit_Permit, settle);
ZEND_METHOD(FrequencyLimit_Permit, cancel);
ZEND_METHOD(FrequencyLimit_Permit, renew);
ZEND_METHOD(FrequencyLimit_Result, __construct);
ZEND_METHOD(FrequencyLimit_Result, of);
ZEND_METHOD(FrequencyLimit_Result, ensureAccepted);
ZEND_METHOD(FrequencyLimit_Result, headers);
ZEND_METHOD(FrequencyLimit_Result, status);
ZEND_METHOD(FrequencyLimit_Result, problem);
ZEND_METHOD(FrequencyLimit_Result, retryText);
ZEND_METHOD(FrequencyLimit_Result, send);
ZEND_METHOD(FrequencyLimit_Request, __construct);
ZEND_METHOD(FrequencyLimit_Request, begin);
ZEND_METHOD(FrequencyLimit_Request, end);
ZEND_METHOD(FrequencyLimit_Request, identifyBy);
ZEND_METHOD(FrequencyLimit_Request, clientAddress);
ZEND_METHOD(FrequencyLimit_Request, lastResult);
ZEND_METHOD(FrequencyLimit_AccessLimit, __construct);
ZEND_METHOD(FrequencyLimit_AccessLimit, enforce);
ZEND_METHOD(FrequencyLimit_AccessLimit, reportUnresolved);
ZEND_METHOD(FrequencyLimit_ConcurrencyLimit, __construct);
ZEND_METHOD(FrequencyLimit_ConcurrencyLimit, enforce);
ZEND_METHOD(FrequencyLimit_RateLimit, __construct);
ZEND_METHOD(FrequencyLimit_RateLimit, enforce);
ZEND_METHOD(FrequencyLimit_Monitor, __construct);
ZEND_METHOD(FrequencyLimit_Monitor, stats);
ZEND_METHOD(FrequencyLimit_Monitor, limiters);
ZEND_METHOD(FrequencyLimit_Monitor, top);
ZEND_METHOD(FrequencyLimit_Monitor, bans);
ZEND_METHOD(FrequencyLimit_Monitor, history);
ZEND_METHOD(FrequencyLimit_Monitor, metrics);
ZEND_METHOD(FrequencyLimit_Monitor, listen);
ZEND_METHOD(FrequencyLimit_Monitor, preflight);
ZEND_METHOD(FrequencyLimit_Monitor, scan);
ZEND_METHOD(FrequencyLimit_Clock, __construct);
ZEND_METHOD(FrequencyLimit_Clock, freeze);
ZEND_METHOD(FrequencyLimit_Clock, advance);
ZEND_METHOD(FrequencyLimit_Clock, travelTo);
ZEND_METHOD(FrequencyLimit_Clock, unfreeze);
ZEND_METHOD(FrequencyLimit_LimitExceeded, __construct);
ZEND_METHOD(FrequencyLimit_LimitExceeded, __toString);
ZEND_METHOD(FrequencyLimit_LoginRequired, __toString);


static const zend_function_entry class_FrequencyLimit_methods[] = {
	ZEND_ME(FrequencyLimit, doHandle, arginfo_class_FrequencyLimit_doHandle, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit, check, arginfo_class_FrequencyLimit_check, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit, peek, arginfo_class_FrequencyLimit_peek, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit, isActionAllowed, arginfo_class_FrequencyLimit_isActionAllowed, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit, ban, arginfo_class_FrequencyLimit_ban, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit, unban, arginfo_class_FrequencyLimit_unban, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit, reset, arginfo_class_FrequencyLimit_reset, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit, flush, arginfo_class_FrequencyLimit_flush, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Period_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Reason_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Limit_methods[] = {
	ZEND_ME(FrequencyLimit_Limit, __construct, arginfo_class_FrequencyLimit_Limit___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FrequencyLimit_Limit, parse, arginfo_class_FrequencyLimit_Limit_parse, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, __toString, arginfo_class_FrequencyLimit_Limit___toString, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, __set_state, arginfo_class_FrequencyLimit_Limit___set_state, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, __serialize, arginfo_class_FrequencyLimit_Limit___serialize, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, __unserialize, arginfo_class_FrequencyLimit_Limit___unserialize, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, fixedWindow, arginfo_class_FrequencyLimit_Limit_fixedWindow, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, calendar, arginfo_class_FrequencyLimit_Limit_calendar, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, every, arginfo_class_FrequencyLimit_Limit_every, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, slidingLog, arginfo_class_FrequencyLimit_Limit_slidingLog, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, slidingWindow, arginfo_class_FrequencyLimit_Limit_slidingWindow, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, tokenBucket, arginfo_class_FrequencyLimit_Limit_tokenBucket, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, concurrent, arginfo_class_FrequencyLimit_Limit_concurrent, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, none, arginfo_class_FrequencyLimit_Limit_none, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limit, ban, arginfo_class_FrequencyLimit_Limit_ban, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, named, arginfo_class_FrequencyLimit_Limit_named, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, unit, arginfo_class_FrequencyLimit_Limit_unit, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, by, arginfo_class_FrequencyLimit_Limit_by, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, shadow, arginfo_class_FrequencyLimit_Limit_shadow, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limit, leased, arginfo_class_FrequencyLimit_Limit_leased, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_LimiterInterface_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, consume, arginfo_class_FrequencyLimit_LimiterInterface_consume, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, allow, arginfo_class_FrequencyLimit_LimiterInterface_allow, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, acquire, arginfo_class_FrequencyLimit_LimiterInterface_acquire, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, peek, arginfo_class_FrequencyLimit_LimiterInterface_peek, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, consumeMany, arginfo_class_FrequencyLimit_LimiterInterface_consumeMany, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, reserve, arginfo_class_FrequencyLimit_LimiterInterface_reserve, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, cancel, arginfo_class_FrequencyLimit_LimiterInterface_cancel, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, credit, arginfo_class_FrequencyLimit_LimiterInterface_credit, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, ban, arginfo_class_FrequencyLimit_LimiterInterface_ban, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, unban, arginfo_class_FrequencyLimit_LimiterInterface_unban, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrequencyLimit_LimiterInterface, reset, arginfo_class_FrequencyLimit_LimiterInterface_reset, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Limiter_methods[] = {
	ZEND_ME(FrequencyLimit_Limiter, __construct, arginfo_class_FrequencyLimit_Limiter___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, named, arginfo_class_FrequencyLimit_Limiter_named, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limiter, define, arginfo_class_FrequencyLimit_Limiter_define, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Limiter, consume, arginfo_class_FrequencyLimit_Limiter_consume, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, allow, arginfo_class_FrequencyLimit_Limiter_allow, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, acquire, arginfo_class_FrequencyLimit_Limiter_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, peek, arginfo_class_FrequencyLimit_Limiter_peek, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, consumeMany, arginfo_class_FrequencyLimit_Limiter_consumeMany, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, reserve, arginfo_class_FrequencyLimit_Limiter_reserve, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, cancel, arginfo_class_FrequencyLimit_Limiter_cancel, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, credit, arginfo_class_FrequencyLimit_Limiter_credit, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, ban, arginfo_class_FrequencyLimit_Limiter_ban, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, unban, arginfo_class_FrequencyLimit_Limiter_unban, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Limiter, reset, arginfo_class_FrequencyLimit_Limiter_reset, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Permit_methods[] = {
	ZEND_ME(FrequencyLimit_Permit, __construct, arginfo_class_FrequencyLimit_Permit___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FrequencyLimit_Permit, of, arginfo_class_FrequencyLimit_Permit_of, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Permit, wait, arginfo_class_FrequencyLimit_Permit_wait, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Permit, release, arginfo_class_FrequencyLimit_Permit_release, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Permit, settle, arginfo_class_FrequencyLimit_Permit_settle, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Permit, cancel, arginfo_class_FrequencyLimit_Permit_cancel, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Permit, renew, arginfo_class_FrequencyLimit_Permit_renew, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Result_methods[] = {
	ZEND_ME(FrequencyLimit_Result, __construct, arginfo_class_FrequencyLimit_Result___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FrequencyLimit_Result, of, arginfo_class_FrequencyLimit_Result_of, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Result, ensureAccepted, arginfo_class_FrequencyLimit_Result_ensureAccepted, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Result, headers, arginfo_class_FrequencyLimit_Result_headers, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Result, status, arginfo_class_FrequencyLimit_Result_status, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Result, problem, arginfo_class_FrequencyLimit_Result_problem, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Result, retryText, arginfo_class_FrequencyLimit_Result_retryText, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_Result, send, arginfo_class_FrequencyLimit_Result_send, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Request_methods[] = {
	ZEND_ME(FrequencyLimit_Request, __construct, arginfo_class_FrequencyLimit_Request___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FrequencyLimit_Request, begin, arginfo_class_FrequencyLimit_Request_begin, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Request, end, arginfo_class_FrequencyLimit_Request_end, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Request, identifyBy, arginfo_class_FrequencyLimit_Request_identifyBy, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Request, clientAddress, arginfo_class_FrequencyLimit_Request_clientAddress, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Request, lastResult, arginfo_class_FrequencyLimit_Request_lastResult, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_AccessLimit_methods[] = {
	ZEND_ME(FrequencyLimit_AccessLimit, __construct, arginfo_class_FrequencyLimit_AccessLimit___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_AccessLimit, enforce, arginfo_class_FrequencyLimit_AccessLimit_enforce, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_AccessLimit, reportUnresolved, arginfo_class_FrequencyLimit_AccessLimit_reportUnresolved, ZEND_ACC_PRIVATE|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_ConcurrencyLimit_methods[] = {
	ZEND_ME(FrequencyLimit_ConcurrencyLimit, __construct, arginfo_class_FrequencyLimit_ConcurrencyLimit___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_ConcurrencyLimit, enforce, arginfo_class_FrequencyLimit_ConcurrencyLimit_enforce, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_RateLimit_methods[] = {
	ZEND_ME(FrequencyLimit_RateLimit, __construct, arginfo_class_FrequencyLimit_RateLimit___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_RateLimit, enforce, arginfo_class_FrequencyLimit_RateLimit_enforce, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Monitor_methods[] = {
	ZEND_ME(FrequencyLimit_Monitor, __construct, arginfo_class_FrequencyLimit_Monitor___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FrequencyLimit_Monitor, stats, arginfo_class_FrequencyLimit_Monitor_stats, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, limiters, arginfo_class_FrequencyLimit_Monitor_limiters, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, top, arginfo_class_FrequencyLimit_Monitor_top, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, bans, arginfo_class_FrequencyLimit_Monitor_bans, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, history, arginfo_class_FrequencyLimit_Monitor_history, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, metrics, arginfo_class_FrequencyLimit_Monitor_metrics, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, listen, arginfo_class_FrequencyLimit_Monitor_listen, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, preflight, arginfo_class_FrequencyLimit_Monitor_preflight, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Monitor, scan, arginfo_class_FrequencyLimit_Monitor_scan, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_Clock_methods[] = {
	ZEND_ME(FrequencyLimit_Clock, __construct, arginfo_class_FrequencyLimit_Clock___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(FrequencyLimit_Clock, freeze, arginfo_class_FrequencyLimit_Clock_freeze, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Clock, advance, arginfo_class_FrequencyLimit_Clock_advance, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Clock, travelTo, arginfo_class_FrequencyLimit_Clock_travelTo, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(FrequencyLimit_Clock, unfreeze, arginfo_class_FrequencyLimit_Clock_unfreeze, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_LimitExceeded_methods[] = {
	ZEND_ME(FrequencyLimit_LimitExceeded, __construct, arginfo_class_FrequencyLimit_LimitExceeded___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrequencyLimit_LimitExceeded, __toString, arginfo_class_FrequencyLimit_LimitExceeded___toString, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_LoginRequired_methods[] = {
	ZEND_ME(FrequencyLimit_LoginRequired, __toString, arginfo_class_FrequencyLimit_LoginRequired___toString, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_InvalidArgument_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrequencyLimit_StoreException_methods[] = {
	ZEND_FE_END
};

static zend_class_entry *register_class_FrequencyLimit(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "FrequencyLimit", class_FrequencyLimit_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Period(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("FrequencyLimit\\Period", IS_STRING, class_FrequencyLimit_Period_methods);

	zval enum_case_Minute_value;
	zend_string *enum_case_Minute_value_str = zend_string_init("minute", strlen("minute"), 1);
	ZVAL_STR(&enum_case_Minute_value, enum_case_Minute_value_str);
	zend_enum_add_case_cstr(class_entry, "Minute", &enum_case_Minute_value);

	zval enum_case_Hour_value;
	zend_string *enum_case_Hour_value_str = zend_string_init("hour", strlen("hour"), 1);
	ZVAL_STR(&enum_case_Hour_value, enum_case_Hour_value_str);
	zend_enum_add_case_cstr(class_entry, "Hour", &enum_case_Hour_value);

	zval enum_case_Day_value;
	zend_string *enum_case_Day_value_str = zend_string_init("day", strlen("day"), 1);
	ZVAL_STR(&enum_case_Day_value, enum_case_Day_value_str);
	zend_enum_add_case_cstr(class_entry, "Day", &enum_case_Day_value);

	zval enum_case_Week_value;
	zend_string *enum_case_Week_value_str = zend_string_init("week", strlen("week"), 1);
	ZVAL_STR(&enum_case_Week_value, enum_case_Week_value_str);
	zend_enum_add_case_cstr(class_entry, "Week", &enum_case_Week_value);

	zval enum_case_Month_value;
	zend_string *enum_case_Month_value_str = zend_string_init("month", strlen("month"), 1);
	ZVAL_STR(&enum_case_Month_value, enum_case_Month_value_str);
	zend_enum_add_case_cstr(class_entry, "Month", &enum_case_Month_value);

	zval enum_case_Quarter_value;
	zend_string *enum_case_Quarter_value_str = zend_string_init("quarter", strlen("quarter"), 1);
	ZVAL_STR(&enum_case_Quarter_value, enum_case_Quarter_value_str);
	zend_enum_add_case_cstr(class_entry, "Quarter", &enum_case_Quarter_value);

	zval enum_case_Year_value;
	zend_string *enum_case_Year_value_str = zend_string_init("year", strlen("year"), 1);
	ZVAL_STR(&enum_case_Year_value, enum_case_Year_value_str);
	zend_enum_add_case_cstr(class_entry, "Year", &enum_case_Year_value);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Reason(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("FrequencyLimit\\Reason", IS_STRING, class_FrequencyLimit_Reason_methods);

	zval enum_case_Accepted_value;
	zend_string *enum_case_Accepted_value_str = zend_string_init("accepted", strlen("accepted"), 1);
	ZVAL_STR(&enum_case_Accepted_value, enum_case_Accepted_value_str);
	zend_enum_add_case_cstr(class_entry, "Accepted", &enum_case_Accepted_value);

	zval enum_case_Limited_value;
	zend_string *enum_case_Limited_value_str = zend_string_init("limited", strlen("limited"), 1);
	ZVAL_STR(&enum_case_Limited_value, enum_case_Limited_value_str);
	zend_enum_add_case_cstr(class_entry, "Limited", &enum_case_Limited_value);

	zval enum_case_Banned_value;
	zend_string *enum_case_Banned_value_str = zend_string_init("banned", strlen("banned"), 1);
	ZVAL_STR(&enum_case_Banned_value, enum_case_Banned_value_str);
	zend_enum_add_case_cstr(class_entry, "Banned", &enum_case_Banned_value);

	zval enum_case_TooExpensive_value;
	zend_string *enum_case_TooExpensive_value_str = zend_string_init("too_expensive", strlen("too_expensive"), 1);
	ZVAL_STR(&enum_case_TooExpensive_value, enum_case_TooExpensive_value_str);
	zend_enum_add_case_cstr(class_entry, "TooExpensive", &enum_case_TooExpensive_value);

	zval enum_case_StoreUnavailable_value;
	zend_string *enum_case_StoreUnavailable_value_str = zend_string_init("store_unavailable", strlen("store_unavailable"), 1);
	ZVAL_STR(&enum_case_StoreUnavailable_value, enum_case_StoreUnavailable_value_str);
	zend_enum_add_case_cstr(class_entry, "StoreUnavailable", &enum_case_StoreUnavailable_value);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Limit(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "Limit", class_FrequencyLimit_Limit_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_algorithm_default_value;
	ZVAL_UNDEF(&property_algorithm_default_value);
	zend_string *property_algorithm_name = zend_string_init("algorithm", sizeof("algorithm") - 1, 1);
	zend_declare_typed_property(class_entry, property_algorithm_name, &property_algorithm_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_algorithm_name);

	zval property_limit_default_value;
	ZVAL_UNDEF(&property_limit_default_value);
	zend_string *property_limit_name = zend_string_init("limit", sizeof("limit") - 1, 1);
	zend_declare_typed_property(class_entry, property_limit_name, &property_limit_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_limit_name);

	zval property_seconds_default_value;
	ZVAL_UNDEF(&property_seconds_default_value);
	zend_string *property_seconds_name = zend_string_init("seconds", sizeof("seconds") - 1, 1);
	zend_declare_typed_property(class_entry, property_seconds_name, &property_seconds_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_seconds_name);

	zend_string *property_period_class_FrequencyLimit_Period = zend_string_init("FrequencyLimit\\Period", sizeof("FrequencyLimit\\Period")-1, 1);
	zval property_period_default_value;
	ZVAL_UNDEF(&property_period_default_value);
	zend_string *property_period_name = zend_string_init("period", sizeof("period") - 1, 1);
	zend_declare_typed_property(class_entry, property_period_name, &property_period_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_period_class_FrequencyLimit_Period, 0, MAY_BE_NULL));
	zend_string_release(property_period_name);

	zval property_timezone_default_value;
	ZVAL_UNDEF(&property_timezone_default_value);
	zend_string *property_timezone_name = zend_string_init("timezone", sizeof("timezone") - 1, 1);
	zend_declare_typed_property(class_entry, property_timezone_name, &property_timezone_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_timezone_name);

	zval property_rate_default_value;
	ZVAL_UNDEF(&property_rate_default_value);
	zend_string *property_rate_name = zend_string_init("rate", sizeof("rate") - 1, 1);
	zend_declare_typed_property(class_entry, property_rate_name, &property_rate_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_rate_name);

	zend_string *property_ban_class_FrequencyLimit_Period = zend_string_init("FrequencyLimit\\Period", sizeof("FrequencyLimit\\Period") - 1, 1);
	zend_string *property_ban_class_DateTimeImmutable = zend_string_init("DateTimeImmutable", sizeof("DateTimeImmutable") - 1, 1);
	zend_type_list *property_ban_type_list = malloc(ZEND_TYPE_LIST_SIZE(2));
	property_ban_type_list->num_types = 2;
	property_ban_type_list->types[0] = (zend_type) ZEND_TYPE_INIT_CLASS(property_ban_class_FrequencyLimit_Period, 0, 0);
	property_ban_type_list->types[1] = (zend_type) ZEND_TYPE_INIT_CLASS(property_ban_class_DateTimeImmutable, 0, 0);
	zend_type property_ban_type = ZEND_TYPE_INIT_UNION(property_ban_type_list, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_ARRAY|MAY_BE_NULL);
	zval property_ban_default_value;
	ZVAL_UNDEF(&property_ban_default_value);
	zend_string *property_ban_name = zend_string_init("ban", sizeof("ban") - 1, 1);
	zend_declare_typed_property(class_entry, property_ban_name, &property_ban_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, property_ban_type);
	zend_string_release(property_ban_name);

	zval property_forget_default_value;
	ZVAL_UNDEF(&property_forget_default_value);
	zend_string *property_forget_name = zend_string_init("forget", sizeof("forget") - 1, 1);
	zend_declare_typed_property(class_entry, property_forget_name, &property_forget_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_forget_name);

	zval property_leased_default_value;
	ZVAL_UNDEF(&property_leased_default_value);
	zend_string *property_leased_name = zend_string_init("leased", sizeof("leased") - 1, 1);
	zend_declare_typed_property(class_entry, property_leased_name, &property_leased_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_leased_name);

	zval property_shadow_default_value;
	ZVAL_UNDEF(&property_shadow_default_value);
	zend_string *property_shadow_name = zend_string_init("shadow", sizeof("shadow") - 1, 1);
	zend_declare_typed_property(class_entry, property_shadow_name, &property_shadow_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_shadow_name);

	zval property_unit_default_value;
	ZVAL_UNDEF(&property_unit_default_value);
	zend_string *property_unit_name = zend_string_init("unit", sizeof("unit") - 1, 1);
	zend_declare_typed_property(class_entry, property_unit_name, &property_unit_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_unit_name);

	zval property_by_default_value;
	ZVAL_UNDEF(&property_by_default_value);
	zend_string *property_by_name = zend_string_init("by", sizeof("by") - 1, 1);
	zend_declare_typed_property(class_entry, property_by_name, &property_by_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_by_name);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_name_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_LimiterInterface(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "LimiterInterface", class_FrequencyLimit_LimiterInterface_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Limiter(zend_class_entry *class_entry_FrequencyLimit_LimiterInterface)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "Limiter", class_FrequencyLimit_Limiter_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_FrequencyLimit_LimiterInterface);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_name_name);

	zval property_limits_default_value;
	ZVAL_UNDEF(&property_limits_default_value);
	zend_string *property_limits_name = zend_string_init("limits", sizeof("limits") - 1, 1);
	zend_declare_typed_property(class_entry, property_limits_name, &property_limits_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_limits_name);

	zval property_store_default_value;
	ZVAL_UNDEF(&property_store_default_value);
	zend_string *property_store_name = zend_string_init("store", sizeof("store") - 1, 1);
	zend_declare_typed_property(class_entry, property_store_name, &property_store_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_store_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Permit(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "Permit", class_FrequencyLimit_Permit_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_result_class_FrequencyLimit_Result = zend_string_init("FrequencyLimit\\Result", sizeof("FrequencyLimit\\Result")-1, 1);
	zval property_result_default_value;
	ZVAL_UNDEF(&property_result_default_value);
	zend_string *property_result_name = zend_string_init("result", sizeof("result") - 1, 1);
	zend_declare_typed_property(class_entry, property_result_name, &property_result_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_result_class_FrequencyLimit_Result, 0, 0));
	zend_string_release(property_result_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Result(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "Result", class_FrequencyLimit_Result_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_accepted_default_value;
	ZVAL_UNDEF(&property_accepted_default_value);
	zend_string *property_accepted_name = zend_string_init("accepted", sizeof("accepted") - 1, 1);
	zend_declare_typed_property(class_entry, property_accepted_name, &property_accepted_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_accepted_name);

	zend_string *property_reason_class_FrequencyLimit_Reason = zend_string_init("FrequencyLimit\\Reason", sizeof("FrequencyLimit\\Reason")-1, 1);
	zval property_reason_default_value;
	ZVAL_UNDEF(&property_reason_default_value);
	zend_string *property_reason_name = zend_string_init("reason", sizeof("reason") - 1, 1);
	zend_declare_typed_property(class_entry, property_reason_name, &property_reason_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_reason_class_FrequencyLimit_Reason, 0, 0));
	zend_string_release(property_reason_name);

	zval property_limit_default_value;
	ZVAL_UNDEF(&property_limit_default_value);
	zend_string *property_limit_name = zend_string_init("limit", sizeof("limit") - 1, 1);
	zend_declare_typed_property(class_entry, property_limit_name, &property_limit_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_limit_name);

	zval property_remaining_default_value;
	ZVAL_UNDEF(&property_remaining_default_value);
	zend_string *property_remaining_name = zend_string_init("remaining", sizeof("remaining") - 1, 1);
	zend_declare_typed_property(class_entry, property_remaining_name, &property_remaining_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_remaining_name);

	zval property_retryAfter_default_value;
	ZVAL_UNDEF(&property_retryAfter_default_value);
	zend_string *property_retryAfter_name = zend_string_init("retryAfter", sizeof("retryAfter") - 1, 1);
	zend_declare_typed_property(class_entry, property_retryAfter_name, &property_retryAfter_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_retryAfter_name);

	zval property_resetAfter_default_value;
	ZVAL_UNDEF(&property_resetAfter_default_value);
	zend_string *property_resetAfter_name = zend_string_init("resetAfter", sizeof("resetAfter") - 1, 1);
	zend_declare_typed_property(class_entry, property_resetAfter_name, &property_resetAfter_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_resetAfter_name);

	zval property_nextAfter_default_value;
	ZVAL_UNDEF(&property_nextAfter_default_value);
	zend_string *property_nextAfter_name = zend_string_init("nextAfter", sizeof("nextAfter") - 1, 1);
	zend_declare_typed_property(class_entry, property_nextAfter_name, &property_nextAfter_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_nextAfter_name);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_name_name);

	zval property_store_default_value;
	ZVAL_UNDEF(&property_store_default_value);
	zend_string *property_store_name = zend_string_init("store", sizeof("store") - 1, 1);
	zend_declare_typed_property(class_entry, property_store_name, &property_store_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_store_name);

	zval property_granted_default_value;
	ZVAL_UNDEF(&property_granted_default_value);
	zend_string *property_granted_name = zend_string_init("granted", sizeof("granted") - 1, 1);
	zend_declare_typed_property(class_entry, property_granted_name, &property_granted_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_granted_name);

	zval property_wait_default_value;
	ZVAL_UNDEF(&property_wait_default_value);
	zend_string *property_wait_name = zend_string_init("wait", sizeof("wait") - 1, 1);
	zend_declare_typed_property(class_entry, property_wait_name, &property_wait_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_wait_name);

	zval property_shadow_default_value;
	ZVAL_UNDEF(&property_shadow_default_value);
	zend_string *property_shadow_name = zend_string_init("shadow", sizeof("shadow") - 1, 1);
	zend_declare_typed_property(class_entry, property_shadow_name, &property_shadow_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_shadow_name);

	zval property_level_default_value;
	ZVAL_UNDEF(&property_level_default_value);
	zend_string *property_level_name = zend_string_init("level", sizeof("level") - 1, 1);
	zend_declare_typed_property(class_entry, property_level_name, &property_level_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_level_name);

	zval property_limits_default_value;
	ZVAL_UNDEF(&property_limits_default_value);
	zend_string *property_limits_name = zend_string_init("limits", sizeof("limits") - 1, 1);
	zend_declare_typed_property(class_entry, property_limits_name, &property_limits_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_limits_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Request(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "Request", class_FrequencyLimit_Request_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_AccessLimit(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "AccessLimit", class_FrequencyLimit_AccessLimit_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_seconds_default_value;
	ZVAL_UNDEF(&property_seconds_default_value);
	zend_string *property_seconds_name = zend_string_init("seconds", sizeof("seconds") - 1, 1);
	zend_declare_typed_property(class_entry, property_seconds_name, &property_seconds_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_DOUBLE));
	zend_string_release(property_seconds_name);

	zval property_maxCount_default_value;
	ZVAL_UNDEF(&property_maxCount_default_value);
	zend_string *property_maxCount_name = zend_string_init("maxCount", sizeof("maxCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_maxCount_name, &property_maxCount_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_maxCount_name);

	zval property_needLogin_default_value;
	ZVAL_UNDEF(&property_needLogin_default_value);
	zend_string *property_needLogin_name = zend_string_init("needLogin", sizeof("needLogin") - 1, 1);
	zend_declare_typed_property(class_entry, property_needLogin_name, &property_needLogin_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_needLogin_name);

	zval property_action_default_value;
	ZVAL_UNDEF(&property_action_default_value);
	zend_string *property_action_name = zend_string_init("action", sizeof("action") - 1, 1);
	zend_declare_typed_property(class_entry, property_action_name, &property_action_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_action_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_ConcurrencyLimit(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "ConcurrencyLimit", class_FrequencyLimit_ConcurrencyLimit_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_limit_default_value;
	ZVAL_UNDEF(&property_limit_default_value);
	zend_string *property_limit_name = zend_string_init("limit", sizeof("limit") - 1, 1);
	zend_declare_typed_property(class_entry, property_limit_name, &property_limit_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_limit_name);

	zval property_seconds_default_value;
	ZVAL_UNDEF(&property_seconds_default_value);
	zend_string *property_seconds_name = zend_string_init("seconds", sizeof("seconds") - 1, 1);
	zend_declare_typed_property(class_entry, property_seconds_name, &property_seconds_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_DOUBLE));
	zend_string_release(property_seconds_name);

	zval property_needLogin_default_value;
	ZVAL_UNDEF(&property_needLogin_default_value);
	zend_string *property_needLogin_name = zend_string_init("needLogin", sizeof("needLogin") - 1, 1);
	zend_declare_typed_property(class_entry, property_needLogin_name, &property_needLogin_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_needLogin_name);

	zval property_action_default_value;
	ZVAL_UNDEF(&property_action_default_value);
	zend_string *property_action_name = zend_string_init("action", sizeof("action") - 1, 1);
	zend_declare_typed_property(class_entry, property_action_name, &property_action_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_action_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_RateLimit(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "RateLimit", class_FrequencyLimit_RateLimit_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_name_name);

	zval property_cost_default_value;
	ZVAL_UNDEF(&property_cost_default_value);
	zend_string *property_cost_name = zend_string_init("cost", sizeof("cost") - 1, 1);
	zend_declare_typed_property(class_entry, property_cost_name, &property_cost_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_ARRAY));
	zend_string_release(property_cost_name);

	zval property_id_default_value;
	ZVAL_UNDEF(&property_id_default_value);
	zend_string *property_id_name = zend_string_init("id", sizeof("id") - 1, 1);
	zend_declare_typed_property(class_entry, property_id_name, &property_id_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_ARRAY|MAY_BE_NULL));
	zend_string_release(property_id_name);

	zval property_needLogin_default_value;
	ZVAL_UNDEF(&property_needLogin_default_value);
	zend_string *property_needLogin_name = zend_string_init("needLogin", sizeof("needLogin") - 1, 1);
	zend_declare_typed_property(class_entry, property_needLogin_name, &property_needLogin_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_needLogin_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Monitor(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "Monitor", class_FrequencyLimit_Monitor_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_Clock(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "Clock", class_FrequencyLimit_Clock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_LimitExceeded(zend_class_entry *class_entry_RuntimeException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "LimitExceeded", class_FrequencyLimit_LimitExceeded_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_result_class_FrequencyLimit_Result = zend_string_init("FrequencyLimit\\Result", sizeof("FrequencyLimit\\Result")-1, 1);
	zval property_result_default_value;
	ZVAL_UNDEF(&property_result_default_value);
	zend_string *property_result_name = zend_string_init("result", sizeof("result") - 1, 1);
	zend_declare_typed_property(class_entry, property_result_name, &property_result_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_result_class_FrequencyLimit_Result, 0, 0));
	zend_string_release(property_result_name);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_LoginRequired(zend_class_entry *class_entry_RuntimeException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "LoginRequired", class_FrequencyLimit_LoginRequired_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_InvalidArgument(zend_class_entry *class_entry_InvalidArgumentException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "InvalidArgument", class_FrequencyLimit_InvalidArgument_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_InvalidArgumentException);

	return class_entry;
}

static zend_class_entry *register_class_FrequencyLimit_StoreException(zend_class_entry *class_entry_RuntimeException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrequencyLimit", "StoreException", class_FrequencyLimit_StoreException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);

	return class_entry;
}
