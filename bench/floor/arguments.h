/* doHandle()'s signature, for the functions that are measured in its place. */
#ifndef RATELIMIT_BENCH_ARGUMENTS_H
#define RATELIMIT_BENCH_ARGUMENTS_H

#include "php.h"

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_do_handle, 0, 4, _IS_BOOL, 0)
ZEND_ARG_TYPE_INFO(0, action, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, userId, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, time, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, number, IS_LONG, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, expire, IS_ARRAY, 1, "[]")
ZEND_END_ARG_INFO()

#endif
