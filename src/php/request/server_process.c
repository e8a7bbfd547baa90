
#include "SAPI.h"
#include "php_globals.h"

#include "php_ratelimit.h"
#include "../base/store_config.h"
#include "request.h"

/* Servers that are written in PHP: a process that has loaded one of them runs it. The names are in lower case, as in the class
 * table. */
static const char *const server_classes[] = {
	"spiral\\roadrunner\\http\\httpworker",
	"laravel\\octane\\worker",
	"amp\\http\\server\\sockethttpserver",
	"react\\http\\httpserver",
	"workerman\\protocols\\http\\request",
};

/* Returns whether PHP serves the request itself, or the answer is known. */
static bool is_decided(void)
{
	return SG(request_info).request_method || RATELIMIT_G(requests)->is_server;
}

void php_ratelimit_look_for_server(void)
{
	bool found;

	if (is_decided()) {
		return;
	}
	found = php_ratelimit_is_in_coroutine();
	for (size_t i = 0; i < sizeof(server_classes) / sizeof(*server_classes) && !found; i++) {
		found = php_ratelimit_is_class_loaded(server_classes[i]);
	}
	if (found) {
		php_ratelimit_become_server();
	}
}

static zend_ulong mix(zend_ulong hash, HashTable *server, const char *name, size_t length)
{
	zval *value = zend_hash_str_find_deref(server, name, length);

	if (!value) {
		return hash;
	}
	switch (Z_TYPE_P(value)) {
		case IS_STRING:
			return (hash ^ zend_string_hash_val(Z_STR_P(value))) * 31;
		case IS_DOUBLE:
			return (hash ^ zend_hash_func((const char *) &Z_DVAL_P(value), sizeof(Z_DVAL_P(value)))) * 31;
		case IS_LONG:
			return (hash ^ (zend_ulong) Z_LVAL_P(value)) * 31;
		default:
			return hash;
	}
}

/* Returns a fingerprint of the request, never 0; 0 without a request. */
static zend_ulong fingerprint(HashTable *server)
{
	zend_ulong hash = mix(mix(1, server, ZEND_STRL("REMOTE_ADDR")), server, ZEND_STRL("REQUEST_METHOD"));

	if (hash == 1) {
		return 0;
	}
	hash = mix(mix(hash, server, ZEND_STRL("REQUEST_URI")), server, ZEND_STRL("REQUEST_TIME_FLOAT"));
	return hash ? hash : 1;
}

void php_ratelimit_look_at_server_variables(void)
{
	php_ratelimit_requests *requests = RATELIMIT_G(requests);
	const zval *own = &PG(http_globals)[TRACK_VARS_SERVER];
	zval *server;
	zend_ulong now;

	if (is_decided()) {
		return;
	}
	server = zend_hash_find_known_hash(&EG(symbol_table), ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER));
	if (EXPECTED(!server)) {
		return;
	}
	ZVAL_DEREF(server);
	/* Until the first write to it, $_SERVER is the array that PHP made, which is the environment's. */
	if (EXPECTED(Z_TYPE_P(server) != IS_ARRAY || (Z_TYPE_P(own) == IS_ARRAY && Z_ARR_P(server) == Z_ARR_P(own)))) {
		return;
	}
	now = fingerprint(Z_ARRVAL_P(server));
	if (requests->seen && now && now != requests->seen) {
		php_ratelimit_become_server();
		return;
	}
	requests->seen = now ? now : requests->seen;
}
