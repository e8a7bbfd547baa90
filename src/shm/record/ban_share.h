/* Bounds the share of the record area that running bans hold. The allocator gives up no running ban for another state; so a ban that
 * begins makes the room, where bans have more than half. */
#ifndef RL_SHM_BAN_SHARE_H
#define RL_SHM_BAN_SHARE_H

#include "../segment/segment.h"

/* Makes room for a ban that is about to begin in a record of so many words. Looks at eight records at random, by their size, and notes the
 * share of running bans. If that is more than half, looks at 24 more, and evicts those bans among the 32 that end first: twice as much
 * as the new one takes. Requires a worker. */
void rl_ban_share_hold(const rl_segment *s, size_t words, int64_t now_us);

#endif
