#include "cluster_slot.h"

#include <stdlib.h>
#include <string.h>

#include "../dsn/span.h"
#include "server.h"

/* Computes the CRC16 of XMODEM, half a byte a step. */
static unsigned crc16(const char *bytes, size_t len)
{
	static const uint16_t table[16] = {
		0x0000,
		0x1021,
		0x2042,
		0x3063,
		0x4084,
		0x50a5,
		0x60c6,
		0x70e7,
		0x8108,
		0x9129,
		0xa14a,
		0xb16b,
		0xc18c,
		0xd1ad,
		0xe1ce,
		0xf1ef,
	};
	unsigned crc = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned byte = (unsigned char) bytes[i];

		crc = (crc << 4 ^ table[(crc >> 12 ^ byte >> 4) & 15]) & 0xffff;
		crc = (crc << 4 ^ table[(crc >> 12 ^ byte) & 15]) & 0xffff;
	}
	return crc;
}

unsigned rl_redis_slot(const char *key, size_t len)
{
	const char *open = memchr(key, '{', len);

	if (open) {
		const char *tag = open + 1;
		const char *close = memchr(tag, '}', len - (size_t) (tag - key));

		if (close && close > tag) {
			return crc16(tag, (size_t) (close - tag)) % RL_REDIS_SLOTS;
		}
	}
	return crc16(key, len) % RL_REDIS_SLOTS;
}

/* A node that does not know its own address, or is configured to hide it, sends an empty host, or a question mark for a
 * missing host name. */
static bool slots_is_unknown(const char *host)
{
	return !*host || strcmp(host, "?") == 0;
}

/* ---- CLUSTER SLOTS: [first, last, [host, port, id, [more]], replica …] … ---- */

static bool slots_is_text(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS;
}

/* Returns the IP address that a node sends beside its preferred address, or "". */
static const char *slots_other_address(const redisReply *node)
{
	const redisReply *more = node->elements > 3 ? node->element[3] : NULL;

	for (size_t i = 0; more && more->type == REDIS_REPLY_ARRAY && i + 1 < more->elements; i += 2) {
		if (slots_is_text(more->element[i]) && slots_is_text(more->element[i + 1])
			&& strcmp(more->element[i]->str, "ip") == 0) {
			return more->element[i + 1]->str;
		}
	}
	return "";
}

static bool slots_read_node(const redisReply *node, const rl_redis_address *asked, rl_redis_address *address)
{
	const char *host;

	if (node->type != REDIS_REPLY_ARRAY || node->elements < 2 || node->element[1]->type != REDIS_REPLY_INTEGER
		|| !(slots_is_text(node->element[0]) || node->element[0]->type == REDIS_REPLY_NIL)) {
		return false;
	}
	host = node->element[0]->type == REDIS_REPLY_NIL ? "" : node->element[0]->str;
	if (slots_is_unknown(host)) {
		host = slots_is_unknown(slots_other_address(node)) ? asked->host : slots_other_address(node);
	}
	return rl_redis_address_set(address, host, strlen(host), node->element[1]->integer);
}

static bool slots_read_range(const redisReply *range, const rl_redis_address *asked, unsigned *first, unsigned *last,
	rl_redis_address *address)
{
	if (range->type != REDIS_REPLY_ARRAY || range->elements < 3 || range->element[0]->type != REDIS_REPLY_INTEGER
		|| range->element[1]->type != REDIS_REPLY_INTEGER) {
		return false;
	}
	long long from = range->element[0]->integer;
	long long to = range->element[1]->integer;
	if (from < 0 || from > to || to >= RL_REDIS_SLOTS) {
		return false;
	}
	*first = (unsigned) from;
	*last = (unsigned) to;
	return slots_read_node(range->element[2], asked, address);
}

bool rl_redis_slots_read(const redisReply *reply, const rl_redis_address *asked, rl_redis_take_slots take,
	void *context)
{
	rl_redis_address address;
	unsigned first, last;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements == 0) {
		return false;
	}
	for (size_t i = 0; i < reply->elements; i++) {
		if (!slots_read_range(reply->element[i], asked, &first, &last, &address)) {
			return false;
		}
	}
	for (size_t i = 0; i < reply->elements; i++) {
		(void) slots_read_range(reply->element[i], asked, &first, &last, &address);
		take(context, first, last, &address);
	}
	return true;
}

/* ---- MOVED and ASK ---- */

bool rl_redis_moved_read(const char *text, const rl_redis_address *asked, unsigned *slot, rl_redis_address *address)
{
	const char *at = strchr(text, ' ');
	const char *end = at ? strchr(at + 1, ' ') : NULL;
	/* An IPv6 address has colons of its own. */
	const char *colon = end ? strrchr(end, ':') : NULL;
	long number, port;

	if (!colon || !rl_redis_span_number((rl_redis_span){at + 1, end}, RL_REDIS_SLOTS - 1, &number)
		|| !rl_redis_span_number((rl_redis_span){colon + 1, colon + strlen(colon)}, 65535, &port)) {
		return false;
	}
	*slot = (unsigned) number;
	end++;
	size_t len = (size_t) (colon - end);
	if (len == 0 || (len == 1 && *end == '?')) {
		return rl_redis_address_set(address, asked->host, strlen(asked->host), port);
	}
	return rl_redis_address_set(address, end, len, port);
}
