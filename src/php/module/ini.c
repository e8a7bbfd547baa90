#include "module.h"

#include "php_ratelimit.h"

#include "SAPI.h"
#include "fopen_wrappers.h"
#include "php_ini.h"

#include "src/redis/dsn/dsn_options.h"
#include "src/shm/store/shm.h"
#include "../base/store_config.h"
#include "../limiter/limiters_file.h"
#include "../attribute/attribute_hook.h"
#include "../attribute/attribute_cache.h"
#include "../request/request.h"
#include "../request/client_address.h"

#define PREFIX_MAX 128

static const char *default_of(const zend_ini_entry *entry);

/* The stages of php.ini, an FPM pool, Apache's configuration and .user.ini: all but a script's ini_set(). */
#define STAGES_OF_CONFIGURATION (ZEND_INI_STAGE_STARTUP | ZEND_INI_STAGE_ACTIVATE | ZEND_INI_STAGE_HTACCESS)

/* Warns. A text about the configuration stays for stats(), phpinfo(), the page and the command. The log gets it once in
 * a process: Apache and .user.ini set their values at each request. */
static ZEND_COLD void warn(int stage, const char *text)
{
	if ((stage & STAGES_OF_CONFIGURATION) && !php_ratelimit_config_warning_keep(text)) {
		return;
	}
	/* At start-up there is no script that the warning could name. */
	zend_error(stage == ZEND_INI_STAGE_STARTUP ? E_CORE_WARNING : E_WARNING, "%s", text);
}

/* Refuses a value: warns with the reason and with the value that stays in use. Returns FAILURE. */
static ZEND_COLD int ini_refuse(const zend_ini_entry *entry, int stage, const char *reason)
{
	/* While PHP starts, the entry has no value yet. */
	const char *used = entry->value ? ZSTR_VAL(entry->value) : default_of(entry), *scope = "";
	char masked[512], *text;

	if (zend_string_equals_literal(entry->name, "ratelimit.store")) {
		if (strcmp(used, "shm:") == 0) {
			scope = ", so limits hold on this machine only";
		} else {
			rl_redis_dsn_mask(used, strlen(used), masked, sizeof(masked));
			used = masked;
		}
	}
	spprintf(&text, 0, "%s %s; \"%s\" is used instead%s", ZSTR_VAL(entry->name), reason, used, scope);
	warn(stage, text);
	efree(text);
	return FAILURE;
}

/* Returns whether the segment exists already. PHP makes it once, before it reads any pool or virtual host. A value of
 * their own would appear in phpinfo() and have no effect. */
static bool is_too_late(const zend_ini_entry *entry, const zend_string *value, int stage)
{
	return stage != ZEND_INI_STAGE_STARTUP && !zend_string_equals(entry->value, value);
}

#define TOO_LATE "can be set in php.ini only, before PHP starts"

/* Returns the number that 1 to 9 digits write; -1 for any other text. */
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

static ZEND_INI_MH(on_store)
{
	char reason[PHP_RATELIMIT_REASON_BYTES];

	if (!php_ratelimit_check_dsn(new_value, reason)) {
		return ini_refuse(entry, stage, reason);
	}
	RATELIMIT_G(store_dsn) = new_value;
	php_ratelimit_config_changed();
	return SUCCESS;
}

static ZEND_INI_MH(on_prefix)
{
	if (ZSTR_LEN(new_value) > PREFIX_MAX) {
		return ini_refuse(entry, stage, "must have at most " ZEND_TOSTR(PREFIX_MAX) " bytes");
	}
	RATELIMIT_G(prefix) = new_value;
	php_ratelimit_config_changed();
	return SUCCESS;
}

/* Parses bytes as PHP writes them: 33554432, 32M, 1g. */
static ZEND_INI_MH(on_shm_size)
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
	if (is_too_late(entry, new_value, stage)) {
		return ini_refuse(entry, stage, TOO_LATE);
	}
	if (length == 0 || strspn(s, "0123456789") != length || bytes > (max >> shift)
		|| (bytes << shift) < (int64_t) RL_SHM_BYTES_MIN) {
		snprintf(reason, sizeof(reason), "must be between %zuM and %" PRId64 "M, \"%.32s\" given",
			RL_SHM_BYTES_MIN >> 20, max >> 20, s);
		return ini_refuse(entry, stage, reason);
	}
	RATELIMIT_G(shm_size) = (zend_long) (bytes << shift);
	return SUCCESS;
}

static ZEND_INI_MH(on_shm_path)
{
	if (ZSTR_LEN(new_value) > 0 && ZSTR_VAL(new_value)[0] != '/'
		&& !zend_string_equals_literal(new_value, PHP_RATELIMIT_PRIVATE)) {
		return ini_refuse(entry, stage, "must be an absolute path, empty, or \"" PHP_RATELIMIT_PRIVATE "\"");
	}
	if (strlen(ZSTR_VAL(new_value)) != ZSTR_LEN(new_value)) {
		return ini_refuse(entry, stage, "must be a path without NUL bytes");
	}
	if (is_too_late(entry, new_value, stage)) {
		return ini_refuse(entry, stage, TOO_LATE);
	}
	RATELIMIT_G(shm_path) = new_value;
	return SUCCESS;
}

static ZEND_INI_MH(on_limiters)
{
	if (ZSTR_LEN(new_value) > 0 && ZSTR_VAL(new_value)[0] != '/') {
		return ini_refuse(entry, stage, "must be an absolute path, or empty");
	}
	if (strlen(ZSTR_VAL(new_value)) != ZSTR_LEN(new_value)) {
		return ini_refuse(entry, stage, "must be a path without NUL bytes");
	}
	/* A script must not read a file by it that it may not open. */
	if ((stage & (ZEND_INI_STAGE_RUNTIME | ZEND_INI_STAGE_HTACCESS)) && ZSTR_LEN(new_value) > 0
		&& php_check_open_basedir_ex(ZSTR_VAL(new_value), 0)) {
		return ini_refuse(entry, stage, "must be in open_basedir");
	}
	RATELIMIT_G(limiters_path) = new_value;
	RATELIMIT_G(limiters)->current = NULL;
	RATELIMIT_G(limiters)->latest.limiter = NULL;
	RATELIMIT_G(limiters)->version++;
	return SUCCESS;
}

static ZEND_INI_MH(on_on_failure)
{
	if (!rl_failure_policy_parse(ZSTR_VAL(new_value), ZSTR_LEN(new_value), RATELIMIT_G(failure_policy))) {
		return ini_refuse(entry, stage,
			"must be \"local\", \"local:1/N\" with an N from 2 to 10000, \"allow\", \"deny\" or \"throw\"");
	}
	php_ratelimit_config_changed();
	return SUCCESS;
}

const char *php_ratelimit_on_failure_name(void)
{
	return rl_on_failure_names[RATELIMIT_G(failure_policy)->on_failure];
}

const char *php_ratelimit_without_memory(void)
{
	switch (RATELIMIT_G(failure_policy)->on_failure) {
		case RL_ON_FAILURE_ALLOW:
			return "All calls pass";
		case RL_ON_FAILURE_THROW:
			return "Each call throws a FrequencyLimit\\StoreException";
		default:
			return "All calls are refused";
	}
}

/* Parses the words that PHP takes for on and off. PHP itself takes any other word for "off". */
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
	return ini_refuse(entry, stage, reason);
}

/* The stopped clock of a segment would be that of all requests. */
static bool is_command_line(void)
{
	return strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "phpdbg") == 0;
}

static ZEND_INI_MH(on_testing)
{
	if (!is_command_line() && zend_ini_parse_bool(new_value)) {
		char reason[96];

		snprintf(reason, sizeof(reason), "is for tests on the command line, and this PHP is a server (%.32s)",
			sapi_module.name);
		return ini_refuse(entry, stage, reason);
	}
	if (stage == ZEND_INI_STAGE_RUNTIME && !rl_shm_is_own()) {
		return ini_refuse(entry, stage,
			"cannot be changed at run time once this process shares its counts with others: set it before the first use of a "
			"limiter, or run PHP with -d ratelimit.testing=1 -d ratelimit.shm_path=");
	}
	return set_bool(entry, new_value, stage, &RATELIMIT_G(testing));
}

static ZEND_INI_MH(on_enforce)
{
	if (set_bool(entry, new_value, stage, &RATELIMIT_G(enforce)) != SUCCESS) {
		return FAILURE;
	}
	php_ratelimit_config_changed();
	return SUCCESS;
}

static ZEND_INI_MH(on_top)
{
	return set_bool(entry, new_value, stage, &RATELIMIT_G(top));
}

static ZEND_INI_MH(on_attributes)
{
	bool on;

	if (set_bool(entry, new_value, stage, &on) != SUCCESS) {
		return FAILURE;
	}
	/* An FPM pool may switch it off for itself. It cannot switch it on: only the start-up sets the compiler's hook. */
	if (on && stage != ZEND_INI_STAGE_STARTUP && !php_ratelimit_attribute_hook_is_on()) {
		return ini_refuse(entry, stage, "cannot be switched on where php.ini has it off");
	}
	RATELIMIT_G(attributes) = on;
	return SUCCESS;
}

static ZEND_INI_MH(on_global_class)
{
	bool on;

	if (set_bool(entry, new_value, stage, &on) != SUCCESS) {
		return FAILURE;
	}
	if (is_too_late(entry, new_value, stage)) {
		return ini_refuse(entry, stage, TOO_LATE);
	}
	RATELIMIT_G(global_class) = on;
	return SUCCESS;
}

/* Forgets what depends on the address of a client. */
static void forget_clients(void)
{
	php_ratelimit_served_forget_client(&RATELIMIT_G(requests)->own.served);
	php_ratelimit_enforcer_forget_places();
}

static ZEND_INI_MH(on_ipv6_prefix)
{
	zend_long bits = digits(ZSTR_VAL(new_value), ZSTR_LEN(new_value));

	if (bits < 1 || bits > 128) {
		char reason[96];

		snprintf(reason, sizeof(reason), "must be between 1 and 128 bits, \"%.32s\" given", ZSTR_VAL(new_value));
		return ini_refuse(entry, stage, reason);
	}
	RATELIMIT_G(ipv6_prefix) = bits;
	forget_clients();
	return SUCCESS;
}

/* Returns whether a network of the list is 0.0.0.0/0 or ::/0. */
static bool trusts_everyone(const php_ratelimit_networks *networks)
{
	for (size_t i = 0; i < networks->n; i++) {
		if (networks->networks[i].bits == (networks->networks[i].is_v4 ? 96u : 0u)) {
			return true;
		}
	}
	return false;
}

static ZEND_INI_MH(on_trusted_proxies)
{
	php_ratelimit_networks networks;
	char reason[192];

	if (!php_ratelimit_networks_parse(&networks, ZSTR_VAL(new_value), reason, sizeof(reason))) {
		return ini_refuse(entry, stage, reason);
	}
	if ((stage & STAGES_OF_CONFIGURATION) && trusts_everyone(&networks)) {
		warn(stage,
			"ratelimit.trusted_proxies trusts every address, so any client can forge its own by X-Forwarded-For; "
			"list the addresses of your proxies only");
	}
	php_ratelimit_networks_free(RATELIMIT_G(trusted_proxies));
	*RATELIMIT_G(trusted_proxies) = networks;
	forget_clients();
	return SUCCESS;
}

/* Shows a DSN without its password. */
static ZEND_INI_DISP(display_store)
{
	const zend_string *value = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified ? ini_entry->orig_value
																					: ini_entry->value;

	if (value) {
		zend_string *masked = php_ratelimit_masked_dsn(value);

		php_printf("%s", ZSTR_VAL(masked));
		zend_string_release(masked);
	}
}

/* PHP_INI_SYSTEM: the settings of the start-up, and ratelimit.testing, which a script on the command line may set by
 * ini_set(), see php_ratelimit_ini_startup(). */
PHP_INI_BEGIN()
	PHP_INI_ENTRY_EX("ratelimit.store", "shm:", PHP_INI_ALL, on_store, display_store)
	PHP_INI_ENTRY("ratelimit.prefix", "act:limit:", PHP_INI_ALL, on_prefix)
	PHP_INI_ENTRY("ratelimit.shm_size", "32M", PHP_INI_SYSTEM, on_shm_size)
	PHP_INI_ENTRY("ratelimit.shm_path", "", PHP_INI_SYSTEM, on_shm_path)
	PHP_INI_ENTRY("ratelimit.limiters", "", PHP_INI_ALL, on_limiters)
	PHP_INI_ENTRY("ratelimit.on_failure", "local", PHP_INI_ALL, on_on_failure)
	PHP_INI_ENTRY_EX("ratelimit.attributes", "1", PHP_INI_SYSTEM, on_attributes, zend_ini_boolean_displayer_cb)
	PHP_INI_ENTRY_EX("ratelimit.global_class", "1", PHP_INI_SYSTEM, on_global_class, zend_ini_boolean_displayer_cb)
	PHP_INI_ENTRY("ratelimit.ipv6_prefix", "64", PHP_INI_ALL, on_ipv6_prefix)
	PHP_INI_ENTRY("ratelimit.trusted_proxies", "", PHP_INI_ALL, on_trusted_proxies)
	PHP_INI_ENTRY_EX("ratelimit.enforce", "1", PHP_INI_ALL, on_enforce, zend_ini_boolean_displayer_cb)
	PHP_INI_ENTRY_EX("ratelimit.top", "1", PHP_INI_ALL, on_top, zend_ini_boolean_displayer_cb)
	PHP_INI_ENTRY_EX("ratelimit.testing", "0", PHP_INI_SYSTEM, on_testing, zend_ini_boolean_displayer_cb)
PHP_INI_END()

static const char *default_of(const zend_ini_entry *entry)
{
	const zend_ini_entry_def *def = ini_entries;

	while (strcmp(def->name, ZSTR_VAL(entry->name)) != 0) {
		def++;
	}
	return def->value;
}

#define OURS "ratelimit."

/* Returns whether a name of php.ini begins with "ratelimit." and is no setting of ours. */
static bool is_unknown(const zend_string *name)
{
	return strncmp(ZSTR_VAL(name), OURS, strlen(OURS)) == 0
		&& !zend_hash_exists(EG(ini_directives), (zend_string *) name);
}

static bool is_store_option(const zend_string *name)
{
	rl_redis_span option = {ZSTR_VAL(name) + strlen(OURS), ZSTR_VAL(name) + ZSTR_LEN(name)};

	return rl_redis_dsn_option_kind(option) == RL_REDIS_OPTION_OF_STORE;
}

/* Checks php.ini as a whole, after PHP has read all settings. */
static void check_configuration(void)
{
	zend_string *name;

	ZEND_HASH_FOREACH_STR_KEY(php_ini_get_configuration_hash(), name) {
		if (name && is_unknown(name)) {
			php_ratelimit_config_warning("%s is no setting of ratelimit and has no effect; %s", ZSTR_VAL(name),
				is_store_option(name) ? "write it as an option of the DSN in ratelimit.store"
									  : "phpinfo() lists the settings");
		}
	}
	ZEND_HASH_FOREACH_END();
	if (ZSTR_LEN(RATELIMIT_G(prefix)) == 0 && !php_ratelimit_is_embedded_dsn(RATELIMIT_G(store_dsn))) {
		php_ratelimit_config_warning(
			"ratelimit.prefix is empty, so the keys on Redis may be those of another application; "
			"set one that is this application's own");
	}
}

void php_ratelimit_ini_startup(int type, int module_number)
{
	zend_ini_entry *testing;

	REGISTER_INI_ENTRIES();
	/* A test run sets it for itself, as PHPUnit does by <ini> in phpunit.xml. */
	testing = zend_hash_str_find_ptr(EG(ini_directives), ZEND_STRL("ratelimit.testing"));
	if (is_command_line()) {
		testing->modifiable = ZEND_INI_ALL;
	}
	check_configuration();
}
