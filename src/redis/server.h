/* A server as it is spoken to: where it is, what is expected of it, and the one connection to it. */
#ifndef RL_REDIS_SERVER_H
#define RL_REDIS_SERVER_H

#include "command.h"
#include "net/connection.h"

struct rl_redis_run;

typedef enum {
	RL_REDIS_AS_MASTER,   /* decides: a replica is refused */
	RL_REDIS_AS_NODE,     /* of a cluster: decides what is its own, and says where the rest is */
	RL_REDIS_AS_SENTINEL, /* knows where the master is */
} rl_redis_role;

typedef struct rl_redis_server {
	const rl_redis_dsn *dsn;
	rl_redis_role role;
	rl_redis_address address;
	/* Whole, because it also names the breaker of a cluster's node: the DSN's, the role, host and port. */
	char label[sizeof(((rl_redis_dsn *) NULL)->label) + sizeof(rl_redis_address) + 16];
	rl_redis_resolver resolver;
	rl_redis_connection connection;
	bool close_after; /* said something after which it is better connected anew */
	/* While a call is being run (call.c): */
	bool newly_connected;         /* was connected by this call */
	uint64_t round;               /* in which it was last spoken to */
	struct rl_redis_server *next; /* that is spoken to in the same round */
	struct rl_redis_run *run;
	rl_redis_buffer commands;
	rl_redis_exchange exchange;
	rl_error trouble;    /* why the exchange failed */
	size_t replies;      /* that it owes us */
	size_t next_reply;   /* where the question is looked for that its next reply answers */
	bool asking_replied; /* that reply is the one to ASKING */
	bool script_sent;    /* the script's text is among the commands */
} rl_redis_server;

/* named: the label says which server it is, too, and not the DSN alone. */
void rl_redis_server_init(rl_redis_server *s, const rl_redis_dsn *dsn, rl_redis_role role,
	const rl_redis_address *address, bool named);
void rl_redis_server_free(rl_redis_server *s);

/* Goes elsewhere from now on. */
void rl_redis_server_move(rl_redis_server *s, const rl_redis_address *address);

bool rl_redis_server_is_at(const rl_redis_server *s, const rl_redis_address *address);

/* Connects; nothing is said yet (greeting.h). */
rl_status rl_redis_server_open(rl_redis_server *s, rl_redis_tls_context *tls, rl_redis_deadline deadline, rl_error *e);

/* Sends commands and hands each of the n replies to take, under one deadline. */
rl_status rl_redis_server_ask(rl_redis_server *s, const rl_redis_buffer *commands, size_t n, size_t reply_max,
	rl_redis_deadline deadline, rl_redis_take take, void *context, rl_error *e);

#endif
