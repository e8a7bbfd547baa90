#include "limiters_file.h"

#include <errno.h>

#include "../base/arguments.h"
#include "../limit/limit_object.h"
#include "../base/store_config.h"

typedef struct {
	HashTable *limiters;
	php_ratelimit_named *section; /* NULL: before the first one, or is_dropped */
	bool is_dropped;              /* the section has a mistake */
	unsigned line;
	char *reason;
	size_t size; /* 0: a mistake before has its reason there */
} file_parser;

static bool file_wrong(const file_parser *p, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

/* Sets the reason. Returns false. */
static bool file_wrong(const file_parser *p, const char *format, ...)
{
	va_list arguments;
	size_t n;

	if (p->size == 0) {
		return false;
	}
	n = (size_t) snprintf(p->reason, p->size, "line %u: ", p->line);
	va_start(arguments, format);
	vsnprintf(p->reason + n, p->size - n, format, arguments);
	va_end(arguments);
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **at, const char **end)
{
	while (*at < *end && is_blank(**at)) {
		(*at)++;
	}
	while (*at < *end && is_blank((*end)[-1])) {
		(*end)--;
	}
}

static bool has_list(const php_ratelimit_named *named)
{
	return php_ratelimit_has_identities(&named->exempt) || php_ratelimit_has_identities(&named->refuse);
}

/* Checks the labels of a section: all limits have one or none has; there are neither shadow limits, nor exempt or refused identities
 * beside several labels. */
static bool check_labels(const file_parser *p)
{
	const php_ratelimit_named *named = p->section;
	const zend_string *first = named->limits[0].by;

	for (unsigned i = 0; i < named->n_limits; i++) {
		const zend_string *by = named->limits[i].by;

		if (!by != !first) {
			return file_wrong(p, "[%s] must have by= in all of its limits, or in none", ZSTR_VAL(named->name));
		}
		if (by && named->limits[i].shadow) {
			return file_wrong(p, "[%s] has limits with by=, which cannot be shadows", ZSTR_VAL(named->name));
		}
		if (by && ZSTR_LEN(by) + 1 + ZSTR_LEN(named->name) > RL_NAME_MAX) {
			return file_wrong(p, "[%s] and by=%s must be at most %d bytes long together", ZSTR_VAL(named->name),
				ZSTR_VAL(by), RL_NAME_MAX - 1);
		}
		if (by && has_list(named) && !zend_string_equals(by, first)) {
			return file_wrong(p, "[%s] has several labels (by=), beside which there is neither exempt nor refuse",
				ZSTR_VAL(named->name));
		}
	}
	return true;
}

/* Finishes a section: the limits as a whole. */
static bool end_section(const file_parser *p)
{
	const php_ratelimit_named *named = p->section;

	if (!named) {
		return true;
	}
	if (named->n_limits == 0) {
		return file_wrong(p, "[%s] has no limit", ZSTR_VAL(named->name));
	}
	return check_labels(p);
}

static bool begin_section(file_parser *p, const char *at, const char *end)
{
	php_ratelimit_named *named;
	size_t length;

	p->section = NULL;
	p->is_dropped = false;
	if (end[-1] != ']') {
		return file_wrong(p, "a limiter looks like [login]");
	}
	at++;
	end--;
	trim(&at, &end);
	length = (size_t) (end - at);
	if (length < 1 || length > RL_NAME_MAX || zend_hash_str_exists(p->limiters, at, length)) {
		return file_wrong(p, "a limiter needs a name of its own, of 1 to %d bytes, \"%.*s\" given", RL_NAME_MAX,
			(int) MIN(length, 48), at);
	}
	named = pecalloc(1, sizeof(*named), true);
	named->references = 1;
	named->name = php_ratelimit_limiters_string(at, length);
	zend_hash_add_new_ptr(p->limiters, named->name, named);
	p->section = named;
	return true;
}

/* Reads the name of a limit: the key. */
static bool set_limit_name(const file_parser *p, php_ratelimit_limit *limit, const char *key, const char *in_text)
{
	size_t length = strlen(key), at;

	if (length > RL_LIMIT_NAME_MAX) {
		return file_wrong(p, "the name of a limit must be at most %d bytes long", RL_LIMIT_NAME_MAX);
	}
	at = php_ratelimit_printable(key, length);
	if (at < length) {
		return file_wrong(p, "the name of a limit must be printable ASCII, byte 0x%02x given", (unsigned char) key[at]);
	}
	if (in_text[0] && strcmp(in_text, key) != 0) {
		return file_wrong(p, "the limit %s must have its key as its name, name=%s given", key, in_text);
	}
	for (unsigned i = 0; i < p->section->n_limits; i++) {
		if (strcmp(ZSTR_VAL(p->section->limits[i].name), key) == 0) {
			return file_wrong(p, "there are two limits %s", key);
		}
	}
	limit->name = php_ratelimit_limiters_string(key, length);
	return true;
}

/* Returns a permanent copy of a string, or NULL. */
static zend_string *keep_string(const zend_string *string)
{
	return string ? php_ratelimit_limiters_string(ZSTR_VAL(string), ZSTR_LEN(string)) : NULL;
}

static bool add_limit_line(const file_parser *p, const char *key, const char *value)
{
	php_ratelimit_named *named = p->section;
	php_ratelimit_limit read, *limit;
	rl_limit_text text;
	char reason[256];

	if (named->n_limits == RL_LIMITS_MAX) {
		return file_wrong(p, "a limiter has at most %d limits", RL_LIMITS_MAX);
	}
	if (!rl_limit_text_read(value, strlen(value), &text, reason, sizeof(reason))
		|| !php_ratelimit_limit_from_text(&text, &read, reason, sizeof(reason))) {
		/* The password of a store behind a mistyped key goes into no message. */
		return strstr(value, "://")
			? file_wrong(p, "\"%.64s\" is not a setting, and its value is not a limit; a DSN belongs to store", key)
			: file_wrong(p, "\"%.128s\" is not a limit: %s", value, reason);
	}
	limit = &named->limits[named->n_limits];
	*limit = read;
	/* A default time zone is that of the request, not that of the worker's first one. */
	limit->zone = text.zone[0] ? keep_string(read.zone) : NULL;
	limit->by = keep_string(read.by);
	limit->unit = keep_string(read.unit);
	if (read.steps) {
		limit->steps = keep_string(read.steps);
		limit->limit.steps = (const rl_ban_steps *) (const void *) ZSTR_VAL(limit->steps);
	}
	php_ratelimit_limit_delref(&read);
	if (!set_limit_name(p, limit, key, text.name)) {
		return false;
	}
	named->n_limits++;
	return true;
}

static bool set_named_store(const file_parser *p, const char *value)
{
	zend_string *dsn = php_ratelimit_limiters_string(value, strlen(value));
	char reason[PHP_RATELIMIT_REASON_BYTES];

	if (p->section->store) {
		return file_wrong(p, "[%s] has two stores", ZSTR_VAL(p->section->name));
	}
	if (!php_ratelimit_check_dsn(dsn, reason)) {
		return file_wrong(p, "store %s", reason);
	}
	p->section->store = dsn;
	return true;
}

static bool set_policy(const file_parser *p, const char *value)
{
	if (rl_failure_policy_parse(value, strlen(value), &p->section->policy)) {
		p->section->has_policy = true;
		return true;
	}
	return file_wrong(p,
		"on_failure must be local, local:1/N with an N from 2 to 10000, allow, deny or throw, \"%.32s\" given", value);
}

static bool list_number(const char *text, const char *end, zend_long *number)
{
	char *stop;

	errno = 0;
	*number = ZEND_STRTOL(text, &stop, 10);
	return stop == end && stop > text && *text != '+' && !errno;
}

/* Reads a range of whole numbers: 1000..1999. Returns false if the text is none. */
static bool read_range(const char *text, zend_long range[2])
{
	const char *dots = strstr(text, "..");

	return dots && list_number(text, dots, &range[0]) && list_number(dots + 2, strchr(dots, '\0'), &range[1]);
}

/* Reads identities, ranges of numbers, addresses and networks into exempt or refuse. A text with a slash is a network. */
static bool add_to_list(const file_parser *p, const char *key, php_ratelimit_list *list, const char *value)
{
	static const char separators[] = ", \t";
	char reason[192], one[RL_NAME_MAX + 1];

	for (value += strspn(value, separators); *value; value += strspn(value, separators)) {
		size_t length = strcspn(value, separators);
		php_ratelimit_networks network;
		zend_long range[2];

		if (length > RL_NAME_MAX) {
			return file_wrong(p, "%s must have identities of at most %d bytes", key, RL_NAME_MAX);
		}
		memcpy(one, value, length);
		one[length] = '\0';
		value += length;
		if (php_ratelimit_networks_parse(&network, one, reason, sizeof(reason))) {
			list->networks.networks = safe_perealloc(list->networks.networks, list->networks.n + 1,
				sizeof(*network.networks), 0, true);
			list->networks.networks[list->networks.n++] = network.networks[0];
			php_ratelimit_networks_free(&network);
		} else if (strchr(one, '/')) {
			return file_wrong(p, "%s %s", key, reason);
		} else if (read_range(one, range)) {
			if (range[0] > range[1]) {
				return file_wrong(p, "%s must have ranges from the lower number to the higher one, \"%.48s\" given",
					key, one);
			}
			list->ranges = safe_perealloc(list->ranges, list->n_ranges + 1, sizeof(range), 0, true);
			memcpy(list->ranges[list->n_ranges++], range, sizeof(range));
		} else {
			list->ids = safe_perealloc(list->ids, list->n_ids + 1, sizeof(zend_string *), 0, true);
			list->ids[list->n_ids++] = zend_string_init(one, length, true);
		}
	}
	return true;
}

static bool read_entry(file_parser *p, const char *at, const char *end)
{
	const char *equals = memchr(at, '=', (size_t) (end - at)), *key_end = equals, *from;
	char key[RL_NAME_MAX + 1], value[1024];

	if (!equals || equals == at) {
		return file_wrong(p, "a line is [limiter], name = limit, a setting or a comment");
	}
	if (!p->section) {
		return file_wrong(p, "a limiter's name comes first, as [login]");
	}
	from = equals + 1;
	trim(&at, &key_end);
	trim(&from, &end);
	if (end - from > 1 && *from == '"' && end[-1] == '"') {
		from++;
		end--;
	}
	if ((size_t) (key_end - at) >= sizeof(key) || (size_t) (end - from) >= sizeof(value)) {
		return file_wrong(p, "the line is too long");
	}
	memcpy(key, at, (size_t) (key_end - at));
	key[key_end - at] = '\0';
	memcpy(value, from, (size_t) (end - from));
	value[end - from] = '\0';
	if (strcmp(key, "store") == 0) {
		return set_named_store(p, value);
	}
	if (strcmp(key, "on_failure") == 0) {
		return set_policy(p, value);
	}
	if (strcmp(key, "exempt") == 0) {
		return add_to_list(p, key, &p->section->exempt, value);
	}
	return strcmp(key, "refuse") == 0 ? add_to_list(p, key, &p->section->refuse, value) : add_limit_line(p, key, value);
}

/* Returns the end of a line without its comment: a semicolon outside of quotes begins one. */
static const char *without_comment(const char *at, const char *end)
{
	bool quoted = false;

	for (; at < end && (quoted || *at != ';'); at++) {
		quoted ^= *at == '"';
	}
	return at;
}

/* Drops the section that has a mistake, and keeps the first reason. */
static void drop_section(file_parser *p)
{
	if (p->section) {
		zend_hash_del(p->limiters, p->section->name);
	}
	p->section = NULL;
	p->is_dropped = true;
	p->size = 0;
}

bool php_ratelimit_limiters_parse(const char *text, size_t length, HashTable *limiters, char *reason, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some editors write */
	file_parser p = {.limiters = limiters, .line = 1, .reason = reason, .size = size};
	const char *at = text, *end = text + length;

	if (memchr(text, '\0', length)) {
		return file_wrong(&p, "the file has NUL bytes");
	}
	at += length >= sizeof(mark) - 1 && memcmp(text, mark, sizeof(mark) - 1) == 0 ? sizeof(mark) - 1 : 0;
	for (unsigned line = 1; at < end; line++) {
		const char *eol = memchr(at, '\n', (size_t) (end - at)), *from = at, *to;

		p.line = line;
		eol = eol ? eol : end;
		at = eol + 1;
		to = without_comment(from, eol);
		trim(&from, &to);
		if (from == to || *from == '#' || (p.is_dropped && *from != '[')) {
			continue;
		}
		if (*from == '[' && !end_section(&p)) {
			drop_section(&p);
		}
		if (*from == '[' ? !begin_section(&p, from, to) : !read_entry(&p, from, to)) {
			drop_section(&p);
		}
	}
	if (!end_section(&p)) {
		drop_section(&p);
	}
	return p.size > 0 && (zend_hash_num_elements(limiters) > 0 || file_wrong(&p, "the file has no limiter"));
}

zend_string *php_ratelimit_limiters_string(const char *bytes, size_t length)
{
	HashTable *strings = &RATELIMIT_G(limiters)->strings;
	zend_string *string = zend_hash_str_find_ptr(strings, bytes, length);

	if (string) {
		return string;
	}
	string = zend_string_init(bytes, length, true);
	zend_string_hash_val(string);
	GC_ADD_FLAGS(string, IS_STR_INTERNED | IS_STR_PERMANENT);
	zend_hash_add_new_ptr(strings, string, string);
	return string;
}
