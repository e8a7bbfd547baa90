#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "reply.h"

#include <string.h>

/* HELLO's answer and the list of modules in it are the longest arrays that we ask for. */
#define ELEMENTS_MAX 256

static void *make_bounded_array(const redisReadTask *task, rl_redis_elements n)
{
	const rl_redis_reader *reader = task->privdata;

	return n <= ELEMENTS_MAX ? reader->make_array(task, n) : NULL;
}

bool rl_redis_reader_open(rl_redis_reader *reader)
{
	reader->hiredis = redisReaderCreate();
	if (!reader->hiredis) {
		return false;
	}
	reader->functions = *reader->hiredis->fn;
	reader->make_array = reader->functions.createArray;
	reader->functions.createArray = make_bounded_array;
	reader->hiredis->fn = &reader->functions;
	reader->hiredis->privdata = reader;
	return true;
}

void rl_redis_reader_close(rl_redis_reader *reader)
{
	if (reader->hiredis) {
		redisReaderFree(reader->hiredis);
		reader->hiredis = NULL;
	}
}

/* Asking again helps against none of these. The words begin a reply; the phrases stand somewhere in one that begins
 * with ERR. */
static const struct {
	const char *word;
	rl_status status;
} words[] = {
	{"NOSCRIPT", RL_OK},
	{"RATELIMIT_FOREIGN", RL_FOREIGN},
	{"WRONGTYPE", RL_FOREIGN},
	{"NOAUTH", RL_MISCONFIGURED},
	{"WRONGPASS", RL_MISCONFIGURED},
	{"NOPERM", RL_MISCONFIGURED},
	{"DENIED", RL_MISCONFIGURED},
	{"MOVED", RL_MISCONFIGURED},
	{"CROSSSLOT", RL_MISCONFIGURED},
};

static const char *const phrases[] = {
	"unknown command",
	"Unknown command",
	"Unknown Redis command",
	"user executing the script can't",
	"ACL failure in script", /* Redis 8 */
	"invalid password",
	"AUTH <password> called without any password",
	"Client sent AUTH",
	"DB index",
	"SELECT is not allowed",
	"Error compiling script",
};

static bool begins_with(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 && (text[n] == ' ' || text[n] == '\0');
}

/* Up to Redis 6.2 an error inside a script comes wrapped: "ERR Error running script (call to f_…): @user_script:12:
 * -OOM command not allowed …". What counts is what it wraps. */
static const char *unwrap(const char *text)
{
	const char *inner = strstr(text, "@user_script:");

	if (!begins_with(text, "ERR") || !inner || !(inner = strstr(inner, ": "))) {
		return text;
	}
	inner += 2;
	if (strncmp(inner, "@user_script: ", 14) == 0 && (inner = strstr(inner + 14, ": "))) {
		inner += 2;
	}
	return inner ? inner + (*inner == '-') : text;
}

rl_status rl_redis_reply_judge(const redisReply *reply)
{
	const char *text = unwrap(reply->str);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (begins_with(text, words[i].word)) {
			return words[i].status;
		}
	}
	for (size_t i = 0; begins_with(reply->str, "ERR") && i < sizeof phrases / sizeof *phrases; i++) {
		if (strstr(text, phrases[i])) {
			return RL_MISCONFIGURED;
		}
	}
	return RL_UNAVAILABLE;
}

bool rl_redis_reply_is_about_a_write(const redisReply *reply)
{
	const char *text = unwrap(reply->str);

	return begins_with(text, "OOM") || begins_with(text, "MISCONF") || begins_with(text, "NOREPLICAS");
}

bool rl_redis_reply_is_error(const redisReply *reply, const char *word)
{
	return reply->type == REDIS_REPLY_ERROR && begins_with(reply->str, word);
}
