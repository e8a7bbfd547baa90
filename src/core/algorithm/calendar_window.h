/* Declares what a calendar window has beside the functions of every algorithm. */
#ifndef RL_CORE_CALENDAR_WINDOW_H
#define RL_CORE_CALENDAR_WINDOW_H

#include "algorithm.h"

/* Gives c boundaries around the moment t, in a copy of its limit, if t lies in the window after the clock's. Returns false
 * for a moment behind the boundaries that the call has brought. */
bool rl_calendar_window_around(rl_limit_ctx *c, int64_t t_us, rl_limit *shifted);

#endif
