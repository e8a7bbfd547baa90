/* Bounds the share of the record area that running bans hold. The allocator gives up no running ban for another state; so a ban that
 * begins makes the room, where bans have more than half. */
#include "alloc_cursor.h"
#include "page_alloc.h"
#include "record_cache.h"
#include "record_scan.h"

#define LOOKS_SHARE  8                   /* records looked at for each ban that begins; */
#define LOOKS_FIRST  24                  /* so many more where one has to make room */
#define SHARE_BEGINS 32                  /* the begins that the share is an average of */
#define WHOLE        (UINT64_C(1) << 20) /* all records, as a share */
#define EVICTIONS    8                   /* at most */

/* The running bans among the records looked at that end first, the first one first. */
typedef struct {
	unsigned n;
	rl_scan_candidate bans[EVICTIONS];
} first_bans;

static void note_ban(first_bans *first, const rl_scan_candidate *ban)
{
	unsigned at = first->n;

	while (at > 0 && first->bans[at - 1].worth.ban_end_us > ban->worth.ban_end_us) {
		at--;
	}
	if (at == EVICTIONS) {
		return;
	}
	first->n += first->n < EVICTIONS;
	memmove(&first->bans[at + 1], &first->bans[at], (first->n - 1 - at) * sizeof *ban);
	first->bans[at] = *ban;
}

/* Looks at the record around a random unit. Returns whether it is a running ban, and not that of the entry. */
static bool look_at_random(const rl_segment *s, const rl_entry *own, int64_t now_us, rl_scan_candidate *found)
{
	uint64_t page = rl_alloc_random(s) % s->n_pages, head = rl_page_run_head(s, page, rl_load(&s->pages[page].word)),
			 unit;
	unsigned class = rl_page_class_of_word(rl_load(&s->pages[head].word));

	if (class == RL_CLASSES) {
		return false;
	}
	unit = rl_page_unit(head, rl_alloc_random(s) % rl_page_records(class), class);
	found->record = rl_record_of_unit(s, unit);
	found->seen = rl_record_publication(s, found->record);
	if (unit == 0 || found->seen.entry == NULL || found->seen.entry == own) {
		return false;
	}
	found->worth = rl_record_worth_of(s, found->seen.entry, found->seen.ref, now_us);
	return found->worth.ban_end_us != 0;
}

/* Evicts a ban. Its record serves this thread's next decision. Returns the record's units; 0 if another worker was faster. */
static uint64_t evict_ban(const rl_segment *s, const rl_scan_candidate *ban)
{
	unsigned class = rl_meta_class(rl_load(&ban->record->meta));

	if (class >= RL_CLASSES || rl_scan_evict(s, class, ban) == 0) {
		return 0;
	}
	rl_worker_stat_add(rl_worker_self, RL_STAT_BANS_EVICTED);
	rl_record_put(s, ban->record);
	return rl_class_units[class];
}

/* Looks at so many records. Returns how many are running bans. */
static unsigned look_at_some(const rl_segment *s, const rl_entry *own, unsigned looks, int64_t now_us,
	first_bans *first)
{
	unsigned bans = 0;

	while (looks-- > 0) {
		rl_scan_candidate found;

		if (look_at_random(s, own, now_us, &found)) {
			bans++;
			note_ban(first, &found);
		}
	}
	return bans;
}

/* Adds what was seen to the share of bans, a moving average of all workers. An update that another worker overwrites is lost. */
static uint64_t note_share(const rl_segment *s, unsigned bans)
{
	uint64_t share = rl_load(&s->header->ban_share);

	share = share < WHOLE ? share : WHOLE;
	share += bans * (WHOLE / LOOKS_SHARE) / SHARE_BEGINS;
	share -= share / SHARE_BEGINS;
	__atomic_store_n(&s->header->ban_share, share, __ATOMIC_RELAXED);
	return share;
}

void rl_ban_share_hold(const rl_segment *s, const rl_entry *own, size_t words, int64_t now_us)
{
	uint64_t wanted = 2 * ((words + RL_RECORD_HEAD_WORDS + RL_WORDS_PER_UNIT - 1) / RL_WORDS_PER_UNIT), freed = 0;
	first_bans first = {.n = 0};
	unsigned bans = look_at_some(s, own, LOOKS_SHARE, now_us, &first), i;

	if (note_share(s, bans) <= WHOLE / 2) {
		return;
	}
	bans += look_at_some(s, own, LOOKS_FIRST, now_us, &first);
	/* The average is of the latest bans that began. If these began long ago, there may be few of them now. */
	for (i = 0; i < first.n && freed < wanted && 4 * bans >= LOOKS_SHARE + LOOKS_FIRST; i++) {
		freed += evict_ban(s, &first.bans[i]);
	}
}
