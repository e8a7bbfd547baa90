/* Warns, once in a request for each line of code, of a Result or Permit that is used in a way that limits nothing. */
#ifndef PHP_RATELIMIT_MISUSE_H
#define PHP_RATELIMIT_MISUSE_H

#include "php.h"

/* Forgets the lines that have warned, at the end of a request. */
void php_ratelimit_misuse_end_request(void);

/* Warns of an object as a bool: class: its name, accepted: what to write instead. The warning may run user code, which may
 * free the object, and may throw. */
ZEND_COLD void php_ratelimit_warn_of_bool(const char *class, const char *accepted);

/* Warns of a permit that is thrown away, in the method that returns it. Returns false if the warning has thrown. */
ZEND_COLD bool php_ratelimit_warn_of_lost_permit(void);

/* Returns whether the line that calls a method throws the result away. False where that is not certain: where the engine or a
 * function of C makes the call. */
static zend_always_inline bool php_ratelimit_is_thrown_away(const zend_execute_data *method)
{
	const zend_execute_data *caller = method->prev_execute_data;

	return !(ZEND_CALL_INFO(method) & ZEND_CALL_TOP) && EXPECTED(caller && caller->func)
		&& EXPECTED(ZEND_USER_CODE(caller->func->type)) && UNEXPECTED(caller->opline->result_type == IS_UNUSED);
}

#endif
