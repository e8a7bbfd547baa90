#include "segment.h"

rl_segment rl_shm = {.fd = -1};

void rl_segment_view(rl_segment *s, void *memory)
{
	rl_header *h = memory;
	char *base = memory;

	s->header = h;
	s->workers = (rl_worker *) (void *) (base + h->workers_at);
	s->breakers = (rl_breaker *) (void *) (base + h->breakers_at);
	s->generations = (uint64_t *) (void *) (base + h->generations_at);
	s->stripes = (rl_stripe *) (void *) (base + h->stripes_at);
	s->buckets = (rl_bucket *) (void *) (base + h->buckets_at);
	s->pages = (rl_page *) (void *) (base + h->pages_at);
	s->records = (rl_unit *) (void *) (base + h->records_at);
	s->n_buckets = h->n_stripes * RL_BUCKETS_PER_STRIPE;
	s->n_workers = h->n_workers;
	s->n_breakers = h->n_breakers;
	s->n_generations = h->n_generations;
	s->n_pages = h->n_pages;
	s->bytes = h->bytes;
	s->mono_base_us = h->mono_base_us;
	s->mono_base_ms = h->mono_base_us / RL_US_PER_MS;
	s->wall_offset_us = h->wall_base_us;
	s->hash_kind = (rl_hash_kind) h->hash_kind;
}
