/* Takes places of a concurrent limit, and gives them back. */
#include "../core/concurrent.h"

#include "fast_call.h"
#include "limiter_fast.h"

/* Takes a place, or gives one back: d is NULL. */
static rl_try_result places_try(const rl_segment *s, const rl_fast_call *call, rl_single_place *place, rl_decision *d)
{
	uint64_t head[RL_SINGLE_PLACES_HEAD_WORDS];
	rl_single_places next;
	rl_fast_seen at;
	const uint64_t *places;

	if (!rl_fast_find(s, call->place, RL_SINGLE_PLACES_HEAD_WORDS, &at)) {
		return RL_TRY_LEFT;
	}
	rl_fast_copy_head(head, at.record->state, RL_SINGLE_PLACES_HEAD_WORDS);
	places = at.record->state + RL_SINGLE_PLACES_HEAD_WORDS;
	place->now_us = call->now.mono_us;
	place->rough = call->rough;
	if (RL_UNLIKELY(!(d != NULL ? rl_single_take_place(place, head, places, at.words, &next, d)
								: rl_single_free_place(place, head, places, at.words, &next)))) {
		return RL_TRY_LEFT;
	}
	if (RL_UNLIKELY(d != NULL && !d->accepted)) {
		if (!rl_entry_is_same(&at.seen)) {
			return RL_TRY_RACED;
		}
		return rl_shm_drop_dead_places(next.state, next.words) ? RL_TRY_LEFT : RL_TRY_DECIDED;
	}
	return rl_fast_replace_sized(s, call, &at, next.state, next.words);
}

bool rl_limiter_fast_acquire(const rl_key *key, const rl_limit *limit, uint64_t cost, uint64_t number, rl_place *place,
	rl_decision *d)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call = {.limit = limit, .cost = cost};
	rl_single_place taken = {.limit = limit, .number = number, .owner = rl_owner_self(), .cost = cost};
	rl_try_result result;

	if (RL_UNLIKELY(taken.owner == 0)) {
		return false;
	}
	rl_fast_read_clock(s, &call, false); /* before the hash: see limiter_store.c */
	call.place = *place = rl_fast_place(s, key);
	while (RL_UNLIKELY((result = places_try(s, &call, &taken, d)) == RL_TRY_RACED)) {
		rl_fast_read_clock(s, &call, false);
	}
	if (result == RL_TRY_LEFT) {
		return false;
	}
	return rl_fast_count(d);
}

/* The state of places that all surely run does not depend on the moment. */
bool rl_limiter_fast_release(const rl_key *key, rl_place *place, const rl_limit *limit, uint64_t number)
{
	const rl_segment *s = &rl_shm;
	rl_fast_call call = {.limit = limit};
	rl_single_place freed = {.limit = limit, .number = number};
	rl_try_result result;

	if (RL_UNLIKELY(rl_worker_register() == NULL)) {
		return false;
	}
	if (RL_UNLIKELY(place->fp == 0)) {
		*place = rl_fast_place(s, key);
	}
	call.place = *place;
	rl_fast_read_latest(s, &call);
	while (RL_UNLIKELY((result = places_try(s, &call, &freed, NULL)) != RL_TRY_DECIDED)) {
		if (result == RL_TRY_LEFT && !call.rough) {
			return false;
		}
		rl_fast_read_clock(s, &call, false);
	}
	return true;
}
