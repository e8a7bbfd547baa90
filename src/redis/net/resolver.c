#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "resolver.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "deadline.h"

/* How long the last result is used while the name cannot be resolved. */
#define LAST_RESULT_US (3600 * RL_US_PER_SECOND)

/* The stack of a thread, on which name service modules of any kind run. */
#define STACK_BYTES ((size_t) 1024 * 1024)

/* getaddrinfo() has no deadline. So a thread calls it, and the caller waits for the thread until its own deadline. Both own
 * this lookup; the last of the two frees it. */
struct rl_redis_lookup {
	atomic_uint owners;
	int ready[2]; /* a pipe that has a byte in it when there is a result */
	char host[RL_REDIS_HOST_MAX + 1];
	char port[6];
	int error; /* of getaddrinfo() */
	rl_redis_addresses found;
};

static void resolver_drop(rl_redis_lookup *l)
{
	if (l && atomic_fetch_sub_explicit(&l->owners, 1, memory_order_acq_rel) == 1) {
		close(l->ready[0]);
		close(l->ready[1]);
		free(l);
	}
}

/* ---- The thread ---- */

static int resolver_ask_system(const char *host, const char *port, int flags, rl_redis_addresses *found)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
	struct addrinfo *list = NULL;
	int error = getaddrinfo(host, port, &hints, &list);

	found->n = 0;
	if (error) {
		return error;
	}
	for (struct addrinfo *a = list; a && found->n < RL_REDIS_ADDRESSES_MAX; a = a->ai_next) {
		if (a->ai_addrlen <= sizeof found->each->address) {
			memcpy(&found->each[found->n].address, a->ai_addr, a->ai_addrlen);
			found->each[found->n++].len = a->ai_addrlen;
		}
	}
	freeaddrinfo(list);
	return found->n ? 0 : EAI_NONAME;
}

static void *resolver_look_up(void *context)
{
	rl_redis_lookup *l = context;
	ssize_t written;

	l->error = resolver_ask_system(l->host, l->port, 0, &l->found);
	written = write(l->ready[1], "", 1); /* an empty pipe has room */
	(void) written;
	resolver_drop(l);
	return NULL;
}

/* Pins this module in memory. PHP unloads its extensions when it ends, and the thread may still be running, so the module
 * is pinned before the first thread starts. Not earlier: a module that is always pinned (-z nodelete) would also pin the
 * Apache module that it is linked to, which a restart must replace. The restarting process asks no questions. */
static void resolver_pin_module(void)
{
	static const char here;
	Dl_info self;

	if (dladdr(&here, &self) && self.dli_fname) {
		(void) dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
	}
}

/* Starts the thread with all signals blocked: PHP's handlers must run on PHP's threads. */
static bool resolver_start_thread(rl_redis_lookup *l)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all, before;
	bool started;

	(void) pthread_once(&once, resolver_pin_module);
	if (pthread_attr_init(&attributes) != 0) {
		return false;
	}
	(void) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	(void) pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&thread, &attributes, resolver_look_up, l) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

static rl_redis_lookup *resolver_start(const char *host, const char *port)
{
	rl_redis_lookup *l = calloc(1, sizeof *l);

	if (!l || pipe(l->ready) < 0) {
		free(l);
		return NULL;
	}
	(void) fcntl(l->ready[0], F_SETFD, FD_CLOEXEC);
	(void) fcntl(l->ready[1], F_SETFD, FD_CLOEXEC);
	snprintf(l->host, sizeof l->host, "%s", host);
	snprintf(l->port, sizeof l->port, "%s", port);
	atomic_init(&l->owners, 2);
	if (!resolver_start_thread(l)) {
		resolver_drop(l);
		resolver_drop(l);
		return NULL;
	}
	return l;
}

/* ---- The caller ---- */

static void resolver_drop_pending(rl_redis_resolver *r)
{
	if (r->pending && r->owner != getpid()) {
		/* The thread exists in the parent only, and may have dropped its share there already: this process is the one owner. */
		atomic_store_explicit(&r->pending->owners, 1, memory_order_relaxed);
	}
	resolver_drop(r->pending);
	r->pending = NULL;
}

void rl_redis_resolver_clear(rl_redis_resolver *r)
{
	resolver_drop_pending(r);
	memset(r, 0, sizeof *r);
}

static const char *resolver_last_result(const rl_redis_resolver *r, const char *reason, rl_redis_addresses *found)
{
	if (r->last.n == 0 || rl_redis_clock_us() - r->last_us > LAST_RESULT_US) {
		return reason;
	}
	*found = r->last;
	return NULL;
}

const char *rl_redis_resolve(rl_redis_resolver *r, const char *host, const char *port, int64_t deadline_us,
	rl_redis_addresses *found)
{
	int64_t now_us;
	int error = resolver_ask_system(host, port, AI_NUMERICHOST, found);

	if (error != EAI_NONAME) {
		return error ? gai_strerror(error) : NULL;
	}
	if (r->pending && r->owner != getpid()) {
		resolver_drop_pending(r);
	}
	if (!r->pending) {
		r->pending = resolver_start(host, port);
		r->owner = getpid();
	}
	if (!r->pending) {
		return resolver_last_result(r, "cannot start a thread to resolve the host name", found);
	}
	now_us = rl_redis_clock_us();
	if (r->last.n > 0) {
		deadline_us = now_us + (deadline_us - now_us) / 2;
	}
	if (rl_redis_wait(r->pending->ready[0], POLLIN, deadline_us) <= 0) {
		/* The lookup goes on: the next call takes its result, and starts no second thread. */
		return resolver_last_result(r, "the host name was not resolved in time", found);
	}
	error = r->pending->error;
	if (error == 0) {
		r->last = *found = r->pending->found;
		r->last_us = rl_redis_clock_us();
	}
	resolver_drop_pending(r);
	if (error == 0) {
		return NULL;
	}
	/* "No such name" is a valid answer, which the last result must not replace. */
	return error == EAI_NONAME ? gai_strerror(error) : resolver_last_result(r, gai_strerror(error), found);
}
