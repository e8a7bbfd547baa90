/* Admits at most limit places at a time. A place is held until it is released, or its end.
 *
 * Limit state: three words for each place, in the order of their ends. The words of a place: its permit's number (48 bits, high) and its count (16); its end; its owner. */
#include "concurrent.h"

#include <string.h>

enum {
	PERIOD = RL_LIMIT_STATE_PERIOD,
	PLACES,
	WORDS_MIN = PLACES,
	WORDS_PER_PLACE = 3,
	NUMBER_AND_COUNT = 0,
	END = 1,
	OWNER = 2
};

#define COUNT_BITS 16
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

_Static_assert(RL_LOG_LIMIT_MAX <= COUNT_MASK, "a place's word has its count");
_Static_assert(PLACES + WORDS_PER_PLACE * RL_LOG_LIMIT_MAX <= UINT16_MAX, "a limit state's head has its words");

static size_t con_n(const uint64_t *limit_state)
{
	size_t n = (rl_limit_state_own_words(limit_state) - PLACES) / WORDS_PER_PLACE;

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
	return rl_limit_state_begin(RL_CONCURRENT, (uint64_t) period_us, PLACES + WORDS_PER_PLACE * written, 0, 0, out);
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

/* ---- Places of dead workers ---- */

bool rl_concurrent_drop(uint64_t *limit_state, bool (*is_gone)(uint64_t owner, void *context), void *context)
{
	bool any = false;

	for (size_t i = 0; i < con_n(limit_state); i++) {
		uint64_t *place = limit_state + PLACES + WORDS_PER_PLACE * i;

		if (con_count_of(place) > 0 && place[OWNER] != 0 && is_gone(place[OWNER], context)) {
			place[NUMBER_AND_COUNT] = 0;
			any = true;
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
