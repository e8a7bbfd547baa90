#include "limiters_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../limit/limit_object.h"
#include "limiter_object.h"
#include "php_ratelimit.h"
#include "src/shm/segment/clock.h"
#include "src/shm/store/shm.h"
#include "../base/store_config.h"

/* A change is taken up after one look, or two of them when the file was just being written. */
#define SETTLED_MS     200
#define FILE_BYTES_MAX (1 << 20)

typedef struct {
	int64_t look_at_ms;          /* the time of the next look */
	php_ratelimit_named *latest; /* the limiter that was found last, borrowed; NULL: none of this version */
	HashTable limiters;          /* name => php_ratelimit_named */
	bool is_read;                /* the limiters are those of some version of the file that had no mistake */
	bool is_unsettled;           /* that version was read while the file may have been written */
	struct stat signature;       /* of the version that was read last, good or bad */
	char *text;                  /* of that version, read before this process was made, and not used yet; or NULL */
	size_t length;
	char problem[512]; /* of that version; "": none */
} limiters_file;

static void free_string(zval *string)
{
	free(Z_PTR_P(string));
}

/* ---- Named limiters ---- */

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

/* ---- The file ---- */

/* Returns the bytes of the file with a NUL behind them, malloc'ed, or NULL with errno set. */
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
	if (text) {
		text[*length] = '\0'; /* PHP's snprintf() measures a string before it shortens it */
	}
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

	php_ratelimit_guard(); /* the first use */
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
			file->is_read                                     ? "the limiters that it had before stay in use"
				: zend_hash_num_elements(&file->limiters) > 0 ? "its other limiters are in use"
															  : "there are no named limiters");
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

/* Lets the limiters of a text replace those before it, if it has no mistake. Before a version without one, those of a text with a
 * mistake are in use, but the limiter that has it. Returns false with the reason of a mistake. */
static bool use_text(limiters_file *file, const char *text, size_t length, char *reason, size_t size)
{
	HashTable limiters;
	bool is_sound;

	zend_hash_init(&limiters, 8, NULL, free_named, true);
	is_sound = php_ratelimit_limiters_parse(text, length, &limiters, reason, size);
	if (!is_sound && file->is_read) {
		zend_hash_destroy(&limiters);
		return false;
	}
	zend_hash_destroy(&file->limiters);
	file->limiters = limiters;
	file->latest = NULL;
	file->is_read = is_sound;
	RATELIMIT_G(limiters)->latest.limiter = NULL;
	RATELIMIT_G(limiters)->version++;
	return is_sound;
}

static void load(limiters_file *file, const char *path)
{
	char reason[384];
	size_t length;
	char *text = read_limiters_text(path, &length, &file->signature);

	if (!text) {
		report(file, path, errno == EINVAL ? "it is no regular file" : strerror(errno));
		return;
	}
	file->is_unsettled = is_being_written(&file->signature);
	if (use_text(file, text, length, reason, sizeof(reason))) {
		file->problem[0] = '\0';
	} else {
		report(file, path, reason);
	}
	free(text);
}

/* Frees the text. If it is no version, the next look reads the file, and reports what it has. */
static void end_text(limiters_file *file, bool is_version)
{
	free(file->text);
	file->text = NULL;
	if (!is_version) {
		memset(&file->signature, 0, sizeof(file->signature));
	}
}

/* Begins with the text that the process read before it made this one. It is no version with a mistake, nor for a user who may not read
 * the file. */
static ZEND_COLD void begin_with(limiters_file *file, const char *path)
{
	bool may_read = access(path, R_OK) == 0 || errno != EACCES;
	char reason[384];

	end_text(file, may_read && use_text(file, file->text, file->length, reason, sizeof(reason)));
}

/* Looks whether the file has changed. */
static zend_never_inline void limiters_look(limiters_file *file, const char *path)
{
	struct stat now;

	file->look_at_ms = rl_clock_coarse_ms() + PHP_RATELIMIT_LOOK_EVERY_MS;
	if (UNEXPECTED(file->text)) {
		begin_with(file, path);
	}
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

static void forget_defined(zval *limiter)
{
	php_ratelimit_limiter_release(Z_PTR_P(limiter));
}

void php_ratelimit_limiter_define(php_ratelimit_limiter *limiter)
{
	HashTable **defined = &RATELIMIT_G(limiters)->defined;

	if (!*defined) {
		ALLOC_HASHTABLE(*defined);
		zend_hash_init(*defined, 8, NULL, forget_defined, false);
	}
	zend_hash_update_ptr(*defined, limiter->name, php_ratelimit_limiter_copy(limiter));
	RATELIMIT_G(limiters)->version++;
}

static void forget_all_defined(void)
{
	HashTable **defined = &RATELIMIT_G(limiters)->defined;

	if (UNEXPECTED(*defined)) {
		zend_hash_destroy(*defined);
		FREE_HASHTABLE(*defined);
		*defined = NULL;
	}
}

void php_ratelimit_limiters_end_request(void)
{
	limiters_file *file = RATELIMIT_G(limiters)->current;
	struct stat now;

	forget_all_defined();
	if (!file || !file->is_read || file->is_unsettled || !php_ratelimit_look_is_due(file->look_at_ms)
		|| stat(ZSTR_VAL(RATELIMIT_G(limiters_path)), &now) != 0 || !same_version(&now, &file->signature)) {
		return; /* nothing to save, or the next decision looks itself */
	}
	file->look_at_ms = rl_clock_coarse_ms() + PHP_RATELIMIT_LOOK_EVERY_MS;
	RATELIMIT_G(limiters)->latest.look_at_ms = file->look_at_ms;
}

static void free_file(zval *file)
{
	limiters_file *f = Z_PTR_P(file);

	zend_hash_destroy(&f->limiters);
	free(f->text);
	free(f);
}

void php_ratelimit_limiters_init(php_ratelimit_limiters *limiters)
{
	zend_hash_init(&limiters->files, 2, NULL, free_file, true);
	zend_hash_init(&limiters->strings, 8, NULL, free_string, true);
	limiters->version = 1;
}

void php_ratelimit_limiters_free(php_ratelimit_limiters *limiters)
{
	zend_hash_destroy(&limiters->files);
	zend_hash_destroy(&limiters->strings);
}

/* Returns the file of ratelimit.limiters, which is not empty, without a look at it. */
static zend_never_inline limiters_file *find_file(void)
{
	HashTable *files = &RATELIMIT_G(limiters)->files;
	const zend_string *path = RATELIMIT_G(limiters_path);
	limiters_file *file = zend_hash_str_find_ptr(files, ZSTR_VAL(path), ZSTR_LEN(path));

	if (!file) {
		file = pecalloc(1, sizeof(*file), true);
		zend_hash_init(&file->limiters, 8, NULL, free_named, true);
		zend_hash_str_add_new_ptr(files, ZSTR_VAL(path), ZSTR_LEN(path), file);
	}
	RATELIMIT_G(limiters)->current = file;
	return file;
}

/* Returns the file as it was at most PHP_RATELIMIT_LOOK_EVERY_MS ago; NULL: the setting is empty. */
static limiters_file *current_file(void)
{
	limiters_file *file = RATELIMIT_G(limiters)->current;

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

void php_ratelimit_limiters_startup(void)
{
	const char *path = ZSTR_VAL(RATELIMIT_G(limiters_path));

	if (path[0]) {
		limiters_file *file = find_file();

		file->text = read_limiters_text(path, &file->length, &file->signature);
		if (!file->text || file->length != (size_t) file->signature.st_size) {
			end_text(file, false);
		}
		file->is_unsettled = is_being_written(&file->signature);
	}
}

static zend_never_inline php_ratelimit_named *find_named(limiters_file *file, zend_string *name)
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
	php_ratelimit_latest *latest = &RATELIMIT_G(limiters)->latest;
	const limiters_file *file = RATELIMIT_G(limiters)->current;

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
		RATELIMIT_G(limiters)->latest.look_at_ms = file->look_at_ms;
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
