#include "php_ratelimit.h"

#include "SAPI.h"
#include "php_globals.h"

#include "request.h"
#include "served_request.h"

/* The variables' names, interned, with their hashes. */
static zend_string *uri_name, *script_name, *remote_name, *forwarded_for_name;

void php_ratelimit_served_startup(void)
{
	uri_name = zend_string_init_interned(ZEND_STRL("REQUEST_URI"), true);
	script_name = zend_string_init_interned(ZEND_STRL("SCRIPT_NAME"), true);
	remote_name = zend_string_init_interned(ZEND_STRL("REMOTE_ADDR"), true);
	forwarded_for_name = zend_string_init_interned(ZEND_STRL("HTTP_X_FORWARDED_FOR"), true);
}

/* Returns the string of a variable, borrowed; NULL if $_SERVER is not built, or does not have it. */
static zend_always_inline zend_string *served_variable(zend_string *name)
{
	const zval *server = &PG(http_globals)[TRACK_VARS_SERVER], *value;

	if (UNEXPECTED(Z_TYPE_P(server) != IS_ARRAY)) {
		return NULL;
	}
	value = zend_hash_find_known_hash(Z_ARRVAL_P(server), name);
	if (UNEXPECTED(!value)) {
		return NULL;
	}
	ZVAL_DEREF(value);
	return EXPECTED(Z_TYPE_P(value) == IS_STRING) ? Z_STR_P(value) : NULL;
}

static void served_release(zend_string **string)
{
	if (*string) {
		zend_string_release(*string);
		*string = NULL;
	}
}

static void served_replace(zend_string **string, zend_string *with)
{
	if (with) {
		zend_string_addref(with);
	}
	served_release(string);
	*string = with;
}

void php_ratelimit_served_clear(php_ratelimit_served_request *served)
{
	served_release(&served->uri);
	served_release(&served->script);
	served_release(&served->path);
	served_release(&served->remote);
	served_release(&served->forwarded_for);
	served->has_path = false;
	served->client_length = 0;
}

/* The variables are read after the path, which may build $_SERVER. */
static RL_FIRST zend_never_inline zend_string *find_path(php_ratelimit_served_request *served)
{
	zend_string *path = php_ratelimit_request_path();

	served_release(&served->path);
	served->path = path;
	served_replace(&served->uri, served_variable(uri_name));
	served_replace(&served->script, served_variable(script_name));
	served->has_path = true;
	return path;
}

RL_FIRST zend_string *php_ratelimit_served_path(php_ratelimit_served_request *served)
{
	if (EXPECTED(served->has_path && served_variable(uri_name) == served->uri
			&& served_variable(script_name) == served->script)) {
		return served->path;
	}
	return find_path(served);
}

static RL_FIRST zend_never_inline void find_client(php_ratelimit_served_request *served)
{
	memcpy(served->client, "ip:", 3);
	served->client_length = (uint8_t) (3 + php_ratelimit_served_address(served->client + 3));
	served_replace(&served->remote, served_variable(remote_name));
	served_replace(&served->forwarded_for, served_variable(forwarded_for_name));
}

RL_FIRST const char *php_ratelimit_served_client(php_ratelimit_served_request *served, size_t *length)
{
	if (UNEXPECTED(served->client_length == 0 || served_variable(remote_name) != served->remote
			|| (RATELIMIT_G(trusted_proxies).n > 0 && served_variable(forwarded_for_name) != served->forwarded_for))) {
		find_client(served);
	}
	*length = served->client_length;
	return served->client;
}
