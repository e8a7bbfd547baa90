#include "reader.h"

#include <string.h>

static void *reader_make_array(const redisReadTask *task, rl_redis_elements n)
{
	const rl_redis_reader *reader = task->privdata;

	return (size_t) n <= reader->elements_max ? reader->make_array(task, n) : NULL;
}

bool rl_redis_reader_open(rl_redis_reader *reader)
{
	reader->hiredis = redisReaderCreate();
	if (!reader->hiredis) {
		return false;
	}
	reader->elements_max = RL_REDIS_ELEMENTS_MAX;
	reader->functions = *reader->hiredis->fn;
	reader->make_array = reader->functions.createArray;
	reader->functions.createArray = reader_make_array;
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

static bool reply_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool rl_redis_reply_is_short(char *bytes, size_t len, redisReply *reply)
{
	static const size_t around = sizeof "$\r\n\r\n" - 1;
	size_t digits, text_len;

	if (len < around + 1 || bytes[0] != '$' || !reply_is_digit(bytes[1])) {
		return false;
	}
	digits = reply_is_digit(bytes[2]) ? 2 : 1;
	text_len = digits == 2 ? 10 * (size_t) (bytes[1] - '0') + (size_t) (bytes[2] - '0') : (size_t) (bytes[1] - '0');
	if (len != around + digits + text_len || memcmp(bytes + 1 + digits, "\r\n", 2) != 0
		|| memcmp(bytes + len - 2, "\r\n", 2) != 0) {
		return false;
	}
	*reply = (redisReply){.type = REDIS_REPLY_STRING, .str = bytes + 1 + digits + 2, .len = text_len};
	reply->str[text_len] = '\0';
	return true;
}
