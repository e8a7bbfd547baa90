/* The usual acquires (core/decide/usual.h), compared with rl_limiter_decide(): every answer, every next state and every permit's part. */
#include "histories.h"
#include "same_left.h"

static unsigned tagged[2], not_tagged, lacked_room;

static bool same_held(const rl_held *one, const rl_held *other, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		if (one[i].tag != other[i].tag || one[i].place != other[i].place || one[i].moved_us != other[i].moved_us
			|| one[i].cost != other[i].cost) {
			return false;
		}
	}
	return true;
}

/* Decides a part: often in the room of the present state, as its record has it, and where that is too small with the most. */
static rl_usual_result decide_tagged(const rl_usual_call *call, const rl_now *now, size_t *made_words, rl_decision *d)
{
	const uint64_t mark = UINT64_C(0x5a5a5a5a5a5a5a5a);
	size_t room = words - (words > 6 && one_in(4) ? (size_t) between(0, 5) : 0);
	rl_usual_result result;

	if (!one_in(3)) {
		made[room] = mark;
		result = decide_usual(call, now, room, d, made_words);
		check(made[room] == mark, "tags: a word behind the room of %zu", room);
		check(result != RL_USUAL_ADMITTED || *made_words <= room, "tags: %zu words in a room of %zu", *made_words,
			room);
		if (result != RL_USUAL_NO_ROOM) {
			return result;
		}
		lacked_room++;
	}
	return decide_usual(call, now, WORDS_MAX, d, made_words);
}

/* Compares an acquire. Returns whether it was admitted. */
static bool compare_tagged(const rl_question *q, const rl_now *now)
{
	rl_held held[RL_LIMITS_MAX] = {{0}};
	rl_usual_call call = {.limits = q->limits, .n = q->n_limits, .cost = q->cost, .costs = q->costs, .held = held};
	const rl_decision *g;
	rl_decision d = {0};
	rl_answer a;
	size_t n = 0, made_words = 0;
	bool short_way = words > 0 && decide_tagged(&call, now, &made_words, &d) > RL_USUAL_NO_ROOM;
	rl_outcome outcome = rl_limiter_decide(q, now, now->mono_us, words > 0 ? state : NULL, words, next, &n, &a);

	g = &a.decision;
	if (short_way) {
		tagged[d.accepted]++;
		check(outcome == (d.accepted ? RL_WRITE_STATE : RL_WRITE_NOTHING), "tags: outcome %u", outcome);
		check(d.reason == g->reason && d.limit_index == g->limit_index && d.level == g->level && d.limit == g->limit
				&& d.remaining == g->remaining && d.retry_after_us == g->retry_after_us
				&& d.reset_after_us == g->reset_after_us,
			"tags: reason %u and %u, limit %u and %u, remaining %lu and %lu, retry after %ld and %ld", d.reason,
			g->reason, d.limit_index, g->limit_index, (unsigned long) d.remaining, (unsigned long) g->remaining,
			(long) d.retry_after_us, (long) g->retry_after_us);
		same_left(&d, g, q->n_limits);
		check(!d.accepted || (made_words == n && memcmp(made, next, n * sizeof *next) == 0),
			"tags: %zu and %zu words, and their content", made_words, n);
		check(!d.accepted || same_held(held, q->held, q->n_limits), "tags: what the permit holds");
	} else {
		not_tagged++;
	}
	keep_state(outcome, n);
	return g->accepted && outcome == RL_WRITE_STATE;
}

/* Gives back what an earlier acquire took, as if it had never been, or a part of it. */
static void give_back(const rl_question *taken, rl_held held[], const rl_now *now)
{
	rl_question q = *taken;

	q.op = RL_OP_SETTLE;
	q.cost = 0;
	q.costs = NULL;
	q.tag = one_in(2) ? q.tag : 0;
	q.held = held;
	decide_and_keep(&q, now);
}

static void test_tags(void)
{
	unsigned history, step, i;

	for (history = 0; history < HISTORIES && checks_broken == 0; history++) {
		uint64_t costs[RL_LIMITS_MAX];
		rl_held held[RL_LIMITS_MAX], kept[RL_LIMITS_MAX];
		rl_question q, taken = {0};
		unsigned interferes;
		rl_now now;

		seed = history + 2000000;
		q = random_several(RL_OP_ACQUIRE, 1, 3);
		interferes = begin_history(&now);
		for (step = 0; step < 2 * STEPS && checks_broken == 0; step++) {
			next_step(&q, &now);
			if (one_in(interferes)) {
				interfere(&q, &now);
				taken.n_limits = 0;
				continue;
			}
			q.op = RL_OP_ACQUIRE;
			q.tag = 2 * (uint64_t) between(1, 1000000);
			q.held = held;
			q.costs = one_in(3) ? NULL : costs;
			for (i = 0; i < q.n_limits; i++) {
				costs[i] = one_in(30) ? 0 : (uint64_t) between(1, one_in(2) ? 3 : (int64_t) q.limits[i].limit);
			}
			if (compare_tagged(&q, &now)) {
				taken = q;
				memcpy(kept, held, sizeof kept);
			} else if (taken.n_limits > 0 && one_in(2)) {
				give_back(&taken, kept, &now);
				taken.n_limits = 0;
			}
		}
	}
	printf("tags: %u accepted and %u refused the usual way, %u left, %u without room at first\n", tagged[1], tagged[0],
		not_tagged, lacked_room);
}

int main(void)
{
	test_tags();
	return checks_report();
}
