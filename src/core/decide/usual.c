#include "usual_step.h"

#include "../algorithm/notes.h"

/* ---- A limit whose state is over ---- */

/* Returns whether the limit state is one of the limit's algorithm, and over. */
static bool usual_is_over(rl_usual_share u, const rl_algorithm_ops *ops)
{
	return u.words > 0 && rl_limit_state_algorithm(u.state) == u.limit->algorithm && rl_limit_state_mark(u.state) == 0
		&& rl_limit_state_words(u.state) <= u.words && rl_limit_state_words(u.state) >= ops->words_min
		&& u.state[RL_LIMIT_STATE_TAG] == 0 && ops->expires_at(u.state, u.now) <= u.now->mono_us;
}

/* Begins the limit state of a limit that has none, or whose last one is over. */
static rl_usual_result usual_begin(rl_usual_share u, rl_step *s)
{
	const rl_limit *limit = u.limit;
	const rl_algorithm_ops *ops = rl_algorithm_of(limit->algorithm);
	rl_limit_ctx c = {.limit = limit, .now = *u.now, .at_us = u.now->mono_us, .cost = u.cost};
	int64_t now_us = u.now->mono_us;

	if (limit->algorithm == RL_CALENDAR_WINDOW
		&& (u.now->wall_us < limit->boundary[0] || u.now->wall_us >= limit->boundary[1])) {
		return RL_USUAL_LEFT;
	}
	if (ops->max_words(&c) > u.room) {
		return RL_USUAL_NO_ROOM;
	}
	ops->admit(&c, u.next);
	if (ops->expires_at(u.next, u.now) <= now_us) {
		return RL_USUAL_LEFT;
	}
	c.limit_state = u.next;
	c.cost = 1;
	*s = (rl_step){.accepted = true, .used = ops->used(&c), .reset_us = ops->full_at(&c) - now_us};
	s->exhausted = s->used >= limit->limit;
	s->retry_us = s->exhausted ? ops->earliest(&c, now_us) - now_us : 0;
	return RL_USUAL_ADMITTED;
}

static RL_COLD rl_usual_result usual_begin_again(rl_usual_share u, rl_step *s)
{
	return u.limit->algorithm != RL_CONCURRENT && usual_is_over(u, rl_algorithm_of(u.limit->algorithm))
		? usual_begin(u, s)
		: RL_USUAL_LEFT;
}

/* ---- A limit state with a tag: without its tag and marks it is one of a consume ---- */

/* The words of a limit state beside those of a consume's. */
typedef struct {
	uint64_t tag;
	rl_notes notes;      /* of a bucket: the number of its last take, and its marks */
	uint64_t backlog_us; /* of a bucket: what this take finds */
} usual_tagged;

/* Makes a limit state one without a tag and without marks. Returns false if the call is left: a bucket that is full begins again, with
 * another tag. */
RL_INLINE bool usual_strip(rl_usual_share u, usual_tagged *t)
{
	bool bucket = u.limit->algorithm == RL_TOKEN_BUCKET;
	size_t words, n;

	if (u.words < RL_LIMIT_STATE_HEAD_WORDS) {
		return false;
	}
	words = rl_limit_state_words(u.state);
	n = rl_limit_state_n_notes(u.state);
	if (words > u.words || words < RL_NOTE_WORDS * n || (bucket ? n == 0 || n > 1 + RL_BUCKET_MARKS_MAX : n > 0)) {
		return false;
	}
	*t = (usual_tagged){.tag = rl_limit_state_tag(u.state), .notes = rl_notes_of(u.state)};
	if (bucket) {
		if (words < RL_BUCKET_WORDS + RL_NOTE_WORDS * n || rl_moment(u.state[RL_BUCKET_TAT]) <= u.now->mono_us) {
			return false;
		}
		t->backlog_us = (uint64_t) (rl_moment(u.state[RL_BUCKET_TAT]) - u.now->mono_us);
	}
	u.state[RL_LIMIT_STATE_TAG] = 0;
	u.state[0] -= (uint64_t) (RL_NOTE_WORDS * n) << RL_LIMIT_STATE_WORDS_AT;
	return t->tag != 0;
}

/* Returns the permit's place in the next limit state. */
RL_INLINE int64_t usual_place(rl_usual_share u, usual_tagged t)
{
	int64_t now_us = u.now->mono_us;

	switch (u.limit->algorithm) {
		case RL_FIXED_WINDOW:
		case RL_CALENDAR_WINDOW:
			return rl_moment(u.next[RL_WINDOW_END]);
		case RL_SLIDING_WINDOW: {
			rl_sliding r = rl_sliding_read(u.next, u.limit->period_us, 0);

			return rl_sliding_begin_of(&r, rl_sliding_index_of(&r, now_us));
		}
		case RL_TOKEN_BUCKET:
			return (int64_t) rl_bucket_next_take(&t.notes);
		default:
			return now_us;
	}
}

/* Adds the marks and the tag to the next limit state. Sets the permit's part. Returns false if there is no room. */
RL_INLINE bool usual_tag(rl_usual_share u, usual_tagged t, rl_held *held)
{
	size_t own = rl_limit_state_words(u.next), n = 0;

	/* A take adds a mark at most. */
	if (RL_UNLIKELY(u.room - own < RL_NOTE_WORDS * (t.notes.n + 1))) {
		return false;
	}
	*held = (rl_held){.tag = t.tag, .place = usual_place(u, t), .cost = u.cost};
	if (u.limit->algorithm == RL_TOKEN_BUCKET) {
		n = rl_bucket_mark(t.notes, t.backlog_us, u.next + own);
	}
	u.next[RL_LIMIT_STATE_TAG] = t.tag | (uint64_t) n << RL_LIMIT_STATE_NOTES_AT;
	u.next[0] += (uint64_t) (RL_NOTE_WORDS * n) << RL_LIMIT_STATE_WORDS_AT;
	return true;
}

/* ---- All limits ---- */

/* The decision of the limits before. */
typedef struct {
	unsigned index; /* of the deciding limit */
	rl_step step;
	int64_t rank;     /* of that decision */
	int64_t retry_us; /* the longest */
	bool exhausted;
	uint64_t used;
	int64_t reset_us;
	unsigned admitted; /* the limits that admit the call, a bit each */
} usual_pass;

/* Takes a limit's step into account. The first of the lowest rank decides: the refusal that lasts longest; with no refusal, the limit of
 * which the fewest permits remain. */
RL_INLINE void usual_take(usual_pass *p, unsigned i, rl_step s, const rl_limit *limit, rl_decision *d)
{
	uint64_t remaining = rl_step_remaining(&s, limit);
	int64_t rank = RL_LIKELY(s.accepted) ? (int64_t) remaining : -1 - s.retry_us;

	p->retry_us = s.retry_us > p->retry_us ? s.retry_us : p->retry_us;
	p->exhausted = p->exhausted || s.exhausted;
	p->used = s.used > p->used ? s.used : p->used;
	p->reset_us = s.reset_us > p->reset_us ? s.reset_us : p->reset_us;
	p->admitted |= (unsigned) s.accepted << i;
	d->left[i] = (rl_left){.remaining = remaining, .reset_after_us = s.reset_us};
	if (rank < p->rank) {
		p->index = i;
		p->step = s;
		p->rank = rank;
	}
}

/* Makes what each limit has left what it is without the call. admitted: the limits that would admit it, a bit each. */
static RL_COLD void usual_left_as_is(const rl_usual_call *call, const rl_now *now, const uint64_t *limit_state,
	unsigned admitted, rl_decision *d)
{
	unsigned i;

	for (i = 0; i < call->n; i++) {
		if ((admitted & 1u << i) != 0) {
			int64_t end_us = rl_algorithm_of(call->limits[i].algorithm)->expires_at(limit_state, now);

			d->left[i].remaining += call->costs != NULL ? call->costs[i] : call->cost;
			d->left[i].reset_after_us = end_us > now->mono_us ? end_us - now->mono_us : 0;
		}
		limit_state += rl_limit_state_words(limit_state);
	}
}

/* Decides all limits in turn. A limit that admits the call now does so later, too, if no other call comes: so all admit it when
 * the last one does. Sets *end to the end of the next limit states. */
RL_INLINE rl_usual_result usual_each(const rl_usual_call *call, bool tags, rl_usual_share u, usual_pass *p,
	uint64_t **end, rl_decision *d)
{
	unsigned i;

	for (i = 0; i < call->n; i++) {
		size_t words = u.words >= RL_LIMIT_STATE_HEAD_WORDS ? rl_limit_state_words(u.state) : 0, next_words;
		rl_usual_result result;
		uint64_t mark, head;
		usual_tagged tagged = {0};
		rl_step s = {0};

		u.limit = &call->limits[i];
		u.cost = call->costs != NULL ? call->costs[i] : call->cost;
		if (RL_UNLIKELY(u.cost - 1 >= u.limit->limit) || words == 0) {
			return RL_USUAL_LEFT; /* it is skipped, or too expensive */
		}
		mark = rl_usual_mark(call->n, u.limit);
		head = u.state[0];
		u.state[0] ^= mark; /* no step reads that of another limit */
		if (RL_UNLIKELY(tags ? !usual_strip(u, &tagged) : u.state[RL_LIMIT_STATE_TAG] != 0)) {
			return RL_USUAL_LEFT; /* the limit state has bookings, or begins another tag */
		}
		result = rl_usual_step(u.limit->algorithm, u, &s);
		if (RL_UNLIKELY(result == RL_USUAL_LEFT) && !tags) {
			rl_step begun;

			result = usual_begin_again((rl_usual_share){u.limit, u.cost, u.now, u.state, u.words, u.next, u.room},
				&begun);
			s = begun; /* and u was copied field by field: neither has an address, so both stay in registers */
		}
		if (RL_UNLIKELY(result < RL_USUAL_REFUSED || (!s.accepted && u.limit->ban != RL_BAN_NONE))) {
			return result == RL_USUAL_NO_ROOM ? result : RL_USUAL_LEFT;
		}
		if (tags && s.accepted && RL_UNLIKELY(!usual_tag(u, tagged, &call->held[i]))) {
			return RL_USUAL_NO_ROOM;
		}
		usual_take(p, i, s, u.limit, d);
		u.state[0] = head;
		next_words = 0;
		if (s.accepted) {
			next_words = rl_limit_state_words(u.next);
			u.next[0] |= mark;
		}
		u.state += words;
		u.words -= words;
		u.next += next_words;
		u.room -= next_words;
	}
	*end = u.next;
	return p->step.accepted ? RL_USUAL_ADMITTED : RL_USUAL_REFUSED;
}

/* Fills in the answer of all limits, and the head of the next state, whose limit states end there. */
RL_INLINE void usual_finish(const rl_usual_call *call, usual_pass *p, const rl_now *now, uint64_t *next,
	const uint64_t *end, size_t *next_words, rl_decision *d)
{
	if (p->step.accepted) {
		p->step.retry_us = p->rank == 0 ? p->retry_us : 0;
		rl_state_begin(call->n, p->exhausted, p->used, now->mono_us + p->reset_us, next);
		*next_words = (size_t) (end - next);
	}
	rl_step_answer(&p->step, &call->limits[p->index], d);
	d->limit_index = (uint8_t) p->index;
	d->n_left = (uint8_t) call->n;
}

RL_INLINE rl_usual_result usual_pass_of(const rl_usual_call *call, bool tags, const rl_now *now, uint64_t *state,
	size_t words, uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	usual_pass p = {.rank = INT64_MAX};
	uint64_t *end;
	rl_usual_result result = usual_each(call, tags, rl_usual_first(now, state, words, next, room), &p, &end, d);

	if (RL_LIKELY(result >= RL_USUAL_REFUSED)) {
		usual_finish(call, &p, now, next, end, next_words, d);
	}
	if (result == RL_USUAL_REFUSED || (result == RL_USUAL_ADMITTED && call->peeks)) {
		usual_left_as_is(call, now, state + RL_STATE_HEAD_WORDS, p.admitted, d);
	}
	return result;
}

RL_HOT rl_usual_result rl_usual_several(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	return usual_pass_of(call, false, now, state, words, next, room, next_words, d);
}

RL_HOT rl_usual_result rl_usual_acquire(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	return usual_pass_of(call, true, now, state, words, next, room, next_words, d);
}

RL_HOT rl_usual_result rl_usual_one(const rl_usual_call *call, const rl_now *now, uint64_t *state, size_t words,
	uint64_t *next, size_t room, size_t *next_words, rl_decision *d)
{
	return rl_usual_alone(call->limits->algorithm, call->limits, call->cost, now, state, words, next, room, next_words,
		d);
}

rl_usual_result rl_usual_begin(const rl_usual_call *call, const rl_now *now, uint64_t *next, size_t room,
	size_t *next_words, rl_decision *d)
{
	rl_usual_share u = {
		.now = now,
		.next = next + RL_STATE_HEAD_WORDS,
		.room = room - RL_STATE_HEAD_WORDS,
	};
	usual_pass p = {.rank = INT64_MAX};
	unsigned i;

	for (i = 0; i < call->n; i++) {
		rl_usual_result result;
		rl_step s;

		u.limit = &call->limits[i];
		u.cost = call->costs != NULL ? call->costs[i] : call->cost;
		result = u.cost - 1 < u.limit->limit && u.limit->algorithm != RL_CONCURRENT ? usual_begin(u, &s)
																					: RL_USUAL_LEFT;
		if (result != RL_USUAL_ADMITTED) {
			return result;
		}
		usual_take(&p, i, s, u.limit, d);
		u.next[0] |= rl_usual_mark(call->n, u.limit);
		u.room -= rl_limit_state_words(u.next);
		u.next += rl_limit_state_words(u.next);
	}
	usual_finish(call, &p, now, next, u.next, next_words, d);
	return RL_USUAL_ADMITTED;
}
