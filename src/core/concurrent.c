/* Admits at most limit places at a time. A place is held until it is released, or its end.
 *
 * Limit state: the number of places in the head; period; then three words for each place, in the order of their ends. The
 * words of a place: its permit's number (48 bits, high) and its count (16); its end; its owner. */
#include "concurrent.h"

#include <string.h>

enum { PERIOD = 1, PLACES = 2, WORDS_MIN = PLACES, WORDS_PER_PLACE = 3, NUMBER_AND_COUNT = 0, END = 1, OWNER = 2 };

#define COUNT_BITS 16
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

_Static_assert(RL_LOG_LIMIT_MAX <= COUNT_MASK, "a place's word has its count");
_Static_assert(PLACES + WORDS_PER_PLACE * RL_LOG_LIMIT_MAX + 1 <= UINT16_MAX, "a limit state's head has its words");

static size_t con_n(const uint64_t *limit_state)
{
	size_t room = (rl_limit_state_own_words(limit_state) - PLACES) / WORDS_PER_PLACE;
	size_t n = rl_limit_state_number(limit_state);

	n = n < room ? n : room;
	return n < RL_LOG_LIMIT_MAX ? n : RL_LOG_LIMIT_MAX;
}

static const uint64_t *con_place(const uint64_t *limit_state, size_t i)
{
	return limit_state + PLACES + WORDS_PER_PLACE * i;
}

static int64_t con_end_of(const uint64_t *place)
{
	return rl_moment(place[END]);
}

static uint32_t con_count_of(const uint64_t *place)
{
	return (uint32_t) (place[NUMBER_AND_COUNT] & COUNT_MASK);
}

static uint64_t con_number_of(const uint64_t *place)
{
	return place[NUMBER_AND_COUNT] >> COUNT_BITS;
}

static bool con_is_held(const uint64_t *place, int64_t t_us)
{
	return con_end_of(place) > t_us && con_count_of(place) > 0;
}

static bool con_same_period(const rl_limit *limit, const uint64_t *limit_state)
{
	return (int64_t) limit_state[PERIOD] == limit->period_us;
}

static int64_t con_expires_at(const uint64_t *limit_state, const rl_now *now)
{
	int64_t last_us = now->mono_us;
	size_t i, n = con_n(limit_state);

	for (i = 0; i < n; i++) {
		const uint64_t *place = con_place(limit_state, i);

		if (con_is_held(place, last_us)) {
			last_us = con_end_of(place);
		}
	}
	return last_us;
}

static uint64_t con_used(const rl_limit_ctx *c)
{
	uint64_t used = 0;
	size_t i, n = c->limit_state != NULL ? con_n(c->limit_state) : 0;

	for (i = 0; i < n; i++) {
		const uint64_t *place = con_place(c->limit_state, i);

		if (con_is_held(place, c->at_us)) {
			used += con_count_of(place);
		}
	}
	return used;
}

static int64_t con_earliest(const rl_limit_ctx *c, int64_t t_us)
{
	uint64_t used = con_used(c);
	size_t i, n = c->limit_state != NULL ? con_n(c->limit_state) : 0;

	for (i = 0; i < n && used + c->cost > c->limit->limit; i++) {
		const uint64_t *place = con_place(c->limit_state, i);

		if (con_is_held(place, c->at_us)) {
			used -= con_count_of(place);
			t_us = con_end_of(place) > t_us ? con_end_of(place) : t_us;
		}
	}
	return t_us;
}

static int64_t con_full_at(const rl_limit_ctx *c)
{
	return c->limit_state != NULL ? con_expires_at(c->limit_state, &c->now) : c->now.mono_us;
}

static size_t con_max_words(const rl_limit_ctx *c)
{
	return PLACES + WORDS_PER_PLACE * ((c->limit_state != NULL ? con_n(c->limit_state) : 0) + 1);
}

/* A place to insert, in the order of the ends. */
typedef struct {
	uint64_t number;
	uint32_t count;
	int64_t end_us;
	uint64_t owner;
} con_new;

static size_t con_put(uint64_t *out, size_t n, const con_new *new)
{
	uint64_t *place = out + PLACES + WORDS_PER_PLACE * n;

	place[NUMBER_AND_COUNT] = new->number << COUNT_BITS | new->count;
	place[END] = (uint64_t) new->end_us;
	place[OWNER] = new->owner;
	return n + 1;
}

/* Writes the places that are held, without those of one permit (0: none), and with a new one (NULL: none). */
static size_t con_write(const rl_limit_ctx *c, int64_t period_us, uint64_t without, const con_new *new, uint64_t *out)
{
	size_t i, written = 0, n = c->limit_state != NULL ? con_n(c->limit_state) : 0;

	for (i = 0; i < n; i++) {
		const uint64_t *place = con_place(c->limit_state, i);

		if (!con_is_held(place, c->now.mono_us) || (without != 0 && con_number_of(place) == without)) {
			continue;
		}
		if (new != NULL && con_end_of(place) > new->end_us) {
			written = con_put(out, written, new);
			new = NULL;
		}
		memcpy(out + PLACES + WORDS_PER_PLACE * written++, place, WORDS_PER_PLACE * sizeof *place);
	}
	if (new != NULL) {
		written = con_put(out, written, new);
	}
	out[0] = rl_limit_state_head(RL_CONCURRENT, PLACES + WORDS_PER_PLACE * written, (uint32_t) written);
	out[PERIOD] = (uint64_t) period_us;
	return PLACES + WORDS_PER_PLACE * written;
}

static size_t con_admit(const rl_limit_ctx *c, uint64_t *out)
{
	con_new new = {.count = (uint32_t) c->cost, .end_us = c->at_us + c->limit->period_us};

	if (c->debt) {
		return con_write(c, c->limit->period_us, 0, NULL, out); /* a settled permit's debt takes no place */
	}
	/* Without an acquire this is a peek, which writes nothing. */
	if (c->acquire != NULL) {
		new.number = c->acquire->tag;
		new.owner = c->acquire->owner;
		c->held->tag = new.number;
	}
	return con_write(c, c->limit->period_us, 0, &new, out);
}

/* A gift to what was counted: nobody loses a place that is held. */
static size_t con_credit(const rl_limit_ctx *c, uint64_t *out)
{
	return con_write(c, rl_period_of(c->limit_state[PERIOD]), 0, NULL, out);
}

/* Returns the place of a permit; NULL: it is gone. */
static const uint64_t *con_find(const rl_limit_ctx *c, const rl_held *held)
{
	size_t i, n = con_n(c->limit_state);

	for (i = 0; i < n; i++) {
		const uint64_t *place = con_place(c->limit_state, i);

		if (con_number_of(place) == held->tag && con_is_held(place, c->now.mono_us)) {
			return place;
		}
	}
	return NULL;
}

static size_t con_give_back(const rl_limit_ctx *c, const rl_held *held, uint64_t n, bool all, uint64_t *out)
{
	(void) n;
	(void) all;
	return con_find(c, held) != NULL ? con_write(c, rl_period_of(c->limit_state[PERIOD]), held->tag, NULL, out) : 0;
}

size_t rl_concurrent_renew(const rl_limit_ctx *c, const rl_held *held, int64_t for_us, uint64_t *out)
{
	const uint64_t *place = con_find(c, held);
	con_new new;

	if (place == NULL) {
		return 0;
	}
	new = (con_new){.number = held->tag,
		.count = con_count_of(place),
		.end_us = c->now.mono_us + for_us,
		.owner = place[OWNER]};
	return con_write(c, rl_period_of(c->limit_state[PERIOD]), held->tag, &new, out);
}

/* ---- A state of one concurrent limit alone ---- */

_Static_assert(RL_SINGLE_PLACES_HEAD_WORDS == RL_SINGLE_HEAD + PLACES, "the words before the places");
_Static_assert(RL_SINGLE_PLACES_WORDS % 2 == 0, "a padded state has room");

/* The places of the next state that are written. */
typedef struct {
	size_t n;
	uint64_t used;
	int64_t last_us; /* the latest end */
} single_count;

/* Reads the number of places. Returns false if the state is not one of this limit alone. */
static bool single_read(const rl_limit *limit, const uint64_t *head, size_t words, size_t *n)
{
	*n = (size_t) (head[RL_SINGLE_HEAD] >> 32);
	return RL_LIKELY(rl_single_is_plain(head) && *n <= RL_SINGLE_PLACES
		&& head[RL_SINGLE_HEAD] == rl_limit_state_head(RL_CONCURRENT, PLACES + WORDS_PER_PLACE * *n, (uint32_t) *n)
		&& con_same_period(limit, head + RL_SINGLE_HEAD)
		&& RL_SINGLE_PLACES_HEAD_WORDS + WORDS_PER_PLACE * *n <= words);
}

static void single_put(uint64_t *out, single_count *count, uint64_t number_and_count, uint64_t end, uint64_t owner)
{
	uint64_t *place = out + WORDS_PER_PLACE * count->n++;

	place[NUMBER_AND_COUNT] = number_and_count;
	place[END] = end;
	place[OWNER] = owner;
	count->used += number_and_count & COUNT_MASK;
	count->last_us = rl_moment(end) > count->last_us ? rl_moment(end) : count->last_us;
}

/* Writes the head of the next state, whose places are written. */
static void single_finish(const rl_single_place *call, const single_count *count, rl_single_places *next)
{
	size_t own_words = PLACES + WORDS_PER_PLACE * count->n;

	next->words = RL_SINGLE_HEAD + own_words;
	next->state[0] = rl_single_head(call->limit, count->used);
	next->state[1] = (uint64_t) count->last_us;
	next->state[RL_SINGLE_HEAD] = rl_limit_state_head(RL_CONCURRENT, own_words, (uint32_t) count->n);
	next->state[RL_SINGLE_HEAD + PERIOD] = (uint64_t) call->limit->period_us;
	if (next->words % 2 == 1) {
		next->state[next->words] = 0;
	}
}

#define NO_NUMBER UINT64_MAX /* of a permit: theirs have 48 bits */

/* Writes the places that are held, without those of one permit. Returns how many that permit holds. */
static size_t single_keep(const uint64_t *places, size_t n, int64_t now_us, uint64_t without, uint64_t *out,
	single_count *count)
{
	size_t i, left_out = 0;

	for (i = 0; i < n; i++, places += WORDS_PER_PLACE) {
		if (RL_UNLIKELY(!con_is_held(places, now_us))) {
			continue;
		}
		if (con_number_of(places) == without) {
			left_out++;
		} else {
			single_put(out, count, places[NUMBER_AND_COUNT], places[END], places[OWNER]);
		}
	}
	return left_out;
}

/* Fills in a refusal; the next state is the present one, without places that are over. */
static RL_COLD void single_refuse(const rl_single_place *call, const uint64_t *places, size_t n, rl_single_places *next,
	rl_decision *d)
{
	const uint64_t *out = next->state + RL_SINGLE_PLACES_HEAD_WORDS;
	uint64_t left, limit = call->limit->limit;
	int64_t free_us = call->now_us;
	single_count count = {.last_us = call->now_us};
	size_t i;

	single_keep(places, n, call->now_us, NO_NUMBER, next->state + RL_SINGLE_PLACES_HEAD_WORDS, &count);
	single_finish(call, &count, next);
	left = count.used;
	for (i = 0; i < count.n && left + call->cost > limit; i++, out += WORDS_PER_PLACE) {
		left -= con_count_of(out);
		free_us = con_end_of(out) > free_us ? con_end_of(out) : free_us;
	}
	rl_single_answer(d, call->limit, false, count.used, free_us - call->now_us, count.last_us - call->now_us);
}

bool rl_single_take_place(const rl_single_place *call, const uint64_t *head, const uint64_t *places, size_t words,
	rl_single_places *next, rl_decision *d)
{
	const rl_limit *limit = call->limit;
	int64_t now_us = call->now_us, end_us = now_us + limit->period_us;
	uint64_t *out = next->state + RL_SINGLE_PLACES_HEAD_WORDS;
	const uint64_t *place = places;
	single_count count = {.last_us = now_us};
	bool put = false;
	size_t i, n;

	if (!single_read(limit, head, words, &n) || n == RL_SINGLE_PLACES || call->cost > limit->limit) {
		return false;
	}
	for (i = 0; i < n; i++, place += WORDS_PER_PLACE) {
		if (!con_is_held(place, now_us)) {
			continue;
		}
		if (!put && RL_UNLIKELY(con_end_of(place) > end_us)) {
			single_put(out, &count, call->number << COUNT_BITS | call->cost, (uint64_t) end_us, call->owner);
			put = true;
		}
		single_put(out, &count, place[NUMBER_AND_COUNT], place[END], place[OWNER]);
	}
	if (RL_LIKELY(!put)) {
		single_put(out, &count, call->number << COUNT_BITS | call->cost, (uint64_t) end_us, call->owner);
	}
	if (RL_UNLIKELY(count.used > limit->limit)) {
		single_refuse(call, places, n, next, d);
		return limit->ban == RL_BAN_NONE;
	}
	single_finish(call, &count, next);
	rl_single_answer(d, limit, true, count.used, count.used == limit->limit ? con_end_of(out) - now_us : 0,
		count.last_us - now_us);
	return true;
}

bool rl_single_free_place(const rl_single_place *call, const uint64_t *head, const uint64_t *places, size_t words,
	rl_single_places *next)
{
	single_count count = {.last_us = INT64_MIN}; /* long over */
	size_t n, found;

	if (!single_read(call->limit, head, words, &n)) {
		return false;
	}
	found = single_keep(places, n, call->now_us, call->number, next->state + RL_SINGLE_PLACES_HEAD_WORDS, &count);
	if (RL_UNLIKELY(found == 0 || (call->rough && count.n + found < n))) {
		return false;
	}
	single_finish(call, &count, next);
	return true;
}

/* ---- Places of dead workers ---- */

bool rl_concurrent_drop(uint64_t *words, size_t n_words, bool (*is_gone)(uint64_t owner, void *context), void *context)
{
	rl_state state;
	bool any = false;
	unsigned s;
	size_t i;

	rl_state_read(words, n_words, &state);
	for (s = 0; s < state.n_limits; s++) {
		uint64_t *limit_state = words + (state.limit_states[s] - words);

		if (rl_limit_state_algorithm(limit_state) != RL_CONCURRENT) {
			continue;
		}
		for (i = 0; i < con_n(limit_state); i++) {
			uint64_t *place = limit_state + PLACES + WORDS_PER_PLACE * i;

			if (con_count_of(place) > 0 && place[OWNER] != 0 && is_gone(place[OWNER], context)) {
				place[NUMBER_AND_COUNT] = 0;
				any = true;
			}
		}
	}
	return any;
}

const rl_algorithm_ops rl_concurrent_ops = {
	.words_min = WORDS_MIN,
	.same_period = con_same_period,
	.expires_at = con_expires_at,
	.used = con_used,
	.earliest = con_earliest,
	.full_at = con_full_at,
	.max_words = con_max_words,
	.admit = con_admit,
	.credit = con_credit,
	.give_back = con_give_back,
};
