/* The mirror: this machine's memory of what Redis has answered. After each answer the guard writes the state that the fallback has of
 * the same key. So the fallback needs nothing else: while Redis is away, a banned identity stays banned, an exhausted one refused, and
 * of the others passes what was left. It is written under every failure policy; the policy decides whether it answers.
 *
 * Of a window and a bucket the state is exact. Of a log and a sliding window, what others have used counts from the answer's arrival
 * on: it refuses longer, and never admits more. Concurrent limits are not mirrored, and peeks write nothing.
 *
 * The latest answer counts, also where it tells of less: permits were given back, or the count was reset, somewhere. It is the latest one
 * if the state has not changed since the mark, so a worker that was stopped over a reply overwrites nothing newer. Any other answer can
 * only raise a count. */
#ifndef RL_GUARD_MIRROR_H
#define RL_GUARD_MIRROR_H

#include "../shm/store/mirror_mark.h"
#include "guard_types.h"

/* Takes the mark of a key, before the request to Redis. record: of a limiter, not of a counter. */
rl_mirror_mark rl_mirror_begin(const rl_guard *g, const rl_key *key, bool record);

/* An answer of Redis about a key. leased: the permits of its batch, which Redis has counted. began_us: the moment before the request, in
 * the segment's time. */
typedef struct {
	const rl_guard *g;
	const rl_key *key;
	int64_t began_us;
	const rl_decision *decision;
	uint32_t leased;
} rl_mirror_answer;

/* Write an answer, after the local cache has taken its batch. q is the question about this key. index: of its limits in the decision,
 * which may be about several keys; NULL: it is about these limits. */
void rl_mirror_note(rl_mirror_mark mark, const rl_mirror_answer *a, const rl_question *q, const uint8_t *index);
void rl_mirror_note_counter(rl_mirror_mark mark, const rl_mirror_answer *a, const rl_counter_question *q);

/* Carry a command out on the mirror, after Redis has. To be called behind rl_local_cache_invalidate(), which ends the marks of
 * answers that are under way. found: an unban has ended a ban. */
void rl_mirror_command(const rl_guard *g, const rl_key *key, const rl_question *q);
void rl_mirror_command_counter(const rl_guard *g, const rl_key *key, const rl_counter_command *c, bool found);

#endif
