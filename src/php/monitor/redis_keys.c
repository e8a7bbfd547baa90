/* Implements Monitor::scan(). */
#include "php_ratelimit.h"

#include <inttypes.h>

#include "Zend/zend_exceptions.h"
#include "../base/arguments.h"
#include "../base/class_entries.h"
#include "../base/store_config.h"
#include "src/redis/redis.h"

static void add_key(void *keys, const rl_key *key)
{
	/* A label and a 0 byte precede the limiter's name. */
	const char *end = key->space == RL_SPACE_LABEL ? memchr(key->name, 0, key->name_len) : NULL;
	size_t label_len = end ? (size_t) (end - key->name) : 0, skipped = end ? label_len + 1 : 0;
	zval one;

	if (key->space != RL_SPACE_ACTION && key->space != RL_SPACE_LIMITER
		&& (label_len == 0 || skipped == key->name_len)) {
		return;
	}
	array_init_size(&one, 4);
	add_assoc_string(&one, "kind", key->space == RL_SPACE_ACTION ? "action" : "limiter");
	add_assoc_stringl(&one, "name", key->name + skipped, key->name_len - skipped);
	if (end) {
		add_assoc_stringl(&one, "by", key->name, label_len);
	} else {
		add_assoc_null(&one, "by");
	}
	if (key->is_int) {
		add_assoc_long(&one, "identity", (zend_long) key->int_id);
	} else {
		add_assoc_stringl(&one, "identity", key->id, key->id_len);
	}
	add_next_index_zval(keys, &one);
}

/* Reads "slot:cursor"; "" is the beginning. */
static bool read_position(const char *text, rl_redis_scan_position *position)
{
	char end;

	*position = (rl_redis_scan_position){0};
	return *text == 0
		|| (sscanf(text, "%5u:%" SCNu64 "%c", &position->slot, &position->cursor, &end) == 2 && position->slot < 16384);
}

ZEND_METHOD(FrequencyLimit_Monitor, scan)
{
	zend_string *from = NULL;
	const rl_guard *g;
	rl_redis_scan_position position;
	rl_status status;
	rl_error e = {.message = ""};
	zval keys;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR(from)
	ZEND_PARSE_PARAMETERS_END();
	g = php_ratelimit_guard();
	if (!read_position(from ? ZSTR_VAL(from) : "", &position)) {
		php_ratelimit_invalid("$position must be \"\" or the \"next\" of the last page");
		RETURN_THROWS();
	}
	array_init(&keys);
	if (!php_ratelimit_is_embedded_dsn(RATELIMIT_G(store_dsn))) {
		status = rl_redis_store_scan(g->store, &position, add_key, &keys, &e);
		if (status != RL_OK) {
			zval_ptr_dtor(&keys);
			zend_throw_exception(php_ratelimit_ce_store_exception, e.message, status);
			RETURN_THROWS();
		}
	} else {
		position.at_end = true;
	}
	array_init_size(return_value, 2);
	add_assoc_str(return_value, "next",
		position.at_end ? ZSTR_EMPTY_ALLOC() : strpprintf(0, "%u:%" PRIu64, position.slot, position.cursor));
	add_assoc_zval(return_value, "keys", &keys);
}
