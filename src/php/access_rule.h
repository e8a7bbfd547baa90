/* What the #[AccessLimit]s of one function say together, and whether they can be meant. */
#ifndef PHP_RATELIMIT_ACCESS_RULE_H
#define PHP_RATELIMIT_ACCESS_RULE_H

#include "php.h"

#include "src/core/limit.h"

/* As zend_attribute spells it. */
#define PHP_RATELIMIT_ACCESS_LIMIT_LCNAME "frequencylimit\\accesslimit"

/* The parameters of AccessLimit::__construct(), in its order. */
enum {
	PHP_RATELIMIT_ARG_SECONDS,
	PHP_RATELIMIT_ARG_MAX_COUNT,
	PHP_RATELIMIT_ARG_NEED_LOGIN,
	PHP_RATELIMIT_ARG_ACTION,
	PHP_RATELIMIT_ARGS,
};

/* One attribute, or all of a function's. */
typedef struct {
	unsigned n_limits;   /* 0: none of its attributes is ours */
	bool need_login;     /* one of them says so */
	zend_string *action; /* a reference, or NULL */
	bool action_open;    /* one of them names a constant expression that was passed over */
	rl_limit limits[RL_LIMITS_MAX];
} php_ratelimit_access_rule;

/* Each returns NULL, or a new string that says what is wrong: as a compile error says it, and an InvalidArgument. */

/* values: one for each parameter, in the constructor's order; IS_UNDEF takes the default, and so does a constant
 * expression, whose value only the run time knows. Adds a limit to the rule. */
zend_string *php_ratelimit_access_rule_add(php_ratelimit_access_rule *rule, const zval *values);

/* A function's attributes. evaluate: constant expressions too, in the scope of a class; that may throw, and then the
 * result means nothing. The rule is to be released in any case. */
zend_string *php_ratelimit_access_rule_read(php_ratelimit_access_rule *rule, HashTable *attributes,
	zend_class_entry *scope, bool evaluate);

void php_ratelimit_access_rule_release(php_ratelimit_access_rule *rule);

#endif
