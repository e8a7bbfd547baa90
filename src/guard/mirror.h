/* The mirror: this machine's memory of what Redis has answered. After each answer the guard writes the state that the fallback has of
 * the same key. So the fallback needs nothing else: while Redis is away, a banned identity stays banned, an exhausted one refused, and
 * of the others passes what was left. It is written under every failure policy; the policy decides whether it answers.
 *
 * Of a window and a bucket the state is exact. Of a log and a sliding window, what others have used counts from the answer's arrival
 * on: it refuses longer, and never admits more. Concurrent limits are not mirrored, and peeks write nothing. */
#ifndef RL_GUARD_MIRROR_H
#define RL_GUARD_MIRROR_H

#include "../shm/store/mirror_mark.h"
#include "guard_types.h"

/* Takes the mark of a key, before the request to Redis. record: of a limiter, not of a counter. */
rl_mirror_mark rl_mirror_begin(const rl_guard *g, const rl_key *key, bool record);

/* Write the answer of Redis, after the local cache has taken its batch. leased: the permits of the batch, which Redis has counted. began_us: the moment before the request, in the segment's time. q is the question about this key. index: of
 * its limits in the decision, which may be about several keys; NULL: it is about these limits. */
void rl_mirror_note(rl_mirror_mark mark, int64_t began_us, const rl_question *q, const rl_decision *d,
	const uint8_t *index, uint32_t leased);
void rl_mirror_note_counter(rl_mirror_mark mark, int64_t began_us, const rl_counter_question *q, const rl_decision *d,
	uint32_t leased);

/* Carry a command out on the mirror, after Redis has. To be called behind rl_local_cache_invalidate(), which ends the marks of
 * answers that are under way. */
void rl_mirror_command(const rl_guard *g, const rl_key *key, const rl_question *q);
void rl_mirror_command_counter(const rl_guard *g, const rl_key *key, const rl_counter_command *c);

#endif
