/* Writes what another store has answered into the state that its fallback has of the same key: so the fallback goes on from there.
 *
 * A mark is taken before the question. An answer is written only while the mark holds. A command ends all earlier marks of its
 * identity, and so does a ban that another answer begins: both may be newer than the answer. */
#ifndef RL_SHM_MIRROR_MARK_H
#define RL_SHM_MIRROR_MARK_H

#include "../../store.h"
#include "../table/position.h"

typedef struct {
	rl_position position; /* of the fallback's state */
	uint64_t *generation; /* of the identity (machine/deny_entry.h) */
	uint64_t seen;
	uint64_t fp, word; /* the entry; 0: there was none */
} rl_mirror_mark;

/* Takes the mark of a key in the fallback of a store of this id. record: of a limiter, not of a counter. Needs a segment. */
rl_mirror_mark rl_shm_mirror_mark(const uint64_t id[2], const rl_key *key, bool record);

/* Change the entry of a limiter, or a counter, if the key has one, but not its state. An answer that was about to be written over the
 * old content is not, even if its worker looked at its mark before that ended. So nothing can undo the command that comes next on the
 * fallback. To be called after the marks have ended. */
void rl_shm_mirror_renew(const uint64_t id[2], const rl_key *key);
void rl_shm_mirror_renew_counter(const uint64_t id[2], const rl_key *key);

/* Ends an answer's is_latest if the entry is not as it was when the mark was taken. */
static inline void rl_mirror_mark_compare(const rl_mirror_mark *mark, uint64_t fp, uint64_t word, rl_told *answer)
{
	answer->is_latest = answer->is_latest && word == mark->word && (fp == mark->fp || mark->fp == 0);
}

/* Writes an answer into a usual state (core/decide/usual.h). Returns false for any other one. rl_shm_mirror() asks it first. */
bool rl_shm_mirror_usual(rl_mirror_mark *mark, const rl_question *asked, rl_told *answer);

/* Write an answer to what was asked; is_latest ends where the state has changed. Of a counter, d is the answer, beside which so many
 * permits were leased or are owed, and answer has its time. */
void rl_shm_mirror(rl_mirror_mark *mark, const rl_question *asked, rl_told *answer);
void rl_shm_mirror_counter(rl_mirror_mark *mark, const rl_counter_question *q, const rl_decision *d, rl_told *answer,
	uint32_t leased);

#endif
