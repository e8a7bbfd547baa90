/* Keeps a debt: what the fallback has admitted of one limit of an identity, and no request has told Redis. The next request about the
 * identity carries it. It is one word beside its fingerprint (core/counter.h: an end, and the number), so a worker takes all of it by one
 * compare-and-swap, and no permit is told twice. It ends when the limit forgets what was admitted last.
 *
 * While a request carries the debts of an identity, a mark is in the table: Redis does not know of them yet, so another request would be
 * judged without them. */
#ifndef RL_SHM_DEBT_ENTRY_H
#define RL_SHM_DEBT_ENTRY_H

#include <stdbool.h>

#include "deny_entry.h"

/* Returns whether this machine may have debts at now_us of the segment's time. */
bool rl_debts_exist(int64_t now_us);

/* Returns the position of a key's debt. m: the store and the limit. Needs a segment, as do the functions below. */
rl_position rl_debt_position(const rl_key *key, rl_deny_key m);

/* Adds n permits of a limit that forgets them after left_us. most: what the limit counts at present, which bounds the debt. Returns how
 * many the debt has no room for. */
uint64_t rl_debt_add(rl_position p, uint64_t n, int64_t left_us, uint64_t most);

/* Takes the whole debt. Sets *left_us to the time until it ends. Returns 0 if there is none. */
uint64_t rl_debt_take(rl_position p, int64_t *left_us);

/* Returns the debt, and leaves it. */
uint64_t rl_debt_look(rl_position p);

/* Takes n permits back out of a debt. Returns how many it had. */
uint64_t rl_debt_forgive(rl_position p, uint64_t n);

/* Sets the mark for for_us at most. Returns it; 0: another request has it. */
uint64_t rl_debt_mark(rl_position p, int64_t for_us);

bool rl_debt_is_marked(rl_position p);

/* Ends the mark, if it is still this one. */
void rl_debt_unmark(rl_position p, uint64_t mark);

#endif
