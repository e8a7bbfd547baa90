#include "first_decision.h"

#include "classes.h"
#include "limit_object.h"
#include "limiter_object.h"
#include "limiter_single.h"
#include "php_ratelimit.h"
#include "src/shm/limiter_fast.h"

static const zif_handler implementations[PHP_RATELIMIT_METHODS] = {
	zim_FrequencyLimit_Limiter_allow,
	zim_FrequencyLimit_Limiter_consume,
};

/* Notes a method under the name that the class has for it: that string lives as long as the class. */
static void note_method(zend_string *name)
{
	php_ratelimit_methods *known = &RATELIMIT_G(methods);
	const zval *found = zend_hash_find(&php_ratelimit_ce_limiter->function_table, name);
	unsigned i = 0;

	/* A bucket begins with its value. */
	if (!found || ((const Bucket *) found)->key != name) {
		return;
	}
	while (i < PHP_RATELIMIT_METHODS && Z_FUNC_P(found)->internal_function.handler != implementations[i]) {
		i++;
	}
	if (i < PHP_RATELIMIT_METHODS) {
		known->names[i] = name;
		known->functions[i] = Z_FUNC_P(found);
	}
}

static zend_never_inline zend_function *search_method(zend_object **object, zend_string *method, const zval *key)
{
	zend_function *function = zend_std_get_method(object, method, key);

	if (function && key) {
		note_method(Z_STR_P(key));
	}
	return function;
}

zend_function *php_ratelimit_limiter_get_method(zend_object **object, zend_string *method, const zval *key)
{
	const php_ratelimit_methods *known = &RATELIMIT_G(methods);

	for (unsigned i = 0; i < PHP_RATELIMIT_METHODS; i++) {
		if (EXPECTED(key) && Z_STR_P(key) == known->names[i]) {
			return known->functions[i];
		}
	}
	return search_method(object, method, key);
}

/* The number of lines is that of the usual call in a build for x86-64. */
void php_ratelimit_expect_decision(void)
{
	php_ratelimit_methods *known = &RATELIMIT_G(methods);
	const char *function = (const char *) known->functions[PHP_RATELIMIT_ALLOW];

	known->expects = true;
	rl_expect_code((const void *) zim_FrequencyLimit_Limiter_allow, 4);
	rl_limiter_expect();
	if (EXPECTED(function)) {
		__builtin_prefetch(function);
		__builtin_prefetch(function + RL_LINE_BYTES);
	}
}

void php_ratelimit_expect_construction(void)
{
	rl_expect_code((const void *) zim_FrequencyLimit_Limit_fixedWindow, 4);
	rl_expect_code((const void *) php_ratelimit_limit_make, 4);
	rl_expect_code((const void *) zim_FrequencyLimit_Limiter___construct, 2);
	rl_expect_code((const void *) php_ratelimit_limiter_kept, 8);
	php_ratelimit_expect_decision();
}
