#include "cluster_nodes.h"

#include <stdlib.h>
#include <string.h>

static rl_redis_node *nodes_find(const rl_redis_nodes *nodes, const rl_redis_address *address)
{
	for (size_t i = 0; i < nodes->n; i++) {
		if (nodes->at[i] && rl_redis_server_is_at(&nodes->at[i]->server, address)) {
			return nodes->at[i];
		}
	}
	return NULL;
}

rl_redis_node *rl_redis_nodes_need(rl_redis_nodes *nodes, const rl_redis_dsn *dsn, const rl_redis_address *address)
{
	rl_redis_node *n = nodes_find(nodes, address);
	size_t i = 0;

	while (!n && i < nodes->n && nodes->at[i]) {
		i++;
	}
	if (!n && i < RL_REDIS_NODES_MAX && (n = calloc(1, sizeof *n))) {
		rl_redis_server_init(&n->server, dsn, RL_REDIS_AS_NODE, address);
		nodes->at[i] = n;
		nodes->n = i < nodes->n ? nodes->n : i + 1;
	}
	if (n) {
		n->listed = true;
	}
	return n;
}

rl_redis_node *rl_redis_nodes_any(const rl_redis_nodes *nodes)
{
	rl_redis_node *any = NULL;

	for (size_t i = 0; i < nodes->n; i++) {
		rl_redis_node *n = nodes->at[i];

		if (n && n->refusal == RL_OK && (!any || any->lost)) {
			any = n;
		}
		if (n && rl_redis_connection_is_usable(&n->server.connection)) {
			return n;
		}
	}
	return any;
}

rl_redis_node *rl_redis_nodes_owner(const rl_redis_nodes *nodes, unsigned slot)
{
	return nodes->owner[slot] ? nodes->at[nodes->owner[slot] - 1] : NULL;
}

bool rl_redis_nodes_owns_any(const rl_redis_nodes *nodes, const rl_redis_node *n)
{
	for (unsigned slot = 0; slot < RL_REDIS_SLOTS; slot++) {
		if (rl_redis_nodes_owner(nodes, slot) == n) {
			return true;
		}
	}
	return false;
}

void rl_redis_nodes_give(rl_redis_nodes *nodes, unsigned first, unsigned last, const rl_redis_node *n)
{
	uint16_t number = 0;

	for (size_t i = 0; n && i < nodes->n; i++) {
		if (nodes->at[i] == n) {
			number = (uint16_t) (i + 1);
		}
	}
	for (unsigned slot = first; slot <= last; slot++) {
		nodes->owner[slot] = number;
	}
}

void rl_redis_nodes_unlist(rl_redis_nodes *nodes)
{
	memset(nodes->owner, 0, sizeof nodes->owner);
	for (size_t i = 0; i < nodes->n; i++) {
		if (nodes->at[i]) {
			nodes->at[i]->listed = false;
		}
	}
}

static void nodes_drop(rl_redis_nodes *nodes, size_t i)
{
	rl_redis_server_free(&nodes->at[i]->server);
	free(nodes->at[i]);
	nodes->at[i] = NULL;
}

void rl_redis_nodes_forget(rl_redis_nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++) {
		if (nodes->at[i] && !nodes->at[i]->seed && !nodes->at[i]->listed) {
			nodes_drop(nodes, i);
		}
	}
}

void rl_redis_nodes_free(rl_redis_nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++) {
		if (nodes->at[i]) {
			nodes_drop(nodes, i);
		}
	}
}
