/* One exchange with a scripted server, in clear, over TCP and a Unix socket: replies that are cut,
 * doubled or strange; a deadline that covers the whole exchange, with trickling replies and with signals. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/redis/net/connection.h"
#include "src/redis/net/deadline.h"
#include "check.h"
#include "temporary.h"

/* ---- The server ---- */

/* It executes its orders: "say {bytes}", "cut {bytes}" (byte by byte), "parts {bytes}|{bytes}…", "late {ms} {bytes}",
 * "trickle" (a byte each 2 ms, of a reply that takes a minute), "nothing". */
static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static bool put(int fd, const char *bytes, size_t len)
{
	return send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t) len;
}

static bool put_slowly(int fd, const char *bytes, size_t len, long ms)
{
	bool taken = true;

	for (size_t i = 0; i < len && taken; i++) {
		taken = put(fd, bytes + i, 1);
		pause_ms(ms);
	}
	return taken;
}

static bool put_parts(int fd, const char *bytes)
{
	bool taken = true;

	while (*bytes && taken) {
		size_t len = strcspn(bytes, "|");
		taken = put(fd, bytes, len);
		bytes += len + (bytes[len] == '|');
		pause_ms(10);
	}
	return taken;
}

static bool obey(int fd, const char *order, size_t len)
{
	static const char many[32000] = "+";
	const char *end = order + len;
	char *bytes;

	if (strncmp(order, "say ", 4) == 0) {
		return put(fd, order + 4, len - 4);
	}
	if (strncmp(order, "cut ", 4) == 0) {
		return put_slowly(fd, order + 4, len - 4, 1);
	}
	if (strncmp(order, "parts ", 6) == 0) {
		return put_parts(fd, order + 6);
	}
	if (strncmp(order, "late ", 5) == 0) {
		pause_ms(strtol(order + 5, &bytes, 10));
		return put(fd, bytes + 1, (size_t) (end - bytes - 1));
	}
	return strncmp(order, "trickle", 7) != 0 || put_slowly(fd, many, sizeof many, 2);
}

static void *serve(void *listening)
{
	char order[1024];
	int fd;

	while ((fd = accept(*(int *) listening, NULL, NULL)) >= 0) {
		ssize_t len;

		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* a byte is a segment */
		while ((len = recv(fd, order, sizeof order - 1, 0)) > 0) {
			order[len] = '\0';
			if (!obey(fd, order, (size_t) len)) {
				break;
			}
		}
		close(fd);
	}
	return NULL;
}

/* The waiting thread must get the signals: this thread blocks them. */
static void start_server(int *listening)
{
	pthread_t thread;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (*listening < 0 || listen(*listening, 10) != 0 || pthread_create(&thread, NULL, serve, listening) != 0) {
		exit(2);
	}
	pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static rl_redis_address over_tcp(void)
{
	static int listening;
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof in;
	rl_redis_address address = {.host = "127.0.0.1"};

	listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listening, (struct sockaddr *) &in, sizeof in) != 0
		|| getsockname(listening, (struct sockaddr *) &in, &len) != 0) {
		exit(2);
	}
	snprintf(address.port, sizeof address.port, "%d", ntohs(in.sin_port));
	start_server(&listening);
	return address;
}

static rl_redis_address over_unix(const char *path)
{
	static int listening;
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	rl_redis_address address = {.port = ""};

	snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
	snprintf(address.host, sizeof address.host, "%s", path);
	listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listening, (struct sockaddr *) &un, sizeof un) != 0) {
		exit(2);
	}
	start_server(&listening);
	return address;
}

/* ---- Requests ---- */

static rl_redis_address place;
static const char *where;
static rl_redis_resolver resolver;
static rl_redis_connection connection;
static rl_error e;
static char taken[256];

static rl_status take(void *context, size_t index, const redisReply *reply, rl_error *why)
{
	size_t at = strlen(taken);

	(void) context;
	(void) why;
	if (reply->type == REDIS_REPLY_INTEGER) {
		snprintf(taken + at, sizeof taken - at, "%zu:%lld ", index, reply->integer);
	} else {
		snprintf(taken + at, sizeof taken - at, "%zu:\"%s\" ", index, reply->str ? reply->str : "");
	}
	return RL_OK;
}

static void connect_anew(void)
{
	if (rl_redis_connection_open(&connection, &place, &resolver, NULL, rl_redis_deadline_in(20000), "server", &e)
		!= RL_OK) {
		printf("%s\n", e.message);
		exit(2);
	}
}

/* Sends an order and reads so many replies; *took_ms: their time. Opens a closed connection again. */
static rl_status ask(const char *order, size_t replies, int timeout_ms, double *took_ms)
{
	rl_redis_exchange x = {.connection = &connection,
		.label = "server",
		.unsent = order,
		.unsent_len = strlen(order),
		.wanted = replies,
		.take = take,
		.e = &e};
	rl_redis_budget budget = rl_redis_budget_of(20000, timeout_ms);
	int64_t start_us;
	rl_status status;

	if (!rl_redis_connection_is_usable(&connection)) {
		connect_anew();
	}
	*taken = '\0';
	start_us = rl_redis_clock_us();
	rl_redis_exchange_begin(&x);
	status = rl_redis_exchange_finish(&x, rl_redis_budget_answer(&budget));
	*took_ms = (double) (rl_redis_clock_us() - start_us) / RL_US_PER_MS;
	check(status == RL_OK || connection.fd < 0, "%s: \"%.20s\": what goes wrong closes the connection", where, order);
	return status;
}

static void answered(const char *order, size_t replies, const char *expected)
{
	double ms;
	rl_status status = ask(order, replies, 20000, &ms);

	check(status == RL_OK && strcmp(taken, expected) == 0, "%s: \"%s\" is answered: %s%s", where, order, taken,
		status == RL_OK ? "" : e.message);
}

static void refused(const char *order, size_t replies, const char *why)
{
	double ms;
	rl_status status = ask(order, replies, 20000, &ms);

	check(status == RL_UNAVAILABLE && strstr(e.message, why), "%s: \"%s\" is refused: %s%s", where, order, taken,
		status == RL_OK ? "" : e.message);
}

/* Not before the deadline, and not long after it: the machine may be busy. */
static void times_out(const char *order, int timeout_ms, const char *what)
{
	double ms;
	rl_status status = ask(order, 1, timeout_ms, &ms);
	char message[64];

	snprintf(message, sizeof message, "no answer within %d ms", timeout_ms);
	check(status == RL_UNAVAILABLE && strstr(e.message, message), "%s: %s: %s", where, what,
		status == RL_OK ? taken : e.message);
	check(ms >= timeout_ms && ms < timeout_ms + 5000, "%s: %s: %.1f ms of %d", where, what, ms, timeout_ms);
}

/* On a busy machine, one of so many is undisturbed. */
static void times_out_in_time(void)
{
	double least_ms = 1e9, ms;

	for (int i = 0; i < 20; i++) {
		ask("nothing", 1, 1, &ms);
		least_ms = ms < least_ms ? ms : least_ms;
	}
	check(least_ms >= 1 && least_ms < 4, "%s: 1 ms of silence takes %.1f ms", where, least_ms);
}

static void comes_late(int late_ms, int timeout_ms, const char *what)
{
	char order[64];
	double ms;

	snprintf(order, sizeof order, "late %d $1\r\n5\r\n", late_ms);
	rl_status status = ask(order, 1, timeout_ms, &ms);
	check(status == RL_OK && strcmp(taken, "0:\"5\" ") == 0 && ms >= late_ms, "%s: %s: %.1f ms, %s", where, what, ms,
		status == RL_OK ? taken : e.message);
}

/* ---- The tests ---- */

static void test_replies(void)
{
	answered("say $0\r\n\r\n", 1, "0:\"\" ");
	answered("say $5\r\nabcde\r\n", 1, "0:\"abcde\" ");
	answered("say $12\r\nabcdefghijkl\r\n", 1, "0:\"abcdefghijkl\" ");
	answered("say $5\r\na\r\nbc\r\n", 1, "0:\"a\r\nbc\" ");
	answered("say $-1\r\n", 1, "0:\"\" ");
	answered("say :17\r\n", 1, "0:17 ");
	answered("say +17\r\n", 1, "0:\"17\" ");
	answered("cut $5\r\nabcde\r\n", 1, "0:\"abcde\" ");
	answered("say $1\r\na\r\n$1\r\nb\r\n", 2, "0:\"a\" 1:\"b\" ");
	answered("cut :1\r\n$1\r\nx\r\n:3\r\n", 3, "0:1 1:\"x\" 2:3 ");
	/* A prefix of a reply that looks complete. */
	answered("parts $7\r\n|$1\r\na\r\n|\r\n", 1, "0:\"$1\r\na\r\n\" ");
	answered("parts :1\r\n$7\r\n|$1\r\na\r\n|\r\n", 2, "0:1 1:\"$1\r\na\r\n\" ");
	answered("parts *2\r\n|$1\r\na\r\n|$1\r\nb\r\n", 1, "0:\"\" ");
	answered("parts $5\r\nabcde|\r\n", 1, "0:\"abcde\" ");
	refused("say $1\r\na\r\n$1\r\nb\r\n", 1, "more replies than questions");
	refused("say $1\r\na\r\n\r\n", 1, "more replies than questions");
	refused("say $x\r\na\r\n", 1, "not a Redis reply");
	refused("say $1x\r\na\r\n", 1, "not a Redis reply");
	refused("say 5\r\nabcde\r\n", 1, "not a Redis reply");
}

static void test_deadline(void)
{
	times_out("nothing", 60, "silence");
	times_out("nothing", 1, "silence for the shortest timeout");
	times_out_in_time();
	times_out("trickle", 60, "a reply that trickles");
	comes_late(150, 200 + 5000, "a reply that takes its time");
	comes_late(600, 1000, "a reply in the second half of the time");
}

static void test_changed_timeout(void)
{
	double ms;
	int fd;

	connect_anew();
	fd = connection.fd;
	check(ask("say :1\r\n", 1, 60000, &ms) == RL_OK, "%s: with a long timeout: %s", where, e.message);
	check(connection.fd == fd, "%s: the connection stays", where);
	times_out("nothing", 40, "a shorter one holds for the open connection");
	connect_anew();
	check(ask("say :1\r\n", 1, 20, &ms) == RL_OK || connection.fd < 0, "%s: with a short timeout", where);
	comes_late(150, 60000, "a longer one holds for the open connection");
}

static void on_signal(int number)
{
	(void) number;
}

static void test_signals(int flags, const char *what)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
	struct itimerval often = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	times_out("nothing", 60, what);
	times_out("trickle", 60, what);
	comes_late(100, 20000, what);
	setitimer(ITIMER_REAL, &never, NULL);
}

static void test_all(const char *name, rl_redis_address address)
{
	where = name;
	place = address;
	test_replies();
	test_deadline();
	test_changed_timeout();
	test_signals(0, "signals all the while");
	test_signals(SA_RESTART, "signals after which calls go on by themselves");
	rl_redis_connection_close(&connection);
	rl_redis_resolver_clear(&resolver);
}

int main(void)
{
	char folder[80], path[sizeof folder + sizeof "/s.sock"];

	if (!make_temporary_folder(folder, sizeof folder, "ratelimit-exchange")) {
		fprintf(stderr, "no folder for a socket: %s\n", folder);
		return 2;
	}
	snprintf(path, sizeof path, "%s/s.sock", folder);
	rl_redis_connection_watch_forks();
	rl_redis_connection_init(&connection);
	test_all("tcp", over_tcp());
	test_all("unix", over_unix(path));
	unlink(path);
	rmdir(folder);
	return checks_report();
}
