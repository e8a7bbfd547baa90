/* Resolves names with late, missing or wrong answers: never past the deadline, never twice at once. */
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/redis/net/resolver.h"
#include "src/redis/net/deadline.h"
#include "check.h"

/* ---- A replacement of the system's resolver (-Wl,--wrap=getaddrinfo) ---- */

int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found);

static atomic_int lookups;
static atomic_int error;
static atomic_bool held, signals_blocked;

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found)
{
	struct addrinfo numeric = *hints;
	sigset_t mask;

	if (hints->ai_flags & AI_NUMERICHOST) {
		return __real_getaddrinfo(host, port, hints, found);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	atomic_store(&signals_blocked,
		sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGALRM) == 1 && sigismember(&mask, SIGINT) == 1);
	atomic_fetch_add(&lookups, 1);
	while (atomic_load(&held)) {
		usleep(1000);
	}
	if (atomic_load(&error)) {
		return atomic_load(&error);
	}
	numeric.ai_flags |= AI_NUMERICHOST;
	return __real_getaddrinfo("127.0.0.7", port, &numeric, found);
}

/* ---- The tests ---- */

static const char *resolve(rl_redis_resolver *r, const char *host, int timeout_ms, rl_redis_addresses *found)
{
	memset(found, 0, sizeof *found);
	return rl_redis_resolve(r, host, "6379", rl_redis_clock_us() + timeout_ms * RL_US_PER_MS, found);
}

static bool is(const rl_redis_addresses *found, uint32_t ip)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *) (const void *) &found->each[0].address;

	return found->n > 0 && in->sin_family == AF_INET && ntohl(in->sin_addr.s_addr) == ip && ntohs(in->sin_port) == 6379;
}

#define SEVEN 0x7f000007u

static void test_numeric(void)
{
	rl_redis_resolver r = {0};
	rl_redis_addresses found;

	check(!resolve(&r, "127.0.0.1", 0, &found) && is(&found, 0x7f000001u),
		"an address is taken as it is, with no time at all");
	check(!resolve(&r, "::1", 0, &found) && found.n == 1 && found.each[0].address.ss_family == AF_INET6,
		"so is one of IPv6");
	check(atomic_load(&lookups) == 0, "nobody was asked");
	rl_redis_resolver_clear(&r);
}

static void test_found(void)
{
	rl_redis_resolver r = {0};
	rl_redis_addresses found;

	check(!resolve(&r, "redis.example", 5000, &found) && is(&found, SEVEN), "a name is looked up");
	check(atomic_load(&signals_blocked), "on a thread that no signal reaches");
	check(!resolve(&r, "redis.example", 5000, &found) && atomic_load(&lookups) == 2,
		"and looked up again, because it may have moved");
	rl_redis_resolver_clear(&r);
}

static void test_late(void)
{
	rl_redis_resolver r = {0};
	rl_redis_addresses found;
	int64_t start = rl_redis_clock_us();

	atomic_store(&lookups, 0);
	atomic_store(&held, true);
	check(resolve(&r, "redis.example", 30, &found) != NULL, "nobody answers");
	check(rl_redis_clock_us() - start < 2 * RL_US_PER_SECOND, "and that is said when the time is over");
	check(resolve(&r, "redis.example", 30, &found) != NULL && atomic_load(&lookups) == 1,
		"no second thread is started");
	atomic_store(&held, false);
	check(!resolve(&r, "redis.example", 5000, &found) && is(&found, SEVEN) && atomic_load(&lookups) == 1,
		"who asks next gets the late answer");

	atomic_store(&held, true);
	start = rl_redis_clock_us();
	check(!resolve(&r, "redis.example", 100, &found) && is(&found, SEVEN), "while nobody answers it is what it was");
	check(rl_redis_clock_us() - start >= 49 * RL_US_PER_MS, "for which half of the time is waited");
	r.last_us -= 3601 * RL_US_PER_SECOND;
	check(resolve(&r, "redis.example", 30, &found) != NULL, "but for an hour only");
	rl_redis_resolver_clear(&r);
	atomic_store(&held, false);
	usleep(50000); /* the thread ends, and frees the lookup, which it alone owns now */
}

static void test_errors(void)
{
	rl_redis_resolver r = {0};
	rl_redis_addresses found;
	const char *reason;

	atomic_store(&error, EAI_NONAME);
	reason = resolve(&r, "redis.example", 5000, &found);
	check(reason && !strcmp(reason, gai_strerror(EAI_NONAME)), "there is no such name: %s", reason);
	atomic_store(&error, EAI_AGAIN);
	check(resolve(&r, "redis.example", 5000, &found) != NULL, "name servers are away");
	atomic_store(&error, 0);
	check(!resolve(&r, "redis.example", 5000, &found), "they are back");
	atomic_store(&error, EAI_AGAIN);
	check(!resolve(&r, "redis.example", 5000, &found) && is(&found, SEVEN),
		"they are away again, and it is what it was");
	atomic_store(&error, EAI_NONAME);
	check(resolve(&r, "redis.example", 5000, &found) != NULL, "that the name is gone is an answer");
	atomic_store(&error, 0);
	rl_redis_resolver_clear(&r);
}

static int lowest_free_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* done: the thread has ended before the child starts, and its result is still unread. */
static void test_fork(bool done)
{
	rl_redis_resolver r = {0};
	rl_redis_addresses found;
	int status = -1, free_before = lowest_free_descriptor();

	atomic_store(&held, true);
	check(resolve(&r, "redis.example", 10, &found) != NULL, "still being looked up");
	if (done) {
		atomic_store(&held, false);
		usleep(50000);
	}
	pid_t child = fork();
	if (child == 0) {
		/* The thread stays in the parent: the child starts a new one, and the old lookup is freed once. */
		atomic_store(&held, false);
		bool good = !resolve(&r, "redis.example", 5000, &found) && is(&found, SEVEN);
		rl_redis_resolver_clear(&r);
		/* Its own thread closes the pipe if it is the last owner. */
		for (int i = 0; i < 500 && lowest_free_descriptor() > free_before; i++) {
			usleep(10000);
		}
		_exit(good ? lowest_free_descriptor() <= free_before ? 0 : 2 : 1);
	}
	waitpid(child, &status, 0);
	check(status == 0, "a forked child looks it up for itself, and leaves nothing open: %d", status);
	atomic_store(&held, false);
	check(!resolve(&r, "redis.example", 5000, &found) && is(&found, SEVEN), "and its parent has its answer");
	rl_redis_resolver_clear(&r);
}

int main(void)
{
	test_numeric();
	test_found();
	test_late();
	test_errors();
	test_fork(false);
	test_fork(true);
	return checks_report();
}
