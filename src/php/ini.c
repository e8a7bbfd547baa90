#include "ini.h"

#include "php_ratelimit.h"
#include "src/shm/shm.h"
#include "store_config.h"

#define TIMEOUT_MAX_MS     60000
#define SPIN_MAX_US        1000
#define RETRY_DELAY_MAX_MS 3600000
#define DENY_CACHE_MAX_MS  3600000
#define PREFIX_MAX         128

static ZEND_COLD int refuse(const zend_ini_entry *entry, int stage, const char *reason)
{
	/* At start-up there is no script whose warning it could be. */
	zend_error(stage == ZEND_INI_STAGE_STARTUP ? E_CORE_WARNING : E_WARNING, "%s %s; it keeps its %s value",
		ZSTR_VAL(entry->name), reason, stage == ZEND_INI_STAGE_STARTUP ? "default" : "old");
	return FAILURE;
}

static void changed(void)
{
	RATELIMIT_G(config_applied) = false;
	RATELIMIT_G(embedded) = false;
	RATELIMIT_G(fast_path_aes) = false;
	RATELIMIT_G(has_deny_cache) = false;
}

/* Digits, and nothing else; -1 for anything else, and for what is absurdly large. */
static zend_long digits(const char *s, size_t length)
{
	zend_long value = 0;

	if (length == 0 || length > 9) {
		return -1;
	}
	for (size_t i = 0; i < length; i++) {
		if (s[i] < '0' || s[i] > '9') {
			return -1;
		}
		value = value * 10 + (s[i] - '0');
	}
	return value;
}

static int set_time(const zend_ini_entry *entry, const zend_string *value, int stage, zend_long min, zend_long max,
	const char *unit, zend_long *setting)
{
	zend_long n = digits(ZSTR_VAL(value), ZSTR_LEN(value));

	if (n < min || n > max) {
		char reason[96];

		snprintf(reason, sizeof(reason), "must be between " ZEND_LONG_FMT " and " ZEND_LONG_FMT " %s, \"%.32s\" given",
			min, max, unit, ZSTR_VAL(value));
		return refuse(entry, stage, reason);
	}
	*setting = n;
	changed();
	return SUCCESS;
}

static int set_ms(const zend_ini_entry *entry, const zend_string *value, int stage, zend_long min, zend_long max,
	zend_long *setting)
{
	return set_time(entry, value, stage, min, max, "milliseconds", setting);
}

ZEND_INI_MH(php_ratelimit_on_connect_timeout)
{
	return set_ms(entry, new_value, stage, 1, TIMEOUT_MAX_MS, &RATELIMIT_G(connect_timeout_ms));
}

ZEND_INI_MH(php_ratelimit_on_timeout)
{
	return set_ms(entry, new_value, stage, 1, TIMEOUT_MAX_MS, &RATELIMIT_G(timeout_ms));
}

ZEND_INI_MH(php_ratelimit_on_spin)
{
	return set_time(entry, new_value, stage, 0, SPIN_MAX_US, "microseconds", &RATELIMIT_G(spin_us));
}

ZEND_INI_MH(php_ratelimit_on_retry_delay)
{
	return set_ms(entry, new_value, stage, 1, RETRY_DELAY_MAX_MS, &RATELIMIT_G(retry_delay_ms));
}

ZEND_INI_MH(php_ratelimit_on_deny_cache)
{
	return set_ms(entry, new_value, stage, 0, DENY_CACHE_MAX_MS, &RATELIMIT_G(deny_cache_ms));
}

ZEND_INI_MH(php_ratelimit_on_store)
{
	rl_error e;

	if (!php_ratelimit_is_embedded_dsn(new_value)
		&& !rl_redis_dsn_check(ZSTR_VAL(new_value), ZSTR_LEN(new_value), &e)) {
		char reason[sizeof(e.message) + 64];

		snprintf(reason, sizeof(reason), "must be \"shm:\" or the DSN of a Redis server: %s", e.message);
		return refuse(entry, stage, reason);
	}
	RATELIMIT_G(store_dsn) = new_value;
	changed();
	return SUCCESS;
}

ZEND_INI_MH(php_ratelimit_on_prefix)
{
	if (ZSTR_LEN(new_value) > PREFIX_MAX) {
		return refuse(entry, stage, "must have at most " ZEND_TOSTR(PREFIX_MAX) " bytes");
	}
	RATELIMIT_G(prefix) = new_value;
	changed();
	return SUCCESS;
}

/* 33554432, 32M, 1g. */
ZEND_INI_MH(php_ratelimit_on_shm_size)
{
	const char *s = ZSTR_VAL(new_value);
	size_t length = ZSTR_LEN(new_value);
	unsigned shift = 0;
	int64_t bytes;
	int64_t max = MIN((uint64_t) RL_SHM_BYTES_MAX, (uint64_t) ZEND_LONG_MAX);
	char reason[128];

	switch (length ? s[length - 1] : '\0') {
		case 'g':
		case 'G':
			shift += 10;
			ZEND_FALLTHROUGH;
		case 'm':
		case 'M':
			shift += 10;
			ZEND_FALLTHROUGH;
		case 'k':
		case 'K':
			shift += 10;
			length--;
			break;
		default:
			break;
	}
	bytes = length <= 11 ? ZEND_STRTOL(s, NULL, 10) : -1;
	if (length == 0 || strspn(s, "0123456789") != length || bytes > (max >> shift)
		|| (bytes << shift) < (int64_t) RL_SHM_BYTES_MIN) {
		snprintf(reason, sizeof(reason), "must be between %zuM and %" PRId64 "M, \"%.32s\" given",
			RL_SHM_BYTES_MIN >> 20, max >> 20, s);
		return refuse(entry, stage, reason);
	}
	RATELIMIT_G(shm_size) = (zend_long) (bytes << shift);
	return SUCCESS;
}

ZEND_INI_MH(php_ratelimit_on_shm_path)
{
	if (ZSTR_LEN(new_value) > 0 && ZSTR_VAL(new_value)[0] != '/') {
		return refuse(entry, stage, "must be an absolute path, or empty");
	}
	if (strlen(ZSTR_VAL(new_value)) != ZSTR_LEN(new_value)) {
		return refuse(entry, stage, "must be a path without NUL bytes");
	}
	RATELIMIT_G(shm_path) = new_value;
	return SUCCESS;
}

ZEND_INI_MH(php_ratelimit_on_on_failure)
{
	for (unsigned i = 0; i < sizeof(rl_on_failure_names) / sizeof(*rl_on_failure_names); i++) {
		const char *name = rl_on_failure_names[i];

		/* zend_string_equals_cstr() is not in PHP 8.1. */
		if (ZSTR_LEN(new_value) == strlen(name) && memcmp(ZSTR_VAL(new_value), name, ZSTR_LEN(new_value)) == 0) {
			RATELIMIT_G(on_failure) = (rl_on_failure) i;
			changed();
			return SUCCESS;
		}
	}
	return refuse(entry, stage, "must be \"local\", \"allow\", \"deny\" or \"throw\"");
}

const char *php_ratelimit_on_failure_name(void)
{
	return rl_on_failure_names[RATELIMIT_G(on_failure)];
}

const char *php_ratelimit_without_memory(void)
{
	switch (RATELIMIT_G(on_failure)) {
		case RL_ON_FAILURE_ALLOW:
			return "passes";
		case RL_ON_FAILURE_THROW:
			return "is an exception";
		default:
			return "is refused";
	}
}

/* PHP takes whatever it does not know for "off". */
static int set_bool(const zend_ini_entry *entry, zend_string *value, int stage, bool *setting)
{
	static const char *const words[] = {"", "0", "1", "on", "off", "yes", "no", "true", "false"};
	char reason[64];

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(ZSTR_VAL(value)) == ZSTR_LEN(value) && strcasecmp(ZSTR_VAL(value), words[i]) == 0) {
			*setting = zend_ini_parse_bool(value);
			return SUCCESS;
		}
	}
	snprintf(reason, sizeof(reason), "must be on or off, \"%.32s\" given", ZSTR_VAL(value));
	return refuse(entry, stage, reason);
}

ZEND_INI_MH(php_ratelimit_on_testing)
{
	return set_bool(entry, new_value, stage, &RATELIMIT_G(testing));
}

ZEND_INI_MH(php_ratelimit_on_attributes)
{
	bool on;

	if (set_bool(entry, new_value, stage, &on) != SUCCESS) {
		return FAILURE;
	}
	/* A pool of FPM may switch it off for itself. On, it would be ignored in silence: the compiler had to know. */
	if (on && stage != ZEND_INI_STAGE_STARTUP && !php_ratelimit_attribute_hook_is_on()) {
		return refuse(entry, stage, "cannot be switched on where php.ini has it off");
	}
	RATELIMIT_G(attributes) = on;
	return SUCCESS;
}

ZEND_INI_MH(php_ratelimit_on_ipv6_prefix)
{
	zend_long bits = digits(ZSTR_VAL(new_value), ZSTR_LEN(new_value));

	if (bits < 1 || bits > 128) {
		char reason[96];

		snprintf(reason, sizeof(reason), "must be between 1 and 128 bits, \"%.32s\" given", ZSTR_VAL(new_value));
		return refuse(entry, stage, reason);
	}
	RATELIMIT_G(ipv6_prefix) = bits;
	return SUCCESS;
}

ZEND_INI_MH(php_ratelimit_on_trusted_proxies)
{
	php_ratelimit_networks networks;
	char reason[192];

	if (!php_ratelimit_networks_parse(&networks, ZSTR_VAL(new_value), reason, sizeof(reason))) {
		return refuse(entry, stage, reason);
	}
	php_ratelimit_networks_free(&RATELIMIT_G(trusted_proxies));
	RATELIMIT_G(trusted_proxies) = networks;
	return SUCCESS;
}

ZEND_INI_DISP(php_ratelimit_display_store)
{
	const zend_string *value = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified ? ini_entry->orig_value
																					: ini_entry->value;
	char masked[512];

	if (!value) {
		return;
	}
	if (php_ratelimit_is_embedded_dsn(value)) {
		php_printf("shm:");
		return;
	}
	rl_redis_dsn_mask(ZSTR_VAL(value), ZSTR_LEN(value), masked, sizeof(masked));
	php_printf("%s", masked);
}
