/* A segment's header: written once, and its time set again after a boot. */
#ifndef RL_SHM_HEADER_H
#define RL_SHM_HEADER_H

#include "segment.h"

/* Writes a new segment's header into zeroed memory. False, with the reason in message, when it cannot. */
bool rl_header_write(void *memory, size_t bytes, char *message, size_t message_size);

/* Goes on with the segment's time where the machine has been booted since it was last used. Whoever calls it makes sure
 * that nobody else does at the same time. */
void rl_header_after_boot(rl_header *h);

/* Is its time one that can be reckoned with by this process' clocks? */
bool rl_header_has_time(const rl_header *h);

#endif
