/* Declares a Redis server: its address, its expected role, and the one connection to it. */
#ifndef RL_REDIS_SERVER_H
#define RL_REDIS_SERVER_H

#include "../dsn/dsn.h"
#include "../net/command.h"
#include "../net/connection.h"

struct rl_redis_run;

typedef enum {
	RL_REDIS_AS_MASTER,   /* decides: a replica is refused */
	RL_REDIS_AS_NODE,     /* of a cluster: decides the keys of its own slots, and redirects for the others */
	RL_REDIS_AS_SENTINEL, /* returns the master's address */
} rl_redis_role;

typedef struct rl_redis_server {
	const rl_redis_dsn *dsn;
	rl_redis_role role;
	rl_redis_address address;
	/* Whole, because it also names the breaker of a cluster's node: the DSN's, the role, host and port. */
	char label[sizeof(((rl_redis_dsn *) NULL)->label) + sizeof(rl_redis_address) + 16];
	rl_redis_resolver resolver;
	rl_redis_connection connection;
	bool close_after; /* replied with an error that calls for a new connection */
	/* During a call (script_call.c): */
	bool newly_connected;         /* this call connected it */
	uint64_t round;               /* the last round that used it */
	struct rl_redis_server *next; /* the next server of the same round */
	struct rl_redis_run *run;
	rl_redis_buffer commands;
	rl_redis_exchange exchange;
	rl_error trouble;    /* why the exchange failed */
	size_t replies;      /* expected from it */
	size_t next_reply;   /* index from which the question of its next reply is searched */
	bool asking_replied; /* the reply to ASKING has come, the question's follows */
	bool script_sent;    /* the script's text is among the commands */
} rl_redis_server;

/* Initializes a server. Its label contains its address; that of a master only once it has moved, before it is the DSN's. */
void rl_redis_server_init(rl_redis_server *s, const rl_redis_dsn *dsn, rl_redis_role role,
	const rl_redis_address *address);
void rl_redis_server_free(rl_redis_server *s);

/* Changes the address, and closes the connection. */
void rl_redis_server_move(rl_redis_server *s, const rl_redis_address *address);

/* Sets an address that a server has sent. Returns false for one that is none. */
bool rl_redis_address_set(rl_redis_address *address, const char *host, size_t host_len, long long port);

bool rl_redis_server_is_at(const rl_redis_server *s, const rl_redis_address *address);

/* Sends commands and passes each of the n replies to take, under one deadline. */
rl_status rl_redis_server_ask(rl_redis_server *s, const rl_redis_buffer *commands, size_t n, size_t reply_max,
	rl_redis_deadline deadline, rl_redis_take take, void *context, rl_error *e);

#endif
