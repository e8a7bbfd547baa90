#include "record_claim.h"

#include "page_alloc.h"

/* ---- Hazard pointers ---- */

bool rl_page_scan_begin(const rl_segment *s, uint64_t page, unsigned class)
{
	__atomic_store_n(&rl_worker_self->scanning_page, page + 1, __ATOMIC_SEQ_CST);
	return rl_page_is_of(s, page, class);
}

void rl_page_scan_end(void)
{
	__atomic_store_n(&rl_worker_self->scanning_page, 0, __ATOMIC_RELEASE);
}

bool rl_page_is_being_scanned(const rl_segment *s, uint64_t page)
{
	uint64_t i, n = rl_workers_used(s);

	for (i = 0; i < n; i++) {
		rl_worker *w = rl_worker_at(s, i);

		if (w != rl_worker_self && __atomic_load_n(&w->scanning_page, __ATOMIC_SEQ_CST) == page + 1
			&& !rl_worker_is_dead(w, __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST))) {
			return true;
		}
	}
	return false;
}

/* ---- Claims ---- */

/* Returns whether a live worker's journal names the record: the worker may be swapping it out of its entry. */
static bool is_in_transit(const rl_segment *s, uint64_t unit)
{
	uint64_t i, n = rl_workers_used(s);

	for (i = 0; i < n; i++) {
		rl_worker *w = rl_worker_at(s, i);
		uint32_t epoch = __atomic_load_n(&w->epoch, __ATOMIC_SEQ_CST);

		if (__atomic_load_n(&w->journal, __ATOMIC_SEQ_CST) == unit && !rl_worker_is_dead(w, epoch)) {
			return true;
		}
	}
	return false;
}

/* The order matters: owner, entry, journals, and then the owner must still be the same. A record that leaves its entry after
 * the second look is in a journal at the third, or has a new owner at the fourth. */
static bool claim_if_lost(const rl_segment *s, rl_record *r, uint64_t owner)
{
	return rl_owner_is_dead(s, owner) && !rl_record_is_published(s, r) && !is_in_transit(s, rl_unit_of_record(s, r))
		&& rl_record_claim(s, r, owner);
}

/* Returns whether the spare's worker is no longer registered under that epoch; cheaper than rl_owner_is_dead(). */
static bool spare_is_old(const rl_segment *s, uint64_t owner)
{
	uint64_t worker = (owner & 0xffff) - 1;

	return worker >= s->n_workers
		|| __atomic_load_n(&rl_worker_at(s, worker)->epoch, __ATOMIC_SEQ_CST) != (uint32_t) (owner >> 16);
}

bool rl_record_evict(const rl_segment *s, rl_record *r, const rl_publication *seen, bool live)
{
	if (!rl_record_remove(s, seen->entry, seen->fp, seen->ref)) {
		return false;
	}
	if (live) {
		rl_worker_stat_add(rl_worker_self, RL_STAT_EVICTIONS);
	}
	return rl_record_claim(s, r, 0);
}

rl_record_inspection rl_record_inspect(const rl_segment *s, rl_record *r, int64_t now_us, bool any_spare,
	rl_publication *seen, rl_record_worth *worth)
{
	uint64_t owner = __atomic_load_n(&r->owner, __ATOMIC_SEQ_CST);

	if (owner == RL_OWNER_RETIRED) {
		return RL_REC_BUSY;
	}
	if (owner == 0 || owner & RL_OWNER_SPARE) {
		return (owner == 0 || any_spare || spare_is_old(s, owner)) && rl_record_claim(s, r, owner) ? RL_REC_CLAIMED
																								   : RL_REC_BUSY;
	}
	*seen = rl_record_publication(s, r);
	if (seen->entry == NULL) {
		return claim_if_lost(s, r, owner) ? RL_REC_CLAIMED : RL_REC_BUSY;
	}
	*worth = rl_record_worth_of(s, seen->entry, seen->ref, now_us);
	if (worth->expires_us <= now_us) {
		return rl_record_evict(s, r, seen, false) ? RL_REC_CLAIMED : RL_REC_BUSY;
	}
	return RL_REC_LIVE;
}
