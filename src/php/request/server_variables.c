#include "server_variables.h"

#include "SAPI.h"
#include "php_globals.h"

#include "../base/store_config.h"
#include "php_ratelimit.h"
#include "../base/optional_string.h"

/* Looks up what php-fpm's variables depend on. php-fpm loads no extension at run time, so both stay where they are. */
static zend_never_inline void find_sources(php_ratelimit_sources *sources)
{
	sources->are_known = true;
	if (php_ratelimit_is_fpm()) {
		sources->server = zend_hash_find_ptr(CG(auto_globals), ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER));
		sources->filter = zend_hash_str_find_ptr(EG(ini_directives), ZEND_STRL("filter.default"));
	}
}

/* Returns whether PHP would build $_SERVER only now, of php-fpm's parameters, which are known without it. */
static bool is_in_parameters(void)
{
	php_ratelimit_sources *sources = RATELIMIT_G(sources);

	if (UNEXPECTED(!sources->are_known)) {
		find_sources(sources);
	}
	return sources->server && sources->server->armed;
}

/* Returns whether PHP leaves php-fpm's variables as they come: ext/filter may change each of them. */
static bool is_unfiltered(void)
{
	const zend_ini_entry *filter = RATELIMIT_G(sources)->filter;

	return !filter || (filter->value && zend_string_equals_literal(filter->value, "unsafe_raw"));
}

/* Returns a variable as the web server has passed it, a new string; NULL: it is not set. */
static zend_string *parameter(const char *name, size_t length)
{
	char *found = sapi_getenv(name, length);
	zend_string *string;

	if (!found) {
		return NULL;
	}
	string = zend_string_init(found, strlen(found), false);
	efree(found);
	return string;
}

/* Does the same in php-fpm, without the copy that sapi_getenv() makes for the filter. Its memory may be the first of its size in
 * the request, which costs as much as all else here. */
static zend_string *fpm_parameter(const char *name, size_t length)
{
	const char *found;

	if (UNEXPECTED(!is_unfiltered())) {
		return parameter(name, length);
	}
	found = sapi_module.getenv(name, length);
	return found ? zend_string_init(found, strlen(found), false) : NULL;
}

zend_string *php_ratelimit_request_variable(const char *name, size_t length)
{
	zval *server, *value;

	if (!SG(request_info).request_method) {
		return NULL;
	}
	if (is_in_parameters()) {
		zend_string *string = fpm_parameter(name, length);

		/* PHP adds the process' environment to the parameters, which come first. */
		if (EXPECTED(string) || !getenv(name)) {
			return string;
		}
	}
	zend_is_auto_global(ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER));
	server = &PG(http_globals)[TRACK_VARS_SERVER];
	if (EXPECTED(Z_TYPE_P(server) == IS_ARRAY) && (value = zend_hash_str_find(Z_ARRVAL_P(server), name, length))) {
		ZVAL_DEREF(value);
		return Z_TYPE_P(value) == IS_STRING ? zend_string_copy(Z_STR_P(value)) : NULL;
	}
	/* variables_order may keep $_SERVER empty. */
	return parameter(name, length);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes percent-encoding (of any depth), lowers letters and turns backslashes, in place. A decoded ? or # ends the path. Returns the
 * new length. */
static size_t decode(char *path, size_t length)
{
	size_t out = 0;

	for (size_t i = 0; i < length && (out == 0 || (path[out - 1] != '?' && path[out - 1] != '#')); i++) {
		char c = path[i];

		path[out++] = c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
		/* A decoded character may complete another %xx. */
		while (out >= 3 && path[out - 3] == '%' && hex_digit(path[out - 2]) >= 0 && hex_digit(path[out - 1]) >= 0) {
			c = (char) (hex_digit(path[out - 2]) * 16 + hex_digit(path[out - 1]));
			out -= 3;
			path[out++] = c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
		}
	}
	if (path[out - 1] == '?' || path[out - 1] == '#') {
		out--;
	}
	for (size_t i = 0; i < out; i++) {
		if (path[i] == '\\') {
			path[i] = '/';
		}
	}
	return out;
}

/* Removes empty segments, ".", "..", parameters of a segment (";v=1") and a slash at the end, in place. Returns the new
 * length. */
static size_t fold_segments(char *path, size_t length)
{
	size_t out = 0, i = 0;

	while (i < length) {
		size_t start, end;

		while (i < length && path[i] == '/') {
			i++;
		}
		start = end = i;
		while (i < length && path[i] != '/') {
			i++;
		}
		while (end < i && path[end] != ';') {
			end++;
		}
		if (end == start || (end - start == 1 && path[start] == '.')) {
			continue;
		}
		if (end - start == 2 && path[start] == '.' && path[start + 1] == '.') {
			while (out > 0 && path[--out] != '/') {
			}
			continue;
		}
		/* The output never overtakes the input: each segment had a slash of its own. */
		path[out++] = '/';
		memmove(path + out, path + start, end - start);
		out += end - start;
	}
	if (out == 0) {
		path[out++] = '/';
	}
	return out;
}

/* Returns whether a path in a URI is canonical as it is: small letters, digits, and slashes with something between them. */
static bool is_canonical(const char *path, size_t length)
{
	char before = 0;

	for (size_t i = 0; i < length; i++) {
		char c = path[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';

		if (!is_letter && (before == '/' || !(c == '/' || (c == '.' && i > 0)))) {
			return false;
		}
		before = c;
	}
	return length > 0 && path[0] == '/' && (before != '/' || length == 1);
}

/* Returns a URI that is nothing but a canonical path, perhaps with a query behind it, as such a path; else NULL. */
static zend_always_inline zend_string *canonical_already(zend_string *uri)
{
	const char *query = memchr(ZSTR_VAL(uri), '?', ZSTR_LEN(uri));
	size_t length = query ? (size_t) (query - ZSTR_VAL(uri)) : ZSTR_LEN(uri);

	if (!is_canonical(ZSTR_VAL(uri), length)) {
		return NULL;
	}
	return query ? zend_string_init(ZSTR_VAL(uri), length, false) : zend_string_copy(uri);
}

static zend_never_inline zend_string *make_canonical(const zend_string *uri)
{
	const char *start = ZSTR_VAL(uri), *end = start + ZSTR_LEN(uri), *scheme;
	zend_string *path;
	size_t length = 0;

	/* "GET http://host/path" and "http://host?query" are allowed; a later "://" is part of the path. */
	for (scheme = start; scheme < end && !memchr("/?#:", *scheme, 4); scheme++) {
	}
	if (scheme < end && *scheme == ':') {
		start = scheme + 1;
		if (end - start >= 2 && memcmp(start, "//", 2) == 0) {
			for (start += 2; start < end && !memchr("/?#", *start, 3); start++) {
			}
		}
	}
	while (start + length < end && start[length] != '?' && start[length] != '#') {
		length++;
	}
	/* One byte more: a path without a slash in front gets one. */
	path = zend_string_alloc(length + 1, false);
	ZSTR_VAL(path)[0] = '/';
	memcpy(ZSTR_VAL(path) + 1, start, length);
	length = fold_segments(ZSTR_VAL(path), decode(ZSTR_VAL(path), length + 1));
	ZSTR_VAL(path)[length] = '\0';
	ZSTR_LEN(path) = length;
	return path;
}

zend_string *php_ratelimit_canonical_path(zend_string *uri)
{
	zend_string *path = canonical_already(uri);

	return EXPECTED(path) ? path : make_canonical(uri);
}

/* Returns whether a path is below a script's: "/page.php/more". */
static bool is_below(const zend_string *path, const zend_string *script)
{
	return ZSTR_LEN(path) > ZSTR_LEN(script) && ZSTR_LEN(script) > 1 && ZSTR_VAL(path)[ZSTR_LEN(script)] == '/'
		&& memcmp(ZSTR_VAL(path), ZSTR_VAL(script), ZSTR_LEN(script)) == 0;
}

/* Returns a variable as a canonical path, a new reference; NULL: it is not set. */
static zend_string *path_variable(const char *name, size_t length)
{
	zend_string *uri = php_ratelimit_request_variable(name, length), *path = NULL;

	if (uri) {
		path = php_ratelimit_canonical_path(uri);
		zend_string_release(uri);
	}
	return path;
}

zend_string *php_ratelimit_request_path(void)
{
	zend_string *path = path_variable(ZEND_STRL("REQUEST_URI")), *script;

	/* A path with one slash is below no script. */
	if (path && !memchr(ZSTR_VAL(path) + 1, '/', ZSTR_LEN(path) - 1)) {
		return path;
	}
	script = path_variable(ZEND_STRL("SCRIPT_NAME"));
	/* "/page.php/more" is page.php, which may ignore the rest. */
	if (script && (!path || is_below(path, script))) {
		zend_string *below = path;

		path = script;
		script = below;
	}
	php_ratelimit_string_release(script);
	return path;
}
