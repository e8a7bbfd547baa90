#include "key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static char space_letter(rl_space space)
{
	switch (space) {
		case RL_SPACE_ALLOWED:
			return 'a';
		case RL_SPACE_LIMITER:
			return 'l';
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
		at += snprintf(at, 21, "%" PRId64, key->number);
	} else {
		memcpy(at, key->id, key->id_len);
		at += key->id_len;
	}
	if (!key->is_int || key->space != RL_SPACE_ACTION) {
		at += snprintf(at, 6, ":%u%c", (unsigned) key->name_len & 0xffu, space_letter(key->space));
	}
	return (size_t) (at - out);
}
