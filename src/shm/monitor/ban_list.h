/* Lists the running bans that began on this machine, of each store. It only shows them: what bans is the state of the limiter or
 * the counter. The table is bounded. Where a set of it is full of running bans, the one that ends first is left out.
 *
 * A ban of a network is in no store: this list alone has it, and refuses by it. It stays until its end. A decision about an address
 * looks up the networks of the lengths that the header names, each by its text. */
#ifndef RL_SHM_BAN_LIST_H
#define RL_SHM_BAN_LIST_H

#include "../segment/monitor_layout.h"
#include "../segment/subject.h"

/* Notes a ban that ends so much later, or changes the end of one. A time of 0 or less changes nothing. Returns whether it was not listed with about this end. */
bool rl_ban_list_put(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t left_us, unsigned level);

/* Bans a network until so much later. length: its bits, 0 to 128. Returns false where there is no segment, or no room. */
bool rl_ban_list_put_network(uint64_t name_id, rl_kind kind, const rl_key *key, int64_t left_us, unsigned length);

/* Returns the time until the ban of this network ends; 0: it has none. */
int64_t rl_ban_list_network_left_us(uint64_t name_id, const rl_key *key);

/* Returns whether a network may be banned. */
bool rl_ban_list_has_networks(void);

/* Writes the lengths of the networks that may be banned, a bit each. Returns false if there are none. */
bool rl_ban_list_network_lengths(uint64_t lengths[RL_NETWORK_WORDS]);

/* Forgets the ban of a caller, if there is one. */
void rl_ban_list_forget(uint64_t name_id, const rl_key *key);

/* Forgets all bans. */
void rl_ban_list_clear(void);

typedef struct {
	rl_subject subject;
	int64_t left_us;
	unsigned level;
} rl_ban_row;

/* Writes up to n running bans, or those of networks alone: those that end last, the last one first. Returns their number. */
size_t rl_ban_list_read(rl_ban_row *rows, size_t n, bool networks_alone);

#endif
