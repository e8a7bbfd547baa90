/* A connection of the Redis store under faults: timeouts, forks, lost connections, missing rights, errors, strange servers. */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "src/redis/net/deadline.h"
#include "counter.h"

static void test_timeout(void)
{
	store = store_with(IMPATIENT);
	take("t", 60, 100, RL_BAN_NONE, 0);
	kill(server.pid, SIGSTOP);
	for (int i = 0; i < 2; i++) {
		int64_t begin = rl_redis_clock_us();
		check(take("t", 60, 100, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a stopped Redis does not answer");
		int64_t took = rl_redis_clock_us() - begin;
		/* The first meets the open connection (300 ms); the next must connect again (1000 ms). */
		check(is_between(took, i ? 990000 : 295000, (i ? 1000000 : 300000) + SLACK_US), "in bounded time: %ld us",
			(long) took);
		check(strstr(e.message, "no answer within"), "and says so: %s", e.message);
	}
	kill(server.pid, SIGCONT);
	store = store_with(PATIENT);
	/* The late replies to those requests reach no call: each call gets the real count. */
	for (int i = 0; i < 20; i++) {
		check(take("t", 60, 100, RL_BAN_NONE, 0) == RL_OK, "afterwards Redis answers: %s", e.message);
		check(100 - atoi(redis_server_do(&server, "GET act:limit:t:7")) == (int) d.remaining,
			"and each its own question");
	}
	check(connections() == 2, "one connection of ours is left: %d with the test's own", connections());
}

static void test_fork(void)
{
	take("fork", 60, 100000, RL_BAN_NONE, 0);
	pid_t child = fork();
	if (child == 0) {
		bool good = true;
		for (int i = 0; i < 500; i++) {
			good = take("fork", 60, 100000, RL_BAN_NONE, 0) == RL_OK && d.accepted && good;
		}
		rl_redis_pool_free(pool);
		_exit(good ? 0 : 1);
	}
	for (int i = 0; i < 500; i++) {
		if (!check(take("fork", 60, 100000, RL_BAN_NONE, 0) == RL_OK && d.accepted, "the parent goes on: %s",
				e.message)) {
			break;
		}
	}
	int status;
	waitpid(child, &status, 0);
	check(status == 0, "a forked child has answers of its own: %d", status);
	check(!strcmp(redis_server_do(&server, "GET act:limit:fork:7"), "1001"), "and all were counted");
}

static void test_lost_connections(void)
{
	take("lost", 60, 100, RL_BAN_NONE, 0);
	redis_server_do(&server, "CLIENT KILL TYPE normal SKIPME yes");
	check(take("lost", 60, 100, RL_BAN_NONE, 0) == RL_OK && d.remaining == 98,
		"an idle connection that died is replaced: %s", e.message);
	redis_server_kill(&server);
	check(take("lost", 60, 100, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a Redis that is gone cannot be asked");
	check(strstr(e.message, server.dsn) && strstr(e.message, "No such file"), "and the message says where: %s",
		e.message);
	redis_server_launch(&server);
	check(take("lost", 60, 100, RL_BAN_NONE, 0) == RL_OK && d.remaining == 99,
		"a Redis that is back is asked again: %s", e.message);
}

static rl_status take_at(const char *option, const char *password)
{
	char dsn[256];
	rl_store *kept = store;

	snprintf(dsn, sizeof dsn, "unix://%s%s%s?" PATIENT "%s", password, *password ? "@" : "", server.socket, option);
	store = store_of(dsn, "act:limit:");
	rl_status status = store ? take("acl", 60, 100, RL_BAN_NONE, 0) : RL_STALE_BOUNDARIES;
	store = kept;
	return status;
}

static void test_rights(void)
{
	redis_server_do(&server,
		"ACL SETUSER counter on >se:cret ~act:limit:* +eval +evalsha +get +set +incr +pttl +pexpiretime +time +del +select");
	check(take_at("", "counter:se%3Acret") == RL_OK, "a user with just these rights can count: %s", e.message);
	check(take_at("&db=3", "counter:se%3Acret") == RL_OK, "in another database: %s", e.message);
	redis_server_do(&server, "SELECT 3");
	check(!strcmp(redis_server_do(&server, "GET act:limit:acl:7"), "1"), "really there");
	redis_server_do(&server, "SELECT 0");
	check(take_at("&db=16", "") == RL_MISCONFIGURED, "a database that there is not: %s", e.message);
	check(take_at("", "counter:wrong-secret") == RL_MISCONFIGURED, "a wrong password: %s", e.message);
	check(!strstr(e.message, "secret"), "which is not shown");
	check(take_at("", ":wrong-secret") == RL_MISCONFIGURED, "a password where there is none: %s", e.message);
	static const char *const rights[] = {"eval|evalsha", "evalsha", "get", "incr", "pexpiretime", "time"};
	for (size_t i = 1; i < sizeof rights / sizeof *rights; i++) {
		redis_server_do(&server, "DEL act:limit:acl:7");
		take_at("", "counter:se%3Acret");
		redis_server_do(&server, "ACL SETUSER counter -%s", rights[i]);
		check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "without the right to %s: %s", rights[i],
			e.message);
		check(!strcmp(redis_server_do(&server, "GET act:limit:acl:7"), "1"),
			"nothing is counted without the right to %s", rights[i]);
		redis_server_do(&server, "ACL SETUSER counter +%s", rights[i]);
	}
	redis_server_do(&server, "DEL act:limit:acl:7");
	redis_server_do(&server, "ACL SETUSER counter -set");
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "without the right to set: %s", e.message);
	check(redis_server_int(&server, "EXISTS act:limit:acl:7") == 0, "nothing is begun without the right to set");
	verdict_only = true;
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "nor by the question of doHandle(): %s", e.message);
	check(redis_server_int(&server, "EXISTS act:limit:acl:7") == 0, "which takes its count back");
	redis_server_do(&server, "ACL SETUSER counter +set -time");
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "nor without the right to time: %s", e.message);
	check(redis_server_int(&server, "EXISTS act:limit:acl:7") == 0, "where it takes its count back, too");
	verdict_only = false;
	redis_server_do(&server, "ACL SETUSER counter +time resetkeys ~other:*");
	check(take_at("", "counter:se%3Acret") == RL_MISCONFIGURED, "without the right to the key: %s", e.message);
	redis_server_do(&server, "ACL DELUSER counter");
}

static void test_server_errors(void)
{
	take("oom", 60, 1, RL_BAN_NONE, 0);
	redis_server_do(&server, "CONFIG SET maxmemory 1");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a full Redis: %s", e.message);
	check(strstr(e.message, "OOM"), "says so");
	check(take("oom", 60, 1, RL_BAN_NONE, 0) == RL_OK && !d.accepted, "a refusal needs no memory: %s", e.message);
	verdict_only = true;
	check(take("oom", 60, 1, RL_BAN_NONE, 0) == RL_OK && !d.accepted, "nor one of doHandle(): %s", e.message);
	check(take("oom", 60, 2, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "an admission does: %s", e.message);
	check(!strcmp(redis_server_do(&server, "GET act:limit:oom:7"), "1"), "and counts nothing");
	verdict_only = false;
	redis_server_do(&server, "CONFIG SET maxmemory 0");
	redis_server_do(&server, "CONFIG SET min-replicas-to-write 1");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "too few replicas: %s", e.message);
	redis_server_do(&server, "CONFIG SET min-replicas-to-write 0");
	redis_server_do(&server, "REPLICAOF 127.0.0.1 1");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE && e.unexecuted,
		"a replica, met on an open connection, executes nothing: %s", e.message);
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_UNAVAILABLE, "a replica, met on a new one: %s", e.message);
	check(strstr(e.message, "replica"), "says so");
	redis_server_do(&server, "REPLICAOF NO ONE");
	check(take("oom2", 60, 1, RL_BAN_NONE, 0) == RL_OK && d.accepted && d.remaining == 0, "nothing was counted: %s",
		e.message);
}

/* A server with given replies. */
static void *fake_server(void *listening)
{
	static const char *const scripts[] = {
		"+OK\r\n",
		"HTTP/1.1 200 OK\r\n\r\n",
		"*1000000000\r\n",
		"$500000000\r\n",
		"-ERR max number of clients reached\r\n",
		"-NOSCRIPT No matching script.\r\n",
		"-ERR unknown command `HELLO`, with args beginning with: `2`\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n6.0.9\r\n$4\r\nrole\r\n$6\r\nmaster\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nrole\r\n$6\r\nmaster\r\n+unasked\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nrole\r\n$7\r\nreplica\r\n",
		"*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nro",
	};
	int fd = *(int *) listening;
	char bytes[4096];

	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		int client = accept(fd, NULL, NULL);
		if (read(client, bytes, sizeof bytes) > 0 && write(client, scripts[i], strlen(scripts[i])) > 0) {
			shutdown(client, SHUT_WR);
			(void) !read(client, bytes, sizeof bytes);
		}
		close(client);
	}
	for (int i = 0; i < 3; i++) {
		/* A correct handshake, then: the reply to another request, one that trickles, none. */
		static const char hello[] = "*4\r\n$7\r\nversion\r\n$5\r\n7.0.9\r\n$4\r\nrole\r\n$6\r\nmaster\r\n";
		static const char crossed[] = "*8\r\n:1\r\n:1\r\n:0\r\n:0\r\n:0\r\n:0\r\n:0\r\n:0\r\n";
		int client = accept(fd, NULL, NULL);
		(void) !read(client, bytes, sizeof bytes);
		(void) !write(client, hello, sizeof hello - 1);
		(void) !read(client, bytes, sizeof bytes);
		for (size_t at = 0; i < 2 && at < sizeof crossed - 1; at += i ? 1 : sizeof crossed) {
			if (send(client, crossed + at, i ? 1 : sizeof crossed - 1, MSG_NOSIGNAL) < 0) {
				break;
			}
			nanosleep(&(struct timespec){.tv_nsec = i ? 40 * 1000 * 1000 : 0}, NULL);
		}
		if (i != 1) {
			(void) !read(client, bytes, sizeof bytes);
		}
		close(client);
	}
	return NULL;
}

static void test_strange_servers(void)
{
	static const struct {
		rl_status status;
		const char *message;
	} expected[] = {
		{RL_UNAVAILABLE, "not a Redis server's"},
		{RL_UNAVAILABLE, "not a Redis reply"},
		{RL_UNAVAILABLE, "not a Redis reply"},
		{RL_UNAVAILABLE, "closed the connection"},
		{RL_UNAVAILABLE, "max number of clients"},
		{RL_UNAVAILABLE, "NOSCRIPT"},
		{RL_MISCONFIGURED, "does not know HELLO"},
		{RL_MISCONFIGURED, "too old"},
		{RL_UNAVAILABLE, "more replies"},
		{RL_UNAVAILABLE, "replica"},
		{RL_UNAVAILABLE, "closed the connection"},
		{RL_UNAVAILABLE, "no answer to the question"},
		{RL_UNAVAILABLE, "no answer within 300 ms"},
		{RL_UNAVAILABLE, "no answer within 300 ms"},
	};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char dsn[200];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t thread;
	rl_store *kept = store;

	snprintf(address.sun_path, sizeof address.sun_path, "%s/fake", server.folder);
	snprintf(dsn, sizeof dsn, "unix://%s?" IMPATIENT, address.sun_path);
	if (bind(fd, (struct sockaddr *) &address, sizeof address) || listen(fd, 1)
		|| pthread_create(&thread, NULL, fake_server, &fd)) {
		check(false, "a fake server");
		return;
	}
	store = store_of(dsn, "act:limit:");
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		int64_t begin = rl_redis_clock_us();
		rl_status status = take("fake", 60, 1, RL_BAN_NONE, 0);
		check(status == expected[i].status && strstr(e.message, expected[i].message), "strange server %zu: %d %s", i,
			(int) status, e.message);
		check(rl_redis_clock_us() - begin < SLACK_US, "strange server %zu, in bounded time", i);
	}
	store = kept;
	pthread_join(thread, NULL);
	close(fd);
	unlink(address.sun_path);
}

int main(void)
{
	begin();
	test_timeout();
	test_fork();
	test_lost_connections();
	test_rights();
	test_server_errors();
	test_strange_servers();
	return end();
}
