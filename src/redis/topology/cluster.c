/* The topology of a Redis Cluster: a map from slots to nodes, loaded from any node by CLUSTER SLOTS and corrected by the
 * nodes' redirects (MOVED, ASK). */
#include <stdlib.h>

#include "../dsn/dsn.h"
#include "cluster_nodes.h"
#include "topology.h"
#include "../net/deadline.h"
#include "../net/error_message.h"

/* CLUSTER SLOTS lists each node once for every range that it owns, with its replicas. */
#define MAP_BYTES_MAX ((size_t) 16 * 1024 * 1024)

/* The least time between two loads of the map: while slots move, each slot costs every worker a MOVED; after a node is
 * lost, the cluster needs seconds to elect its successor. */
#define REFRESH_MOVED_US RL_US_PER_SECOND
#define REFRESH_LOST_US  (50 * RL_US_PER_MS)

#define NEVER INT64_MAX

typedef struct {
	rl_redis_topology base; /* first */
	rl_redis_nodes nodes;
	bool mapped;
	bool forget;          /* the map was loaded since the last call: free unlisted nodes */
	int64_t refreshed_us; /* when the map was last loaded */
	int64_t due_us;       /* when to load it again */
	uint64_t random;
} cluster_topology;

static void cluster_begin(rl_redis_topology *t)
{
	cluster_topology *c = (cluster_topology *) t;

	if (c->forget) {
		rl_redis_nodes_forget(&c->nodes);
		c->forget = false;
	}
	for (size_t i = 0; i < c->nodes.n; i++) {
		if (c->nodes.at[i]) {
			c->nodes.at[i]->refusal = RL_OK;
		}
	}
}

static rl_redis_node *cluster_node_at(cluster_topology *c, const rl_redis_address *address)
{
	return rl_redis_nodes_need(&c->nodes, c->base.dsn, address);
}

/* ---- The map ---- */

/* Schedules a load of the map, this long after the last one. */
static void cluster_schedule_refresh(cluster_topology *c, int64_t interval_us)
{
	int64_t due_us = c->refreshed_us + interval_us;

	c->due_us = due_us < c->due_us ? due_us : c->due_us;
}

typedef struct {
	cluster_topology *cluster;
	rl_redis_server *asked;
	bool begun; /* the old map was cleared */
} cluster_map_reader;

static void cluster_take_slots(void *context, unsigned first, unsigned last, const rl_redis_address *address)
{
	cluster_map_reader *m = context;
	cluster_topology *c = m->cluster;

	if (!m->begun) {
		m->begun = true;
		rl_redis_nodes_unlist(&c->nodes);
	}
	rl_redis_nodes_give(&c->nodes, first, last, cluster_node_at(c, address));
}

static rl_status cluster_take_map(void *context, size_t index, const redisReply *reply, rl_error *e)
{
	cluster_map_reader *m = context;

	(void) index;
	if (reply->type == REDIS_REPLY_ERROR) {
		rl_redis_error_set(e, m->asked->label, "%.150s", reply->str);
		return rl_redis_reply_judge(reply);
	}
	if (!rl_redis_slots_read(reply, &m->asked->address, cluster_take_slots, m)) {
		rl_redis_error_set(e, m->asked->label, "the reply to CLUSTER SLOTS is not a map of the slots");
		return RL_UNAVAILABLE;
	}
	return RL_OK;
}

static rl_status cluster_handshake(cluster_topology *c, rl_redis_node *n, rl_redis_deadline deadline, rl_error *e)
{
	rl_status status = rl_redis_topology_handshake(&c->base, &n->server, deadline, e);

	n->lost = status != RL_OK;
	n->refusal = status;
	return status;
}

/* Asks one node for the map. */
static rl_status cluster_ask_map(cluster_topology *c, rl_redis_node *n, rl_redis_deadline deadline, rl_error *e)
{
	cluster_map_reader m = {.cluster = c, .asked = &n->server};
	rl_redis_connection *connection = &n->server.connection;
	rl_redis_buffer commands = {0};
	rl_status status;

	if (!rl_redis_connection_is_usable(connection) && (status = cluster_handshake(c, n, deadline, e)) != RL_OK) {
		return status;
	}
	rl_redis_buffer_command(&commands, 2);
	rl_redis_buffer_text(&commands, "CLUSTER");
	rl_redis_buffer_text(&commands, "SLOTS");
	connection->reader.elements_max = RL_REDIS_SLOTS;
	status = rl_redis_server_ask(&n->server, &commands, 1, MAP_BYTES_MAX, deadline, cluster_take_map, &m, e);
	connection->reader.elements_max = RL_REDIS_ELEMENTS_MAX;
	rl_redis_buffer_free(&commands);
	if (status != RL_OK) {
		n->lost = true;
		n->refusal = status;
	} else if (!rl_redis_nodes_owns_any(&c->nodes, n)) {
		/* A replica, or a node under another name: the connection is not needed again soon. */
		rl_redis_connection_close(connection);
	}
	return status;
}

/* Asks one node after the other, from a random one on, and lost nodes last. */
static rl_status cluster_refresh(cluster_topology *c, rl_redis_deadline deadline, rl_error *e)
{
	rl_status worst = RL_MISCONFIGURED; /* if every node fails so */
	size_t n_nodes = c->nodes.n;

	c->random = c->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	c->refreshed_us = rl_redis_clock_us();
	rl_redis_error_set(e, c->base.dsn->label, "no cluster node could be asked for CLUSTER SLOTS in this call");
	for (int lost = 0; lost < 2; lost++) {
		for (size_t i = 0; i < n_nodes; i++) {
			rl_redis_node *n = c->nodes.at[((c->random >> 33) + i) % n_nodes];

			if (!n || n->lost != lost) {
				continue;
			}
			/* A node that has failed in this call is not asked again. */
			rl_status status = n->refusal != RL_OK ? n->refusal
												   : cluster_ask_map(c, n, rl_redis_deadline_half(deadline), e);
			if (status == RL_OK) {
				c->mapped = true;
				c->forget = true;
				c->due_us = NEVER;
				return RL_OK;
			}
			worst = status == RL_MISCONFIGURED ? worst : RL_UNAVAILABLE;
		}
	}
	cluster_schedule_refresh(c, REFRESH_LOST_US);
	return worst;
}

static bool cluster_is_due(const cluster_topology *c)
{
	return c->due_us != NEVER && rl_redis_clock_us() >= c->due_us;
}

/* ---- The node for a slot ---- */

static rl_redis_server *cluster_get_ready(rl_redis_topology *t, unsigned slot)
{
	cluster_topology *c = (cluster_topology *) t;
	rl_redis_node *n = rl_redis_nodes_owner(&c->nodes, slot);

	return n && !cluster_is_due(c) && rl_redis_connection_is_usable(&n->server.connection) ? &n->server : NULL;
}

/* Returns the owner of a slot by the map, connected. */
static rl_redis_node *cluster_connect_owner(cluster_topology *c, unsigned slot, rl_redis_deadline deadline,
	rl_status *status, rl_error *e)
{
	rl_redis_node *n = rl_redis_nodes_owner(&c->nodes, slot);

	*status = RL_UNAVAILABLE;
	/* Any other node redirects, or replies CLUSTERDOWN. */
	if (!n && !(n = rl_redis_nodes_any(&c->nodes))) {
		rl_redis_error_set(e, c->base.dsn->label, "no cluster node is left to ask for slot %u", slot);
		return NULL;
	}
	if (rl_redis_connection_is_usable(&n->server.connection)) {
		return n;
	}
	if (n->refusal != RL_OK) {
		*status = n->refusal;
		rl_redis_error_set(e, n->server.label, "the connection failed earlier in this call");
		return NULL;
	}
	*status = cluster_handshake(c, n, deadline, e);
	return *status == RL_OK ? n : NULL;
}

static rl_redis_server *cluster_connect(rl_redis_topology *t, unsigned slot, rl_redis_deadline deadline,
	rl_status *status, rl_error *e)
{
	cluster_topology *c = (cluster_topology *) t;
	rl_error ignored;
	rl_redis_node *n;

	if (!c->mapped) {
		*status = cluster_refresh(c, deadline, e);
		if (*status != RL_OK) {
			return NULL;
		}
	} else if (cluster_is_due(c)) {
		(void) cluster_refresh(c, deadline, &ignored);
	}
	n = cluster_connect_owner(c, slot, deadline, status, e);
	if (n || *status == RL_MISCONFIGURED) {
		return n ? &n->server : NULL;
	}
	/* The question was not sent, so another node may take it, if the other nodes list one. */
	rl_redis_node *dead = rl_redis_nodes_owner(&c->nodes, slot);
	cluster_schedule_refresh(c, REFRESH_LOST_US);
	if (cluster_is_due(c) && cluster_refresh(c, deadline, &ignored) == RL_OK
		&& rl_redis_nodes_owner(&c->nodes, slot) != dead) {
		n = cluster_connect_owner(c, slot, deadline, status, e);
	}
	return n ? &n->server : NULL;
}

static const char *cluster_label_of_slot(const rl_redis_topology *t, unsigned slot)
{
	const rl_redis_node *n = rl_redis_nodes_owner(&((const cluster_topology *) t)->nodes, slot);

	return n ? n->server.label : NULL;
}

/* ---- Error replies ---- */

static rl_redis_redirection cluster_redirect(rl_redis_topology *t, rl_redis_server *from, const redisReply *reply,
	rl_redis_server **to)
{
	static const char *const transient[] = {"CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY"};
	cluster_topology *c = (cluster_topology *) t;
	const char *text = rl_redis_reply_text(reply);
	bool moved = rl_redis_begins_with(text, "MOVED");
	rl_redis_address address;
	unsigned slot;

	if (moved || rl_redis_begins_with(text, "ASK")) {
		rl_redis_node *n = rl_redis_moved_read(text, &from->address, &slot, &address) ? cluster_node_at(c, &address)
																					  : NULL;

		if (!n) {
			return RL_REDIRECT_NONE;
		}
		if (!moved) {
			*to = &n->server;
			return RL_REDIRECT_ASK;
		}
		rl_redis_nodes_give(&c->nodes, slot, slot, n);
		cluster_schedule_refresh(c, REFRESH_MOVED_US);
		return RL_REDIRECT_MOVED;
	}
	for (size_t i = 0; i < sizeof transient / sizeof *transient; i++) {
		if (rl_redis_begins_with(text, transient[i])) {
			cluster_schedule_refresh(c, REFRESH_LOST_US);
			return RL_REDIRECT_RETRY_LATER;
		}
	}
	return rl_redis_begins_with(text, "TRYAGAIN") ? RL_REDIRECT_RETRY_LATER : RL_REDIRECT_NONE;
}

static void cluster_on_lost(rl_redis_topology *t, rl_redis_server *server)
{
	cluster_topology *c = (cluster_topology *) t;

	((rl_redis_node *) server)->lost = true;
	cluster_schedule_refresh(c, REFRESH_LOST_US);
}

static void cluster_free(rl_redis_topology *t)
{
	cluster_topology *c = (cluster_topology *) t;

	rl_redis_nodes_free(&c->nodes);
	free(c);
}

static const rl_redis_topology_ops cluster_ops = {
	.begin = cluster_begin,
	.get_ready = cluster_get_ready,
	.connect = cluster_connect,
	.redirect = cluster_redirect,
	.label_of_slot = cluster_label_of_slot,
	.on_lost = cluster_on_lost,
	.free = cluster_free,
};

rl_redis_topology *rl_redis_cluster_new(const rl_redis_dsn *dsn)
{
	cluster_topology *c = calloc(1, sizeof *c);

	if (!c) {
		return NULL;
	}
	c->base = (rl_redis_topology){.ops = &cluster_ops, .dsn = dsn};
	c->due_us = NEVER;
	/* Workers that start together must not all ask the same node first. */
	c->random = (uint64_t) rl_redis_clock_us() ^ (uint64_t) (uintptr_t) c;
	for (size_t i = 0; i < dsn->n_addresses; i++) {
		rl_redis_node *n = cluster_node_at(c, &dsn->addresses[i]);

		if (!n) {
			cluster_free(&c->base);
			return NULL;
		}
		n->seed = true;
	}
	return &c->base;
}
