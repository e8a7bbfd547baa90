/* The benchmark's floor: the cost of a doHandle() call without a decision. It has the same signature, the same parameter
 * parsing and the same kind of class; all costs above it are the decision's. The floor on Redis is a round trip without a
 * decision. */
#include "php.h"
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <sys/un.h>
#include <unistd.h>

#include "arguments.h"
#include "least.h"

PHP_METHOD(RatelimitFloor, doHandle)
{
	zend_string *action;
	zend_long user_id, time, number;
	HashTable *expire = NULL;

	ZEND_PARSE_PARAMETERS_START(4, 5)
		Z_PARAM_STR(action)
		Z_PARAM_LONG(user_id)
		Z_PARAM_LONG(time)
		Z_PARAM_LONG(number)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_NULL(expire)
	ZEND_PARSE_PARAMETERS_END();

	(void) action;
	(void) expire;
	/* Keeps the parsed values alive: otherwise the compiler would remove work that doHandle() does. */
	RETURN_BOOL((user_id | time | number) != 0);
}

/* Does nothing: callgrind counts between two calls of it. */
PHP_METHOD(RatelimitFloor, mark)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

static int redis = -1;

static int connect_to(const char *path, zend_long port)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct sockaddr_in in = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t) port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	bool is_tcp = port != 0;
	int one = 1, fd = socket(is_tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		return -1;
	}
	strncpy(un.sun_path, path, sizeof un.sun_path - 1);
	if (is_tcp) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	}
	if (connect(fd, is_tcp ? (struct sockaddr *) &in : (struct sockaddr *) &un, is_tcp ? sizeof in : sizeof un) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Connects to a unix socket, or to a port of this machine. */
PHP_METHOD(RatelimitFloor, connect)
{
	char *path;
	size_t path_len;
	zend_long port;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STRING(path, path_len)
		Z_PARAM_LONG(port)
	ZEND_PARSE_PARAMETERS_END();

	if (redis >= 0) {
		close(redis);
	}
	redis = connect_to(path, port);
	RETURN_BOOL(redis >= 0);
}

/* One write and one read; only the reply's length is parsed: no blocking client of Redis can be faster. */
PHP_METHOD(RatelimitFloor, ping)
{
	static const char question[] = "*1\r\n$4\r\nPING\r\n", expected[] = "+PONG\r\n";
	char answer[64];
	size_t got = 0;

	ZEND_PARSE_PARAMETERS_NONE();
	if (send(redis, question, sizeof question - 1, MSG_NOSIGNAL) != sizeof question - 1) {
		RETURN_FALSE;
	}
	while (got < sizeof expected - 1) {
		ssize_t n = recv(redis, answer + got, sizeof answer - got, 0);

		if (n <= 0) {
			RETURN_FALSE;
		}
		got += (size_t) n;
	}
	RETURN_BOOL(memcmp(answer, expected, sizeof expected - 1) == 0);
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_mark, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_connect, 0, 2, _IS_BOOL, 0)
ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, port, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_ping, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

static const zend_function_entry floor_methods[] = {ZEND_ME(RatelimitFloor, doHandle, arginfo_do_handle,
	ZEND_ACC_PUBLIC | ZEND_ACC_STATIC) ZEND_ME(RatelimitFloor, mark, arginfo_mark, ZEND_ACC_PUBLIC | ZEND_ACC_STATIC)
		ZEND_ME(RatelimitFloor, connect, arginfo_connect, ZEND_ACC_PUBLIC | ZEND_ACC_STATIC)
			ZEND_ME(RatelimitFloor, ping, arginfo_ping, ZEND_ACC_PUBLIC | ZEND_ACC_STATIC) ZEND_FE_END};

static PHP_MINIT_FUNCTION(ratelimit_floor)
{
	zend_class_entry ce;

	INIT_CLASS_ENTRY(ce, "RatelimitFloor", floor_methods);
	zend_register_internal_class(&ce)->ce_flags |= ZEND_ACC_FINAL;
	ratelimit_least_startup();
	return SUCCESS;
}

zend_module_entry ratelimit_floor_module_entry = {STANDARD_MODULE_HEADER, "ratelimit_floor", NULL,
	PHP_MINIT(ratelimit_floor), NULL, NULL, NULL, NULL, NO_VERSION_YET, STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(ratelimit_floor)
