#include "record.h"

#include "../../core/algorithm/state.h"
#include "record_internal.h"

/* The record that the entry refers to, if it was written for that reference. Its class may still be damaged. */
static inline rl_record *referred(const rl_segment *s, const rl_entry *entry, uint64_t ref, uint64_t *meta)
{
	uint64_t unit = rl_ref_unit(ref);
	rl_record *r = rl_record_of_unit(s, unit);

	if (unit == 0 || unit >= s->n_pages * RL_UNITS_PER_PAGE) {
		return NULL;
	}
	*meta = rl_load(&r->meta);
	return rl_meta_fits(s, *meta, entry, ref) ? r : NULL;
}

rl_record *rl_record_at(const rl_segment *s, const rl_entry *entry, uint64_t ref, size_t *words)
{
	uint64_t meta;
	rl_record *r = referred(s, entry, ref, &meta);
	unsigned class;

	*words = 0;
	if (r == NULL) {
		return NULL;
	}
	class = rl_meta_class(meta);
	if (class >= RL_CLASSES || rl_class_units[class] > s->n_pages * RL_UNITS_PER_PAGE - rl_ref_unit(ref)) {
		return NULL;
	}
	*words = rl_class_units[class] * RL_WORDS_PER_UNIT - RL_RECORD_HEAD_WORDS;
	return r;
}

rl_record_worth rl_record_worth_of(const rl_segment *s, const rl_entry *entry, uint64_t ref, int64_t now_us)
{
	rl_record_worth worth = {.expires_us = INT64_MIN};
	size_t words;
	rl_record *r = rl_record_at(s, entry, ref, &words);

	if (r != NULL) {
		uint64_t head = rl_load(&r->state[0]);
		int64_t ban_end_us = (int64_t) rl_load(&r->state[RL_STATE_BAN_END]);

		worth.expires_us = (int64_t) rl_load(&r->state[RL_STATE_EXPIRES]);
		worth.used = rl_state_used(head);
		worth.ban_end_us = ban_end_us > now_us ? ban_end_us : 0;
		worth.exhausted = rl_state_is_exhausted(head);
	}
	return worth;
}

bool rl_record_swap(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, uint64_t new_fp,
	uint64_t new_word, rl_record **old)
{
	uint64_t meta;
	bool done;

	/* A worker that sees the swap also sees the journal, and one that sees the journal cleared also sees the new owner. Release
	 * stores are enough for this order: the swap is one itself. */
	*old = rl_fp_has_record(fp) ? referred(s, entry, word, &meta) : NULL;
	if (*old != NULL) {
		__atomic_store_n(&rl_worker_self->journal, rl_ref_unit(word), __ATOMIC_RELEASE);
	}
	done = rl_pair_cas(&entry->pair, fp, word, new_fp, new_word);
	if (*old != NULL) {
		if (done) {
			__atomic_store_n(&(*old)->owner, rl_owner_me(s), __ATOMIC_RELEASE);
		}
		__atomic_store_n(&rl_worker_self->journal, 0, __ATOMIC_RELEASE);
	}
	return done;
}

bool rl_record_retire(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, uint64_t new_fp,
	uint64_t new_word)
{
	rl_record *old;

	if (!rl_record_swap(s, entry, fp, word, new_fp, new_word, &old)) {
		return false;
	}
	if (old != NULL) {
		__atomic_store_n(&old->owner, 0, __ATOMIC_RELEASE);
	}
	return true;
}

/* Returns the fingerprint of a freed entry, with a number that never repeats. So an entry's content never comes back (no
 * ABA), on which the swaps of slow workers rely. */
static uint64_t freed_fp(const rl_segment *s)
{
	return __atomic_add_fetch(&s->header->removals, 1, __ATOMIC_RELAXED) << 4;
}

bool rl_record_remove(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word)
{
	return rl_record_retire(s, entry, fp, word, freed_fp(s), 0);
}

bool rl_record_take_out(const rl_segment *s, rl_entry *entry, uint64_t fp, uint64_t word, rl_record **old)
{
	return rl_record_swap(s, entry, fp, word, freed_fp(s), 0, old);
}
