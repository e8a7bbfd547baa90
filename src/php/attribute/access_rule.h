/* Reads and checks the #[AccessLimit], #[ConcurrencyLimit] and #[RateLimit] attributes of one function, which are one rule. */
#ifndef PHP_RATELIMIT_ACCESS_RULE_H
#define PHP_RATELIMIT_ACCESS_RULE_H

#include "php.h"

#include "src/core/limit/limit.h"

/* The attribute classes. */
typedef enum {
	PHP_RATELIMIT_ACCESS_LIMIT,
	PHP_RATELIMIT_CONCURRENCY_LIMIT,
	PHP_RATELIMIT_RATE_LIMIT,
	PHP_RATELIMIT_ATTRIBUTES,
} php_ratelimit_attribute;

/* The arguments of the constructors. Each class has some of them, in an order of its own. */
enum {
	PHP_RATELIMIT_ARG_SECONDS,
	PHP_RATELIMIT_ARG_NUMBER, /* $maxCount of AccessLimit, $limit of ConcurrencyLimit */
	PHP_RATELIMIT_ARG_NEED_LOGIN,
	PHP_RATELIMIT_ARG_ACTION,
	PHP_RATELIMIT_ARG_NAME, /* the last three are RateLimit's */
	PHP_RATELIMIT_ARG_COST,
	PHP_RATELIMIT_ARG_ID,
	PHP_RATELIMIT_ARGS,
};

#define PHP_RATELIMIT_PARAMETERS 4 /* of each constructor */

typedef struct {
	const char *short_name;                   /* "AccessLimit" */
	const char *name;                         /* "FrequencyLimit\AccessLimit" */
	const char *lc_name;                      /* the same as zend_attribute has it */
	size_t length;                            /* of the name */
	unsigned order[PHP_RATELIMIT_PARAMETERS]; /* the arguments in the order of the constructor, and of the properties */
	const char *parameters[PHP_RATELIMIT_ARGS]; /* the names of the arguments; NULL: it has no such argument */
	rl_algorithm algorithm;                     /* of its limit; 0: it names a limiter */
	int64_t number_max;
	uint32_t number_default; /* 0: the argument is required */
} php_ratelimit_attribute_class;

/* By php_ratelimit_attribute. */
extern const php_ratelimit_attribute_class php_ratelimit_attribute_classes[PHP_RATELIMIT_ATTRIBUTES];

/* A limiter that a RateLimit names. */
typedef struct {
	zend_string *name;
	zval cost; /* IS_UNDEF: 1; an int, or an array of ints by the limits' names */
	zval id;   /* IS_UNDEF or null: the request's user or client; a parameter's name, or an array of them by labels */
} php_ratelimit_named_rule;

/* The limits of one attribute, or of all of a function's. */
typedef struct {
	unsigned n_limits;              /* of AccessLimit and ConcurrencyLimit */
	unsigned n_named;               /* of RateLimit; if both are 0, the function has none of the attributes */
	bool has_concurrent;            /* at least one of them is a ConcurrencyLimit */
	bool need_login;                /* at least one attribute has it */
	zend_string *action;            /* a reference, or NULL */
	bool action_open;               /* an action is a constant expression that was not evaluated */
	php_ratelimit_attribute latest; /* the class of the attribute that was read last: an error is about it */
	rl_limit limits[RL_LIMITS_MAX];
	php_ratelimit_named_rule named[RL_LIMITS_MAX]; /* references */
} php_ratelimit_access_rule;

/* Each returns NULL, or a new string with the error, for a compile error or an InvalidArgument. */

/* Adds the limit of an attribute, or the limiter that it names, to the rule. values: by PHP_RATELIMIT_ARG_*. IS_UNDEF stands for the default, and so does a
 * constant expression, which is evaluated at run time. */
zend_string *php_ratelimit_access_rule_add(php_ratelimit_access_rule *rule, php_ratelimit_attribute attribute,
	const zval *values);

/* Adds a function's attributes, or those of its class, to a rule that was empty at first. evaluate: evaluates constant expressions in the scope of a class, which may throw; then the
 * result is undefined. The caller releases the rule in any case. */
zend_string *php_ratelimit_access_rule_read(php_ratelimit_access_rule *rule, HashTable *attributes,
	zend_class_entry *scope, bool evaluate);

void php_ratelimit_access_rule_release(php_ratelimit_access_rule *rule);

/* Returns a function's name as PHP's messages have it, a new reference. */
zend_string *php_ratelimit_function_name(const zend_op_array *op_array);

/* Makes a class an attribute of functions and methods, whose arguments the compiler checks. flags: further ones. */
void php_ratelimit_attribute_startup(zend_class_entry *ce, uint32_t flags);

#endif
