/* The steps of a limiter's decision, by file: limiter.c decides, limiter_ban.c begins and ends bans, limiter_change.c changes
 * what was counted before, limiter_mirror.c writes what another store has answered, limiter_answer.c fills in answers. */
#ifndef RL_CORE_LIMITER_STEPS_H
#define RL_CORE_LIMITER_STEPS_H

#include "../../compiler.h"
#include "evaluation.h"
#include "limiter.h"
#include "state_writer.h"

/* ---- limiter_answer.c ---- */

/* The limit that has the least left. */
typedef struct {
	unsigned limit_index;
	uint64_t left;
} rl_tightest;

/* Returns what limit i has left. */
uint64_t rl_limiter_left(const rl_evaluation *ev, unsigned i);

/* Fills in an answer by limit i. Requires remaining to be rl_limiter_left() of this limit. */
void rl_limiter_set_decision(const rl_evaluation *ev, unsigned i, rl_reason reason, uint64_t remaining,
	int64_t retry_after_us, rl_decision *d);

/* Fills in the refusal of a ban until end_us, by limit i; a call passes from retry_at_us on. */
void rl_limiter_set_banned(const rl_evaluation *ev, unsigned i, int64_t end_us, int64_t retry_at_us, rl_decision *d);

/* Fills in what each limit has left, and the state's ban and level, where a decision does not say that already. */
void rl_limiter_set_left(const rl_evaluation *ev, rl_decision *d);

/* Returns the first moment from t on at which all limits would admit. */
int64_t rl_limiter_earliest(const rl_evaluation *ev, int64_t t_us);

/* Accepts by the limit that has the least left. judged: a limit that judges the moment; of a turn that comes later, one that is
 * skipped does not. */
void rl_limiter_set_accepted(rl_evaluation *ev, rl_tightest t, unsigned judged, rl_decision *d);

/* Returns whether limit i is skipped: its cost is 0, of costs for each limit. A permit's end skips none. */
RL_INLINE bool rl_limiter_skips(const rl_evaluation *ev, unsigned i)
{
	return RL_UNLIKELY(ev->q->costs != NULL) && ev->q->costs[i] == 0 && ev->q->op != RL_OP_SETTLE;
}

/* Returns the first moment from t on at which limit i would admit. costs: whether each limit has its own. Where it is a constant
 * false, as in the usual decision, the compiler leaves out what skips a limit. */
RL_INLINE int64_t rl_limiter_earliest_of(const rl_evaluation *ev, unsigned i, int64_t t_us, bool costs)
{
	return costs && rl_limiter_skips(ev, i) ? t_us : ev->ops[i]->earliest(&ev->ctx[i], t_us);
}

/* Takes limit i into account, after a change, and puts what it uses into the writer. One that is skipped does not decide. */
RL_INLINE void rl_limiter_count_used(const rl_evaluation *ev, unsigned i, rl_state_writer *w, rl_tightest *t,
	bool costs)
{
	uint64_t used = ev->ops[i]->used(&ev->ctx[i]), limit = ev->q->limits[i].limit;

	if (used > w->used) {
		w->used = used < UINT32_MAX ? (uint32_t) used : UINT32_MAX;
	}
	used = used < limit ? limit - used : 0;
	w->exhausted = w->exhausted || used == 0;
	if (used < t->left && !(costs && rl_limiter_skips(ev, i))) {
		t->left = used;
		t->limit_index = i;
	}
}

/* ---- limiter_ban.c ---- */

/* Returns the index of the limit that began the running ban; else the first of its kind; else of its algorithm; else 0. */
unsigned rl_limiter_banning_limit(const rl_evaluation *ev);

/* Returns the end of a ban that begins now. us: as the kind reads it. */
int64_t rl_limiter_ban_end_us(const rl_evaluation *ev, rl_ban_kind kind, int64_t us);

/* Returns the index of the refusing limit whose ban ends last, which begins its ban; n_limits if no limit bans. */
unsigned rl_limiter_ban_to_begin(const rl_evaluation *ev, const int64_t earliest_us[], int64_t *end_us);

/* Refuses by limit i, and writes its ban until end_us, the next step of a ban that escalates. The limit's own state ends. */
rl_outcome rl_limiter_begin_ban(rl_evaluation *ev, unsigned i, int64_t end_us, uint64_t *out, size_t *out_words,
	rl_decision *d);

/* Sets, replaces or lifts a ban; the counts stay. */
rl_outcome rl_limiter_write_with_ban(rl_evaluation *ev, bool ban, int64_t end_us, uint64_t *out, size_t *out_words);

/* ---- limiter.c ---- */

/* Returns the tag of the limit state that admit() is about to write: that of the present one, unless that ends here. An
 * acquire gives its number to a limit state that it begins, and the odd number to one that was there without a tag. */
uint64_t rl_limiter_tag_to_write(const rl_evaluation *ev, unsigned i);

/* Lets each limit judge its own cost and a share to leave. */
RL_INLINE void rl_limiter_set_costs(rl_evaluation *ev, uint64_t leave)
{
	unsigned i;

	for (i = 0; i < ev->q->n_limits; i++) {
		ev->ctx[i].cost = ev->q->costs[i] + leave;
	}
}

/* Ends a state, and sets *out_words to its words. */
RL_INLINE rl_outcome rl_limiter_finish(rl_state_writer *w, size_t *out_words)
{
	*out_words = rl_state_writer_finish(w);
	return *out_words > 0 ? RL_WRITE_STATE : RL_WRITE_DELETE;
}

/* ---- limiter_mirror.c ---- */

/* Writes what another store has answered: its ban in the place of the state's, and of each limit what is fuller. state: the state of so
 * many words, as it is. */
rl_outcome rl_limiter_mirror(rl_evaluation *ev, const uint64_t *state, size_t words, uint64_t *out, size_t *out_words);

/* ---- limiter_change.c ---- */

/* Settle, release and renew: changes what a permit holds. */
rl_outcome rl_limiter_change_permit(rl_evaluation *ev, uint64_t *out, size_t *out_words, rl_answer *a);

/* Gives back up to the cost of what each limit counts now. */
rl_outcome rl_limiter_credit(rl_evaluation *ev, uint64_t *out, size_t *out_words);

/* Takes back a booking. *found: whether each limit that counts had it; else nothing changes. */
rl_outcome rl_limiter_cancel(rl_evaluation *ev, uint64_t *out, size_t *out_words, bool *found);

#endif
