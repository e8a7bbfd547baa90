/* Reads and checks the #[AccessLimit] attributes of one function, which are one rule. */
#ifndef PHP_RATELIMIT_ACCESS_RULE_H
#define PHP_RATELIMIT_ACCESS_RULE_H

#include "php.h"

#include "src/core/limit.h"

/* The class name as zend_attribute has it. */
#define PHP_RATELIMIT_ACCESS_LIMIT_LCNAME "frequencylimit\\accesslimit"

/* The parameters of AccessLimit::__construct(), in the constructor's order. */
enum {
	PHP_RATELIMIT_ARG_SECONDS,
	PHP_RATELIMIT_ARG_MAX_COUNT,
	PHP_RATELIMIT_ARG_NEED_LOGIN,
	PHP_RATELIMIT_ARG_ACTION,
	PHP_RATELIMIT_ARGS,
};

/* The limits of one attribute, or of all of a function's. */
typedef struct {
	unsigned n_limits;   /* 0: the function has no AccessLimit */
	bool need_login;     /* at least one attribute has it */
	zend_string *action; /* a reference, or NULL */
	bool action_open;    /* an action is a constant expression that was not evaluated */
	rl_limit limits[RL_LIMITS_MAX];
} php_ratelimit_access_rule;

/* Each returns NULL, or a new string with the error, for a compile error or an InvalidArgument. */

/* Adds a limit to the rule. values: one for each parameter, in the constructor's order. IS_UNDEF stands for the default, and
 * so does a constant expression, which is evaluated at run time. */
zend_string *php_ratelimit_access_rule_add(php_ratelimit_access_rule *rule, const zval *values);

/* Reads a function's attributes. evaluate: evaluates constant expressions in the scope of a class, which may throw; then the
 * result is undefined. The caller releases the rule in any case. */
zend_string *php_ratelimit_access_rule_read(php_ratelimit_access_rule *rule, HashTable *attributes,
	zend_class_entry *scope, bool evaluate);

void php_ratelimit_access_rule_release(php_ratelimit_access_rule *rule);

#endif
