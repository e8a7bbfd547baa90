#include "limiters_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limit_export.h"
#include "limiter_object.h"
#include "php_ratelimit.h"
#include "src/shm/clock.h"
#include "src/shm/shm.h"
#include "store_config.h"

/* A change is taken up after one look, or two of them when the file was just being written. */
#define SETTLED_MS     200
#define FILE_BYTES_MAX (1 << 20)

typedef struct {
	int64_t look_at_ms;          /* the time of the next look */
	php_ratelimit_named *latest; /* the limiter that was found last, borrowed; NULL: none of this version */
	HashTable limiters;          /* name => php_ratelimit_named */
	bool is_read;                /* the limiters are those of some version of the file */
	bool is_unsettled;           /* that version was read while the file may have been written */
	struct stat signature;       /* of the version that was read last, good or bad */
	char problem[512];           /* of that version; "": none */
} limiters_file;

/* ---- Strings ---- */

zend_string *php_ratelimit_limiters_string(const char *bytes, size_t length)
{
	HashTable *strings = &RATELIMIT_G(limiters).strings;
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

static void free_string(zval *string)
{
	free(Z_PTR_P(string));
}

/* ---- Named limiters ---- */

void php_ratelimit_named_release(php_ratelimit_named *named)
{
	if (--named->references > 0) {
		return;
	}
	php_ratelimit_networks_free(&named->exempt_networks);
	free(named->exempt_ids);
	free(named);
}

/* Drops the file's references. The limiter has one to its section, so that it is dropped first. */
static void free_named(zval *element)
{
	php_ratelimit_named *named = Z_PTR_P(element);
	php_ratelimit_limiter *limiter = named->limiter;

	named->limiter = NULL;
	if (limiter) {
		php_ratelimit_limiter_release(limiter);
	}
	php_ratelimit_named_release(named);
}

/* ---- The text ---- */

typedef struct {
	HashTable *limiters;
	php_ratelimit_named *section; /* NULL before the first one */
	unsigned line;
	char *reason;
	size_t size;
} file_parser;

static bool file_wrong(const file_parser *p, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

/* Sets the reason. Returns false. */
static bool file_wrong(const file_parser *p, const char *format, ...)
{
	va_list arguments;
	size_t n = (size_t) snprintf(p->reason, p->size, "line %u: ", p->line);

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

/* Checks the labels of a section: all limits have one or none has; there are neither shadow limits, nor exempt identities beside
 * several labels. */
static bool check_labels(const file_parser *p)
{
	const php_ratelimit_named *named = p->section;
	const zend_string *first = named->limits[0].by;
	bool is_exempt = named->n_exempt_ids > 0 || named->exempt_networks.n > 0;

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
		if (by && is_exempt && !zend_string_equals(by, first)) {
			return file_wrong(p, "[%s] has several labels (by=), beside which there is no exempt identity",
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
	for (unsigned i = 0; i < named->n_limits; i++) {
		if (named->limits[i].limit.lease && (named->n_limits > 1 || named->limits[i].limit.ban != RL_BAN_NONE)) {
			return file_wrong(p, "[%s] has a lease, and must then be one limit without a ban", ZSTR_VAL(named->name));
		}
	}
	return check_labels(p);
}

static bool begin_section(file_parser *p, const char *at, const char *end)
{
	php_ratelimit_named *named;
	size_t length;

	if (!end_section(p)) {
		return false;
	}
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
	size_t length = strlen(key);

	if (length > RL_LIMIT_NAME_MAX) {
		return file_wrong(p, "the name of a limit must be at most %d bytes long", RL_LIMIT_NAME_MAX);
	}
	for (const char *c = key; *c; c++) {
		if (*c < 0x20 || *c > 0x7e) {
			return file_wrong(p, "the name of a limit must be printable ASCII, byte 0x%02x given", (unsigned char) *c);
		}
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
		return file_wrong(p, "\"%.128s\" is not a limit: %s", value, reason);
	}
	limit = &named->limits[named->n_limits];
	*limit = read;
	/* A default time zone is that of the request, not that of the worker's first one. */
	limit->zone = text.zone[0] ? php_ratelimit_limiters_string(ZSTR_VAL(read.zone), ZSTR_LEN(read.zone)) : NULL;
	if (read.zone) {
		zend_string_release(read.zone);
	}
	limit->by = read.by ? php_ratelimit_limiters_string(ZSTR_VAL(read.by), ZSTR_LEN(read.by)) : NULL;
	if (read.by) {
		zend_string_release(read.by);
	}
	if (read.name) {
		zend_string_release(read.name);
	}
	if (read.steps) {
		limit->steps = php_ratelimit_limiters_string(ZSTR_VAL(read.steps), ZSTR_LEN(read.steps));
		limit->limit.steps = (const rl_ban_steps *) (const void *) ZSTR_VAL(limit->steps);
		zend_string_release(read.steps);
	}
	if (!set_limit_name(p, limit, key, text.name)) {
		return false;
	}
	named->n_limits++;
	return true;
}

static bool set_named_store(const file_parser *p, const char *value)
{
	zend_string *dsn = php_ratelimit_limiters_string(value, strlen(value));
	rl_error e;

	if (!php_ratelimit_is_embedded_dsn(dsn) && !rl_redis_dsn_check(ZSTR_VAL(dsn), ZSTR_LEN(dsn), &e)) {
		return file_wrong(p, "store must be \"shm:\" or the DSN of a Redis server: %s", e.message);
	}
	p->section->store = dsn;
	return true;
}

static bool set_policy(const file_parser *p, const char *value)
{
	for (unsigned i = 0; i < sizeof(rl_on_failure_names) / sizeof(*rl_on_failure_names); i++) {
		if (strcmp(value, rl_on_failure_names[i]) == 0) {
			p->section->has_policy = true;
			p->section->on_failure = (rl_on_failure) i;
			return true;
		}
	}
	return file_wrong(p, "on_failure must be local, allow, deny or throw, \"%.32s\" given", value);
}

/* Reads addresses, networks and identities. A text with a slash is a network. */
static bool set_exempt(const file_parser *p, const char *value)
{
	static const char separators[] = ", \t";
	php_ratelimit_named *named = p->section;
	char reason[192], one[RL_NAME_MAX + 1];

	for (value += strspn(value, separators); *value; value += strspn(value, separators)) {
		size_t length = strcspn(value, separators);
		php_ratelimit_networks network;

		if (length > RL_NAME_MAX) {
			return file_wrong(p, "an exempt identity must be at most %d bytes long", RL_NAME_MAX);
		}
		memcpy(one, value, length);
		one[length] = '\0';
		value += length;
		if (php_ratelimit_networks_parse(&network, one, reason, sizeof(reason))) {
			named->exempt_networks.networks = safe_perealloc(named->exempt_networks.networks,
				named->exempt_networks.n + 1, sizeof(*network.networks), 0, true);
			named->exempt_networks.networks[named->exempt_networks.n++] = network.networks[0];
			php_ratelimit_networks_free(&network);
		} else if (strchr(one, '/')) {
			return file_wrong(p, "exempt %s", reason);
		} else {
			named->exempt_ids = safe_perealloc(named->exempt_ids, named->n_exempt_ids + 1, sizeof(zend_string *), 0,
				true);
			named->exempt_ids[named->n_exempt_ids++] = php_ratelimit_limiters_string(one, length);
		}
	}
	return true;
}

static bool read_entry(file_parser *p, const char *at, const char *end)
{
	const char *equals = memchr(at, '=', (size_t) (end - at)), *key_end = equals, *from = equals + 1;
	char key[RL_NAME_MAX + 1], value[1024];

	if (!equals || equals == at) {
		return file_wrong(p, "a line is [limiter], name = limit, a setting or a comment");
	}
	if (!p->section) {
		return file_wrong(p, "a limiter's name comes first, as [login]");
	}
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
	return strcmp(key, "exempt") == 0 ? set_exempt(p, value) : add_limit_line(p, key, value);
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

static bool parse_limiters(const char *text, size_t length, HashTable *limiters, char *reason, size_t size)
{
	file_parser p = {.limiters = limiters, .reason = reason, .size = size};
	const char *at = text, *end = text + length;

	if (memchr(text, '\0', length)) {
		p.line = 1;
		return file_wrong(&p, "the file has NUL bytes");
	}
	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t) (end - at)), *from = at, *to;

		p.line++;
		eol = eol ? eol : end;
		at = eol + 1;
		to = without_comment(from, eol);
		trim(&from, &to);
		if (from == to || *from == '#') {
			continue;
		}
		if (*from == '[' ? !begin_section(&p, from, to) : !read_entry(&p, from, to)) {
			return false;
		}
	}
	return end_section(&p) && (p.section || file_wrong(&p, "the file has no limiter"));
}

/* ---- The file ---- */

/* Returns the bytes of the file, malloc'ed, or NULL with errno set. */
static char *read_limiters_text(const char *path, size_t *length, struct stat *signature)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	ssize_t n;

	if (file < 0) {
		return NULL;
	}
	if (fstat(file, signature) == 0) {
		errno = !S_ISREG(signature->st_mode) ? EINVAL : signature->st_size > FILE_BYTES_MAX ? EFBIG : 0;
		if (errno == 0) {
			text = pemalloc((size_t) signature->st_size + 1, true);
		}
	}
	for (*length = 0; text && *length < (size_t) signature->st_size; *length += (size_t) n) {
		n = read(file, text + *length, (size_t) signature->st_size - *length);
		if (n <= 0) {
			break; /* it has become shorter: the next look reads it again */
		}
	}
	close(file);
	return text;
}

/* Returns whether the log of this machine has no line yet about this version of the file. The segment counts it. */
static bool is_news(const char *path, const struct stat *signature)
{
	rl_store *store = rl_shm_store();
	rl_counter_question once = {.seconds = 86400, .limit = 1};
	char id[160];
	rl_key key = {.space = RL_SPACE_ACTION, .name = "ratelimit.limiters", .name_len = 18, .id = id};
	rl_decision d;
	rl_error e;

	key.id_len = (size_t) snprintf(id, sizeof(id), "%jd.%jd.%jd.%09ld.%jd." ZEND_ULONG_FMT,
		(intmax_t) signature->st_dev, (intmax_t) signature->st_ino, (intmax_t) signature->st_mtime,
		signature->st_mtim.tv_nsec, (intmax_t) signature->st_size, zend_inline_hash_func(path, strlen(path)));
	return !store || store->ops->count(store, &key, &once, &d, &e) != RL_OK || d.accepted;
}

static ZEND_COLD void report(limiters_file *file, const char *path, const char *reason)
{
	char line[1024];

	snprintf(file->problem, sizeof(file->problem), "%s: %s", path, reason);
	if (is_news(path, &file->signature)) {
		snprintf(line, sizeof(line), "ratelimit: ratelimit.limiters: %s; %s", file->problem,
			file->is_read ? "the limiters that it had before stay in use" : "there are no named limiters");
		php_log_err(line);
	}
}

static bool same_version(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtime == b->st_mtime
		&& a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctime == b->st_ctime
		&& a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Returns whether the file was changed so recently that its writer may not have finished. */
static bool is_being_written(const struct stat *signature)
{
	struct timespec now;
	int64_t age_ms;

	clock_gettime(CLOCK_REALTIME, &now);
	age_ms = ((int64_t) now.tv_sec - signature->st_mtime) * 1000 + (now.tv_nsec - signature->st_mtim.tv_nsec) / 1000000;
	return age_ms >= 0 && age_ms < SETTLED_MS;
}

/* Reads the file. Its limiters replace those of the version before, if it has no mistake. */
static void load(limiters_file *file, const char *path)
{
	HashTable limiters;
	char reason[384];
	size_t length;
	char *text = read_limiters_text(path, &length, &file->signature);

	if (!text) {
		report(file, path, errno == EINVAL ? "it is no regular file" : strerror(errno));
		return;
	}
	file->is_unsettled = is_being_written(&file->signature);
	zend_hash_init(&limiters, 8, NULL, free_named, true);
	if (parse_limiters(text, length, &limiters, reason, sizeof(reason))) {
		zend_hash_destroy(&file->limiters);
		file->limiters = limiters;
		file->latest = NULL;
		RATELIMIT_G(limiters).latest.limiter = NULL;
		file->is_read = true;
		file->problem[0] = '\0';
	} else {
		report(file, path, reason);
		zend_hash_destroy(&limiters);
	}
	free(text);
}

/* Looks whether the file has changed. */
static zend_never_inline void limiters_look(limiters_file *file, const char *path)
{
	struct stat now;

	file->look_at_ms = rl_clock_coarse_ms() + PHP_RATELIMIT_LOOK_EVERY_MS;
	if (stat(path, &now) != 0) {
		bool is_new = file->signature.st_ino != 0 || !file->problem[0];
		int error = errno;

		memset(&file->signature, 0, sizeof(file->signature));
		if (is_new) {
			report(file, path, strerror(error));
		}
		return;
	}
	if (same_version(&now, &file->signature) && !file->is_unsettled) {
		return;
	}
	if (!file->is_read || !is_being_written(&now)) {
		load(file, path);
	}
}

void php_ratelimit_limiters_end_request(void)
{
	limiters_file *file = RATELIMIT_G(limiters).current;
	struct stat now;

	if (!file || !file->is_read || file->is_unsettled || !php_ratelimit_look_is_due(file->look_at_ms)
		|| stat(ZSTR_VAL(RATELIMIT_G(limiters_path)), &now) != 0 || !same_version(&now, &file->signature)) {
		return; /* nothing to save, or the next decision looks itself */
	}
	file->look_at_ms = rl_clock_coarse_ms() + PHP_RATELIMIT_LOOK_EVERY_MS;
	RATELIMIT_G(limiters).latest.look_at_ms = file->look_at_ms;
}

static void free_file(zval *file)
{
	zend_hash_destroy(&((limiters_file *) Z_PTR_P(file))->limiters);
	free(Z_PTR_P(file));
}

void php_ratelimit_limiters_init(php_ratelimit_limiters *limiters)
{
	zend_hash_init(&limiters->files, 2, NULL, free_file, true);
	zend_hash_init(&limiters->strings, 8, NULL, free_string, true);
}

void php_ratelimit_limiters_free(php_ratelimit_limiters *limiters)
{
	zend_hash_destroy(&limiters->files);
	zend_hash_destroy(&limiters->strings);
}

/* Returns the file of ratelimit.limiters, which is not empty, without a look at it. */
static zend_never_inline limiters_file *find_file(void)
{
	HashTable *files = &RATELIMIT_G(limiters).files;
	const zend_string *path = RATELIMIT_G(limiters_path);
	limiters_file *file = zend_hash_str_find_ptr(files, ZSTR_VAL(path), ZSTR_LEN(path));

	if (!file) {
		file = pecalloc(1, sizeof(*file), true);
		zend_hash_init(&file->limiters, 8, NULL, free_named, true);
		zend_hash_str_add_new_ptr(files, ZSTR_VAL(path), ZSTR_LEN(path), file);
	}
	RATELIMIT_G(limiters).current = file;
	return file;
}

/* Returns the file as it was at most PHP_RATELIMIT_LOOK_EVERY_MS ago; NULL: the setting is empty. */
static RL_FIRST limiters_file *current_file(void)
{
	limiters_file *file = RATELIMIT_G(limiters).current;

	if (UNEXPECTED(!file)) {
		if (ZSTR_LEN(RATELIMIT_G(limiters_path)) == 0) {
			return NULL;
		}
		file = find_file();
	}
	if (UNEXPECTED(php_ratelimit_look_is_due(file->look_at_ms))) {
		limiters_look(file, ZSTR_VAL(RATELIMIT_G(limiters_path)));
	}
	return file;
}

static RL_FIRST zend_never_inline php_ratelimit_named *find_named(limiters_file *file, zend_string *name)
{
	php_ratelimit_named *named = zend_hash_find_ptr(&file->limiters, name);

	if (named) {
		file->latest = named;
	}
	return named;
}

php_ratelimit_named *php_ratelimit_named_find(zend_string *name)
{
	limiters_file *file = current_file();

	if (UNEXPECTED(!file)) {
		return NULL;
	}
	/* A request's first search in the table would cost more cache lines than this comparison. */
	return EXPECTED(file->latest && zend_string_equals(file->latest->name, name)) ? file->latest
																				  : find_named(file, name);
}

void php_ratelimit_named_note(const php_ratelimit_named *named, php_ratelimit_limiter *limiter)
{
	php_ratelimit_latest *latest = &RATELIMIT_G(limiters).latest;
	const limiters_file *file = RATELIMIT_G(limiters).current;

	if (ZSTR_LEN(named->name) > PHP_RATELIMIT_LATEST_NAME_MAX) {
		return;
	}
	latest->look_at_ms = file->look_at_ms;
	latest->limiter = limiter;
	latest->length = ZSTR_LEN(named->name);
	memcpy(latest->name, ZSTR_VAL(named->name), latest->length);
}

void php_ratelimit_named_look(void)
{
	const limiters_file *file = current_file();

	if (file) {
		RATELIMIT_G(limiters).latest.look_at_ms = file->look_at_ms;
	}
}

void php_ratelimit_named_each(void (*call)(const php_ratelimit_named *named, void *context), void *context)
{
	limiters_file *file = current_file();
	const php_ratelimit_named *named;

	if (file) {
		ZEND_HASH_FOREACH_PTR(&file->limiters, named) {
			call(named, context);
		}
		ZEND_HASH_FOREACH_END();
	}
}

const char *php_ratelimit_limiters_problem(void)
{
	const limiters_file *file = current_file();

	return file && file->problem[0] ? file->problem : NULL;
}
