/* A Redis for one test, on a Unix socket in a temporary folder; stopped and removed with the test. */
#ifndef RL_TEST_REDIS_SERVER_H
#define RL_TEST_REDIS_SERVER_H

#include <errno.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
# include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"

typedef struct {
	char folder[96];
	char socket[104]; /* on Linux a path may have 107 bytes, elsewhere 103 */
	char dsn[128];
	pid_t pid;
	redisContext *admin;
} redis_server;

static inline void redis_server_launch(redis_server *s)
{
	fflush(NULL);
	s->pid = fork();
	if (s->pid == 0) {
#ifdef __linux__
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that crashes leaves no server behind */
#endif
		if (!freopen("/dev/null", "w", stdout)) {
			_exit(126);
		}
		execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", s->socket, "--dir", s->folder, "--save",
			"", "--appendonly", "no", (char *) NULL);
		_exit(127);
	}
	for (int i = 0; i < 500; i++) {
		s->admin = redisConnectUnix(s->socket);
		if (s->admin && !s->admin->err) {
			return;
		}
		if (s->admin) {
			redisFree(s->admin);
		}
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
	}
	fprintf(stderr, "no redis-server\n");
	exit(1);
}

static inline void redis_server_start(redis_server *s)
{
	if (!make_temporary_folder(s->folder, sizeof s->folder, "ratelimit-redis")) {
		fprintf(stderr, "no folder for a socket: %s\n", s->folder);
		exit(1);
	}
	snprintf(s->socket, sizeof s->socket, "%s/r.sock", s->folder);
	snprintf(s->dsn, sizeof s->dsn, "unix://%s", s->socket);
	redis_server_launch(s);
}

static inline void redis_server_kill(redis_server *s)
{
	redisFree(s->admin);
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	unlink(s->socket);
}

static inline void redis_server_stop(redis_server *s)
{
	redis_server_kill(s);
	rmdir(s->folder);
}

/* Sends a command, in hiredis' format, and returns its reply as text: "(nil)", "42", "ERR …". */
static inline const char *redis_server_do(redis_server *s, const char *format, ...)
{
	static char text[65536];
	va_list args;

	va_start(args, format);
	redisReply *reply = redisvCommand(s->admin, format, args);
	va_end(args);
	if (!reply) {
		return "(none)";
	}
	if (reply->type == REDIS_REPLY_INTEGER) {
		snprintf(text, sizeof text, "%lld", reply->integer);
	} else {
		snprintf(text, sizeof text, "%s", reply->str ? reply->str : "(nil)");
	}
	freeReplyObject(reply);
	return text;
}

static inline long long redis_server_int(redis_server *s, const char *command)
{
	return atoll(redis_server_do(s, command));
}

#endif
