#include "served_request.h"

#include "client_address.h"
#include "php_ratelimit.h"
#include "server_variables.h"

void php_ratelimit_served_clear(php_ratelimit_served_request *served)
{
	if (served->path) {
		zend_string_release(served->path);
		served->path = NULL;
	}
	if (served->server) {
		zend_array_release(served->server);
		served->server = NULL;
	}
	served->has_path = false;
	served->client_length = 0;
	served->version = 0;
}

static zend_never_inline void served_begin(php_ratelimit_served_request *served, HashTable *server)
{
	php_ratelimit_served_clear(served);
	if (server) {
		GC_TRY_ADDREF(server);
	}
	served->server = server;
}

/* Forgets everything if the array has changed. */
static zend_always_inline void served_look(php_ratelimit_served_request *served)
{
	HashTable *server = php_ratelimit_server_array();

	if (UNEXPECTED(server != served->server)) {
		served_begin(served, server);
	}
}

uint64_t php_ratelimit_served_version(php_ratelimit_served_request *served)
{
	served_look(served);
	if (UNEXPECTED(served->version == 0)) {
		served->version = ++RATELIMIT_G(requests)->versions;
	}
	return served->version;
}

static void find_path(php_ratelimit_served_request *served)
{
	zend_string *path = php_ratelimit_request_path();

	/* The search for the path may have built the array. */
	served_look(served);
	served->path = path;
	served->has_path = true;
}

zend_string *php_ratelimit_served_path(php_ratelimit_served_request *served)
{
	served_look(served);
	if (UNEXPECTED(!served->has_path)) {
		find_path(served);
	}
	return served->path;
}

static void find_client(php_ratelimit_served_request *served)
{
	char client[PHP_RATELIMIT_ADDRESS_BYTES];
	size_t length = php_ratelimit_served_address(client);

	served_look(served);
	memcpy(served->client, "ip:", 3);
	memcpy(served->client + 3, client, length);
	served->client_length = (uint8_t) (3 + length);
}

const char *php_ratelimit_served_client(php_ratelimit_served_request *served, size_t *length)
{
	served_look(served);
	if (UNEXPECTED(served->client_length == 0)) {
		find_client(served);
	}
	*length = served->client_length;
	return served->client;
}
