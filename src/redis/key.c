#include "key.h"

#include <string.h>

#include "decimal.h"

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

size_t rl_redis_key_write(const rl_key *key, char *out)
{
	char *at = out;

	memcpy(at, key->name, key->name_len);
	at += key->name_len;
	*at++ = ':';
	if (key->is_int) {
		at = rl_redis_decimal_signed(at, key->int_id);
	} else {
		memcpy(at, key->id, key->id_len);
		at += key->id_len;
	}
	if (!key->is_int || key->space != RL_SPACE_ACTION) {
		*at++ = ':';
		at = rl_redis_decimal_unsigned(at, key->name_len);
		*at++ = space_letter(key->space);
	}
	return (size_t) (at - out);
}
