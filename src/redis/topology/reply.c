#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "reply.h"

#include <string.h>

/* A retry helps against none of these. A word begins a reply. A phrase occurs anywhere in a reply that begins with ERR, or
 * in an error that a script wraps. */
static const struct {
	const char *word;
	rl_status status;
} reply_words[] = {
	{"RATELIMIT_FOREIGN", RL_WRONG_TYPE},
	{"WRONGTYPE", RL_WRONG_TYPE},
	{"NOAUTH", RL_MISCONFIGURED},
	{"WRONGPASS", RL_MISCONFIGURED},
	{"NOPERM", RL_MISCONFIGURED},
	{"DENIED", RL_MISCONFIGURED},
	{"MOVED", RL_MISCONFIGURED},
	{"CROSSSLOT", RL_MISCONFIGURED},
};

static const char *const unexecuted_words[] = {
	"LOADING",
	"BUSY",
	"READONLY",
	"MASTERDOWN",
	"CLUSTERDOWN",
	"NOAUTH",
	"NOSCRIPT",
};

static const char *const reply_phrases[] = {
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
	"cluster support disabled",
	"Error compiling script",
};

bool rl_redis_begins_with(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 && (text[n] == ' ' || text[n] == '\0');
}

#define REPLY_OF_SCRIPT "@user_script: "

/* Returns the rest behind the next ": ", without the "-" of an error reply, or NULL. */
static const char *reply_after_colon(const char *text)
{
	const char *colon = strstr(text, ": ");

	return colon ? colon + 2 + (colon[2] == '-') : NULL;
}

/* Redis up to 6.2 and KeyDB wrap an error inside a script. The wrapped error decides:
 *
 *   @user_script: 1: -OOM command not allowed …                                             pcall() returned it
 *   ERR Error running script (call to f_…): @user_script:12: -OOM command not allowed …     call() raised it
 *   ERR Error running script (call to f_…): @user_script:12: @user_script: 12: -OOM …       call() raised it */
const char *rl_redis_reply_text(const redisReply *reply)
{
	const char *inner = reply->str, *rest;
	size_t tag = sizeof REPLY_OF_SCRIPT - 1;

	if (rl_redis_begins_with(inner, "ERR")) {
		inner = strstr(inner, "@user_script:");
		inner = inner ? reply_after_colon(inner) : NULL;
	} else if (strncmp(inner, REPLY_OF_SCRIPT, tag) != 0) {
		return reply->str;
	}
	if (inner && strncmp(inner, REPLY_OF_SCRIPT, tag) == 0) {
		rest = reply_after_colon(inner + tag);
		inner = rest ? rest : inner;
	}
	return inner ? inner : reply->str;
}

rl_status rl_redis_reply_judge(const redisReply *reply)
{
	const char *text = rl_redis_reply_text(reply);
	bool has_phrase = text != reply->str || rl_redis_begins_with(reply->str, "ERR");

	for (size_t i = 0; i < sizeof reply_words / sizeof *reply_words; i++) {
		if (rl_redis_begins_with(text, reply_words[i].word)) {
			return reply_words[i].status;
		}
	}
	for (size_t i = 0; has_phrase && i < sizeof reply_phrases / sizeof *reply_phrases; i++) {
		if (strstr(text, reply_phrases[i])) {
			return RL_MISCONFIGURED;
		}
	}
	return RL_UNAVAILABLE;
}

bool rl_redis_reply_is_noscript(const redisReply *reply)
{
	return rl_redis_begins_with(rl_redis_reply_text(reply), "NOSCRIPT");
}

bool rl_redis_reply_is_unexecuted(const redisReply *reply)
{
	const char *text = rl_redis_reply_text(reply);

	for (size_t i = 0; i < sizeof unexecuted_words / sizeof *unexecuted_words; i++) {
		if (rl_redis_begins_with(text, unexecuted_words[i])) {
			return true;
		}
	}
	return false;
}

bool rl_redis_reply_is_for_want_of_room(const redisReply *reply)
{
	const char *text = rl_redis_reply_text(reply);

	return rl_redis_begins_with(text, "OOM") || rl_redis_begins_with(text, "MISCONF");
}

bool rl_redis_reply_is_about_a_newer_state(const redisReply *reply)
{
	return rl_redis_begins_with(rl_redis_reply_text(reply), "RATELIMIT_NEWER");
}

bool rl_redis_reply_is_about_a_write(const redisReply *reply)
{
	return rl_redis_reply_is_for_want_of_room(reply) || rl_redis_begins_with(rl_redis_reply_text(reply), "NOREPLICAS");
}
