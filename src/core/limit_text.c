#include "limit_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calendar_text.h"

/* The words of the grammar. */
static const char *const algorithm_words[RL_ALGORITHMS + 1] = {
	[RL_FIXED_WINDOW] = "fixed",
	[RL_CALENDAR_WINDOW] = "calendar",
	[RL_SLIDING_LOG] = "log",
	[RL_SLIDING_WINDOW] = "window",
	[RL_TOKEN_BUCKET] = "bucket",
	[RL_CONCURRENT] = "concurrent",
};

/* The units of durations, the largest first. */
static const struct {
	const char *word;
	int64_t us;
} units[] = {
	{"w", 604800 * RL_US_PER_SECOND},
	{"d", 86400 * RL_US_PER_SECOND},
	{"h", 3600 * RL_US_PER_SECOND},
	{"m", 60 * RL_US_PER_SECOND},
	{"s", RL_US_PER_SECOND},
	{"ms", RL_US_PER_MS},
};

#define UNITS (sizeof units / sizeof *units)

const char *rl_algorithm_word(rl_algorithm algorithm)
{
	return algorithm_words[algorithm];
}

/* ---- Reading ---- */

/* A piece of the text. */
typedef struct {
	const char *at, *end;
} text_piece;

typedef struct {
	text_piece rest;
	int64_t number; /* in front of the slash */
	rl_limit_text *limit;
	char *reason;
	size_t size;
} text_reader;

static bool text_wrong(const text_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the reason. Returns false. */
static bool text_wrong(const text_reader *r, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(r->reason, r->size, format, arguments);
	va_end(arguments);
	return false;
}

/* The most bytes of a piece that a message shows: "%.*s", SHOWN(piece). */
#define SHOWN(piece) ((int) ((piece).end - (piece).at < 48 ? (piece).end - (piece).at : 48)), (piece).at

static bool piece_is(text_piece piece, const char *word)
{
	size_t length = strlen(word);

	return (size_t) (piece.end - piece.at) == length && memcmp(piece.at, word, length) == 0;
}

/* Takes the piece up to one of the bytes in stops, or up to the end. */
static text_piece take_until(text_piece *rest, const char *stops)
{
	text_piece piece = {rest->at, rest->at};

	while (piece.end < rest->end && (*piece.end == '\0' || strchr(stops, *piece.end) == NULL)) {
		piece.end++;
	}
	rest->at = piece.end;
	return piece;
}

/* Takes one byte, if the rest begins with it. */
static bool take(text_piece *rest, char byte)
{
	bool is_there = rest->at < rest->end && *rest->at == byte;

	rest->at += is_there;
	return is_there;
}

/* Takes the digits in front, 1 to RL_TEXT_NUMBER_DIGITS of them. Returns how many; 0: there are none, or too many. */
static unsigned take_digits(text_piece *rest, int64_t *number)
{
	unsigned n = 0;

	*number = 0;
	for (; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++) {
		if (++n > RL_TEXT_NUMBER_DIGITS) {
			return 0;
		}
		*number = *number * 10 + (*rest->at - '0');
	}
	return n;
}

/* Takes a number with up to 6 decimals, as so many units of us. Saturates far above every bound. */
static bool take_decimal(text_piece *rest, int64_t *whole, int64_t *millionths)
{
	int64_t fraction;
	unsigned n;

	*millionths = 0;
	if (take_digits(rest, whole) == 0) {
		return false;
	}
	if (!take(rest, '.')) {
		return true;
	}
	n = take_digits(rest, &fraction);
	if (n == 0 || n > 6) {
		return false;
	}
	for (; n < 6; n++) {
		fraction *= 10;
	}
	*millionths = fraction;
	return true;
}

/* Reads all of a piece as a duration: 500ms, 1.5h. Rounds to a whole microsecond. */
static bool read_duration(const text_reader *r, text_piece piece, int64_t *us)
{
	text_piece rest = piece;
	int64_t whole, millionths;
	size_t i = 0;

	if (!take_decimal(&rest, &whole, &millionths)) {
		i = UNITS;
	}
	while (i < UNITS && !piece_is(rest, units[i].word)) {
		i++;
	}
	if (i == UNITS) {
		return text_wrong(r, "a duration looks like 500ms, 30s, 5m, 2h, 1d or 1w, \"%.*s\" given", SHOWN(piece));
	}
	*us = whole > RL_PERIOD_MAX_US / units[i].us
		? RL_PERIOD_MAX_US + 1
		: whole * units[i].us + (millionths * (units[i].us / RL_US_PER_MS) + 500) / 1000;
	if (*us < RL_PERIOD_MIN_US || *us > RL_PERIOD_MAX_US) {
		return text_wrong(r, "a duration must be between 1ms and 3650d, \"%.*s\" given", SHOWN(piece));
	}
	return true;
}

static bool read_zone(const text_reader *r, text_piece piece)
{
	size_t length = (size_t) (piece.end - piece.at);

	if (length == 0 || length > RL_ZONE_MAX || memchr(piece.at, '\0', length) != NULL) {
		return text_wrong(r, "a time zone looks like Asia/Shanghai, \"%.*s\" given", SHOWN(piece));
	}
	memcpy(r->limit->zone, piece.at, length);
	r->limit->zone[length] = '\0';
	return true;
}

static bool check_number(const text_reader *r, const char *name, int64_t number, int64_t max)
{
	return (number >= 1 && number <= max)
		|| text_wrong(r, "%s must be between 1 and %" PRId64 ", %" PRId64 " given", name, max, number);
}

/* ---- Reading: the options ---- */

static bool read_burst(const text_reader *r, text_piece value)
{
	text_piece rest = value;
	int64_t burst;

	if (r->limit->limit.algorithm != RL_TOKEN_BUCKET) {
		return text_wrong(r, "only a bucket has a burst");
	}
	if (take_digits(&rest, &burst) == 0 || rest.at != rest.end) {
		return text_wrong(r, "a burst is a number, \"%.*s\" given", SHOWN(value));
	}
	r->limit->limit.limit = (uint64_t) burst;
	return check_number(r, "burst", burst, RL_LIMIT_MAX);
}

/* Reads the unix time of ban=@1900000000. */
static bool read_ban_moment(const text_reader *r, text_piece value)
{
	text_piece rest = {value.at + 1, value.end};
	int64_t whole, millionths;

	if (!take_decimal(&rest, &whole, &millionths) || rest.at != rest.end || whole > INT64_C(253402300799)) {
		return text_wrong(r, "a moment is a unix time as @1900000000, \"%.*s\" given", SHOWN(value));
	}
	r->limit->limit.ban = RL_BAN_UNTIL;
	r->limit->limit.ban_us = whole * RL_US_PER_SECOND + millionths;
	return true;
}

/* Reads ban=1h, ban=day, ban=day@Asia/Shanghai or ban=@1900000000. */
static bool read_ban(const text_reader *r, text_piece value)
{
	rl_limit *limit = &r->limit->limit;
	text_piece rest = value, word = take_until(&rest, "@");

	if (limit->algorithm == RL_CONCURRENT) {
		return text_wrong(r, "a concurrent limit has no ban");
	}
	if (limit->ban != RL_BAN_NONE) {
		return text_wrong(r, "no limit has both ban and bans");
	}
	if (word.at == word.end && rest.at < rest.end) {
		return read_ban_moment(r, value);
	}
	r->limit->ban_period = rl_period_read(word.at, (size_t) (word.end - word.at));
	if (r->limit->ban_period == 0 || rl_period_is_interval(r->limit->ban_period)) {
		r->limit->ban_period = 0;
		limit->ban = RL_BAN_FOR;
		return read_duration(r, value, &limit->ban_us);
	}
	limit->ban = RL_BAN_UNTIL;
	if (!take(&rest, '@')) {
		return true;
	}
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		return text_wrong(r, "a ban until a period is in the time zone of the calendar, \"%.*s\" given", SHOWN(value));
	}
	return read_zone(r, rest);
}

/* Reads bans=1m+10m+1h. */
static bool read_bans(const text_reader *r, text_piece value)
{
	rl_ban_steps *steps = &r->limit->steps;

	if (r->limit->limit.algorithm == RL_CONCURRENT || r->limit->limit.ban != RL_BAN_NONE) {
		return text_wrong(r, "a concurrent limit has no bans, and no limit has both ban and bans");
	}
	do {
		text_piece piece = take_until(&value, "+ ");

		if (steps->n == RL_BAN_STEPS_MAX) {
			return text_wrong(r, "bans have at most %d times", RL_BAN_STEPS_MAX);
		}
		if (!read_duration(r, piece, &steps->us[steps->n])) {
			return false;
		}
		if (steps->n > 0 && steps->us[steps->n] < steps->us[steps->n - 1]) {
			return text_wrong(r, "a ban must be at least as long as the one before it, \"%.*s\" given", SHOWN(piece));
		}
		steps->n++;
	} while (take(&value, '+') || take(&value, ' '));
	r->limit->limit.ban = RL_BAN_STEPS;
	r->limit->limit.steps = steps;
	return true;
}

static bool read_forget(const text_reader *r, text_piece value)
{
	return read_duration(r, value, &r->limit->steps.forget_us);
}

static bool read_anchor(const text_reader *r, text_piece value)
{
	uint64_t period = r->limit->limit.period;

	if (!rl_period_is_interval(period)) {
		return text_wrong(r, "only a calendar of an interval (every-1mo) begins at a moment");
	}
	r->limit->has_anchor = rl_anchor_read(value.at, (size_t) (value.end - value.at), period, &r->limit->anchor);
	return r->limit->has_anchor
		|| text_wrong(r, "an interval begins at a moment as %s, \"%.*s\" given",
			(period & 0xff) == RL_EVERY_SECONDS ? "2026-01-31T09:00:00Z" : "2026-01-31 or 2026-01-31T09:00:00",
			SHOWN(value));
}

/* Reads carry=100. */
static bool read_carry(const text_reader *r, text_piece value)
{
	text_piece rest = value;
	int64_t permits;

	if (r->limit->limit.algorithm != RL_FIXED_WINDOW && r->limit->limit.algorithm != RL_CALENDAR_WINDOW) {
		return text_wrong(r, "only a fixed or calendar window has a carry");
	}
	if (take_digits(&rest, &permits) == 0 || rest.at != rest.end) {
		return text_wrong(r, "a carry is a number of permits, \"%.*s\" given", SHOWN(value));
	}
	r->limit->limit.carry = (uint64_t) permits;
	return check_number(r, "carry", permits, (int64_t) rl_carry_max(r->limit->limit.limit));
}

static bool read_lease(const text_reader *r, text_piece value)
{
	text_piece rest = value;
	int64_t permits;

	if (piece_is(value, "auto")) {
		r->limit->auto_lease = true;
		return true;
	}
	if (r->limit->limit.algorithm != RL_FIXED_WINDOW && r->limit->limit.algorithm != RL_CALENDAR_WINDOW) {
		return text_wrong(r, "only a fixed or calendar window has a lease of a given number, others have lease=auto");
	}
	if (take_digits(&rest, &permits) == 0 || rest.at != rest.end) {
		return text_wrong(r, "a lease is a number of permits or \"auto\", \"%.*s\" given", SHOWN(value));
	}
	/* The lease comes on top of the permit of the call that takes the batch. */
	r->limit->limit.lease = (uint32_t) (permits - 1);
	return check_number(r, "lease", permits, RL_COUNTER_MAX);
}

/* Returns the number of a hexadecimal digit; -1: it is none. */
static int text_hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0'
		: c >= 'A' && c <= 'F'  ? c - 'A' + 10
		: c >= 'a' && c <= 'f'  ? c - 'a' + 10
								: -1;
}

/* Takes a byte of a name, or the byte that %2C stands for. Returns -1 for another percent sign. */
static int take_byte(text_piece *rest)
{
	int byte = (unsigned char) *rest->at++;

	if (byte != '%') {
		return byte;
	}
	if (rest->end - rest->at < 2 || text_hex_digit(rest->at[0]) < 0 || text_hex_digit(rest->at[1]) < 0) {
		return -1;
	}
	byte = text_hex_digit(rest->at[0]) * 16 + text_hex_digit(rest->at[1]);
	rest->at += 2;
	return byte;
}

/* Reads a name, or a label as one. */
static bool read_word(const text_reader *r, text_piece value, char word[RL_LIMIT_NAME_MAX + 1])
{
	text_piece rest = value;
	size_t length = 0;

	while (rest.at < rest.end) {
		int byte = take_byte(&rest);

		if (byte < 0x20 || byte > 0x7e) {
			return text_wrong(r,
				byte < 0 ? "in a name %%25 stands for the percent sign, \"%.*s\" given"
						 : "a name must be printable ASCII, \"%.*s\" given",
				SHOWN(value));
		}
		if (length == RL_LIMIT_NAME_MAX) {
			return text_wrong(r, "a name must be between 1 and %d bytes long, \"%.*s\" given", RL_LIMIT_NAME_MAX,
				SHOWN(value));
		}
		word[length++] = (char) byte;
	}
	word[length] = '\0';
	return true;
}

static bool read_name(const text_reader *r, text_piece value)
{
	return read_word(r, value, r->limit->name);
}

static bool read_by(const text_reader *r, text_piece value)
{
	return read_word(r, value, r->limit->by);
}

static bool read_shadow(const text_reader *r, text_piece value)
{
	(void) value;
	r->limit->shadow = true;
	return true;
}

static const struct {
	const char *name;
	bool (*read)(const text_reader *r, text_piece value);
	bool is_flag; /* it has no value */
} options[] = {
	{"burst", read_burst, false},
	{"from", read_anchor, false},
	{"ban", read_ban, false},
	{"bans", read_bans, false},
	{"forget", read_forget, false},
	{"carry", read_carry, false},
	{"lease", read_lease, false},
	{"shadow", read_shadow, true},
	{"by", read_by, false},
	{"name", read_name, false},
};

#define OPTIONS (sizeof options / sizeof *options)

/* Reads the options behind the period, each once and in any order. */
static bool read_options(text_reader *r)
{
	unsigned seen = 0;

	while (take(&r->rest, ',')) {
		text_piece option = take_until(&r->rest, ","), value = option, name = take_until(&value, "=");
		size_t i = 0;

		while (i < OPTIONS && !piece_is(name, options[i].name)) {
			i++;
		}
		if (i == OPTIONS || (seen & 1u << i)
			|| (options[i].is_flag ? value.at < value.end : !take(&value, '=') || value.at == value.end)) {
			return text_wrong(r, "\"%.*s\" is not an option of it", SHOWN(option));
		}
		seen |= 1u << i;
		if (!options[i].read(r, value)) {
			return false;
		}
	}
	return true;
}

/* Checks that bans and forget are both there, or none. */
static bool check_bans(const text_reader *r)
{
	const rl_ban_steps *steps = &r->limit->steps;

	if ((steps->n == 0) != (steps->forget_us == 0)) {
		return text_wrong(r, "bans and forget need each other, as bans=1m+10m,forget=1d");
	}
	return steps->n == 0 || steps->forget_us >= steps->us[steps->n - 1]
		|| text_wrong(r, "forget must be at least the longest time of bans");
}

/* Checks that no limit has both a carry and a lease. */
static bool check_carry(const text_reader *r)
{
	return r->limit->limit.carry == 0 || r->limit->limit.lease == 0
		|| text_wrong(r, "no limit has both carry and lease");
}

/* ---- Reading: the algorithm, the number and the period ---- */

static bool read_algorithm(const text_reader *r, text_piece word)
{
	for (unsigned i = 1; i <= RL_ALGORITHMS; i++) {
		if (piece_is(word, algorithm_words[i])) {
			r->limit->limit.algorithm = (rl_algorithm) i;
			return true;
		}
	}
	return text_wrong(r, "there is no \"%.*s\": fixed, log, window, calendar, bucket or concurrent", SHOWN(word));
}

static bool read_calendar(const text_reader *r, text_piece per)
{
	text_piece rest = per, word = take_until(&rest, "@");

	r->limit->limit.period = rl_period_read(word.at, (size_t) (word.end - word.at));
	if (r->limit->limit.period == 0) {
		return text_wrong(r,
			"a calendar counts per minute, hour, day, week (week-sun), month, quarter, year or every-1mo, \"%.*s\" given",
			SHOWN(word));
	}
	return !take(&rest, '@') || read_zone(r, rest);
}

static bool read_period(const text_reader *r, text_piece per)
{
	rl_limit *limit = &r->limit->limit;
	bool is_short = limit->algorithm == RL_SLIDING_LOG || limit->algorithm == RL_CONCURRENT;

	limit->limit = (uint64_t) r->number;
	limit->rate = limit->algorithm == RL_TOKEN_BUCKET ? limit->limit : 0;
	if (!check_number(r, limit->algorithm == RL_TOKEN_BUCKET ? "rate" : "limit", r->number,
			is_short ? RL_LOG_LIMIT_MAX : RL_LIMIT_MAX)) {
		return false;
	}
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		return read_calendar(r, per);
	}
	if (memchr(per.at, '@', (size_t) (per.end - per.at)) != NULL) {
		return text_wrong(r, "only a calendar has a time zone");
	}
	return read_duration(r, per, &limit->period_us);
}

bool rl_limit_text_read(const char *text, size_t length, rl_limit_text *limit, char *reason, size_t size)
{
	text_reader r = {.rest = {text, text + length}, .limit = limit, .reason = reason, .size = size};
	text_piece word = take_until(&r.rest, ":,");
	text_piece rest, per;

	memset(limit, 0, sizeof *limit);
	if (!take(&r.rest, ':')) {
		return text_wrong(&r, "a limit looks like fixed:10/30s or log:5/60s,name=minute");
	}
	if (!read_algorithm(&r, word)) {
		return false;
	}
	rest = r.rest;
	if (take_digits(&r.rest, &r.number) == 0 || !take(&r.rest, '/')) {
		text_piece wrong = take_until(&rest, ",");

		return text_wrong(&r, "\"%.*s\" must be a number, a slash and a period, as 10/30s", SHOWN(wrong));
	}
	per = take_until(&r.rest, ",");
	if (!read_period(&r, per) || !read_options(&r) || !check_bans(&r) || !check_carry(&r)) {
		return false;
	}
	return limit->has_anchor || !rl_period_is_interval(limit->limit.period)
		|| text_wrong(&r, "a calendar of an interval needs its begin, as from=2026-01-31");
}

/* ---- Writing ---- */

typedef struct {
	char *text;
	size_t length;
} text_writer;

static void put(text_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Requires room: RL_LIMIT_TEXT_MAX is above the sum of all parts. */
static void put(text_writer *w, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	w->length += (size_t) vsnprintf(w->text + w->length, RL_LIMIT_TEXT_MAX - w->length, format, arguments);
	va_end(arguments);
}

/* Writes .5 for 500 of 3 digits, and nothing for 0. */
static void put_fraction(text_writer *w, int64_t fraction, int digits)
{
	if (fraction == 0) {
		return;
	}
	for (; fraction % 10 == 0; fraction /= 10) {
		digits--;
	}
	put(w, ".%0*" PRId64, digits, fraction);
}

/* Writes a duration in the largest unit of which it is a multiple, or in milliseconds with decimals. */
static void put_duration(text_writer *w, int64_t us)
{
	size_t i = 0;

	while (i < UNITS - 1 && us % units[i].us != 0) {
		i++;
	}
	put(w, "%" PRId64, us / units[i].us);
	put_fraction(w, us % units[i].us, 3);
	put(w, "%s", units[i].word);
}

static void put_period(text_writer *w, uint64_t period)
{
	char text[RL_PERIOD_TEXT_MAX];

	rl_period_write(period, text);
	put(w, "%s", text);
}

static void put_anchor(text_writer *w, const rl_limit_text *limit)
{
	char text[RL_ANCHOR_TEXT_MAX];

	rl_anchor_write(limit->anchor, limit->limit.period, text);
	put(w, ",from=%s", text);
}

static void put_bans(text_writer *w, const rl_ban_steps *steps)
{
	put(w, ",bans=");
	for (uint32_t i = 0; i < steps->n; i++) {
		put(w, "%s", i > 0 ? "+" : "");
		put_duration(w, steps->us[i]);
	}
	put(w, ",forget=");
	put_duration(w, steps->forget_us);
}

static void put_ban(text_writer *w, const rl_limit_text *limit)
{
	if (limit->limit.ban == RL_BAN_NONE) {
		return;
	}
	if (limit->limit.ban == RL_BAN_STEPS) {
		put_bans(w, limit->limit.steps);
		return;
	}
	put(w, ",ban=");
	if (limit->ban_period > 0) {
		put_period(w, limit->ban_period);
		if (limit->limit.algorithm != RL_CALENDAR_WINDOW && limit->zone[0]) {
			put(w, "@%s", limit->zone);
		}
	} else if (limit->limit.ban == RL_BAN_FOR) {
		put_duration(w, limit->limit.ban_us);
	} else {
		put(w, "@%" PRId64, limit->limit.ban_us / RL_US_PER_SECOND);
		put_fraction(w, limit->limit.ban_us % RL_US_PER_SECOND, 6);
	}
}

/* Writes a name or a label. A byte that separates parts of the text, lists or lines of an INI file is written as %2C. */
static void put_word(text_writer *w, const char *option, const char *name)
{
	put(w, ",%s=", option);
	for (; *name; name++) {
		put(w, strchr(" %,;\"'", *name) != NULL ? "%%%02X" : "%c", (unsigned char) *name);
	}
}

size_t rl_limit_text_write(const rl_limit_text *limit, char *text)
{
	const rl_limit *l = &limit->limit;
	text_writer w = {.text = text};

	put(&w, "%s:%" PRIu64 "/", algorithm_words[l->algorithm], l->algorithm == RL_TOKEN_BUCKET ? l->rate : l->limit);
	if (l->algorithm == RL_CALENDAR_WINDOW) {
		put_period(&w, l->period);
		if (limit->zone[0]) {
			put(&w, "@%s", limit->zone);
		}
	} else {
		put_duration(&w, l->period_us);
	}
	if (rl_period_is_interval(l->period)) {
		put_anchor(&w, limit);
	}
	if (l->algorithm == RL_TOKEN_BUCKET && l->limit != l->rate) {
		put(&w, ",burst=%" PRIu64, l->limit);
	}
	put_ban(&w, limit);
	if (l->carry > 0) {
		put(&w, ",carry=%" PRIu64, l->carry);
	}
	if (l->lease > 0) {
		put(&w, ",lease=%" PRIu32, l->lease + 1);
	}
	if (limit->auto_lease) {
		put(&w, ",lease=auto");
	}
	if (limit->shadow) {
		put(&w, ",shadow");
	}
	if (limit->by[0]) {
		put_word(&w, "by", limit->by);
	}
	if (limit->name[0]) {
		put_word(&w, "name", limit->name);
	}
	return w.length;
}
