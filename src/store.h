/* Declares the interface of a store. Two stores exist: src/shm (this machine) and src/redis (many machines).
 *
 * A store takes each decision in one atomic step, by its own clock, and holds nothing in between. It never calls PHP's
 * error, exception or callback functions. It puts the reason of a failure into rl_error, and src/guard and src/php
 * decide how the user sees it. */
#ifndef RL_STORE_H
#define RL_STORE_H

#include "core/limit/decision.h"

/* The name spaces of an application's counters. The same name in two of them means two counters. Never renumber. */
typedef enum {
	RL_SPACE_ACTION = 0,  /* doHandle, check: the counter */
	RL_SPACE_ALLOWED = 1, /* isActionAllowed */
	RL_SPACE_LIMITER = 2, /* Limiter */
	/* 3: src/shm/machine/held_places.c */
	RL_SPACE_SHADOW = 4, /* the shadow limits of a Limiter */
	RL_SPACE_LABEL =
		5, /* Limiter, of limits with identities of their own: the name is the label, a 0 byte and the limiter's name */
} rl_space;

/* Names the owner of a state. Names and string identities are 1 to RL_NAME_MAX bytes of any value; the call borrows
 * them. An int and the string of its digits are the same identity: the caller sets is_int for both. */
typedef struct {
	rl_space space;
	bool is_int;
	const char *name;
	size_t name_len;
	int64_t int_id; /* is_int */
	const char *id; /* !is_int */
	size_t id_len;
} rl_key;

typedef enum {
	RL_OK = 0,
	RL_STALE_BOUNDARIES, /* the store's now lies outside a calendar limit's boundaries (rl_error.now_us): ask again with better ones */
	RL_UNAVAILABLE,   /* the store did not get the question, or its outcome is unknown: the failure policy decides */
	RL_WRONG_TYPE,    /* the key holds a value that ratelimit did not write: nothing was changed */
	RL_MISCONFIGURED, /* wrong credentials, missing rights, a server that is too old ...: a second try does not help */
} rl_status;

typedef struct {
	char message[256];  /* never contains a password */
	int64_t now_us;     /* RL_STALE_BOUNDARIES: the store's wall clock */
	bool unexecuted;    /* the server has certainly not executed the question: nothing was sent, or its reply says so */
	bool question_only; /* the server works, and refuses this question; it may answer another one */
} rl_error;

typedef struct rl_store rl_store;

typedef struct {
	const char *name; /* "shm", "redis" */

	/* Decides one counter. An admission may also take up to q->lease more permits, at most an eighth of what is left then:
	 * d->leased of them, if q->lease is above 0. The embedded store takes none. A debt of q is counted first, whatever the
	 * limit is; then no permits are taken ahead. */
	rl_status (*count)(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e);

	/* Returns what count() would decide now, without a count. */
	rl_status (*peek)(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e);

	/* Carries a command out on a counter: drops it, replaces it by a ban, or drops it if it is a ban. *found: there was one,
	 * or of unban a ban, that had not ended. */
	rl_status (*command)(rl_store *store, const rl_key *key, const rl_counter_command *c, bool *found, rl_error *e);

	/* Answers a limiter's question about one key; or, where asks_at_once(), about the q->n_keys keys that begin there: limit i has its
	 * part in the state of key[q->limits[i].identity]. In one atomic step. */
	rl_status (*ask)(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);

	/* Returns whether ask() answers a question about several keys. */
	bool (*asks_at_once)(rl_store *store);

	/* Answers a question about each of many keys, each on its own, with one write to each server and one round trip. status[i] is the
	 * result of key i. Returns RL_OK if all are RL_OK, otherwise the first other status. */
	rl_status (*ask_many)(rl_store *store, const rl_key *keys, size_t n, const rl_question *const *q, rl_answer *a,
		rl_status *status, rl_error *e);

	/* Returns the label of the server that decides about a key, as far as the store has it without a request. It serves
	 * stores of several servers, each of which fails by itself. The label is valid until the next request to the store.
	 * NULL: it is not known, or there is only one server. */
	const char *(*server)(rl_store *store, const rl_key *key);

	/* Returns the store's wall clock as far as it is known without a request, in us since 1970. Calendar boundaries
	 * follow from it. */
	int64_t (*wall_us)(rl_store *store);
} rl_store_ops;

struct rl_store {
	const rl_store_ops *ops;
	uint64_t id
		[2]; /* the place of its counts: two stores share one if their settings alone make them share counts. 0: the embedded store */
};

#endif
