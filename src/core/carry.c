/* Lets a window admit what the last one left unused, beside its limit.
 *
 * The ordinary decision judges with limits that are raised by what was carried over. Behind it, the state gets a part for each
 * limit with carry(): what its window took over, and what it leaves. A limiter without such a limit drops the part when it
 * writes the state, so that no part disagrees with the counts. */
#include "carry.h"

#include "../compiler.h"

/* A part of a state. Times are of the limit's own clock: the wall clock of a calendar window, else the monotonic one. */
typedef struct {
	uint64_t algorithm;
	uint64_t period; /* a calendar window's period, else us */
	int64_t end_us;  /* of the window */
	uint64_t carried;
	uint64_t left;
	int64_t from_us;  /* the end of the window before, whose part this one replaced; 0: there was none */
	int64_t until_us; /* the moment from which on it has no effect */
} carry_part;

enum { PART_WORDS = 7 };

_Static_assert(RL_STATE_CARRY_WORDS == 1 + PART_WORDS * RL_LIMITS_MAX, "a state has room for a part of each limit");

typedef struct {
	bool has_part;
	carry_part part;
	int64_t end_us;   /* of the window that runs; 0: none runs */
	uint64_t carried; /* into the window that runs, or into one that begins now */
	uint64_t left;    /* by the window that runs */
} carry_of_limit;

typedef struct {
	const rl_question *q;
	const rl_now *now;
	carry_of_limit of[RL_LIMITS_MAX];
	unsigned n_unmatched; /* parts that no limit has, and that have not ended */
	uint64_t *out;
	unsigned n_out;
	int64_t expires_at_us;
} carry_call;

/* ---- Times ---- */

static bool is_calendar(uint64_t algorithm)
{
	return algorithm == RL_CALENDAR_WINDOW;
}

static uint64_t period_of(const rl_limit *limit)
{
	return is_calendar(limit->algorithm) ? limit->period : (uint64_t) limit->period_us;
}

/* Returns the time of an algorithm's clock. */
static int64_t own_now(const rl_now *now, uint64_t algorithm)
{
	return is_calendar(algorithm) ? now->wall_us : now->mono_us;
}

static int64_t to_mono(const rl_now *now, uint64_t algorithm, int64_t own_us)
{
	return own_us - own_now(now, algorithm) + now->mono_us;
}

/* Returns the begin of the clock's window, and sets its end. */
static int64_t clock_window(const rl_limit *limit, const rl_now *now, int64_t *end_us)
{
	bool next = now->wall_us >= limit->boundary[1];

	*end_us = limit->boundary[next ? 2 : 1];
	return limit->boundary[next ? 1 : 0];
}

/* Returns until when a part of a window with this end is kept: the next window is shorter than two of the clock's. */
static int64_t kept_until(const rl_limit *limit, const rl_now *now, int64_t end_us)
{
	int64_t clock_end_us, begin_us;

	if (!is_calendar(limit->algorithm)) {
		return end_us + limit->period_us;
	}
	begin_us = clock_window(limit, now, &clock_end_us);
	return end_us + 2 * (clock_end_us - begin_us);
}

/* Returns the end of the limit's window on its own clock; 0: none runs. */
static int64_t running_end(rl_evaluation *ev, unsigned i)
{
	const rl_now *now = ev->now;
	int64_t end_us = ev->ops[i]->full_at(&ev->ctx[i]);

	return end_us > now->mono_us ? end_us - now->mono_us + own_now(now, ev->q->limits[i].algorithm) : 0;
}

/* ---- Reading ---- */

static carry_part part_read(const uint64_t *words)
{
	return (carry_part){
		.algorithm = words[0],
		.period = words[1],
		.end_us = rl_moment(words[2]),
		.carried = rl_count_of(words[3]),
		.left = rl_count_of(words[4]),
		.from_us = rl_moment(words[5]),
		.until_us = rl_moment(words[6]),
	};
}

/* Returns the index of the first part's first word, and sets the number of parts. */
static size_t find_parts(const uint64_t *words, size_t n, unsigned *n_parts)
{
	size_t at = RL_STATE_HEAD_WORDS;
	unsigned i;

	*n_parts = 0;
	if (words == NULL || n < RL_STATE_HEAD_WORDS || !rl_state_has_carry(words[0])) {
		return at;
	}
	at += rl_state_has_ban(words[0]) ? RL_STATE_BAN_WORDS : 0;
	for (i = 0; i < (words[0] & RL_STATE_LIMITS_MASK) && at < n; i++) {
		at += rl_limit_state_words(words + at);
	}
	at += rl_state_has_level(words[0]) ? RL_STATE_LEVEL_WORDS : 0;
	if (at < n) {
		uint32_t number = rl_limit_state_number(words + at++), room = (uint32_t) ((n - at) / PART_WORDS);

		*n_parts = number < room ? number : room;
	}
	return at;
}

static bool is_kept(const carry_call *c, carry_part part)
{
	return to_mono(c->now, part.algorithm, part.until_us) > c->now->mono_us;
}

/* Gives each limit with carry() the first free part of its algorithm and period. */
static void match_parts(carry_call *c, const uint64_t *words, size_t n)
{
	bool taken[RL_LIMITS_MAX] = {false};
	unsigned n_parts, i, j;
	size_t at = find_parts(words, n, &n_parts);

	n_parts = n_parts < RL_LIMITS_MAX ? n_parts : RL_LIMITS_MAX;
	for (j = 0; j < n_parts; j++) {
		taken[j] = !is_kept(c, part_read(words + at + (size_t) PART_WORDS * j));
		c->n_unmatched += !taken[j];
	}
	for (i = 0; i < c->q->n_limits; i++) {
		const rl_limit *limit = &c->q->limits[i];

		c->of[i] = (carry_of_limit){0};
		for (j = 0; limit->carry > 0 && j < n_parts && !c->of[i].has_part; j++) {
			carry_part part = part_read(words + at + (size_t) PART_WORDS * j);

			if (!taken[j] && part.algorithm == limit->algorithm && part.period == period_of(limit)) {
				taken[j] = c->of[i].has_part = true;
				c->of[i].part = part;
				c->n_unmatched--;
			}
		}
	}
}

/* Returns whether the window of a part is the one before the window that would begin now. */
static bool is_last(const carry_call *c, const rl_limit *limit, const carry_part *part)
{
	int64_t now_us = own_now(c->now, limit->algorithm), end_us;

	if (part->end_us > now_us) {
		return false;
	}
	return is_calendar(limit->algorithm) ? clock_window(limit, c->now, &end_us) == part->end_us
										 : now_us < part->end_us + limit->period_us;
}

static uint64_t carried_of(const carry_call *c, unsigned i)
{
	const rl_limit *limit = &c->q->limits[i];
	const carry_of_limit *of = &c->of[i];

	if (!of->has_part) {
		return 0;
	}
	if (of->end_us != 0) {
		return of->part.end_us == of->end_us ? of->part.carried : 0;
	}
	if (!is_last(c, limit, &of->part)) {
		return 0;
	}
	return of->part.left < limit->carry ? of->part.left : limit->carry;
}

/* Returns what limit i admits beside its number: a deploy may have lowered carry(). */
static uint64_t raise_of(const carry_call *c, unsigned i)
{
	uint64_t most = c->q->limits[i].carry;

	return c->of[i].carried < most ? c->of[i].carried : most;
}

/* Returns what limit i's window leaves with the counts of an evaluation. */
static uint64_t left_by_window(const carry_call *c, const rl_evaluation *ev, unsigned i)
{
	uint64_t all = c->q->limits[i].limit + raise_of(c, i);

	return rl_count_of(rl_take_count(all, ev->ops[i]->used(&ev->ctx[i])));
}

/* Returns whether an undo of an admission restores all parts as they are. */
static bool is_restorable(const carry_call *c)
{
	unsigned i;

	for (i = 0; i < c->q->n_limits; i++) {
		const carry_of_limit *of = &c->of[i];
		const carry_part *part = &of->part;

		if (c->q->limits[i].carry == 0) {
			continue;
		}
		if (of->end_us != 0 ? !of->has_part || part->end_us != of->end_us || part->left != of->left
							: of->has_part && part->left != of->carried) {
			return false;
		}
	}
	return c->n_unmatched == 0;
}

/* ---- Writing ---- */

static void carry_put_part(carry_call *c, const carry_part *part)
{
	uint64_t *words = c->out + 1 + (size_t) PART_WORDS * c->n_out;
	int64_t until_us = to_mono(c->now, part->algorithm, part->until_us);

	if (until_us <= c->now->mono_us) {
		return;
	}
	words[0] = part->algorithm;
	words[1] = part->period;
	words[2] = (uint64_t) part->end_us;
	words[3] = part->carried;
	words[4] = part->left;
	words[5] = (uint64_t) part->from_us;
	words[6] = (uint64_t) part->until_us;
	c->n_out++;
	c->expires_at_us = until_us > c->expires_at_us ? until_us : c->expires_at_us;
}

/* Writes the part of limit i, whose window runs in the next state. */
static void put_running(carry_call *c, rl_evaluation *next, unsigned i, int64_t end_us)
{
	const rl_limit *limit = &c->q->limits[i];
	const carry_of_limit *of = &c->of[i];
	carry_part part = {
		.algorithm = limit->algorithm,
		.period = period_of(limit),
		.end_us = end_us,
		.carried = of->carried,
		.left = left_by_window(c, next, i),
		.from_us = of->end_us == 0 ? of->part.end_us : of->part.from_us,
	};

	part.until_us = kept_until(limit, c->now, end_us);
	carry_put_part(c, &part);
}

/* Writes the part of limit i, whose window an undo has removed, as it was before. */
static void put_undone(carry_call *c, unsigned i)
{
	carry_part part = c->of[i].part;

	if (part.from_us == 0 || part.end_us != c->of[i].end_us) {
		return;
	}
	part.end_us = part.from_us;
	part.left = part.carried;
	part.carried = 0;
	part.until_us = kept_until(&c->q->limits[i], c->now, part.end_us);
	carry_put_part(c, &part);
}

/* Writes the parts of all limits, whose next limit states the evaluation has. */
static void put_parts(carry_call *c, rl_evaluation *next, bool known)
{
	unsigned i;

	for (i = 0; i < c->q->n_limits; i++) {
		const carry_of_limit *of = &c->of[i];
		int64_t end_us;

		if (c->q->limits[i].carry == 0) {
			continue;
		}
		end_us = known ? running_end(next, i) : 0;
		if (end_us != 0) {
			put_running(c, next, i, end_us);
		} else if (!known || of->end_us == 0) {
			if (of->has_part) {
				carry_put_part(c, &of->part);
			}
		} else if (of->has_part && c->q->op == RL_OP_SETTLE) {
			put_undone(c, i);
		}
	}
}

static rl_outcome append_parts(carry_call *c, rl_evaluation *next, rl_outcome outcome, bool known, uint64_t *out,
	size_t *out_words)
{
	size_t n = outcome == RL_WRITE_STATE ? *out_words : 0, at = n > 0 ? n : RL_STATE_HEAD_WORDS;
	bool wall = false;

	c->out = out + at;
	c->n_out = 0;
	c->expires_at_us = INT64_MIN;
	put_parts(c, next, known);
	if (c->n_out == 0) {
		return outcome;
	}
	if (n == 0) {
		out[0] = 0;
		out[1] = (uint64_t) c->expires_at_us;
	} else if (c->expires_at_us > (int64_t) out[1]) {
		out[1] = (uint64_t) c->expires_at_us;
	}
	for (unsigned i = 0; i < c->n_out; i++) {
		wall = wall || is_calendar(c->out[1 + (size_t) PART_WORDS * i]);
	}
	/* A reader needs the wall clock where a limit state is a calendar window's. */
	c->out[0] = rl_limit_state_head(wall ? RL_CALENDAR_WINDOW : RL_FIXED_WINDOW, 1 + (size_t) PART_WORDS * c->n_out,
		c->n_out);
	out[0] |= RL_STATE_CARRY;
	*out_words = at + 1 + (size_t) PART_WORDS * c->n_out;
	return RL_WRITE_STATE;
}

/* ---- Decisions ---- */

/* Returns whether the question brings the boundaries of calendar windows, and is about now. */
static bool is_known(rl_op op)
{
	return op == RL_OP_CONSUME || op == RL_OP_PEEK || op == RL_OP_ACQUIRE || op == RL_OP_CREDIT || op == RL_OP_SETTLE;
}

/* Returns whether the cost is above the number of a limit with carry(): no window admits it, whatever was carried. */
static bool is_too_expensive(const rl_question *q)
{
	unsigned i;

	if (q->op != RL_OP_CONSUME && q->op != RL_OP_PEEK && q->op != RL_OP_ACQUIRE) {
		return false;
	}
	for (i = 0; i < q->n_limits; i++) {
		uint64_t cost = q->costs != NULL ? q->costs[i] : q->at_least > 0 ? q->at_least : q->cost;

		if (q->limits[i].carry > 0 && cost > 0 && cost + q->leave > q->limits[i].limit) {
			return true;
		}
	}
	return false;
}

/* Gives the decision the numbers of the limit as the caller has it. */
static void set_numbers(const carry_call *c, const rl_evaluation *ev, rl_decision *d)
{
	unsigned i = d->limit_index;

	d->limit = c->q->limits[i].limit;
	if (d->reason == RL_TOO_EXPENSIVE) {
		d->remaining = rl_take_count(d->limit + raise_of(c, i), ev->ops[i]->used(&ev->ctx[i]));
	}
}

RL_COLD rl_outcome rl_carry_decide(const rl_question *q, const rl_now *now, int64_t at_us, const uint64_t *state,
	size_t words, uint64_t *out, size_t *out_words, rl_answer *a)
{
	carry_call c = {.q = q, .now = now};
	bool known = is_known(q->op);
	rl_question raised = *q;
	rl_evaluation ev;
	rl_outcome outcome;
	unsigned i;

	if (rl_limiter_is_stale(q, now)) {
		return RL_WRITE_STALE;
	}
	match_parts(&c, state, words);
	rl_evaluation_init(&ev, &raised, now, at_us, state, words);
	for (i = 0; known && i < q->n_limits; i++) {
		if (q->limits[i].carry > 0) {
			c.of[i].end_us = running_end(&ev, i);
			c.of[i].carried = carried_of(&c, i);
			raised.limits[i].limit += raise_of(&c, i);
			c.of[i].left = left_by_window(&c, &ev, i);
		}
	}
	if (is_too_expensive(q)) {
		raised = *q;
	}
	outcome = rl_limiter_decide_evaluated(&ev, state != NULL, out, out_words, a);
	if (known && q->op != RL_OP_CREDIT) {
		set_numbers(&c, &ev, &a->decision);
	}
	if (q->part == RL_PART_PLAIN && a->decision.accepted && !is_restorable(&c)) {
		a->not_plain = true;
		a->decision.accepted = false;
		return RL_WRITE_NOTHING;
	}
	if (q->op == RL_OP_RESET || (outcome != RL_WRITE_STATE && outcome != RL_WRITE_DELETE)) {
		return outcome;
	}
	return append_parts(&c, &ev, outcome, known, out, out_words);
}
