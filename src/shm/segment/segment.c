#include "segment.h"

#include "clock.h"

void (*rl_segment_on_second)(const rl_segment *s, int64_t us);
rl_segment rl_shm = {.fd = -1, .note_at_us = INT64_MAX};

void rl_segment_view(rl_segment *s, void *memory, const rl_header *copy)
{
	char *base = memory;

	s->header = memory;
	s->terms = (rl_pair *) (void *) (base + RL_HEADER_BYTES);
	s->workers = (rl_worker *) (void *) (base + copy->workers_at);
	s->breakers = (rl_breaker *) (void *) (base + copy->breakers_at);
	s->generations = (uint64_t *) (void *) (base + copy->generations_at);
	s->demands = (uint64_t *) (void *) (base + copy->demands_at);
	s->monitor = base + copy->monitor_at;
	s->layout = rl_monitor_plan(copy->bytes);
	s->hitters = s->monitor + s->layout.hitters_at;
	s->stripes = (rl_stripe *) (void *) (base + copy->stripes_at);
	s->buckets = (rl_bucket *) (void *) (base + copy->buckets_at);
	s->pages = (rl_page *) (void *) (base + copy->pages_at);
	s->records = (rl_unit *) (void *) (base + copy->records_at);
	s->n_buckets = copy->n_stripes * RL_BUCKETS_PER_STRIPE;
	s->n_workers = copy->n_workers;
	s->n_breakers = copy->n_breakers;
	s->n_generations = copy->n_generations;
	s->n_demands = copy->n_demands;
	s->n_pages = copy->n_pages;
	s->bytes = copy->bytes;
	s->mono_base_us = (int64_t) copy->base.a;
	s->mono_base_ms = s->mono_base_us / RL_US_PER_MS;
	s->wall_offset_us = copy->wall_base_us;
	s->hash_kind = (rl_hash_kind) copy->hash_kind;
}

void rl_segment_note_time(const rl_segment *s, int64_t caller_us)
{
	uint64_t *reached = &s->header->reached_us, was = rl_load(reached);
	int64_t us = rl_clock_true_us() - s->mono_base_us;

	/* A failed swap means that another process has noted its time just now. */
	if (us > (int64_t) was) {
		(void) __atomic_compare_exchange_n(reached, &was, (uint64_t) (us + RL_TIME_NOTE_US), false, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED);
	}
	was = rl_load(reached);
	__atomic_store_n(&rl_shm.note_at_us, (int64_t) was < us + RL_TIME_NOTE_US ? (int64_t) was : us + RL_TIME_NOTE_US,
		__ATOMIC_RELAXED);
	if (rl_segment_on_second != NULL) {
		rl_segment_on_second(s, caller_us);
	}
}
