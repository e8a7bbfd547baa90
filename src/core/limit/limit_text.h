/* Reads and writes a limit as text: log:5/15m,ban=1h,name=account. docs/settings.md has the grammar. */
#ifndef RL_CORE_LIMIT_TEXT_H
#define RL_CORE_LIMIT_TEXT_H

#include "limit.h"

#define RL_ZONE_MAX       63   /* bytes of a time zone's name */
#define RL_LIMIT_TEXT_MAX 1536 /* bytes of a written limit, with the NUL */

/* A limit with its texts. Neither the time zones nor the moment of a ban are checked: that takes PHP and a clock. */
typedef struct {
	rl_limit limit; /* without boundaries */
	bool is_none;   /* every call passes: it has a name and a label alone, and no algorithm */
	bool leased;
	bool shadow;                      /* judged and counted, and decides nothing */
	rl_ban_steps steps;               /* of bans that escalate: limit.steps points here */
	bool has_anchor;                  /* an interval has one */
	int64_t anchor;                   /* as rl_anchor_read() has it */
	uint64_t ban_period;              /* the ban lasts until this period's next boundary; 0: it has no such boundary */
	char name[RL_LIMIT_NAME_MAX + 1]; /* "": none */
	char by[RL_LIMIT_NAME_MAX + 1];   /* the label of its identity; "": none */
	char unit[RL_LIMIT_NAME_MAX + 1]; /* of its permits, for headers; "": none is named */
	char zone[RL_ZONE_MAX + 1];       /* of the window and of the ban's boundary; "": none is named */
} rl_limit_text;

/* Reads a text of so many bytes. Returns false with the reason, in so many bytes, if it is not a limit. */
bool rl_limit_text_read(const char *text, size_t length, rl_limit_text *limit, char *reason, size_t size);

/* Writes the one text of a limit, of RL_LIMIT_TEXT_MAX bytes at most. Limits that differ have different texts, and
 * rl_limit_text_read() makes the same limit of it. Returns its length. */
size_t rl_limit_text_write(const rl_limit_text *limit, char *text);

#endif
