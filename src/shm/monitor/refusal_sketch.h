/* Finds the callers that are refused most: a sketch of the heavy hitters (Space-Saving) over the refusals of the last
 * minutes. Refusals alone feed it. Its memory is bounded, whatever the number of callers.
 *
 * A caller is one entry, which changes by one compare-and-swap of its key and its count. A new caller takes the entry of
 * its set with the lowest count, and inherits that count as its error: the count is never too low by it, and too high by at
 * most the error. All counts halve every RL_SKETCH_HALF_LIFE_US.
 *
 * A thread notes each of some thousand refusals a second. Of more it notes one of RL_SAMPLER_GAP_MAX, at random, which stands for
 * all of them. */
#ifndef RL_SHM_REFUSAL_SKETCH_H
#define RL_SHM_REFUSAL_SKETCH_H

#include "../segment/subject.h"
#include "../../compiler.h"

#define RL_SKETCH_HALF_LIFE_US (120 * RL_US_PER_SECOND)

/* Notes a refusal that stands for so many. limit: as above. */
void rl_sketch_add(uint64_t name_id, rl_kind kind, const rl_key *key, unsigned limit, uint32_t weight);

/* Forgets a caller. */
void rl_sketch_forget(uint64_t name_id, const rl_key *key);

/* Forgets all callers. */
void rl_sketch_clear(void);

/* A copy of an entry. */
typedef struct {
	rl_subject subject;
	uint64_t refusals; /* estimated */
	uint64_t error;    /* the true number is within refusals - error and refusals + error */
	unsigned limit;
	int64_t last_us; /* of the wall clock */
} rl_sketch_row;

/* Writes the n callers that are refused most, the first one first. Returns their number. */
size_t rl_sketch_top(rl_sketch_row *rows, size_t n);

/* ---- Sampling ---- */

#define RL_SAMPLER_GAP_MAX 32 /* refusals for which one that is noted stands; the mean */

/* Of a thread. */
typedef struct {
	uint32_t left;   /* the refusal after so many is noted */
	uint32_t marked; /* left, when the refusals were counted last */
	uint32_t gap;    /* the mean number of refusals from one that is noted to the next */
	uint32_t looks;  /* refusals to note until the next look at the clock */
	uint32_t burst;  /* those beyond the rate that were noted each */
	uint32_t random;
	uint32_t weight_class; /* of the gap (refusal_sketch.c) */
	int64_t now_ms;        /* of the latest look at the clock */
	int64_t now_us;        /* the same moment, on the segment's time */
	uint64_t half_life;    /* its number */
} rl_sampler;

extern RL_HIDDEN RL_THREAD_LOCAL rl_sampler rl_sampler_self;

/* Counts a refusal. Returns whether it is the one to note: then rl_sampler_next() must follow. */
static inline bool rl_sampler_hit(void)
{
	return --rl_sampler_self.left == 0;
}

/* Returns the number of refusals since the last call. */
static inline uint32_t rl_sampler_counted(void)
{
	uint32_t n = rl_sampler_self.marked - rl_sampler_self.left;

	rl_sampler_self.marked = rl_sampler_self.left;
	return n;
}

/* Makes the next refusal to note look at the clock. */
static inline void rl_sampler_look(void)
{
	rl_sampler_self.looks = 1;
}

/* Chooses the next refusal to note, at random, by the rate of refusals in this thread. Returns the number of refusals for which the
 * present one stands. */
uint32_t rl_sampler_next(void);

/* Does that, and notes the refusal of an int identity. The name is that of an action. */
void rl_sampler_note(uint64_t name_id, const char *name, size_t name_len, int64_t id);

/* Forgets the refusals of the parent, after a fork. */
void rl_sampler_after_fork(void);

#endif
