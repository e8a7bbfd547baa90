#include "layout.h"

#include <stdio.h>

#define BYTES_PER_WORKER     ((size_t) 8192) /* of the segment */
#define WORKERS_MIN          64u
#define BYTES_PER_BREAKER    ((size_t) 1 << 18)
#define BREAKERS_MIN         8u
#define BREAKERS_MAX         256u
#define BYTES_PER_GENERATION ((size_t) 8192)
#define GENERATIONS_MIN      128u
#define GENERATIONS_MAX      (1u << 16)
#define BYTES_PER_DEMAND     ((size_t) 2048)
#define DEMANDS_MIN          512u
#define DEMANDS_MAX          (1u << 18)
#define PAGE_BYTES           ((size_t) RL_UNIT_BYTES * RL_UNITS_PER_PAGE)

static uint64_t align(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

/* Returns the largest power of two up to n, but at least min and at most max, which are powers of two. */
static uint64_t layout_power_of_two(uint64_t n, uint64_t min, uint64_t max)
{
	uint64_t power = min;

	while (power < max && 2 * power <= n) {
		power *= 2;
	}
	return power;
}

/* Half of the room is for the table, half for the records. A doHandle() needs the table alone, and the kernel allocates
 * no page of memory that is never touched. */
void rl_layout_plan(rl_header *h, size_t bytes)
{
	uint64_t at = RL_HEADER_BYTES + RL_TERMS_BYTES;
	uint64_t workers = bytes / BYTES_PER_WORKER;
	uint64_t breakers = bytes / BYTES_PER_BREAKER;
	uint64_t stripe_bytes = sizeof(rl_stripe) + RL_BUCKETS_PER_STRIPE * sizeof(rl_bucket);
	uint64_t page_bytes = sizeof(rl_page) + PAGE_BYTES;

	h->layout = RL_SEGMENT_LAYOUT;
	h->bytes = bytes;

	h->n_workers = workers < WORKERS_MIN ? WORKERS_MIN : workers > RL_WORKERS_MAX ? RL_WORKERS_MAX : workers;
	h->workers_at = at;
	at = align(at + h->n_workers * RL_WORKER_BYTES, 64);

	h->n_breakers = breakers < BREAKERS_MIN ? BREAKERS_MIN : breakers > BREAKERS_MAX ? BREAKERS_MAX : breakers;
	h->breakers_at = at;
	at = align(at + h->n_breakers * RL_BREAKER_BYTES, 64);

	h->n_generations = layout_power_of_two(bytes / BYTES_PER_GENERATION, GENERATIONS_MIN, GENERATIONS_MAX);
	h->generations_at = at;
	at = align(at + h->n_generations * sizeof(uint64_t), 64);

	h->n_demands = layout_power_of_two(bytes / BYTES_PER_DEMAND, DEMANDS_MIN, DEMANDS_MAX);
	h->demands_at = at;
	at = align(at + h->n_demands * sizeof(uint64_t), 64);

	h->monitor_at = at;
	at = align(at + rl_monitor_plan(bytes).bytes, 64);

	h->n_stripes = (bytes - at) / 2 / stripe_bytes;
	h->stripes_at = at;
	at = align(at + h->n_stripes * sizeof(rl_stripe), 64);
	h->buckets_at = at;
	at += h->n_stripes * RL_BUCKETS_PER_STRIPE * sizeof(rl_bucket);

	h->n_pages = (bytes - at - 64) / page_bytes;
	if (h->n_pages > (RL_REF_UNIT_MASK + 1) / RL_UNITS_PER_PAGE) {
		h->n_pages = (RL_REF_UNIT_MASK + 1) / RL_UNITS_PER_PAGE;
	}
	h->pages_at = at;
	h->records_at = align(at + h->n_pages * sizeof(rl_page), 64);
}

bool rl_layout_check(const rl_header *h, size_t bytes, char *message, size_t message_size)
{
	rl_header want = {0};
	const char *wrong = NULL;

	rl_layout_plan(&want, bytes);
	if (h->magic != RL_SEGMENT_MAGIC || h->ready != RL_SEGMENT_MAGIC) {
		wrong = "it is not a segment of ratelimit";
	} else if (h->layout != want.layout) {
		wrong = "another version of ratelimit wrote it (remove it and restart PHP)";
	} else if (h->bytes != want.bytes) {
		snprintf(message, message_size,
			"it was made with %llu bytes, ratelimit.shm_size says %zu (remove it and restart PHP)",
			(unsigned long long) h->bytes, bytes);
		return false;
	} else if (h->n_workers != want.n_workers || h->n_breakers != want.n_breakers
		|| h->n_generations != want.n_generations || h->generations_at != want.generations_at
		|| h->n_demands != want.n_demands || h->demands_at != want.demands_at || h->monitor_at != want.monitor_at
		|| h->n_stripes != want.n_stripes || h->n_pages != want.n_pages || h->workers_at != want.workers_at
		|| h->breakers_at != want.breakers_at || h->stripes_at != want.stripes_at || h->buckets_at != want.buckets_at
		|| h->pages_at != want.pages_at || h->records_at != want.records_at) {
		wrong = "its header is damaged";
	} else if (h->hash_kind != RL_HASH_SIP && h->hash_kind != rl_hash_choose()) {
		wrong = "it was made on another kind of processor (remove it and restart PHP)";
	}
	if (wrong != NULL) {
		snprintf(message, message_size, "%s", wrong);
	}
	return wrong == NULL;
}
