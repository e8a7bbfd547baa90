#include "several.h"

#include "scribe.h"

/* ---- What is told ---- */

static uint32_t left_of(const rl_hearing *h, unsigned i)
{
	uint32_t limit = h->q->limits[i].limit, used = h->ops[i]->used(&h->cases[i]);

	return used < limit ? limit - used : 0;
}

/* remaining: of that limit, left_of(). */
static void tell(const rl_hearing *h, unsigned i, rl_reason reason, uint32_t remaining, int64_t retry_after_us, rl_decision *d)
{
	int64_t reset_us = h->ops[i]->whole_at(&h->cases[i]) - h->now->mono_us;

	d->reason = reason;
	d->accepted = reason == RL_ACCEPTED;
	d->limit_index = (uint8_t) i;
	d->limit = h->q->limits[i].limit;
	d->remaining = remaining;
	d->retry_after_us = retry_after_us;
	d->reset_after_us = reset_us > 0 ? reset_us : 0;
}

static void tell_ban(const rl_hearing *h, unsigned i, int64_t end_us, int64_t retry_at_us, rl_decision *d)
{
	d->reason = RL_BANNED;
	d->accepted = false;
	d->limit_index = (uint8_t) i;
	d->limit = h->q->limits[i].limit;
	d->remaining = 0;
	d->retry_after_us = retry_at_us - h->now->mono_us;
	d->reset_after_us = end_us - h->now->mono_us;
}

/* The first moment from t on at which all limits would admit. Each round moves to a later moment at which some state that
 * is kept runs out, so it ends; the bound is for states that nobody wrote. */
static int64_t all_earliest(const rl_hearing *h, int64_t t_us)
{
	unsigned i, rounds;

	for (rounds = 0; rounds < RL_LIMITS_MAX * (unsigned) RL_LOG_LIMIT_MAX; rounds++) {
		int64_t before_us = t_us;

		for (i = 0; i < h->q->n_limits; i++) {
			t_us = h->ops[i]->earliest(&h->cases[i], t_us);
		}
		if (t_us == before_us) {
			break;
		}
	}
	return t_us;
}

/* Which limit began the ban that is running. */
static unsigned banning_limit(const rl_hearing *h)
{
	const rl_question *q = h->q;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == h->state.ban_algorithm && rl_state_ban_period(&q->limits[i]) == h->state.ban_period
				&& q->limits[i].rate == h->state.ban_rate) {
			return i;
		}
	}
	for (i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == h->state.ban_algorithm) {
			return i;
		}
	}
	return 0;
}

/* ---- The questions ---- */

static int64_t ban_end_us(const rl_hearing *h, rl_ban_kind kind, int64_t us)
{
	switch (kind) {
		case RL_BAN_FOR:
			return h->now->mono_us + us;
		case RL_BAN_UNTIL:
			return us - h->now->wall_us + h->now->mono_us;
		case RL_BAN_NONE:
			break;
	}
	return h->now->mono_us;
}

/* The ban that a refusal begins: of the limits that refuse, the one whose ban ends last. n_limits: none does. */
static unsigned ban_to_begin(const rl_hearing *h, const int64_t earliest_us[], int64_t *end_us)
{
	unsigned i, which = h->q->n_limits;

	*end_us = h->now->mono_us;
	for (i = 0; i < h->q->n_limits; i++) {
		int64_t us = ban_end_us(h, h->q->limits[i].ban, h->q->limits[i].ban_us);

		if (earliest_us[i] > h->now->mono_us && us > *end_us) {
			which = i;
			*end_us = us;
		}
	}
	return which;
}

static rl_outcome end_state(rl_scribe *w, size_t *out_words)
{
	*out_words = rl_scribe_end(w);
	return *out_words > 0 ? RL_WRITE_STATE : RL_WRITE_GONE;
}

static rl_outcome admit_all(rl_hearing *h, uint64_t *out, size_t *out_words, rl_decision *d)
{
	rl_scribe w;
	unsigned i, tightest = 0;
	uint32_t least = UINT32_MAX;
	rl_outcome outcome;

	rl_scribe_begin(&w, h, out);
	rl_scribe_old_ban(&w); /* of a booking beyond its end */
	w.used = 0;
	for (i = 0; i < h->q->n_limits; i++) {
		uint32_t used, limit = h->q->limits[i].limit;

		h->cases[i].slot = rl_scribe_slot(&w, h->ops[i]->admit(&h->cases[i], out + w.at));
		used = h->ops[i]->used(&h->cases[i]);
		if (used > w.used) {
			w.used = used;
		}
		used = used < limit ? limit - used : 0;
		w.exhausted = w.exhausted || used == 0;
		if (used < least) {
			least = used;
			tightest = i;
		}
	}
	outcome = end_state(&w, out_words);
	tell(h, tightest, RL_ACCEPTED, least, 0, d);
	return outcome;
}

static rl_outcome begin_ban(rl_hearing *h, unsigned i, int64_t end_us, uint64_t *out, size_t *out_words, rl_decision *d)
{
	rl_scribe w;
	unsigned other;

	h->cases[i].slot = NULL;
	rl_scribe_begin(&w, h, out);
	rl_scribe_ban(&w, end_us, &h->q->limits[i]);
	for (other = 0; other < h->q->n_limits; other++) {
		rl_scribe_old_slot(&w, h->cases[other].slot);
	}
	tell_ban(h, i, end_us, all_earliest(h, end_us), d);
	return end_state(&w, out_words);
}

static rl_outcome consume(rl_hearing *h, uint64_t *out, size_t *out_words, rl_decision *d)
{
	const rl_question *q = h->q;
	bool booking = q->op == RL_OP_RESERVE;
	int64_t from_us = h->cases[0].at_us, earliest_us[RL_LIMITS_MAX], end_us;
	unsigned i, latest = 0;

	for (i = 0; i < q->n_limits; i++) {
		if (q->cost > q->limits[i].limit) {
			tell(h, i, RL_TOO_EXPENSIVE, left_of(h, i), RL_NEVER, d);
			return RL_WRITE_NOTHING;
		}
	}
	if (h->banned && from_us < h->state.ban_end_us) {
		tell_ban(h, banning_limit(h), h->state.ban_end_us, all_earliest(h, h->state.ban_end_us), d);
		return RL_WRITE_NOTHING;
	}
	for (i = 0; i < q->n_limits; i++) {
		earliest_us[i] = h->ops[i]->earliest(&h->cases[i], from_us);
		if (earliest_us[i] > earliest_us[latest]) {
			latest = i;
		}
	}
	if (earliest_us[latest] == from_us) {
		for (i = 0; booking && i < q->n_limits; i++) {
			int64_t room_us = h->ops[i]->room_at != NULL ? h->ops[i]->room_at(&h->cases[i]) : INT64_MIN;

			if (room_us > h->now->mono_us) {
				tell(h, i, RL_LIMITED, left_of(h, i), room_us - h->now->mono_us, d);
				return RL_WRITE_NOTHING;
			}
		}
		return admit_all(h, out, out_words, d);
	}
	if (!booking && (i = ban_to_begin(h, earliest_us, &end_us)) < q->n_limits) {
		return begin_ban(h, i, end_us, out, out_words, d);
	}
	tell(h, latest, RL_LIMITED, left_of(h, latest), all_earliest(h, from_us) - h->now->mono_us, d);
	return RL_WRITE_NOTHING;
}

static rl_outcome refund(rl_hearing *h, uint64_t *out, size_t *out_words)
{
	rl_scribe w;
	unsigned i;
	bool any = false;

	rl_scribe_begin(&w, h, out);
	rl_scribe_old_ban(&w);
	w.used = rl_take_count(w.used, h->q->cost);
	for (i = 0; i < h->q->n_limits; i++) {
		if (h->cases[i].slot != NULL) {
			rl_scribe_slot(&w, h->ops[i]->refund(&h->cases[i], out + w.at));
			any = true;
		}
	}
	return any ? end_state(&w, out_words) : RL_WRITE_NOTHING;
}

static rl_outcome cancel(rl_hearing *h, uint64_t *out, size_t *out_words, bool *found)
{
	rl_scribe w;
	unsigned i;

	*found = false;
	rl_scribe_begin(&w, h, out);
	rl_scribe_old_ban(&w);
	w.used = rl_take_count(w.used, h->q->cost);
	for (i = 0; i < h->q->n_limits; i++) {
		size_t words = 0;

		if (h->cases[i].slot != NULL && h->ops[i]->cancel != NULL) {
			words = h->ops[i]->cancel(&h->cases[i], out + w.at);
		}
		if (words == 0) {
			return RL_WRITE_NOTHING;
		}
		rl_scribe_slot(&w, words);
	}
	*found = true;
	return end_state(&w, out_words);
}

/* Sets, replaces or lifts a ban; the counts stay. */
static rl_outcome write_with_ban(rl_hearing *h, bool ban, int64_t end_us, uint64_t *out, size_t *out_words)
{
	rl_scribe w;
	unsigned i;

	rl_scribe_begin(&w, h, out);
	if (ban) {
		rl_scribe_ban(&w, end_us, NULL);
	}
	w.exhausted = h->state.exhausted;
	for (i = 0; i < h->q->n_limits; i++) {
		rl_scribe_old_slot(&w, h->cases[i].slot);
	}
	return end_state(&w, out_words);
}

static bool is_stale(const rl_question *q, const rl_now *now)
{
	bool booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL;
	unsigned i;

	if (q->op != RL_OP_CONSUME && q->op != RL_OP_PEEK && q->op != RL_OP_REFUND && !booking) {
		return false;
	}
	for (i = 0; i < q->n_limits; i++) {
		const int64_t *b = q->limits[i].boundary;
		int64_t us = booking ? q->at_us : now->wall_us;

		if (q->limits[i].algorithm == RL_CALENDAR_WINDOW && (us < b[0] || us >= b[booking ? 1 : 2])) {
			return true;
		}
	}
	return false;
}

bool rl_several_wants_wall(const rl_question *q)
{
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == RL_CALENDAR_WINDOW || q->limits[i].ban == RL_BAN_UNTIL) {
			return true;
		}
	}
	return q->ban == RL_BAN_UNTIL;
}

/* What a slot takes at the most beside what it has: a sliding window's counters, or a log's moments in 8 bytes that were
 * in 4. */
#define SLOT_WORDS 32

size_t rl_several_room_at_most(const rl_question *q, size_t words)
{
	size_t room = RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS + 2 * words;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		room += SLOT_WORDS + (q->limits[i].algorithm == RL_SLIDING_LOG ? 2 * words + q->cost : words);
	}
	return room;
}

size_t rl_several_room(const rl_question *q, const rl_now *now, const uint64_t *state, size_t words)
{
	rl_hearing h;
	size_t room = RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS;
	unsigned i;

	rl_hearing_open(&h, q, now, now->mono_us, state, words);
	for (i = 0; i < q->n_limits; i++) {
		size_t slot = h.cases[i].slot != NULL ? rl_slot_words(h.cases[i].slot) : 0;

		/* Only what is admitted makes a state longer; and what is too expensive is not. */
		if (q->cost > q->limits[i].limit || q->op == RL_OP_REFUND || q->op == RL_OP_CANCEL) {
			h.cases[i].cost = 1;
		}
		room += h.ops[i]->room(&h.cases[i]) + slot;
	}
	return room + words;
}

rl_outcome rl_several_answer(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state, size_t words,
	uint64_t *out, size_t *out_words, rl_answer *a)
{
	rl_hearing h;

	if (is_stale(q, now)) {
		return RL_WRITE_STALE;
	}
	rl_hearing_open(&h, q, now, at_us, state, words);
	switch (q->op) {
		case RL_OP_CONSUME:
		case RL_OP_RESERVE:
			return consume(&h, out, out_words, &a->decision);
		case RL_OP_PEEK:
			consume(&h, out, out_words, &a->decision);
			return RL_WRITE_NOTHING;
		case RL_OP_CANCEL:
			return cancel(&h, out, out_words, &a->found);
		case RL_OP_REFUND:
			return refund(&h, out, out_words);
		case RL_OP_BAN:
			return write_with_ban(&h, true, ban_end_us(&h, q->ban, q->ban_us), out, out_words);
		case RL_OP_UNBAN:
			a->found = h.banned;
			return h.banned ? write_with_ban(&h, false, 0, out, out_words) : RL_WRITE_NOTHING;
		case RL_OP_RESET:
			a->found = h.banned || h.state.n_slots > 0;
			return state != NULL ? RL_WRITE_GONE : RL_WRITE_NOTHING;
		case RL_OP_LEASE: /* between machines: none of this one's business */
			break;
	}
	return RL_WRITE_NOTHING;
}
