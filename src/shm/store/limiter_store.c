/* A limiter's questions on the segment (copy-on-write): copies the state, lets the core decide, publishes the next state by
 * one compare-and-swap, and begins again if another worker was faster. */
#include <stdio.h>
#include <stdlib.h>

#include "../../core/algorithm/algorithm.h"
#include "../../core/decide/limiter.h"
#include "../segment/clock.h"
#include "fast_call.h"
#include "../process/liveness.h"
#include "store_internal.h"
#include "../record/record_cache.h"
#include "../table/state_word.h"

/* Buffers for a copy of the state and for the next state, whose size is only known when it is written. Most states fit the
 * stack. */
#define STACK_WORDS 512

typedef struct {
	uint64_t *state, *next;
	size_t state_words, next_words;
	uint64_t *heap_state, *heap_next;
	uint64_t stack[2 * STACK_WORDS];
} state_buffers;

static uint64_t *grow(uint64_t **heap, uint64_t *stack, size_t words)
{
	if (words <= STACK_WORDS) {
		return stack;
	}
	free(*heap);
	*heap = malloc(words * sizeof **heap);
	return *heap;
}

/* Most states have a handful of words: a loop is faster than a call of memcpy(). */
static void copy_words(uint64_t *to, const uint64_t *from, size_t words)
{
	if (words > 16) {
		memcpy(to, from, words * sizeof *to);
		return;
	}
	for (size_t i = 0; i < words; i++) {
		to[i] = from[i];
	}
}

/* Finds the identity and copies its state. False: no memory. */
static bool read_state(const rl_segment *s, rl_position p, int64_t now_us, rl_entry_seen *seen, state_buffers *buffers)
{
	rl_record *r;
	size_t words;

	for (;;) {
		seen->entry = rl_table_find(s, p);
		buffers->state_words = 0;
		if (seen->entry == NULL) {
			return true;
		}
		seen->fp = rl_load(&seen->entry->pair.a);
		seen->word = rl_load(&seen->entry->pair.b);
		if (!rl_fp_is(seen->fp, p.fp)) {
			continue;
		}
		if ((seen->fp & RL_FP_TERMS) != 0) {
			if (rl_entry_has(seen->entry, seen->fp, seen->word)) {
				rl_terms ignored;

				buffers->state = buffers->stack;
				buffers->state_words = rl_word_unfold(s, seen->fp, seen->word, now_us, buffers->state, &ignored);
				return true;
			}
			continue;
		}
		r = rl_record_at(s, seen->entry, seen->word, &words);
		if (r == NULL) {
			if (rl_entry_has(seen->entry, seen->fp, seen->word)) {
				return true; /* a new entry, or a damaged one: no state */
			}
			continue;
		}
		buffers->state = grow(&buffers->heap_state, buffers->stack, words);
		if (buffers->state == NULL) {
			return false;
		}
		copy_words(buffers->state, r->state, words);
		/* The copy is one state only if the entry still has the same reference. */
		if (rl_entry_has(seen->entry, seen->fp, seen->word)) {
			buffers->state_words = words;
			return true;
		}
	}
}

static rl_status limiter_fail(rl_error *e, const char *why)
{
	snprintf(e->message, sizeof e->message, "%s", why);
	return RL_UNAVAILABLE;
}

/* The result of one attempt to publish. */
typedef enum {
	PUBLISHED,
	PUBLISH_RACED,   /* another worker was faster */
	PUBLISH_NO_ROOM, /* the state does not fold; or there is no record for it */
} publish_result;

/* Publishes the next state in one word. A record that was there serves the next decision. */
static publish_result publish_word(const rl_segment *s, const rl_entry_seen *seen, rl_position p, const uint64_t *next,
	size_t words)
{
	uint64_t fp = p.fp | (rl_state_is_exhausted(next[0]) ? RL_FP_EXHAUSTED : 0), terms, word;
	rl_record *old;

	if (!rl_word_fold(s, next, words, seen->fp, seen->word, &terms, &word)) {
		return PUBLISH_NO_ROOM;
	}
	if (!rl_record_swap(s, seen->entry, seen->fp, seen->word, fp | terms, word, &old)) {
		return PUBLISH_RACED;
	}
	if (old != NULL) {
		rl_record_put(s, old);
	}
	return PUBLISHED;
}

static publish_result publish_record(const rl_segment *s, const rl_entry_seen *seen, uint64_t fp, const uint64_t *next,
	size_t words, int64_t now_us)
{
	rl_record *record = rl_record_get(s, seen->entry, words, now_us);

	if (record == NULL) {
		return PUBLISH_NO_ROOM;
	}
	copy_words(record->state, next, words);
	if (rl_record_publish(s, seen->entry, seen->fp, seen->word, fp, record) != 0) {
		return PUBLISHED;
	}
	rl_record_put(s, record);
	return PUBLISH_RACED;
}

static bool runs_ban(const uint64_t *state, size_t words, int64_t now_us)
{
	return words >= RL_STATE_HEAD_WORDS && (int64_t) state[RL_STATE_BAN_END] > now_us;
}

/* Returns whether the next state has a running ban, and the state before it has none. */
static bool begins_ban(const state_buffers *buffers, int64_t now_us)
{
	return RL_UNLIKELY(runs_ban(buffers->next, buffers->next_words, now_us))
		&& !runs_ban(buffers->state, buffers->state_words, now_us);
}

/* Publishes the next state of so many limits: in one word, or else in a record. begins: it has a running ban, and the state before has
 * none. The limits of a limiter with several begin and end one by one: their state does not change its form so often. */
static publish_result publish_state(const rl_segment *s, const rl_entry_seen *seen, rl_position p, unsigned n_limits,
	const uint64_t *next, size_t words, bool begins, int64_t now_us)
{
	uint64_t fp = p.fp | (rl_state_is_exhausted(next[0]) ? RL_FP_EXHAUSTED : 0);
	publish_result result = n_limits == 1 || rl_state_is_lone_ban(next) ? publish_word(s, seen, p, next, words)
																		: PUBLISH_NO_ROOM;

	if (result != PUBLISH_NO_ROOM) {
		return result;
	}
	if (RL_UNLIKELY(begins)) {
		rl_ban_share_hold(s, seen->entry, words, now_us);
	}
	return publish_record(s, seen, fp, next, words, now_us);
}

/* ---- Places of dead workers ---- */

/* The worker slots that one call has found alive: the kernel's answer costs a microsecond. */
typedef struct {
	uint64_t alive[RL_WORKERS_MAX / 64];
} owners_seen;

static bool is_owner_gone(uint64_t owner, void *context)
{
	owners_seen *seen = context;
	uint64_t slot = rl_owner_slot(owner) % RL_WORKERS_MAX;
	uint64_t *word = &seen->alive[slot / 64], bit = UINT64_C(1) << slot % 64;

	if ((*word & bit) != 0 && rl_owner_has_slot(owner)) {
		return false;
	}
	if (rl_owner_is_gone(owner)) {
		return true;
	}
	*word |= bit;
	return false;
}

/* Returns whether the answer depends on places that dead workers may hold. */
static bool may_have_dead_places(const rl_question *q, const rl_answer *a)
{
	unsigned i;

	if (q->op != RL_OP_PEEK && (q->op != RL_OP_ACQUIRE || a->decision.reason != RL_LIMITED)) {
		return false;
	}
	for (i = 0; i < q->n_limits && q->limits[i].algorithm != RL_CONCURRENT; i++) {
	}
	return i < q->n_limits;
}

/* Drops the places of dead workers from a copy of a state. Returns whether there were any. */
static RL_COLD bool drop_dead_places(uint64_t *state, size_t words)
{
	owners_seen seen = {0};
	rl_state parts;
	bool any = false;

	rl_state_read(state, words, &parts);
	for (unsigned i = 0; i < parts.n_limits; i++) {
		if (rl_limit_state_algorithm(parts.limit_states[i]) == RL_CONCURRENT) {
			any |= rl_concurrent_drop(state + (parts.limit_states[i] - state), is_owner_gone, &seen);
		}
	}
	return any;
}

/* Returns the moment that the question judges, on the segment's time. */
static int64_t judged_moment(const rl_segment *s, const rl_question *q, const rl_now *now)
{
	int64_t at_us;

	if (RL_LIKELY(q->op != RL_OP_RESERVE && q->op != RL_OP_CANCEL)) {
		return now->mono_us;
	}
	/* A booked moment keeps its place on the segment's time, even if the wall clock is corrected later. */
	at_us = q->at_us - (rl_clock_is_frozen() ? now->wall_us - now->mono_us : s->wall_offset_us);
	/* "Now" may have passed on the way here; what is cancelled may lie in the past. */
	return q->op == RL_OP_RESERVE && at_us < now->mono_us ? now->mono_us : at_us;
}

/* Inserts an entry for an identity that had none. Returns whether the entry has no state: then a decision against no state can be
 * published in it. */
static bool insert_entry(const rl_segment *s, rl_position p, int64_t now_us, rl_entry_seen *seen)
{
	size_t words;

	seen->entry = rl_table_claim(s, p, now_us);
	seen->fp = rl_load(&seen->entry->pair.a);
	seen->word = rl_load(&seen->entry->pair.b);
	/* A reference without a record keeps none: the publication compares it, and it never returns. */
	return rl_fp_is(seen->fp, p.fp) && (seen->fp & RL_FP_TERMS) == 0
		&& rl_record_at(s, seen->entry, seen->word, &words) == NULL;
}

/* Removes the identity. Its record serves the next decision. Returns false if another worker was faster. */
static bool remove_state(const rl_segment *s, const rl_entry_seen *seen)
{
	rl_record *old;

	if (!rl_record_take_out(s, seen->entry, seen->fp, seen->word, &old)) {
		return false;
	}
	if (old != NULL) {
		rl_record_put(s, old);
	}
	return true;
}

/* now: read before the hash, because reading an exact clock waits for all earlier instructions. mark: of RL_OP_MIRROR; else NULL. */
static rl_status decide_limiter(const rl_segment *s, rl_position p, rl_now now, const rl_question *q, rl_answer *a,
	rl_error *e, state_buffers *buffers, rl_mirror_mark *mark)
{
	bool wall = rl_limiter_needs_wall(q), begins;

	for (;; now = rl_clock_read_for(wall)) {
		int64_t at_us;
		rl_entry_seen seen = {0};
		rl_outcome outcome;
		publish_result published;
		size_t room;

		now.mono_us = rl_segment_us(s, now.mono_us);
		at_us = judged_moment(s, q, &now);
		if (!read_state(s, p, now.mono_us, &seen, buffers)) {
			return limiter_fail(e,
				"no memory for a copy of the limiter's state: free memory on this machine, or raise the process' limit");
		}
		if (RL_UNLIKELY(!wall && rl_state_needs_wall(buffers->state, buffers->state_words))) {
			/* A deploy has removed a calendar limit: its windows still end by the wall clock. */
			now.wall_us = rl_clock_wall_us();
			wall = true;
		}
		if (mark != NULL) {
			rl_mirror_mark_compare(mark, seen.fp, seen.word, q->told);
		}
		room = rl_limiter_size_max(q, buffers->state, buffers->state_words);
		if (room > STACK_WORDS) {
			room = rl_limiter_size(q, &now, buffers->state_words > 0 ? buffers->state : NULL, buffers->state_words);
		}
		buffers->next = grow(&buffers->heap_next, buffers->stack + STACK_WORDS, room);
		if (buffers->next == NULL) {
			return limiter_fail(e,
				"no memory for a copy of the limiter's state: free memory on this machine, or raise the process' limit");
		}
		do {
			outcome = rl_limiter_decide(q, &now, at_us, buffers->state_words > 0 ? buffers->state : NULL,
				buffers->state_words, buffers->next, &buffers->next_words, a);
		} while (RL_UNLIKELY(may_have_dead_places(q, a)) && outcome != RL_WRITE_STALE && buffers->state_words > 0
			&& drop_dead_places(buffers->state, buffers->state_words));
		switch (outcome) {
			case RL_WRITE_STALE:
				e->now_us = now.wall_us;
				return RL_STALE_BOUNDARIES;
			case RL_WRITE_NOTHING:
				return RL_OK;
			case RL_WRITE_DELETE:
				if (mark != NULL && !rl_shm_mark_holds(mark, false)) {
					return RL_OK;
				}
				if (seen.entry == NULL || remove_state(s, &seen)) {
					return RL_OK;
				}
				continue;
			case RL_WRITE_STATE:
				break;
		}
		begins = begins_ban(buffers, now.mono_us);
		if (seen.entry == NULL && !insert_entry(s, p, now.mono_us, &seen)) {
			continue; /* another worker has used it already */
		}
		if (mark != NULL && !rl_shm_mark_holds(mark, begins)) {
			return RL_OK;
		}
		published = publish_state(s, &seen, p, q->n_limits, buffers->next, buffers->next_words, begins, now.mono_us);
		if (published == PUBLISHED) {
			return RL_OK;
		}
		if (published == PUBLISH_NO_ROOM) {
			return limiter_fail(e,
				"the embedded store has no room for the limiter's next state: raise ratelimit.shm_size");
		}
	}
}

/* In a record the state has a reference that never returns. */
void rl_shm_mirror_renew(const uint64_t id[2], const rl_key *key)
{
	const rl_segment *s = &rl_shm;
	int64_t now_us = rl_segment_us(s, rl_clock_mono_us());
	rl_entry_seen seen = {0};
	state_buffers buffers;
	publish_result published;
	rl_position p;

	if (rl_worker_register() == NULL) {
		return;
	}
	p = rl_shm_mirror_mark(id, key, true).position;
	buffers.heap_state = buffers.heap_next = NULL;
	do {
		if (read_state(s, p, now_us, &seen, &buffers) && seen.entry == NULL) {
			break;
		}
		published = buffers.state_words == 0
			? PUBLISH_NO_ROOM
			: publish_record(s, &seen, p.fp | (seen.fp & RL_FP_EXHAUSTED), buffers.state, buffers.state_words, now_us);
		/* Without room for a record, or memory for the copy, the identity begins afresh. */
	} while (published == PUBLISH_RACED || (published == PUBLISH_NO_ROOM && !remove_state(s, &seen)));
	free(buffers.heap_state);
}

bool rl_limiter_begin(rl_position p, const rl_now *now, const rl_usual_call *call, rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	uint64_t next[RL_USUAL_WORDS_MAX];
	rl_entry_seen seen;
	size_t words;

	return rl_usual_begin(call, now, next, RL_USUAL_WORDS_MAX, &words, d) == RL_USUAL_ADMITTED
		&& insert_entry(s, p, now->mono_us, &seen)
		&& publish_state(s, &seen, p, call->n, next, words, false, now->mono_us) == PUBLISHED;
}

static bool is_ban_begun(const rl_question *q, const rl_answer *a)
{
	return (q->op == RL_OP_CONSUME || q->op == RL_OP_ACQUIRE) && a->decision.reason == RL_BANNED && a->found;
}

static rl_status ask_at(const rl_segment *s, rl_position p, rl_now now, const rl_question *q, rl_answer *a, rl_error *e,
	rl_mirror_mark *mark)
{
	state_buffers buffers;
	rl_status status;

	buffers.heap_state = buffers.heap_next = NULL;
	status = decide_limiter(s, p, now, q, a, e, &buffers, mark);
	if (RL_UNLIKELY(buffers.heap_state != NULL || buffers.heap_next != NULL)) {
		free(buffers.heap_state);
		free(buffers.heap_next);
	}
	return status;
}

/* Without room, the fallback goes on from what it has. */
void rl_shm_mirror(rl_mirror_mark *mark, const rl_question *asked, rl_told *answer)
{
	rl_question q;
	rl_answer ignored;
	rl_error e;

	if (rl_worker_register() != NULL && !rl_shm_mirror_usual(mark, asked, answer)) {
		rl_question_copy(&q, asked);
		q.op = RL_OP_MIRROR;
		q.told = answer;
		(void) ask_at(&rl_shm, mark->position, rl_clock_read_for(rl_limiter_needs_wall(&q)), &q, &ignored, &e, mark);
	}
}

rl_status rl_shm_ask(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e)
{
	const rl_segment *s = &rl_shm;
	rl_now now;
	rl_status status;

	if (rl_worker_register() == NULL) {
		return rl_shm_no_worker(e);
	}
	now = rl_clock_read_for(rl_limiter_needs_wall(q));
	status = ask_at(s, rl_shm_position_in(s, store, key, true), now, q, a, e, NULL);
	if (RL_UNLIKELY(status == RL_UNAVAILABLE)) {
		rl_stat_add(RL_STAT_ERRORS);
	}
	a->decision.source = RL_FROM_SHM;
	if (status == RL_OK && rl_stat_has_space(key->space)
		&& ((1u << q->op & (1u << RL_OP_CONSUME | 1u << RL_OP_RESERVE)) != 0
			|| (q->op == RL_OP_ACQUIRE && q->part == RL_WHOLE))) {
		rl_stat_add_decision(&a->decision, is_ban_begun(q, a));
	}
	return status;
}

rl_status rl_shm_ask_many(rl_store *store, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
	rl_status *status, rl_error *e)
{
	rl_status first = RL_OK;
	size_t i;

	for (i = 0; i < n; i++) {
		rl_error mine;

		status[i] = rl_shm_ask(store, &keys[i], q[i], &a[i], &mine);
		if (status[i] != RL_OK && first == RL_OK) {
			first = status[i];
			*e = mine;
		}
		if (status[i] == RL_STALE_BOUNDARIES) {
			e->now_us = mine.now_us; /* also where the first failure is another one */
		}
	}
	return first;
}
