#include "calendar_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECONDS_A_DAY INT64_C(86400)

/* The words of the periods that are no intervals. */
static const char *const period_words[] = {
	[RL_MINUTE] = "minute",
	[RL_HOUR] = "hour",
	[RL_DAY] = "day",
	[RL_WEEK] = "week",
	[RL_MONTH] = "month",
	[RL_QUARTER] = "quarter",
	[RL_YEAR] = "year",
	[RL_WEEK_FROM + 2] = "week-tue",
	[RL_WEEK_FROM + 3] = "week-wed",
	[RL_WEEK_FROM + 4] = "week-thu",
	[RL_WEEK_FROM + 5] = "week-fri",
	[RL_WEEK_FROM + 6] = "week-sat",
	[RL_WEEK_FROM + 7] = "week-sun",
};

#define PERIODS (sizeof period_words / sizeof *period_words)

static const char interval_word[] = "every-";

/* The units of intervals, and the most of each in ten years. */
static const struct {
	const char *word;
	rl_period period;
	int64_t least, most;
} interval_units[] = {
	{"mo", RL_EVERY_MONTHS, 1, 120},
	{"d", RL_EVERY_DAYS, 1, RL_SECONDS_MAX / SECONDS_A_DAY},
	{"s", RL_EVERY_SECONDS, 60, RL_SECONDS_MAX},
};

#define INTERVAL_UNITS (sizeof interval_units / sizeof *interval_units)

/* ---- Periods ---- */

bool rl_period_is_interval(uint64_t period)
{
	return period >> RL_PERIOD_UNITS_AT != 0;
}

static uint64_t interval_read(const char *word, size_t length)
{
	char text[RL_PERIOD_TEXT_MAX] = "", unit[3] = "", rest;
	int64_t n;

	memcpy(text, word, length);
	if (text[0] < '1' || text[0] > '9' || sscanf(text, "%9" SCNd64 "%2[a-z]%c", &n, unit, &rest) != 2) {
		return 0;
	}
	for (size_t i = 0; i < INTERVAL_UNITS; i++) {
		if (strcmp(unit, interval_units[i].word) == 0 && n >= interval_units[i].least && n <= interval_units[i].most) {
			return interval_units[i].period | (uint64_t) n << RL_PERIOD_UNITS_AT;
		}
	}
	return 0;
}

uint64_t rl_period_read(const char *word, size_t length)
{
	const size_t begin = sizeof interval_word - 1;

	for (unsigned i = 0; i < PERIODS; i++) {
		if (period_words[i] != NULL && strlen(period_words[i]) == length
			&& memcmp(word, period_words[i], length) == 0) {
			return i;
		}
	}
	return length > begin && length - begin < RL_PERIOD_TEXT_MAX && memcmp(word, interval_word, begin) == 0
		? interval_read(word + begin, length - begin)
		: 0;
}

void rl_period_write(uint64_t period, char text[RL_PERIOD_TEXT_MAX])
{
	if (!rl_period_is_interval(period)) {
		snprintf(text, RL_PERIOD_TEXT_MAX, "%s", period_words[period]);
		return;
	}
	for (size_t i = 0; i < INTERVAL_UNITS; i++) {
		if ((period & 0xff) == interval_units[i].period) {
			snprintf(text, RL_PERIOD_TEXT_MAX, "%s%" PRIu64 "%s", interval_word, period >> RL_PERIOD_UNITS_AT,
				interval_units[i].word);
		}
	}
}

/* ---- Anchors ---- */

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Returns the days of the proleptic Gregorian calendar from 1970-01-01 to the first of January. */
static int64_t days_before_year(int64_t year)
{
	int64_t before = year - 1;

	return before * 365 + before / 4 - before / 100 + before / 400 - 719162;
}

/* with_time: with 00:00:00, too. */
static void anchor_write(int64_t anchor, uint64_t period, bool with_time, char text[RL_ANCHOR_TEXT_MAX])
{
	int64_t second = anchor % SECONDS_A_DAY, day = anchor / SECONDS_A_DAY, year, month = 1;
	size_t n;

	if (second < 0) {
		second += SECONDS_A_DAY;
		day--;
	}
	year = 1970 + day / 366 - (day < 0);
	while (days_before_year(year + 1) <= day) {
		year++;
	}
	day -= days_before_year(year);
	while (day >= days_of_month(year, month)) {
		day -= days_of_month(year, month++);
	}
	n = (size_t) snprintf(text, RL_ANCHOR_TEXT_MAX, "%04d-%02d-%02d", (int) year % 100000, (int) month % 13,
		(int) day % 31 + 1);
	if (with_time) {
		n += (size_t) snprintf(text + n, RL_ANCHOR_TEXT_MAX - n, "T%02d:%02d:%02d", (int) (second / 3600),
			(int) (second / 60 % 60), (int) (second % 60));
	}
	snprintf(text + n, RL_ANCHOR_TEXT_MAX - n, "%s", (period & 0xff) == RL_EVERY_SECONDS ? "Z" : "");
}

bool rl_anchor_read(const char *text, size_t length, uint64_t period, int64_t *anchor)
{
	char copy[RL_ANCHOR_TEXT_MAX] = "", written[RL_ANCHOR_TEXT_MAX];
	int year, month, day, hour = 0, minute = 0, second = 0;

	if (length >= sizeof copy || memchr(text, '\0', length) != NULL) {
		return false;
	}
	memcpy(copy, text, length);
	if (sscanf(copy, "%5d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) < 3 || year < 1969
		|| year > 10000 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) {
		return false;
	}
	/* In some zones 1970 begins in 1969 of this clock. */
	*anchor = days_before_year(year) + day - 1;
	for (int m = 1; m < month; m++) {
		*anchor += days_of_month(year, m);
	}
	*anchor = *anchor * SECONDS_A_DAY + hour * 3600 + minute * 60 + second;
	/* The texts that sscanf() lets pass besides are found here. */
	anchor_write(*anchor, period, strchr(copy, 'T') != NULL, written);
	return strcmp(written, copy) == 0;
}

/* An anchor has one written text, the shortest. */
void rl_anchor_write(int64_t anchor, uint64_t period, char text[RL_ANCHOR_TEXT_MAX])
{
	anchor_write(anchor, period, anchor % SECONDS_A_DAY != 0, text);
}
