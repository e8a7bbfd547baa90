#include "several.h"

#include <string.h>

#include "algorithm.h"

/* A question on its way: the limits, each with its slot, and the slots that no limit took. */
typedef struct {
	const rl_question *q;
	const rl_now *now;
	rl_state state;
	bool banned;                     /* a ban is running */
	const rl_algorithm_ops *ops[RL_LIMITS_MAX];
	rl_case cases[RL_LIMITS_MAX];
	unsigned n_others;
	const uint64_t *others[RL_LIMITS_MAX];
} hearing;

/* ---- Which slot is whose ---- */

/* The usual case: a limiter of the same limits has left the state. Each then takes the slot in its own place, as it would
 * below. */
static bool take_slots_in_order(hearing *h)
{
	unsigned i;

	if (h->state.n_slots != h->q->n_limits) {
		return false;
	}
	for (i = 0; i < h->q->n_limits; i++) {
		const rl_limit *limit = &h->q->limits[i];
		const uint64_t *slot = h->state.slots[i];

		if (rl_slot_algorithm(slot) != limit->algorithm || !h->ops[i]->fits(limit, slot)) {
			return false;
		}
	}
	for (i = 0; i < h->q->n_limits; i++) {
		h->cases[i].slot = h->state.slots[i];
	}
	return true;
}

static void take_slots_of(hearing *h, bool taken[RL_STATE_SLOTS_MAX], bool same_period)
{
	unsigned i, s;

	for (i = 0; i < h->q->n_limits; i++) {
		if (h->cases[i].slot != NULL) {
			continue;
		}
		for (s = 0; s < h->state.n_slots && h->cases[i].slot == NULL; s++) {
			const uint64_t *slot = h->state.slots[s];

			if (!taken[s] && rl_slot_algorithm(slot) == h->q->limits[i].algorithm
					&& (!same_period || h->ops[i]->fits(&h->q->limits[i], slot))) {
				h->cases[i].slot = slot;
				taken[s] = true;
			}
		}
	}
}

static void take_slots(hearing *h)
{
	bool taken[RL_STATE_SLOTS_MAX] = {false};
	unsigned i;

	take_slots_of(h, taken, true);
	take_slots_of(h, taken, false);
	for (i = 0; i < h->state.n_slots && h->n_others < RL_LIMITS_MAX; i++) {
		if (!taken[i]) {
			h->others[h->n_others++] = h->state.slots[i];
		}
	}
}

static bool is_empty(const uint64_t *slot, const rl_now *now)
{
	return rl_algorithm_of((unsigned) rl_slot_algorithm(slot))->over_at(slot, now) <= now->mono_us;
}

static void open_hearing(hearing *h, const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words)
{
	unsigned i, kept = 0;

	h->q = q;
	h->now = now;
	rl_state_read(state, words, &h->state);
	h->banned = h->state.ban && h->state.ban_end_us > now->mono_us;
	for (i = 0; i < h->state.n_slots; i++) {
		if (!is_empty(h->state.slots[i], now)) {
			h->state.slots[kept++] = h->state.slots[i];
		}
	}
	h->state.n_slots = kept;
	for (i = 0; i < q->n_limits; i++) {
		h->ops[i] = rl_algorithm_of(q->limits[i].algorithm);
		h->cases[i] = (rl_case) {
			.limit = &q->limits[i],
			.now = *now,
			.at_us = at_us,
			.booking = q->op == RL_OP_RESERVE || q->op == RL_OP_CANCEL,
			.cost = q->cost,
		};
	}
	h->n_others = 0;
	if (h->state.n_slots > 0 && !take_slots_in_order(h)) {
		take_slots(h);
	}
}

/* ---- Writing the next state ---- */

typedef struct {
	uint64_t *out;
	size_t at;
	unsigned n_slots;
	int64_t over_at_us;
	uint32_t used;
	bool exhausted;
	const rl_now *now;
} scribe;

static void begin_state(scribe *w, const hearing *h, uint64_t *out)
{
	*w = (scribe) {.out = out, .at = RL_STATE_HEAD_WORDS, .now = h->now, .over_at_us = INT64_MIN};
}

static void write_ban(scribe *w, int64_t end_us, unsigned algorithm, uint32_t rate, int64_t period)
{
	w->out[w->at] = (uint64_t) end_us;
	w->out[w->at + 1] = (uint64_t) rate << 32 | algorithm;
	w->out[w->at + 2] = (uint64_t) period;
	w->at += RL_STATE_BAN_WORDS;
	w->over_at_us = end_us;
}

static void write_old_ban(scribe *w, const rl_state *state)
{
	write_ban(w, state->ban_end_us, state->ban_algorithm, state->ban_rate, state->ban_period);
}

static int64_t period_mark(const rl_limit *limit)
{
	return limit->algorithm == RL_CALENDAR_WINDOW ? (int64_t) limit->period : limit->period_us;
}

/* Keeps what was written at the scribe's place, unless it is over. */
static const uint64_t *keep_slot(scribe *w, size_t words)
{
	const uint64_t *slot = w->out + w->at;
	int64_t over_at_us = rl_algorithm_of((unsigned) rl_slot_algorithm(slot))->over_at(slot, w->now);

	if (over_at_us <= w->now->mono_us) {
		return NULL;
	}
	if (over_at_us > w->over_at_us) {
		w->over_at_us = over_at_us;
	}
	w->at += words;
	w->n_slots++;
	return slot;
}

static const uint64_t *copy_slot(scribe *w, const uint64_t *slot)
{
	size_t words;

	if (slot == NULL) {
		return NULL;
	}
	words = rl_slot_words(slot);
	memcpy(w->out + w->at, slot, words * sizeof *slot);
	return keep_slot(w, words);
}

static rl_outcome end_state(scribe *w, const hearing *h, bool ban, size_t *out_words)
{
	unsigned i;

	for (i = 0; i < h->n_others; i++) {
		copy_slot(w, h->others[i]);
	}
	if (!ban && w->n_slots == 0) {
		return RL_WRITE_GONE;
	}
	w->out[0] = w->n_slots | (ban ? RL_STATE_BAN : 0) | (w->exhausted ? RL_STATE_EXHAUSTED : 0)
		| (uint64_t) w->used << RL_STATE_USED_AT;
	w->out[1] = (uint64_t) w->over_at_us;
	*out_words = w->at;
	return RL_WRITE_STATE;
}

/* ---- What is told ---- */

static uint32_t left_of(const hearing *h, unsigned i)
{
	uint32_t limit = h->q->limits[i].limit, used = h->ops[i]->used(&h->cases[i]);

	return used < limit ? limit - used : 0;
}

/* remaining: of that limit, left_of(). */
static void tell(const hearing *h, unsigned i, rl_reason reason, uint32_t remaining, int64_t retry_after_us, rl_decision *d)
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

static void tell_ban(const hearing *h, unsigned i, int64_t end_us, int64_t retry_at_us, rl_decision *d)
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
static int64_t all_earliest(const hearing *h, int64_t t_us)
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
static unsigned banning_limit(const hearing *h)
{
	const rl_question *q = h->q;
	unsigned i;

	for (i = 0; i < q->n_limits; i++) {
		if (q->limits[i].algorithm == h->state.ban_algorithm && period_mark(&q->limits[i]) == h->state.ban_period
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

static int64_t ban_end_us(const hearing *h, rl_ban_kind kind, int64_t us)
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
static unsigned ban_to_begin(const hearing *h, const int64_t earliest_us[], int64_t *end_us)
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

static rl_outcome admit_all(hearing *h, uint64_t *out, size_t *out_words, rl_decision *d)
{
	scribe w;
	unsigned i, tightest = 0;
	uint32_t least = UINT32_MAX;
	rl_outcome outcome;

	begin_state(&w, h, out);
	if (h->banned) {
		write_old_ban(&w, &h->state); /* a booking beyond the ban's end */
	}
	for (i = 0; i < h->q->n_limits; i++) {
		uint32_t used, limit = h->q->limits[i].limit;

		h->cases[i].slot = keep_slot(&w, h->ops[i]->admit(&h->cases[i], out + w.at));
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
	outcome = end_state(&w, h, h->banned, out_words);
	tell(h, tightest, RL_ACCEPTED, least, 0, d);
	return outcome;
}

static rl_outcome begin_ban(hearing *h, unsigned i, int64_t end_us, uint64_t *out, size_t *out_words, rl_decision *d)
{
	const rl_limit *limit = &h->q->limits[i];
	scribe w;
	unsigned other;

	h->cases[i].slot = NULL;
	begin_state(&w, h, out);
	write_ban(&w, end_us, limit->algorithm, limit->rate, period_mark(limit));
	for (other = 0; other < h->q->n_limits; other++) {
		copy_slot(&w, h->cases[other].slot);
	}
	tell_ban(h, i, end_us, all_earliest(h, end_us), d);
	return end_state(&w, h, true, out_words);
}

static rl_outcome consume(hearing *h, uint64_t *out, size_t *out_words, rl_decision *d)
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

static rl_outcome refund(hearing *h, uint64_t *out, size_t *out_words)
{
	scribe w;
	unsigned i;
	bool any = false;

	begin_state(&w, h, out);
	if (h->banned) {
		write_old_ban(&w, &h->state);
	}
	for (i = 0; i < h->q->n_limits; i++) {
		if (h->cases[i].slot != NULL) {
			keep_slot(&w, h->ops[i]->refund(&h->cases[i], out + w.at));
			any = true;
		}
	}
	return any ? end_state(&w, h, h->banned, out_words) : RL_WRITE_NOTHING;
}

static rl_outcome cancel(hearing *h, uint64_t *out, size_t *out_words, bool *found)
{
	scribe w;
	unsigned i;

	*found = false;
	begin_state(&w, h, out);
	if (h->banned) {
		write_old_ban(&w, &h->state);
	}
	for (i = 0; i < h->q->n_limits; i++) {
		size_t words = 0;

		if (h->cases[i].slot != NULL && h->ops[i]->cancel != NULL) {
			words = h->ops[i]->cancel(&h->cases[i], out + w.at);
		}
		if (words == 0) {
			return RL_WRITE_NOTHING;
		}
		keep_slot(&w, words);
	}
	*found = true;
	return end_state(&w, h, h->banned, out_words);
}

/* Sets, replaces or lifts a ban; the counts stay. */
static rl_outcome write_with_ban(hearing *h, bool ban, int64_t end_us, uint64_t *out, size_t *out_words)
{
	scribe w;
	unsigned i;

	begin_state(&w, h, out);
	if (ban) {
		write_ban(&w, end_us, 0, 0, 0);
	}
	w.exhausted = h->state.exhausted;
	for (i = 0; i < h->q->n_limits; i++) {
		copy_slot(&w, h->cases[i].slot);
	}
	return end_state(&w, h, ban, out_words);
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
	hearing h;
	size_t room = RL_STATE_HEAD_WORDS + RL_STATE_BAN_WORDS;
	unsigned i;

	open_hearing(&h, q, now, now->mono_us, state, words);
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
	hearing h;

	if (is_stale(q, now)) {
		return RL_WRITE_STALE;
	}
	open_hearing(&h, q, now, at_us, state, words);
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
