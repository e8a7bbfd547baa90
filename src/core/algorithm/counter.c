#include "counter.h"

#include "algorithm.h"

static int64_t counter_ms_ceil(int64_t us)
{
	return (us + RL_US_PER_MS - 1) / RL_US_PER_MS;
}

/* Clamps the end to the store's last moment, where the store has run for so long (more than seven years) that the longest
 * windows would end later. */
static uint64_t counter_pack(int64_t end_ms, bool ban, uint32_t count)
{
	return rl_counter_pack(end_ms < RL_COUNTER_END_MAX_MS ? end_ms : RL_COUNTER_END_MAX_MS, ban, count);
}

/* Returns the end of a ban, on the clock of now_us; 0 if it starts none. */
static int64_t counter_ban_end_ms(rl_ban_kind kind, int64_t ban_ms, int64_t now_us, int64_t wall_us)
{
	switch (kind) {
		case RL_BAN_FOR:
			return counter_ms_ceil(now_us) + ban_ms;
		case RL_BAN_UNTIL: {
			int64_t left_us = ban_ms * RL_US_PER_MS - wall_us;

			return left_us > 0 ? counter_ms_ceil(now_us + left_us) : 0;
		}
		case RL_BAN_STEPS: /* of a limiter only */
		case RL_BAN_NONE:
			break;
	}
	return 0;
}

uint64_t rl_counter_decide(uint64_t word, const rl_counter_question *q, int64_t now_us, int64_t wall_us, rl_decision *d)
{
	int64_t fresh_end_us = rl_fixed_window_end(now_us, q->seconds * RL_US_PER_SECOND);
	rl_window w = rl_counter_window(word);
	bool runs = w.end_us > now_us, ban = runs && rl_counter_is_ban(word);
	uint64_t next = word;
	rl_step s;

	if (!runs) {
		w = (rl_window){.end_us = fresh_end_us};
	}
	s = rl_window_step(&w, q->limit, 1, now_us);
	d->reason = s.accepted ? RL_ACCEPTED : ban ? RL_BANNED : RL_LIMITED;
	if (s.accepted) {
		next = counter_pack(w.end_us / RL_US_PER_MS, false, (uint32_t) w.count);
	} else if (!ban) {
		int64_t end_ms = counter_ban_end_ms(q->ban, q->ban_s * RL_MS_PER_SECOND, now_us, wall_us);

		if (end_ms > 0) {
			/* No window is so long: it is a ban of another program, such as the article's class. It keeps its end. */
			ban = true;
			next = counter_pack(w.end_us > fresh_end_us ? rl_counter_end_ms(word) : end_ms, true, (uint32_t) w.count);
			d->reason = RL_BANNED;
		}
	}

	d->accepted = s.accepted;
	d->limit_index = 0;
	d->n_left = 0;
	d->level = 0;
	d->limit = q->limit;
	d->remaining = ban || s.used >= q->limit ? 0 : q->limit - s.used;
	d->reset_after_us = rl_counter_end_ms(next) * RL_US_PER_MS - now_us;
	d->retry_after_us = d->remaining > 0 ? 0 : d->reset_after_us;
	return next;
}

uint64_t rl_counter_mirror(uint64_t word, const rl_counter_question *q, int64_t now_us, const rl_told *answer,
	const rl_decision *d, uint32_t leased)
{
	uint32_t count = (d->remaining < q->limit ? q->limit - (uint32_t) d->remaining : 0) + leased;
	rl_window told = {now_us + d->reset_after_us, count};
	rl_window w = {rl_counter_end_ms(word) * RL_US_PER_MS, rl_counter_count(word)};
	bool ban = d->reason == RL_BANNED;

	if (answer->trip_us >= d->reset_after_us) {
		return word;
	}
	if (w.end_us <= now_us || ban != rl_counter_is_ban(word)) {
		w = told;
	} else if (!rl_window_mirror(&w, told, q->seconds * RL_US_PER_SECOND, answer,
				   answer->is_latest && d->remaining > 0)) {
		return word;
	}
	return w.count > 0 || ban ? counter_pack(counter_ms_ceil(w.end_us), ban, (uint32_t) w.count) : word;
}

uint64_t rl_counter_ban(const rl_counter_command *c, int64_t now_us, int64_t wall_us)
{
	int64_t end_ms = counter_ban_end_ms(c->ban, c->ban_ms, now_us, wall_us);

	return end_ms > 0 ? counter_pack(end_ms, true, 0) : 0;
}
