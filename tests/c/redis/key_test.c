/* The keys on Redis: a key that was written reads as the same one, and other bytes are no key. */
#include <string.h>

#include "src/redis/topology/cluster_slot.h"
#include "src/redis/key.h"
#include "check.h"

static rl_key key_of(rl_space space, const char *name, const char *id)
{
	return (rl_key){.space = space, .name = name, .name_len = strlen(name), .id = id, .id_len = strlen(id)};
}

static void check_same(const rl_key *key)
{
	char bytes[RL_REDIS_KEY_MAX];
	size_t len = rl_redis_key_write(key, bytes);
	rl_key read;

	if (!check(rl_redis_key_read(bytes, len, &read), "%.*s is a key", (int) len, bytes)) {
		return;
	}
	check(read.space == key->space && read.name_len == key->name_len
			&& memcmp(read.name, key->name, key->name_len) == 0,
		"%.*s: space and name", (int) len, bytes);
	if (key->is_int && key->space == RL_SPACE_ACTION) {
		check(read.is_int && read.int_id == key->int_id, "%.*s: the number", (int) len, bytes);
	} else if (!key->is_int) {
		check(!read.is_int && read.id_len == key->id_len && memcmp(read.id, key->id, key->id_len) == 0,
			"%.*s: the identity", (int) len, bytes);
	}
}

static void test_written(void)
{
	static const rl_space spaces[] = {RL_SPACE_ACTION, RL_SPACE_ALLOWED, RL_SPACE_LIMITER, RL_SPACE_SHADOW,
		RL_SPACE_LABEL};
	static const char *const texts[] = {"a", ":", "a:b", "::", "7", "like:7", "1s", ":1s", "\xc3\xa4", "a\nb", "{a}",
		"{}", "{}x", "}{"};
	static const int64_t numbers[] = {0, 7, -1, INT64_MAX, INT64_MIN};

	for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
		for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
			for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
				rl_key key = key_of(spaces[s], texts[n], texts[i]);

				check_same(&key);
			}
			for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
				rl_key key = key_of(spaces[s], texts[n], "");

				key.is_int = true;
				key.int_id = numbers[i];
				check_same(&key);
			}
		}
	}
}

/* The slot of a key is that of the whole key, whatever its identity is. */
static void test_slots(void)
{
	static const char *const texts[] = {"{a}", "x{a}", "{a", "a}", "{}{a}"};

	for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
			rl_key key = key_of(RL_SPACE_LIMITER, texts[n], texts[i]);
			char bytes[RL_REDIS_KEY_MAX], other[RL_REDIS_KEY_MAX];
			size_t len = rl_redis_key_write(&key, bytes);

			memcpy(other, bytes, len);
			other[len - 1] = 'w'; /* behind every tag */
			check(rl_redis_slot(bytes, len) != rl_redis_slot(other, len), "%.*s has no hash tag", (int) len, bytes);
		}
	}
}

static void test_longest(void)
{
	char name[RL_NAME_MAX + 1];
	char id[RL_NAME_MAX + 1];
	rl_key key;

	memset(name, ':', RL_NAME_MAX);
	memset(id, '5', RL_NAME_MAX);
	name[RL_NAME_MAX] = id[RL_NAME_MAX] = 0;
	key = key_of(RL_SPACE_LIMITER, name, id);
	check_same(&key);
}

static void test_others(void)
{
	static const char *const bytes[] = {"", ":", "7", ":7", "like", "like:", "like:007", "like:-0", "like:+7",
		"like: 7", "like:9223372036854775808", "like:99999999999999999999999", "like:x:4z", "like:x:0l", "like:x:5l",
		"like:x:l", ":x:1l", "like::4l", "like:x:99999999999999999999l", "l", "4l", ":4l", "{a}:b:3l", "{}a:b:1l",
		"a:{b}:1l", "{:1l"};
	rl_key key;

	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
		check(!rl_redis_key_read(bytes[i], strlen(bytes[i]), &key), "\"%s\" is no key", bytes[i]);
	}
}

int main(void)
{
	test_written();
	test_slots();
	test_longest();
	test_others();
	return checks_report();
}
