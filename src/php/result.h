/* FrequencyLimit\Result: a decision as PHP sees it. */
#ifndef PHP_RATELIMIT_RESULT_H
#define PHP_RATELIMIT_RESULT_H

#include "php.h"

#include "src/core/decision.h"

/* Makes a Result. name: the deciding limit's, or NULL. window_us: how long that limit's window is, for the headers. */
void php_ratelimit_result_init(zval *result, const rl_decision *d, zend_string *name, int64_t window_us);

#endif
