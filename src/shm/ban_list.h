/* Lists the running bans that began on this machine, of each store. It only shows them: what bans is the state of the limiter or
 * the counter. The table is bounded. Where a set of it is full of running bans, the one that ends first is left out. */
#ifndef RL_SHM_BAN_LIST_H
#define RL_SHM_BAN_LIST_H

#include "subject.h"

/* Notes a ban that ends so much later, or changes the end of one. A time of 0 or less changes nothing. Returns whether it was not listed with about this end. */
bool rl_ban_list_put(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t left_us, unsigned level);

/* Forgets the ban of a caller, if there is one. */
void rl_ban_list_forget(uint64_t name_id, const rl_key *key);

/* Forgets all bans. */
void rl_ban_list_clear(void);

typedef struct {
	rl_subject subject;
	int64_t left_us;
	unsigned level;
} rl_ban_row;

/* Writes up to n running bans: those that end last, the last one first. Returns their number. */
size_t rl_ban_list_read(rl_ban_row *rows, size_t n);

#endif
