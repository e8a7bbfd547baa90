#include "limit_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calendar_text.h"
#include "limit_words.h"

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

	while (i < RL_DURATION_UNITS - 1 && us % rl_duration_units[i].us != 0) {
		i++;
	}
	put(w, "%" PRId64, us / rl_duration_units[i].us);
	put_fraction(w, us % rl_duration_units[i].us, 3);
	put(w, "%s", rl_duration_units[i].word);
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

/* Writes a unit, a label or a name, unless it is empty. A byte that separates parts of the text, lists or lines of an INI file is written as %2C. */
static void put_word(text_writer *w, const char *option, const char *name)
{
	if (*name) {
		put(w, ",%s=", option);
	}
	for (; *name; name++) {
		put(w, strchr(" %,;\"'", *name) != NULL ? "%%%02X" : "%c", (unsigned char) *name);
	}
}

/* Writes all but the unit, the label and the name. */
static void put_limit(text_writer *w, const rl_limit_text *limit)
{
	const rl_limit *l = &limit->limit;

	put(w, "%s:%" PRIu64 "/", rl_algorithm_words[l->algorithm], l->algorithm == RL_TOKEN_BUCKET ? l->rate : l->limit);
	if (l->algorithm == RL_CALENDAR_WINDOW) {
		put_period(w, l->period);
		if (limit->zone[0]) {
			put(w, "@%s", limit->zone);
		}
	} else {
		put_duration(w, l->period_us);
	}
	if (rl_period_is_interval(l->period)) {
		put_anchor(w, limit);
	}
	if (l->algorithm == RL_TOKEN_BUCKET && l->limit != l->rate) {
		put(w, ",burst=%" PRIu64, l->limit);
	}
	put_ban(w, limit);
	if (limit->leased) {
		put(w, ",lease");
	}
	if (limit->shadow) {
		put(w, ",shadow");
	}
}

size_t rl_limit_text_write(const rl_limit_text *limit, char *text)
{
	text_writer w = {.text = text};

	if (limit->is_none) {
		put(&w, "none");
	} else {
		put_limit(&w, limit);
		put_word(&w, "unit", limit->unit);
	}
	put_word(&w, "by", limit->by);
	put_word(&w, "name", limit->name);
	return w.length;
}
