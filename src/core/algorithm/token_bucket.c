/* Keeps a token bucket of limit permits, refilled continuously with rate permits in a period. bucket.h decides a call; here are
 * bookings, debts, gifts and a changed rate.
 *
 * A bucket with a tag gives permits back as if their call had never been. For that it numbers its takes, and keeps marks:
 * the backlog that a later take found, or a give-back left. A take before a mark does not go back beyond the
 * mark's backlog: the rest was refilled for everybody. docs/semantics.md has the rules.
 *
 * Limit state: bucket.h. The notes are, with a tag, the number of the last take, and the marks: a backlog in us, its number. Both
 * increase. */
#include "bucket.h"
#include "notes.h"

/* Of a debt, and of what was missing under another rate. */
#define BACKLOG_MAX_US RL_PERIOD_MAX_US

RL_BUCKET_STEP(bucket_step, rl_units)

rl_step rl_bucket_large_step(rl_bucket_units units, rl_units *backlog, uint64_t limit, uint64_t cost)
{
	return bucket_step(units, backlog, limit, cost);
}

/* A TAT, us + frac / rate microseconds, and the period and the rate at which its bucket refills. */
typedef struct {
	int64_t tat_us;
	uint64_t tat_frac; /* in units, less than the rate */
	rl_bucket_units units;
} tb_bucket;

static bool tb_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[RL_LIMIT_STATE_PERIOD] == limit->period_us
		&& limit_state[RL_BUCKET_RATE] == limit->rate;
}

static int64_t tb_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	(void) now;
	return rl_moment(limit_state[RL_BUCKET_TAT]) + (limit_state[RL_BUCKET_FRAC] > 0);
}

static rl_units tb_backlog(const tb_bucket *b, int64_t t_us)
{
	return rl_bucket_backlog(b->units.parts, b->tat_us, b->tat_frac, t_us);
}

/* Sets the TAT to t plus the backlog. */
static void tb_set_backlog(tb_bucket *b, int64_t t_us, rl_units backlog)
{
	b->tat_us = t_us + (int64_t) (backlog / b->units.parts);
	b->tat_frac = (uint64_t) (backlog % b->units.parts);
}

/* Reads the bucket with the limit state's own rate: a changed limit applies from the next admission on. */
static tb_bucket tb_load(const rl_limit_ctx *c)
{
	tb_bucket b = {.tat_us = c->now.mono_us, .units = rl_bucket_units_of(c->limit)};

	if (c->limit_state != NULL && tb_expires_at(c->limit_state, &c->now) > c->now.mono_us) {
		uint64_t rate = c->limit_state[RL_BUCKET_RATE];

		b.tat_us = rl_moment(c->limit_state[RL_BUCKET_TAT]);
		b.units.parts = rate < 1 || rate > RL_LIMIT_MAX ? 1 : rate;
		b.tat_frac = c->limit_state[RL_BUCKET_FRAC] % b.units.parts; /* it is less, but in a damaged state */
		b.units.permit = (uint64_t) rl_period_of(c->limit_state[RL_LIMIT_STATE_PERIOD]);
	}
	return b;
}

/* Returns the time that so many permits take to refill. */
static rl_units tb_refill_time(const tb_bucket *b, uint64_t permits)
{
	return (rl_units) permits * b->units.permit;
}

/* Decides a cost at t, without a change. A cost of 0 tells what is missing. */
static rl_step tb_step(const tb_bucket *b, uint64_t limit, uint64_t cost, int64_t t_us)
{
	rl_units backlog = tb_backlog(b, t_us);

	return rl_bucket_step(b->units, &backlog, limit, cost);
}

static uint64_t tb_used(const rl_limit_ctx *c)
{
	tb_bucket b = tb_load(c);

	return tb_step(&b, c->limit->limit, 0, c->at_us).used;
}

static int64_t tb_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	tb_bucket b = tb_load(c);
	rl_step s = tb_step(&b, c->limit->limit, c->cost, t_us);

	return s.accepted ? t_us : t_us + s.retry_us;
}

static int64_t tb_full_at(const rl_limit_ctx *c)
{
	tb_bucket b = tb_load(c);

	return b.tat_us + (b.tat_frac > 0);
}

static size_t tb_max_words(const rl_limit_ctx *c)
{
	(void) c;
	return RL_BUCKET_WORDS + RL_NOTE_WORDS * (1 + RL_BUCKET_MARKS_MAX);
}

static size_t tb_write(const tb_bucket *b, uint64_t *out)
{
	rl_bucket_write(b->units, b->tat_us, b->tat_frac, out);
	return RL_BUCKET_WORDS;
}

/* ---- Marks ---- */

/* Returns the marks of the limit state; none, if it has no tag. */
static rl_notes tb_marks(const rl_limit_ctx *c)
{
	rl_notes marks = {NULL, 0};

	if (c->limit_state != NULL) {
		marks = rl_notes_of(c->limit_state);
		marks.n = marks.n < 1 + RL_BUCKET_MARKS_MAX ? marks.n : 1 + RL_BUCKET_MARKS_MAX;
	}
	return marks;
}

/* Returns the lowest backlog since a take; UINT64_MAX if there was no later take. */
static uint64_t tb_lowest_since(const rl_notes *marks, uint64_t take)
{
	size_t i;

	for (i = 1; i < marks->n; i++) {
		if (marks->words[RL_NOTE_WORDS * i + 1] > take) {
			return marks->words[RL_NOTE_WORDS * i];
		}
	}
	return UINT64_MAX;
}

/* Writes the marks with lower backlogs: takes after this one would not have found what it gives back. Returns them. */
static rl_notes tb_lower_marks(const rl_notes *marks, uint64_t take, uint64_t back_us, uint64_t *out)
{
	size_t i, n = 1;

	out[0] = marks->n > 0 ? marks->words[0] : 0;
	out[1] = 0;
	for (i = 1; i < marks->n; i++) {
		uint64_t backlog_us = marks->words[RL_NOTE_WORDS * i], number = marks->words[RL_NOTE_WORDS * i + 1];

		if (number > take) {
			backlog_us = rl_take_count(backlog_us, back_us);
		}
		while (n > 1 && out[RL_NOTE_WORDS * (n - 1)] >= backlog_us) {
			n--;
		}
		out[RL_NOTE_WORDS * n] = backlog_us;
		out[RL_NOTE_WORDS * n++ + 1] = number;
	}
	return (rl_notes){out, n};
}

static uint64_t tb_backlog_us(const tb_bucket *b, int64_t t_us)
{
	return (uint64_t) (tb_backlog(b, t_us) / b->units.parts);
}

/* Writes the bucket with these marks, and one more of this backlog. */
static size_t tb_write_marked(const tb_bucket *b, rl_notes marks, uint64_t backlog_us, uint64_t *out)
{
	size_t n = rl_bucket_mark(marks, backlog_us, out + RL_BUCKET_WORDS);

	tb_write(b, out);
	return rl_limit_state_begin(RL_TOKEN_BUCKET, b->units.permit, RL_BUCKET_WORDS, n, 0, out);
}

/* ---- Changes ---- */

/* Converts the bucket to the limit's rate. Returns whether it had another one. A debt, or a booking years ahead, may be
 * worth centuries at the new rate: the TAT is then ten years ahead. */
static bool tb_convert(const rl_limit_ctx *c, tb_bucket *b)
{
	uint64_t missing;
	rl_units backlog, most;
	rl_bucket_units units = rl_bucket_units_of(c->limit);

	if (b->units.parts == units.parts && b->units.permit == units.permit) {
		return false;
	}
	missing = tb_step(b, c->limit->limit, 0, c->now.mono_us).used;
	b->units = units;
	backlog = tb_refill_time(b, missing);
	most = (rl_units) BACKLOG_MAX_US * b->units.parts;
	tb_set_backlog(b, c->now.mono_us, backlog < most ? backlog : most);
	return true;
}

/* Takes the cost at the moment that is judged. A debt, and a booking whose turn comes later, count whether the step accepts them or
 * not. */
static void tb_take(const rl_limit_ctx *c, tb_bucket *b)
{
	int64_t now_us = c->now.mono_us, from_us = c->at_us;
	rl_units backlog, most;

	if (c->held != NULL && b->tat_us < from_us) {
		c->held->moved_us = from_us - (b->tat_us >= now_us ? b->tat_us + (b->tat_frac > 0) : now_us);
	}
	if (b->tat_us >= from_us) {
		from_us = now_us;
	}
	backlog = tb_backlog(b, from_us);
	most = (rl_units) BACKLOG_MAX_US * b->units.parts;
	most = backlog > most ? backlog : most;
	if (c->cost > c->limit->limit || !rl_bucket_step(b->units, &backlog, c->limit->limit, c->cost).accepted) {
		backlog += tb_refill_time(b, c->cost);
		backlog = c->debt && backlog > most ? most : backlog;
	}
	tb_set_backlog(b, from_us, backlog);
}

static size_t tb_admit(const rl_limit_ctx *c, uint64_t *out)
{
	tb_bucket b = tb_load(c);
	rl_notes marks = tb_convert(c, &b) ? (rl_notes){NULL, 0} : tb_marks(c);
	uint64_t found_us = tb_backlog_us(&b, c->at_us);

	tb_take(c, &b);
	if (c->tag == 0) {
		return tb_write(&b, out);
	}
	if (c->held != NULL) {
		c->held->place = (int64_t) rl_bucket_next_take(&marks);
	}
	return tb_write_marked(&b, marks, found_us, out);
}

/* Moves the TAT back, down to now. Returns by how much, in units. */
static rl_units tb_move_back(tb_bucket *b, int64_t now_us, rl_units back)
{
	rl_units backlog = tb_backlog(b, now_us);

	back = back < backlog ? back : backlog;
	tb_set_backlog(b, now_us, backlog - back);
	return back;
}

static size_t tb_credit(const rl_limit_ctx *c, uint64_t *out)
{
	tb_bucket b = tb_load(c);

	tb_move_back(&b, c->now.mono_us, tb_refill_time(&b, c->cost));
	return rl_limit_state_tag(c->limit_state) == 0
		? tb_write(&b, out)
		: tb_write_marked(&b, tb_marks(c), tb_backlog_us(&b, c->now.mono_us), out);
}

static size_t tb_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	uint64_t lowered[RL_NOTE_WORDS * (1 + RL_BUCKET_MARKS_MAX)];
	tb_bucket b = tb_load(c);
	rl_notes marks = tb_marks(c);
	rl_units back = tb_refill_time(&b, n), most;

	if (all && held->moved_us > 0) {
		back += (rl_units) held->moved_us * b.units.parts;
	}
	most = (rl_units) tb_lowest_since(&marks, (uint64_t) held->place) * b.units.parts;
	back = tb_move_back(&b, c->now.mono_us, back < most ? back : most);
	marks = tb_lower_marks(&marks, (uint64_t) held->place, (uint64_t) RL_UNITS_PER(back, b.units.parts), lowered);
	return tb_write_marked(&b, marks, tb_backlog_us(&b, c->now.mono_us), out);
}

static size_t tb_mirror(const rl_limit_ctx *c, const rl_told *answer, const rl_told_limit *told, uint64_t *out)
{
	tb_bucket b = tb_load(c);
	uint64_t found_us;

	(void) tb_convert(c, &b);
	if (!rl_bucket_mirrors(b.tat_us, c->now.mono_us, answer, told)) {
		return 0;
	}
	found_us = tb_backlog_us(&b, c->now.mono_us);
	found_us = found_us < (uint64_t) told->full_us ? found_us : (uint64_t) told->full_us;
	tb_set_backlog(&b, c->now.mono_us, (rl_units) (uint64_t) told->full_us * b.units.parts);
	return c->tag == 0 ? tb_write(&b, out) : tb_write_marked(&b, tb_marks(c), found_us, out);
}

const rl_algorithm_ops rl_token_bucket_ops = {
	.words_min = RL_BUCKET_WORDS,
	.converts = true,
	.undo_marks = true,
	.same_period = tb_same_period,
	.expires_at = tb_expires_at,
	.used = tb_used,
	.earliest = tb_earliest,
	.full_at = tb_full_at,
	.max_words = tb_max_words,
	.admit = tb_admit,
	.credit = tb_credit,
	.give_back = tb_give_back,
	.mirror = tb_mirror,
};
