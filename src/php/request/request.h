/* src/php/request: The caller: the request, its client, its user.
 *
 * Keeps the state of the current request: its user, its client, its latest decision.
 *
 * There is one state where PHP itself serves the request (FPM, Apache, php -S, FrankenPHP), and in a script that serves
 * none. A process on the command line that serves requests (Swoole, RoadRunner, amp) has one for each fiber or
 * coroutine that has called Request::begin(), and no other. docs/http.md has the rule. */
#ifndef PHP_RATELIMIT_REQUEST_H
#define PHP_RATELIMIT_REQUEST_H

#include "php.h"

#include "php_ratelimit.h"

#include "../base/callback.h"
#include "../result/result.h"
#include "served_request.h"

/* The latest decision: its n limits, whose strings live as long as the request, or if n is 0 its Result. As long as there is none, there is
 * neither. */
typedef struct {
	rl_decision decision;
	uint64_t granted;
	unsigned n;
	php_ratelimit_policy policies[RL_LIMITS_MAX];
	zend_object *result; /* a reference, also while n is not 0; or NULL */
} php_ratelimit_last;

typedef struct {
	php_ratelimit_callback resolver;     /* Request::identifyBy() */
	zend_string *address;                /* from Request::begin(); NULL: the web server's */
	zend_string *forwarded_for;          /* likewise, read only if address is given; or NULL */
	zend_string *path;                   /* likewise, in its canonical form; NULL: the web server's */
	php_ratelimit_served_request served; /* what the web server's values have come to */
	php_ratelimit_last last;
	uint64_t number; /* no other state of the thread has had it */
} php_ratelimit_request;

/* The requests of a thread, from RINIT to RSHUTDOWN. */
typedef struct php_ratelimit_requests {
	php_ratelimit_request own; /* of PHP's own request, or of a script */
	HashTable *begun;          /* fiber or coroutine => php_ratelimit_request *; NULL until begin() is called */
	bool is_server;            /* a process on the command line that serves requests: only begun ones count */
	bool is_active;            /* between RINIT and RSHUTDOWN */
	uint64_t numbers;          /* the latest number of a state; 0: of the first */
	uint64_t versions;         /* the latest version of a path and client */
	zend_ulong seen;           /* fingerprint of the request that $_SERVER held at the last check; 0: none */
	/* Swoole\Coroutine::getCid() and ::exists(), if they exist; begin() looks them up. */
	zend_function *coroutine_id;
	zend_function *coroutine_exists;
	uint32_t sweep_at; /* the number of elements of begun at which ended coroutines are removed */
} php_ratelimit_requests;

/* Run at module start-up and shut-down: they register for the end of fibers and, under FrankenPHP, for the begin of
 * requests. */
void php_ratelimit_requests_startup(void);
void php_ratelimit_requests_shutdown(void);

/* Runs at RSHUTDOWN. */
void php_ratelimit_requests_clear(void);

/* Begins a request in the running fiber. Takes its own references; a NULL stands for the web server's value. */
void php_ratelimit_request_begin(zend_string *address, zend_string *path, zend_string *forwarded_for);

/* Ends it: drops its state. */
void php_ratelimit_request_end(void);

/* Turns the process into a server: drops its state so far. From then on only begun requests count. */
void php_ratelimit_become_server(void);

/* Returns whether a coroutine of Swoole runs. Such a program serves requests, or has none. */
bool php_ratelimit_is_in_coroutine(void);

/* Returns a number of the running fiber or coroutine, which no other one that lives has. */
zend_ulong php_ratelimit_running_context(void);

/* Implements the slow path of php_ratelimit_current_request(). */
php_ratelimit_request *php_ratelimit_begun_request(void);

/* Returns the state of the request that the running code belongs to; NULL if it belongs to none. The result is valid
 * until user code runs. */
static zend_always_inline php_ratelimit_request *php_ratelimit_current_request(void)
{
	php_ratelimit_requests *requests = RATELIMIT_G(requests);

	return EXPECTED(!requests->is_server) ? &requests->own : php_ratelimit_begun_request();
}

/* Warns, once in a process, about a call outside of any request. The warning may throw. */
ZEND_COLD void php_ratelimit_warn_no_request(void);

/* Detects whether a process on the command line serves requests, although it has not called Request::begin(). */

/* Checks the request that the application has put into $_SERVER: a second one that differs from the first makes the
 * process a server. Every call that would use the resolver or the client's address runs it. It is cheap until code
 * writes $_SERVER. */
void php_ratelimit_look_at_server_variables(void);

/* Checks for the class of a known HTTP server, and for a coroutine of Swoole. It is too slow for every call: only identifyBy() and
 * the first call of a limited function run it. */
void php_ratelimit_look_for_server(void);

#endif
