#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "dsn/span.h"
#include "net/decimal.h"

static char space_letter(rl_space space)
{
	switch (space) {
		case RL_SPACE_ALLOWED:
			return 'a';
		case RL_SPACE_LIMITER:
			return 'l';
		case RL_SPACE_SHADOW:
			return 'w';
		case RL_SPACE_LABEL:
			return 'b';
		case RL_SPACE_ACTION:
			break;
	}
	return 's';
}

static bool key_has_brace(const char *bytes, size_t len)
{
	return memchr(bytes, '{', len) != NULL;
}

/* An empty hash tag, before any other one. */
static const char no_tag[] = {'{', '}'};

size_t rl_redis_key_write(const rl_key *key, char *out)
{
	bool is_action_of_int = key->is_int && key->space == RL_SPACE_ACTION;
	char *at = out;

	if (!is_action_of_int
		&& (key_has_brace(key->name, key->name_len) || (!key->is_int && key_has_brace(key->id, key->id_len)))) {
		memcpy(at, no_tag, sizeof no_tag);
		at += sizeof no_tag;
	}
	memcpy(at, key->name, key->name_len);
	at += key->name_len;
	*at++ = ':';
	if (key->is_int) {
		at = rl_redis_decimal_signed(at, key->int_id);
	} else {
		memcpy(at, key->id, key->id_len);
		at += key->id_len;
	}
	if (!is_action_of_int) {
		*at++ = ':';
		at = rl_redis_decimal_unsigned(at, key->name_len);
		*at++ = space_letter(key->space);
	}
	return (size_t) (at - out);
}

static bool key_space_of(char letter, rl_space *space)
{
	static const rl_space spaces[] = {RL_SPACE_ACTION, RL_SPACE_ALLOWED, RL_SPACE_LIMITER, RL_SPACE_SHADOW,
		RL_SPACE_LABEL};

	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		if (space_letter(spaces[i]) == letter) {
			*space = spaces[i];
			return true;
		}
	}
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the place behind the last colon; NULL without one. */
static const char *behind_last_colon(const char *bytes, size_t len)
{
	const char *at = bytes + len;

	while (at > bytes && at[-1] != ':') {
		at--;
	}
	return at > bytes ? at : NULL;
}

/* Reads "{name}:{id}", whose id is an int. */
static bool key_read_int(const char *bytes, size_t len, rl_key *key)
{
	const char *id = behind_last_colon(bytes, len);
	char digits[RL_REDIS_DECIMAL_MAX + 1];
	char written[RL_REDIS_DECIMAL_MAX + 1];
	size_t id_len = id ? (size_t) (bytes + len - id) : 0;

	if (id_len == 0 || id_len > RL_REDIS_DECIMAL_MAX || id - bytes < 2 || id - 1 - bytes > RL_NAME_MAX) {
		return false;
	}
	memcpy(digits, id, id_len);
	digits[id_len] = 0;
	*key = (rl_key){.space = RL_SPACE_ACTION, .is_int = true, .name = bytes, .name_len = (size_t) (id - 1 - bytes)};
	key->int_id = strtoll(digits, NULL, 10);
	return (size_t) (rl_redis_decimal_signed(written, key->int_id) - written) == id_len
		&& memcmp(written, digits, id_len) == 0;
}

bool rl_redis_key_read(const char *bytes, size_t len, rl_key *key)
{
	const char *tail;
	long number;
	size_t name_len;
	rl_space space;

	if (len == 0 || is_digit(bytes[len - 1])) {
		return key_read_int(bytes, len, key);
	}
	if (key_has_brace(bytes, len)) {
		if (len < sizeof no_tag || memcmp(bytes, no_tag, sizeof no_tag) != 0) {
			return false;
		}
		bytes += sizeof no_tag;
		len -= sizeof no_tag;
		if (!key_has_brace(bytes, len)) {
			return false;
		}
	}
	tail = behind_last_colon(bytes, len);
	if (!tail || !key_space_of(bytes[len - 1], &space)
		|| !rl_redis_span_number((rl_redis_span){tail, bytes + len - 1}, RL_NAME_MAX, &number)) {
		return false;
	}
	/* {name} : {id} : {length} {letter} */
	name_len = (size_t) number;
	if (name_len == 0 || bytes + name_len + 2 > tail - 1 || bytes[name_len] != ':') {
		return false;
	}
	*key = (rl_key){.space = space, .name = bytes, .name_len = name_len, .id = bytes + name_len + 1};
	key->id_len = (size_t) (tail - 1 - key->id);
	return true;
}
