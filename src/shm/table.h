/* The table: from an identity's hash to its cell.
 *
 * Four cells to a line, eight lines to look in, beginning with the line and the cell that the hash names. A cell is
 *
 *     fingerprint: 60 bits of hash | 0 | last permit gone | taken | kind
 *     word:        a plain counter (core/plain.h), or where the record is (record.h)
 *
 * A cell is changed only by one compare-and-swap of both halves, so a state never lands under another identity. A cell
 * that was ever used never becomes empty again: what is behind it stays within reach, and an empty cell ends a search.
 *
 * That an identity has one cell and not two is what insertions take turns for, without anybody ever waiting: who wants
 * to insert writes down, by one swap of the stripe's control, which fingerprint goes into which cell; whoever finds such
 * a note carries it out before doing anything else. A killed or stopped worker leaves at most a note that the next one
 * carries out. */
#ifndef RL_SHM_TABLE_H
#define RL_SHM_TABLE_H

#include "../core/plain.h"
#include "segment.h"

#define RL_FP_KIND      UINT64_C(1) /* the word says where a record is, not what a counter is */
#define RL_FP_TAKEN     UINT64_C(2) /* never clear in a fingerprint: tells it from an empty or a freed cell */
#define RL_FP_EXHAUSTED UINT64_C(4) /* the last permit was given: worth more than an untouched window when room is short */
#define RL_FP_LOW       UINT64_C(15)

#define RL_PROBE_LINES 8
#define RL_PROBE_CELLS (RL_PROBE_LINES * RL_CELLS_PER_LINE)

/* A hashed key: what the table knows of an identity. */
typedef struct {
	uint64_t home; /* the line to begin with */
	uint64_t fp;   /* without RL_FP_EXHAUSTED */
} rl_place;

static inline bool rl_fp_is(uint64_t fp, uint64_t wanted)
{
	return ((fp ^ wanted) & ~RL_FP_EXHAUSTED) == 0;
}

static inline rl_place rl_place_of(const rl_segment *s, uint64_t high, uint64_t low, bool record)
{
	rl_place p;

	/* The low half is the sooner out of the processor's vector registers, and the line is wanted first. */
	p.home = (uint64_t) (((unsigned __int128) low * s->n_lines) >> 64);
	p.fp = (high & ~RL_FP_LOW) | RL_FP_TAKEN | (record ? RL_FP_KIND : 0);
	return p;
}

/* Which cell of a line an identity is looked for in first: most are found there, wherever the others of its line are,
 * and a processor guesses so. */
static inline unsigned rl_fp_first(uint64_t fp)
{
	return (unsigned) (fp >> 62);
}

_Static_assert(RL_CELLS_PER_LINE == 4, "two bits name a cell of a line");

/* The cell of an identity, or NULL. What it holds may change before the caller looks again: every change is made by a
 * swap that names what was seen. */
rl_cell *rl_table_find(const rl_segment *s, rl_place p);

/* The same; makes a cell, ended and empty, for an identity that has none. now_us is the segment's time. NULL when there
 * is no room: every cell in reach is a ban. */
rl_cell *rl_table_claim(const rl_segment *s, rl_place p, int64_t now_us);

/* Takes an identity out of its cell, and frees its record. False when the cell no longer holds (fp, word). */
bool rl_table_remove(const rl_segment *s, rl_cell *cell, uint64_t fp, uint64_t word);

#endif
