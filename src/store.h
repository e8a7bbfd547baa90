/* What a store must do, whatever it is made of. Two exist: src/shm (this machine) and src/redis (many machines).
 *
 * A store takes each decision in one atomic step, by its own clock, and holds nothing in between. It never calls
 * PHP's error, exception or callback functions: it says what went wrong in rl_error, and src/guard and src/php decide
 * what the user sees of it. */
#ifndef RL_STORE_H
#define RL_STORE_H

#include "core/decision.h"

/* Which of an application's counters a name means; each has a name space of its own. */
typedef enum {
	RL_SPACE_ACTION = 0,  /* doHandle, check: the plain counter */
	RL_SPACE_ALLOWED = 1, /* isActionAllowed */
	RL_SPACE_LIMITER = 2, /* Limiter */
} rl_space;

/* Whose state. Names and string identities are 1 to RL_NAME_MAX bytes of anything; they are borrowed for the call.
 * An int and the string of its digits are the same identity: whoever fills this in sets is_int for both. */
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
	RL_STALE_BOUNDARIES, /* a calendar limit's boundaries do not hold the store's now (rl_error.now_us): ask again with better ones */
	RL_UNAVAILABLE,   /* the store could not be asked, or nobody knows whether it counted: the failure policy decides */
	RL_WRONG_TYPE,    /* the key holds something that is not ours: nothing was changed */
	RL_MISCONFIGURED, /* wrong credentials, missing rights, a server that is too old … : asking again will not help */
} rl_status;

typedef struct {
	char message[256];  /* never contains a password */
	int64_t now_us;     /* RL_STALE_BOUNDARIES: the store's wall clock */
	bool question_only; /* the server is there, and refuses this question: another may well be answered */
} rl_error;

typedef struct rl_store rl_store;

typedef struct {
	const char *name; /* "shm", "redis" */

	/* Decides one plain counter. */
	rl_status (*count)(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e);

	/* What plain() would answer now; counts nothing. */
	rl_status (*peek)(rl_store *store, const rl_key *key, const rl_counter_question *q, rl_decision *d, rl_error *e);

	/* Forgets a plain counter; *found: there was one that had not ended. */
	rl_status (*reset)(rl_store *store, const rl_key *key, bool *found, rl_error *e);

	/* Answers a limiter's question. */
	rl_status (*ask)(rl_store *store, const rl_key *key, const rl_question *q, rl_answer *a, rl_error *e);

	/* The same question for many keys, each on its own, in one round trip. status[i] tells how each went; returns RL_OK
	 * when all did, otherwise the first status that did not. */
	rl_status (*ask_many)(rl_store *store, const rl_key *keys, size_t n, const rl_question *q, rl_answer *a,
		rl_status *status, rl_error *e);

	/* Which of several servers, each of which fails by itself, decides about a key, as far as that is known without asking:
	 * its label, until the store is asked the next time. NULL: it is not known, or there is but one. The embedded store has
	 * no such function. */
	const char *(*server)(rl_store *store, const rl_key *key);

	/* The store's wall clock as far as it is known without asking, in us since 1970: to choose calendar boundaries by. */
	int64_t (*wall_us)(rl_store *store);
} rl_store_ops;

struct rl_store {
	const rl_store_ops *ops;
	uint64_t id
		[2]; /* where it counts: alike for two that share their counts by their settings alone. 0: the embedded store */
};

#endif
