/* A Redis Cluster's slots: the slot of a key, and the nodes' maps of the slots. */
#include <string.h>

#include "src/redis/topology/cluster_slot.h"
#include "src/redis/dsn/dsn.h"
#include "src/redis/topology/server.h"
#include "check.h"
#include "src/redis/net/error_message.h"

static void test_slots(void)
{
	static const struct {
		const char *key;
		unsigned slot; /* by CLUSTER KEYSLOT */
	} known[] = {
		{"", 0},
		{"123456789", 12739},
		{"foo", 12182},
		{"bar", 5061},
		{"act:limit:like:7", 8742},
		{"{foo}bar", 12182},
		{"a{foo}{bar}", 12182},
		{"foo{}", 5542},
		{"{}foo", 9500},
		{"foo{{bar}}zap", 4015},
		{"{foo", 13308},
		{"foo}", 15679},
		{"}{foo}", 12182},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		unsigned slot = rl_redis_slot(known[i].key, strlen(known[i].key));

		check(slot == known[i].slot, "%s is in slot %u, not %u", known[i].key, known[i].slot, slot);
	}
	check(rl_redis_slot("a\0b", 3) != rl_redis_slot("a", 1), "a NUL is a byte like any other");
}

/* ---- CLUSTER SLOTS ---- */

static char seen[512];

static void see(void *context, unsigned first, unsigned last, const rl_redis_address *address)
{
	size_t at = strlen(seen);

	(void) context;
	snprintf(seen + at, sizeof seen - at, "%u-%u %s %s;", first, last, address->host, address->port);
}

static bool read_slots(const char *bytes)
{
	static const rl_redis_address asked = {"asked", "1"};
	rl_redis_reader reader = {0};
	void *reply = NULL;
	bool good = false;

	*seen = '\0';
	rl_redis_reader_open(&reader);
	reader.elements_max = RL_REDIS_SLOTS;
	if (redisReaderFeed(reader.hiredis, bytes, strlen(bytes)) == REDIS_OK
		&& redisReaderGetReply(reader.hiredis, &reply) == REDIS_OK && reply) {
		good = rl_redis_slots_read(reply, &asked, see, NULL);
		freeReplyObject(reply);
	}
	rl_redis_reader_close(&reader);
	return good;
}

#define NODE(host, port) "*3\r\n" host ":" port "\r\n$2\r\nid\r\n"
#define HOST_A           "$1\r\na\r\n"

static void test_map(void)
{
	static const struct {
		const char *bytes;
		const char *ranges; /* NULL: refused */
	} replies[] = {
		{"*1\r\n*3\r\n:0\r\n:16383\r\n" NODE(HOST_A, "7"), "0-16383 a 7;"},
		{"*2\r\n*3\r\n:0\r\n:0\r\n" NODE(HOST_A, "7") "*4\r\n:5\r\n:6\r\n" NODE("$3\r\n::1\r\n", "8") NODE(HOST_A, "9"),
			"0-0 a 7;5-6 ::1 8;"},
		{"*1\r\n*3\r\n:0\r\n:1\r\n" NODE("$0\r\n\r\n", "7"), "0-1 asked 7;"},
		{"*1\r\n*3\r\n:0\r\n:1\r\n" NODE("$-1\r\n", "7"), "0-1 asked 7;"},
		{"*1\r\n*3\r\n:0\r\n:1\r\n" NODE("$1\r\n?\r\n", "7"), "0-1 asked 7;"},
		{"*1\r\n*3\r\n:0\r\n:1\r\n*4\r\n$1\r\n?\r\n:7\r\n$2\r\nid\r\n*2\r\n$2\r\nip\r\n$3\r\n::2\r\n", "0-1 ::2 7;"},
		{"*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n" HOST_A ":7\r\n", "0-1 a 7;"},
		{"*0\r\n", NULL},
		{"*-1\r\n", NULL},
		{"+OK\r\n", NULL},
		{":1\r\n", NULL},
		{"*1\r\n:1\r\n", NULL},
		{"*1\r\n*2\r\n:0\r\n:1\r\n", NULL},
		{"*1\r\n*3\r\n:0\r\n:16384\r\n" NODE(HOST_A, "7"), NULL},
		{"*1\r\n*3\r\n:-1\r\n:1\r\n" NODE(HOST_A, "7"), NULL},
		{"*1\r\n*3\r\n:2\r\n:1\r\n" NODE(HOST_A, "7"), NULL},
		{"*1\r\n*3\r\n:0\r\n:4294967296\r\n" NODE(HOST_A, "7"), NULL},
		{"*1\r\n*3\r\n$1\r\n0\r\n:1\r\n" NODE(HOST_A, "7"), NULL},
		{"*1\r\n*3\r\n:0\r\n:1\r\n" NODE(HOST_A, "0"), NULL},
		{"*1\r\n*3\r\n:0\r\n:1\r\n" NODE(HOST_A, "65536"), NULL},
		{"*1\r\n*3\r\n:0\r\n:1\r\n" NODE(":1\r\n", "7"), NULL},
		{"*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n" HOST_A, NULL},
		{"*1\r\n*3\r\n:0\r\n:1\r\n$1\r\na\r\n", NULL},
		/* One bad range also rejects the good one before it. */
		{"*2\r\n*3\r\n:0\r\n:1\r\n" NODE(HOST_A, "7") "*3\r\n:3\r\n:2\r\n" NODE(HOST_A, "7"), NULL},
	};

	for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
		bool good = read_slots(replies[i].bytes);

		check(good == (replies[i].ranges != NULL), "reply %zu is %s", i, good ? "taken" : "refused");
		check(!strcmp(seen, replies[i].ranges ? replies[i].ranges : ""), "reply %zu: %s", i, seen);
	}
}

/* ---- MOVED and ASK ---- */

static void test_moved(void)
{
	static const rl_redis_address asked = {"asked", "1"};
	static const struct {
		const char *text;
		unsigned slot;
		const char *host; /* NULL: refused */
		const char *port;
	} replies[] = {
		{"MOVED 3999 127.0.0.1:6381", 3999, "127.0.0.1", "6381"},
		{"ASK 0 ::1:6381", 0, "::1", "6381"},
		{"MOVED 16383 redis-7.example:1", 16383, "redis-7.example", "1"},
		{"MOVED 1 :6381", 1, "asked", "6381"},
		{"MOVED 1 ?:6381", 1, "asked", "6381"},
		{"MOVED 16384 h:1", 0, NULL, NULL},
		{"MOVED x h:1", 0, NULL, NULL},
		{"MOVED -1 h:1", 0, NULL, NULL},
		{"MOVED 1 h:", 0, NULL, NULL},
		{"MOVED 1 h:0", 0, NULL, NULL},
		{"MOVED 1 h:65536", 0, NULL, NULL},
		{"MOVED 1 h", 0, NULL, NULL},
		{"MOVED 1", 0, NULL, NULL},
		{"MOVED", 0, NULL, NULL},
		{"MOVED  h:1", 0, NULL, NULL},
	};
	char long_text[400] = "MOVED 1 ";
	rl_redis_address address;
	unsigned slot;

	for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
		bool good = rl_redis_moved_read(replies[i].text, &asked, &slot, &address);

		check(good == (replies[i].host != NULL), "%s", replies[i].text);
		if (good && replies[i].host) {
			check(slot == replies[i].slot && !strcmp(address.host, replies[i].host)
					&& !strcmp(address.port, replies[i].port),
				"%s: %u at %s %s", replies[i].text, slot, address.host, address.port);
		}
	}
	memset(long_text + 8, 'h', 256);
	strcpy(long_text + 8 + 256, ":1");
	check(!rl_redis_moved_read(long_text, &asked, &slot, &address), "a host of 256 bytes");
	strcpy(long_text + 8 + 255, ":1");
	check(rl_redis_moved_read(long_text, &asked, &slot, &address), "a host of 255 bytes");
}

/* A node's label names its breaker, too: whole, however long host and port are, while a message keeps room for its reason. */
static void test_labels(void)
{
	rl_redis_dsn dsn = {.label = "redis+cluster://a"};
	rl_redis_address address = {.port = "7001"};
	rl_redis_server here, there;
	rl_error e;

	memset(address.host, 'x', RL_REDIS_HOST_MAX);
	rl_redis_server_init(&here, &dsn, RL_REDIS_AS_NODE, &address);
	address.port[3] = '2';
	rl_redis_server_init(&there, &dsn, RL_REDIS_AS_NODE, &address);
	check(strcmp(here.label, there.label) != 0 && strlen(here.label) > RL_REDIS_HOST_MAX, "labels: %s", here.label);
	rl_redis_error_set(&e, here.label, "the reason");
	check(strstr(e.message, "the reason") != NULL, "a message: %s", e.message);
	rl_redis_server_free(&here);
	rl_redis_server_free(&there);
}

int main(void)
{
	test_labels();
	test_slots();
	test_map();
	test_moved();
	return checks_report();
}
