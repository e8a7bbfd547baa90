#include "table.h"

#include "desk.h"
#include "record.h"

/* Where fp is looked for, and put: probe 0 first. */
static rl_cell *cell_at(const rl_segment *s, uint64_t home, uint64_t fp, unsigned probe)
{
	uint64_t line = home + probe / RL_CELLS_PER_LINE;

	if (line >= s->n_lines) {
		line -= s->n_lines;
	}
	return &s->lines[line].cells[(rl_fp_first(fp) + probe) % RL_CELLS_PER_LINE];
}

rl_cell *rl_table_find(const rl_segment *s, rl_place p)
{
	unsigned probe;

	for (probe = 0; probe < RL_PROBE_CELLS; probe++) {
		rl_cell *cell = cell_at(s, p.home, p.fp, probe);
		uint64_t fp = rl_load(&cell->pair.a);

		if (rl_fp_is(fp, p.fp)) {
			return cell;
		}
		if (fp == 0) {
			return NULL;
		}
	}
	return NULL;
}

/* ---- What a cell is worth ---- */

#define WORTH_NOTHING   INT64_C(-1)   /* empty, freed, or its state has ended */
#define WORTH_EXHAUSTED (INT64_C(1) << 50)
#define WORTH_BAN       (INT64_C(1) << 60)

/* What is lost with it: the more was counted the more, an exhausted limit above all counts, a ban above all else. Of two
 * alike, the one that ends sooner is worth less. */
static int64_t worth(const rl_segment *s, uint64_t fp, uint64_t word, int64_t now_us)
{
	int64_t left_ms;
	uint64_t used;
	bool ban, exhausted;

	if ((fp & RL_FP_TAKEN) == 0) {
		return WORTH_NOTHING;
	}
	if (fp & RL_FP_KIND) {
		rl_record_worth w = rl_record_worth_of(s, word, now_us);

		/* Compared first: a cell without a record ended at the beginning of all numbers. */
		left_ms = w.expires_us > now_us ? (w.expires_us - now_us) / RL_US_PER_MS : 0;
		used = w.used;
		ban = w.ban;
		exhausted = w.exhausted;
	} else {
		left_ms = rl_plain_end_ms(word) - now_us / RL_US_PER_MS;
		used = rl_plain_count(word);
		ban = rl_plain_is_ban(word);
		exhausted = (fp & RL_FP_EXHAUSTED) != 0;
	}
	if (left_ms <= 0) {
		return WORTH_NOTHING;
	}
	left_ms >>= 15; /* half minutes: 24 bits of them are enough for ten years */
	if (ban) {
		return WORTH_BAN + left_ms;
	}
	return (exhausted ? WORTH_EXHAUSTED : 0) + ((int64_t) used << 25) + left_ms;
}

/* ---- Insertion ---- */

/* A note on a stripe's control: a = the fingerprint to insert (0: none), b = where, and instead of what.
 *
 *     63 ...... 32   31 ...... 8   7 ... 5   4 ... 0
 *     turn           digest        line      probe
 *
 * digest is of what the cell held when it was chosen: the note is carried out only on that, so that all who read it do
 * the same, at whatever time they come to it. The turn tells one note from the next. */
#define NOTE_TURN        (UINT64_C(1) << 32)
#define NOTE_TURN_MASK   (~UINT64_C(0) << 32)
#define NOTE_DIGEST_AT   8
#define NOTE_LINE_AT     5
#define NOTE_DIGEST_BITS 24

_Static_assert(RL_PROBE_CELLS <= 1u << NOTE_LINE_AT, "a note must hold the probe");
_Static_assert(RL_LINES_PER_STRIPE <= 1u << (NOTE_DIGEST_AT - NOTE_LINE_AT), "a note must hold the line");

static uint64_t digest(uint64_t fp, uint64_t word)
{
	uint64_t h = (fp ^ (word << 31 | word >> 33)) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 29 ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
	return h >> (64 - NOTE_DIGEST_BITS);
}

/* What a cell is when it has just been given to an identity: an end long past, and the turn, so that no two look alike. */
static uint64_t newborn(uint64_t fp, uint64_t note)
{
	uint64_t turn = note >> 32;

	return fp & RL_FP_KIND ? rl_ref_none((uint32_t) turn) : turn & RL_PLAIN_COUNT_MASK;
}

/* Carries a note out, or finds that somebody did or that it cannot be, and wipes it. */
static void carry_out(const rl_segment *s, uint64_t stripe, uint64_t fp, uint64_t note)
{
	rl_control *control = &s->controls[stripe];
	uint64_t home = stripe * RL_LINES_PER_STRIPE + (note >> NOTE_LINE_AT & (RL_LINES_PER_STRIPE - 1));
	rl_cell *cell = cell_at(s, home, fp, (unsigned) (note & (RL_PROBE_CELLS - 1)));
	uint64_t was_fp = rl_load(&cell->pair.a);
	uint64_t was_word = rl_load(&cell->pair.b);

	if (!rl_fp_is(was_fp, fp)
			&& digest(was_fp, was_word) == (note >> NOTE_DIGEST_AT & ((UINT64_C(1) << NOTE_DIGEST_BITS) - 1))) {
		/* Only while the note still stands: what was read before this look is then what the note means. */
		if (rl_load(&control->pair.b) != note || rl_load(&control->pair.a) != fp) {
			return;
		}
		rl_record_retire(s, cell, was_fp, was_word, fp, newborn(fp, note));
	}
	rl_pair_cas(&control->pair, fp, note, 0, (note & NOTE_TURN_MASK) + NOTE_TURN);
}

typedef struct {
	rl_cell *found;       /* the identity's own cell, if it has one */
	unsigned probe;       /* otherwise the cell that is cheapest to take */
	uint64_t fp, word;    /* what that held */
	int64_t worth;
} scan_result;

static scan_result scan(const rl_segment *s, rl_place p, int64_t now_us)
{
	scan_result r = {.worth = INT64_MAX};
	unsigned probe;

	for (probe = 0; probe < RL_PROBE_CELLS; probe++) {
		rl_cell *cell = cell_at(s, p.home, p.fp, probe);
		uint64_t fp = rl_load(&cell->pair.a);
		uint64_t word = rl_load(&cell->pair.b);
		int64_t w;

		if (rl_fp_is(fp, p.fp)) {
			r.found = cell;
			return r;
		}
		w = r.worth == WORTH_NOTHING ? WORTH_BAN : worth(s, fp, word, now_us);
		if (w < r.worth) {
			r.probe = probe;
			r.fp = fp;
			r.word = word;
			r.worth = w;
		}
		if (fp == 0) {
			break;
		}
	}
	return r;
}

rl_cell *rl_table_claim(const rl_segment *s, rl_place p, int64_t now_us)
{
	uint64_t stripe = p.home / RL_LINES_PER_STRIPE;
	rl_control *control = &s->controls[stripe];

	for (;;) {
		uint64_t note = rl_load(&control->pair.b);
		uint64_t fp = rl_load(&control->pair.a);
		scan_result r;

		if (fp != 0) {
			carry_out(s, stripe, fp, note);
			continue;
		}
		/* The turn was read before the scan: if nobody took it until the swap, nobody inserted behind our back. */
		r = scan(s, p, now_us);
		if (r.found != NULL) {
			return r.found;
		}
		if (r.worth >= WORTH_BAN) {
			return NULL;
		}
		fp = p.fp;
		if (!rl_pair_cas(&control->pair, 0, note, fp, (note & NOTE_TURN_MASK) | digest(r.fp, r.word) << NOTE_DIGEST_AT
				| (p.home % RL_LINES_PER_STRIPE) << NOTE_LINE_AT | r.probe)) {
			continue;
		}
		if (rl_my_desk != NULL) {
			if (r.fp == 0) {
				__atomic_store_n(&rl_my_desk->slots_used, rl_my_desk->slots_used + 1, __ATOMIC_RELAXED);
			}
			if (r.worth != WORTH_NOTHING) {
				rl_desk_count(rl_my_desk, RL_COUNT_EVICTIONS);
			}
		}
		carry_out(s, stripe, fp, (note & NOTE_TURN_MASK) | digest(r.fp, r.word) << NOTE_DIGEST_AT
			| (p.home % RL_LINES_PER_STRIPE) << NOTE_LINE_AT | r.probe);
	}
}

/* A freed cell is marked with a number that is never used twice: what a cell held never comes back, which is what the
 * swaps of slow workers rely on. */
bool rl_table_remove(const rl_segment *s, rl_cell *cell, uint64_t fp, uint64_t word)
{
	uint64_t number = __atomic_add_fetch(&s->header->removals, 1, __ATOMIC_RELAXED);

	return rl_record_retire(s, cell, fp, word, number << 4, 0);
}
