#include "limit_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calendar_text.h"
#include "limit_words.h"
#include "text_piece.h"

typedef struct {
	rl_text_piece rest;
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

/* Reads all of a piece as a duration: 500ms, 1.5h. Rounds to a whole microsecond. */
static bool read_duration(const text_reader *r, rl_text_piece piece, int64_t *us)
{
	rl_text_piece rest = piece;
	int64_t whole, millionths;
	size_t i = 0;

	if (!rl_take_decimal(&rest, &whole, &millionths)) {
		i = RL_DURATION_UNITS;
	}
	while (i < RL_DURATION_UNITS && !rl_piece_is(rest, rl_duration_units[i].word)) {
		i++;
	}
	if (i == RL_DURATION_UNITS) {
		return text_wrong(r, "a duration looks like 500ms, 30s, 5m, 2h, 1d or 1w, \"%.*s\" given", RL_SHOWN(piece));
	}
	*us = whole > RL_PERIOD_MAX_US / rl_duration_units[i].us
		? RL_PERIOD_MAX_US + 1
		: whole * rl_duration_units[i].us + (millionths * (rl_duration_units[i].us / RL_US_PER_MS) + 500) / 1000;
	if (*us < RL_PERIOD_MIN_US || *us > RL_PERIOD_MAX_US) {
		return text_wrong(r, "a duration must be between 1ms and 3650d, \"%.*s\" given", RL_SHOWN(piece));
	}
	return true;
}

static bool read_zone(const text_reader *r, rl_text_piece piece)
{
	size_t length = (size_t) (piece.end - piece.at);

	if (length == 0 || length > RL_ZONE_MAX || memchr(piece.at, '\0', length) != NULL) {
		return text_wrong(r, "a time zone looks like Asia/Shanghai, \"%.*s\" given", RL_SHOWN(piece));
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

/* ---- The options ---- */

static bool read_burst(const text_reader *r, rl_text_piece value)
{
	rl_text_piece rest = value;
	int64_t burst;

	if (r->limit->limit.algorithm != RL_TOKEN_BUCKET) {
		return text_wrong(r, "only a bucket has a burst");
	}
	if (rl_take_digits(&rest, &burst) == 0 || rest.at != rest.end) {
		return text_wrong(r, "a burst is a number, \"%.*s\" given", RL_SHOWN(value));
	}
	r->limit->limit.limit = (uint64_t) burst;
	return check_number(r, "burst", burst, RL_LIMIT_MAX);
}

/* Reads the unix time of ban=@1900000000. */
static bool read_ban_moment(const text_reader *r, rl_text_piece value)
{
	rl_text_piece rest = {value.at + 1, value.end};
	int64_t whole, millionths;

	if (!rl_take_decimal(&rest, &whole, &millionths) || rest.at != rest.end || whole > INT64_C(253402300799)) {
		return text_wrong(r, "a moment is a unix time as @1900000000, \"%.*s\" given", RL_SHOWN(value));
	}
	r->limit->limit.ban = RL_BAN_UNTIL;
	r->limit->limit.ban_us = whole * RL_US_PER_SECOND + millionths;
	return true;
}

/* Reads ban=1h, ban=day, ban=day@Asia/Shanghai or ban=@1900000000. */
static bool read_ban(const text_reader *r, rl_text_piece value)
{
	rl_limit *limit = &r->limit->limit;
	rl_text_piece rest = value, word = rl_take_until(&rest, "@");

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
	/* A week begins on the day of the calendar's week. */
	if (r->limit->ban_period == RL_WEEK && limit->period > RL_WEEK_FROM && limit->period <= RL_WEEK_FROM + 7) {
		r->limit->ban_period = limit->period;
	}
	if (!rl_take(&rest, '@')) {
		return true;
	}
	if (limit->algorithm == RL_CALENDAR_WINDOW) {
		return text_wrong(r, "a ban until a period is in the time zone of the calendar, \"%.*s\" given",
			RL_SHOWN(value));
	}
	return read_zone(r, rest);
}

/* Reads bans=1m+10m+1h. */
static bool read_bans(const text_reader *r, rl_text_piece value)
{
	rl_ban_steps *steps = &r->limit->steps;

	if (r->limit->limit.algorithm == RL_CONCURRENT || r->limit->limit.ban != RL_BAN_NONE) {
		return text_wrong(r, "a concurrent limit has no bans, and no limit has both ban and bans");
	}
	do {
		rl_text_piece piece = rl_take_until(&value, "+ ");

		if (steps->n == RL_BAN_STEPS_MAX) {
			return text_wrong(r, "bans have at most %d times", RL_BAN_STEPS_MAX);
		}
		if (!read_duration(r, piece, &steps->us[steps->n])) {
			return false;
		}
		if (steps->n > 0 && steps->us[steps->n] < steps->us[steps->n - 1]) {
			return text_wrong(r, "a ban must be at least as long as the one before it, \"%.*s\" given",
				RL_SHOWN(piece));
		}
		steps->n++;
	} while (rl_take(&value, '+') || rl_take(&value, ' '));
	r->limit->limit.ban = RL_BAN_STEPS;
	r->limit->limit.steps = steps;
	return true;
}

static bool read_forget(const text_reader *r, rl_text_piece value)
{
	return read_duration(r, value, &r->limit->steps.forget_us);
}

static bool read_anchor(const text_reader *r, rl_text_piece value)
{
	uint64_t period = r->limit->limit.period;

	if (!rl_period_is_interval(period)) {
		return text_wrong(r, "only a calendar of an interval (every-1mo) begins at a moment");
	}
	r->limit->has_anchor = rl_anchor_read(value.at, (size_t) (value.end - value.at), period, &r->limit->anchor);
	return r->limit->has_anchor
		|| text_wrong(r, "an interval begins at a moment as %s, \"%.*s\" given",
			(period & 0xff) == RL_EVERY_SECONDS ? "2026-01-31T09:00:00Z" : "2026-01-31 or 2026-01-31T09:00:00",
			RL_SHOWN(value));
}

static bool read_lease(const text_reader *r, rl_text_piece value)
{
	(void) value;
	r->limit->leased = true;
	return true;
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
static int take_byte(rl_text_piece *rest)
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
static bool read_word(const text_reader *r, rl_text_piece value, char word[RL_LIMIT_NAME_MAX + 1])
{
	rl_text_piece rest = value;
	size_t length = 0;

	while (rest.at < rest.end) {
		int byte = take_byte(&rest);

		if (byte < 0x20 || byte > 0x7e) {
			return text_wrong(r,
				byte < 0 ? "in a name %%25 stands for the percent sign, \"%.*s\" given"
						 : "a name must be printable ASCII, \"%.*s\" given",
				RL_SHOWN(value));
		}
		if (length == RL_LIMIT_NAME_MAX) {
			return text_wrong(r, "a name must be between 1 and %d bytes long, \"%.*s\" given", RL_LIMIT_NAME_MAX,
				RL_SHOWN(value));
		}
		word[length++] = (char) byte;
	}
	word[length] = '\0';
	return true;
}

static bool read_name(const text_reader *r, rl_text_piece value)
{
	return read_word(r, value, r->limit->name);
}

static bool read_by(const text_reader *r, rl_text_piece value)
{
	return read_word(r, value, r->limit->by);
}

static bool read_unit(const text_reader *r, rl_text_piece value)
{
	if (r->limit->limit.algorithm == RL_CONCURRENT) {
		return text_wrong(r, "a concurrent limit has the unit concurrent-requests, \"%.*s\" given", RL_SHOWN(value));
	}
	return read_word(r, value, r->limit->unit);
}

static bool read_shadow(const text_reader *r, rl_text_piece value)
{
	(void) value;
	r->limit->shadow = true;
	return true;
}

#define LOOKS "a limit looks like fixed:10/30s or log:5/60s,name=minute"

static const struct {
	const char *name;
	bool (*read)(const text_reader *r, rl_text_piece value);
	bool is_flag; /* it has no value */
} options[] = {
	{"burst", read_burst, false},
	{"from", read_anchor, false},
	{"ban", read_ban, false},
	{"bans", read_bans, false},
	{"forget", read_forget, false},
	{"lease", read_lease, true},
	{"shadow", read_shadow, true},
	{"unit", read_unit, false},
	{"by", read_by, false},
	{"name", read_name, false},
};

#define OPTIONS (sizeof options / sizeof *options)

static bool option_is_wrong(const text_reader *r, rl_text_piece option, rl_text_piece name)
{
	if (rl_piece_is(name, "carry")) {
		return text_wrong(r, "a limit has no carry-over, \"%.*s\" given", RL_SHOWN(option));
	}
	if (rl_piece_is(name, "lease")) {
		return text_wrong(r, "write \"lease\", once: the machine chooses the number, \"%.*s\" given", RL_SHOWN(option));
	}
	return text_wrong(r, "\"%.*s\" is not an option of it", RL_SHOWN(option));
}

/* Reads the options behind the period, each once and in any order. */
static bool read_options(text_reader *r)
{
	unsigned seen = 0;

	while (rl_take(&r->rest, ',')) {
		rl_text_piece option = rl_take_until(&r->rest, ","), value = option, name = rl_take_until(&value, "=");
		size_t i = 0;

		while (i < OPTIONS && !rl_piece_is(name, options[i].name)) {
			i++;
		}
		if (i == OPTIONS || (seen & 1u << i)
			|| (options[i].is_flag ? value.at < value.end : !rl_take(&value, '=') || value.at == value.end)) {
			return option_is_wrong(r, option, name);
		}
		if (r->limit->is_none && options[i].read != read_by && options[i].read != read_name) {
			return text_wrong(r, LOOKS);
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

/* ---- The algorithm, the number and the period ---- */

static bool read_algorithm(const text_reader *r, rl_text_piece word)
{
	for (unsigned i = 1; i <= RL_ALGORITHMS; i++) {
		if (rl_piece_is(word, rl_algorithm_words[i])) {
			r->limit->limit.algorithm = (rl_algorithm) i;
			return true;
		}
	}
	return text_wrong(r, "there is no \"%.*s\": fixed, log, window, calendar, bucket or concurrent", RL_SHOWN(word));
}

static bool read_calendar(const text_reader *r, rl_text_piece per)
{
	rl_text_piece rest = per, word = rl_take_until(&rest, "@");

	r->limit->limit.period = rl_period_read(word.at, (size_t) (word.end - word.at));
	if (r->limit->limit.period == 0) {
		return text_wrong(r,
			"a calendar counts per minute, hour, day, week (week-sun), month, quarter, year or every-1mo, \"%.*s\" given",
			RL_SHOWN(word));
	}
	return !rl_take(&rest, '@') || read_zone(r, rest);
}

static bool read_period(const text_reader *r, rl_text_piece per)
{
	rl_limit *limit = &r->limit->limit;

	limit->limit = (uint64_t) r->number;
	limit->rate = limit->algorithm == RL_TOKEN_BUCKET ? limit->limit : 0;
	if (!check_number(r, limit->algorithm == RL_TOKEN_BUCKET ? "rate" : "limit", r->number,
			rl_algorithm_max[limit->algorithm])) {
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
	rl_text_piece word = rl_take_until(&r.rest, ":,");
	rl_text_piece rest, per;

	memset(limit, 0, sizeof *limit);
	if (rl_piece_is(word, "none") && (r.rest.at == r.rest.end || *r.rest.at == ',')) {
		limit->is_none = true;
		return read_options(&r);
	}
	if (!rl_take(&r.rest, ':')) {
		return text_wrong(&r, LOOKS);
	}
	if (!read_algorithm(&r, word)) {
		return false;
	}
	rest = r.rest;
	if (rl_take_digits(&r.rest, &r.number) == 0 || !rl_take(&r.rest, '/')) {
		rl_text_piece wrong = rl_take_until(&rest, ",");

		return text_wrong(&r, "\"%.*s\" must be a number, a slash and a period, as 10/30s", RL_SHOWN(wrong));
	}
	per = rl_take_until(&r.rest, ",");
	if (!read_period(&r, per) || !read_options(&r) || !check_bans(&r)) {
		return false;
	}
	return limit->has_anchor || !rl_period_is_interval(limit->limit.period)
		|| text_wrong(&r, "a calendar of an interval needs its begin, as from=2026-01-31");
}
