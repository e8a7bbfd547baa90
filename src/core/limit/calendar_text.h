/* Reads and writes the period of a calendar window as a word (week-sun, every-3mo), and the anchor of an interval as a date
 * (2026-01-31T09:00:00). */
#ifndef RL_CORE_CALENDAR_TEXT_H
#define RL_CORE_CALENDAR_TEXT_H

#include "limit.h"

#define RL_PERIOD_TEXT_MAX 32 /* bytes of a written period, with the NUL */
#define RL_ANCHOR_TEXT_MAX 24 /* bytes of a written anchor, with the NUL */

/* Returns the period of a word of so many bytes, as rl_limit has it; 0: there is none. */
uint64_t rl_period_read(const char *word, size_t length);

void rl_period_write(uint64_t period, char text[RL_PERIOD_TEXT_MAX]);

/* Returns whether the period is an interval, which has an anchor. */
bool rl_period_is_interval(uint64_t period);

/* Reads the anchor of an interval: a date with or without a time on the zone's clock, as if the zone were UTC. That of an
 * interval of seconds is an instant, and has a "Z" behind it. Returns false for any other text. */
bool rl_anchor_read(const char *text, size_t length, uint64_t period, int64_t *anchor);

void rl_anchor_write(int64_t anchor, uint64_t period, char text[RL_ANCHOR_TEXT_MAX]);

#endif
