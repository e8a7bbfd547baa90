#include "segment.h"

rl_segment rl_shm = {.fd = -1};

void rl_segment_view(rl_segment *s, void *memory)
{
	rl_header *h = memory;
	char *base = memory;

	s->header = h;
	s->desks = (rl_desk *) (void *) (base + h->desks_at);
	s->servers = (rl_server *) (void *) (base + h->servers_at);
	s->generations = (uint64_t *) (void *) (base + h->generations_at);
	s->controls = (rl_control *) (void *) (base + h->controls_at);
	s->lines = (rl_line *) (void *) (base + h->lines_at);
	s->pages = (rl_page *) (void *) (base + h->pages_at);
	s->records = (rl_unit *) (void *) (base + h->records_at);
	s->n_lines = h->n_stripes * RL_LINES_PER_STRIPE;
	s->n_desks = h->n_desks;
	s->n_servers = h->n_servers;
	s->n_generations = h->n_generations;
	s->n_pages = h->n_pages;
	s->bytes = h->bytes;
	s->mono_base_us = h->mono_base_us;
	s->mono_base_ms = h->mono_base_us / RL_US_PER_MS;
	s->wall_offset_us = h->wall_base_us;
	s->hash_kind = (rl_hash_kind) h->hash_kind;
}
