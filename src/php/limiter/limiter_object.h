/* src/php/limiter: The class Limiter, and the file of named limiters.
 *
 * Declares the limiter that objects of FrequencyLimit\Limiter and permits refer to, and the functions for its questions. The
 * methods are in limiter_class.c. A function that returns false or NULL has thrown an exception. */
#ifndef PHP_RATELIMIT_LIMITER_OBJECT_H
#define PHP_RATELIMIT_LIMITER_OBJECT_H

#include "php_ratelimit.h"

#include "../limit/limit_object.h"
#include "limiters_file.h"
#include "../observe/listener.h"
#include "../observe/monitor.h"
#include "../result/result.h"
#include "src/shm/segment/name_hash.h"

/* The number of times that a question computes new boundaries, because the store's clock has passed the old ones. */
#define PHP_RATELIMIT_STALE_MAX 3

/* The first fields are those of the fast path. In memory that is aligned to cache lines they are one line, and the first limit of the
 * question begins another. */
struct php_ratelimit_limiter {
	uint32_t references;
	uint32_t uses;   /* of a kept one: the objects that were made of it; wraps */
	bool is_kept;    /* outlives the request: its memory is malloc'ed, and its strings are permanent */
	bool is_usual;   /* has limits on the embedded store, and nothing else: the fast path may decide */
	bool has_word;   /* the same, it has one limit, whose state may be one word, and name_hash has a shape */
	bool needs_hash; /* is_usual, but nothing has used the segment yet: name_hash is not made */
	bool is_shadow;  /* all limits are shadows: their refusals pass */
	bool own_store;
	bool needs_now;      /* a limit has boundaries of a clock, or a ban until one; or the limiter is storeless */
	bool has_concurrent; /* a limit is a concurrent one */
	bool storeless;    /* asks no store: admits every call. With needs_now, so that a question has one test for both */
	uint8_t n_labels;  /* 0: the limits share one identity */
	uint8_t n_nones;   /* the number of its Limit::none() */
	zend_string *name; /* NULL: the limiter of an object whose constructor has not run */
	rl_name_hash name_hash; /* of a limiter with is_usual */
	php_ratelimit_monitor monitor;
	php_ratelimit_named *named;    /* the limiter of ratelimit.limiters that it was made of, a reference; or NULL */
	php_ratelimit_limiter *shadow; /* the shadow limits, a limiter of their own beside this one, a reference; or NULL */
	zend_string *store;            /* the DSN of a store of its own; or NULL */
	struct php_ratelimit_result_more *policies; /* of several limits, for their Results, a reference; or NULL */
	uint64_t unused[4];                         /* the first limit begins a cache line */
	_Alignas(16) rl_question question;          /* with the limits, which stay; each question sets the other fields */
	/* Behind the limits in use nothing is initialized, so that a new limiter touches few cache lines. */
	php_ratelimit_limit limits[RL_LIMITS_MAX]; /* their names, labels and zones; references */
	zend_string *labels[RL_LIMITS_MAX];        /* borrowed from the limits */
	zend_string *label_names[RL_LIMITS_MAX];   /* the names of their keys; references */
	struct {
		zend_string *name, *by;
	} nones[RL_LIMITS_MAX];        /* of the Limit::none(): references, or NULL */
	uint64_t costs[RL_LIMITS_MAX]; /* of the question, with a cost for each limit */
	rl_guard guard; /* of an own store or policy; each question sets the fields that depend on settings again */
};

_Static_assert(offsetof(struct php_ratelimit_limiter, monitor.limits) <= 64 + 8
		&& offsetof(struct php_ratelimit_limiter, question.limits) % 64 == 0,
	"the usual decision reads two cache lines of a limiter");

/* The declared properties, in the order of the stub. */
enum {
	PHP_RATELIMIT_LIMITER_NAME,
	PHP_RATELIMIT_LIMITER_LIMITS,
	PHP_RATELIMIT_LIMITER_STORE,
	PHP_RATELIMIT_LIMITER_PROPERTIES, /* their number */
};

/* An object of the class. All objects of one limiter of the file share that limiter. */
typedef struct {
	php_ratelimit_limiter *limiter; /* a reference */
	zend_object std;
} php_ratelimit_limiter_object;

static zend_always_inline php_ratelimit_limiter_object *php_ratelimit_limiter_object_of(zend_object *object)
{
	return (php_ratelimit_limiter_object *) ((char *) object - offsetof(php_ratelimit_limiter_object, std));
}

/* Returns the limiter of an object. One without a name is that of all objects whose constructors have not run: nothing writes to it. */
static zend_always_inline php_ratelimit_limiter *php_ratelimit_limiter_of(zend_object *object)
{
	return php_ratelimit_limiter_object_of(object)->limiter;
}

/* Returns limit i as the headers have it; its strings are borrowed. */
static zend_always_inline php_ratelimit_policy php_ratelimit_limiter_policy(const php_ratelimit_limiter *limiter,
	unsigned i)
{
	const rl_limit *limit = &limiter->question.limits[i];

	return (php_ratelimit_policy){.name = limiter->limits[i].name,
		.unit = limiter->limits[i].unit,
		.limit = limit->limit,
		.is_steady = limit->algorithm == RL_TOKEN_BUCKET,
		.window_us = limit->algorithm == RL_CALENDAR_WINDOW ? limit->boundary[1] - limit->boundary[0]
															: limiter->limits[i].window_us};
}

static inline php_ratelimit_limiter *php_ratelimit_limiter_copy(php_ratelimit_limiter *limiter)
{
	limiter->references++;
	return limiter;
}

/* Drops a reference. */
void php_ratelimit_named_release(php_ratelimit_named *named);
RL_HOT void php_ratelimit_limiter_release(php_ratelimit_limiter *limiter);

/* Makes an object with this limiter; takes over the reference. */
RL_HOT void php_ratelimit_limiter_to_object(zval *object, php_ratelimit_limiter *limiter);

/* Makes the limiter of a question with limits that have neither names nor zones, for the general store. Returns a reference. */
php_ratelimit_limiter *php_ratelimit_limiter_new(const char *name, size_t length, const rl_question *q);

/* Makes the limiter of a Permit that no limiter has acquired: it asks no store. name: that of its limit, or NULL. Returns a
 * reference. */
php_ratelimit_limiter *php_ratelimit_limiter_storeless(int64_t limit, int64_t window_us, zend_string *name);

/* Returns the limiter of that name, of the file or of Limiter::define(), a reference; NULL with an exception thrown, whose message begins
 * with where. */
php_ratelimit_limiter *php_ratelimit_limiter_by_name(const char *where, zend_string *name);

/* Returns the guard of the limiter's store, by the settings as they are now. */
const rl_guard *php_ratelimit_limiter_guard(php_ratelimit_limiter *limiter);

/* Makes the hash of the name of a limiter with needs_hash. */
void php_ratelimit_limiter_hash_name(php_ratelimit_limiter *limiter);

/* Returns whether the store of a limiter with is_usual is the embedded one, by the settings as they are now,
 * and no decision needs more than the fast path does. */
static zend_always_inline bool php_ratelimit_limiter_is_fast(const php_ratelimit_limiter *limiter)
{
	return EXPECTED(RATELIMIT_G(embedded))
		|| (limiter->own_store && RATELIMIT_G(config_applied) && !RATELIMIT_G(each_decision));
}

/* Begins a question: returns the limiter of $this, sets the question's op and cost, and *g to the guard of its store. The
 * question has no share to leave, no part that is enough, no time to wait, and nothing of a permit. */
typedef struct php_ratelimit_cost php_ratelimit_cost;
php_ratelimit_limiter *php_ratelimit_limiter_begin(zval *this, rl_op op, const php_ratelimit_cost *cost,
	const rl_guard **g);

/* Does so but for the cost, which the caller sets. Returns the guard; NULL with an exception thrown. */
const rl_guard *php_ratelimit_limiter_begin_as(php_ratelimit_limiter *limiter, rl_op op);

/* Throws for an object whose constructor has not run. */
ZEND_COLD void php_ratelimit_limiter_is_missing(void);

/* Fills in the key of an identity. argument: its name in messages. */
bool php_ratelimit_limiter_key(const php_ratelimit_limiter *limiter, const char *argument, zend_string *id,
	zend_long id_number, rl_key *key);

/* Puts the question q to the shadow limits of a limiter, and their name space into the key. Returns the guard of their
 * store. */
const rl_guard *php_ratelimit_limiter_begin_shadow(php_ratelimit_limiter *shadow, const rl_question *q, rl_key *key);

/* Ask the question about one identity, or about n; a receives the answers. key: with labels, the first of a key for each. From
 * php_ratelimit_limiter_begin() to the last use of the answers no code of the application runs: it may ask this limiter, too, which
 * changes the question. */
bool php_ratelimit_limiter_ask(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *key, rl_answer *a);
bool php_ratelimit_limiter_ask_many(php_ratelimit_limiter *limiter, const rl_guard *g, const rl_key *keys, uint32_t n,
	rl_answer *a);

/* Sets the boundaries in q, a question about this limiter's limits, by the clock of the store. Only a limiter with needs_now
 * requires it. */
bool php_ratelimit_limiter_set_boundaries(const php_ratelimit_limiter *limiter, rl_question *q, int64_t now_us);

/* Makes the Result of an answer about this limiter. id: the identity of the call, or those by labels, for a refusal's message; or
 * NULL. */
void php_ratelimit_limiter_result(zval *result, php_ratelimit_limiter *limiter, const rl_answer *a, const zval *id);

/* Makes the listener's event of an answer. Returns false if there is no listener for it. keys: as for the question. */
bool php_ratelimit_limiter_event(php_ratelimit_event *event, php_ratelimit_limiter *limiter, const rl_key *keys,
	const rl_answer *a);

/* Makes it, and calls the listener: the last act of a method. */
static zend_always_inline void php_ratelimit_limiter_listen(php_ratelimit_limiter *limiter, const rl_key *keys,
	const rl_answer *a)
{
	php_ratelimit_event event;

	if (UNEXPECTED(php_ratelimit_limiter_event(&event, limiter, keys, a))) {
		php_ratelimit_listener_call(&event);
	}
}

/* ---- Counts: limiter_counts.c ---- */

/* Counts the answer to a limiter's question, also one that is no decision. keys: with labels, one for each. */
void php_ratelimit_monitor_answer(php_ratelimit_limiter *limiter, const rl_key *key, const rl_answer *a);

/* Counts a consume that one of the limits or a running ban has refused, by the limiter's counts. key: as above. Returns false, and has
 * counted nothing, if there is more to do, or for any other decision. */
bool php_ratelimit_monitor_refused(const php_ratelimit_limiter *limiter, const rl_key *key, const rl_decision *d);

/* Notes a ban by hand, or what a command forgets. q: the command. */
void php_ratelimit_monitor_command(const php_ratelimit_limiter *limiter, const rl_question *q, const rl_key *key);

/* Bans a network from a limiter, on this machine. Returns false where there is no room for it. */
bool php_ratelimit_monitor_ban_network(const php_ratelimit_limiter *limiter, const rl_key *key,
	const php_ratelimit_network *network);

/* Returns the time until the last of the bans ends that the networks of an identity have; 0: none has one. */
int64_t php_ratelimit_monitor_networks_left_us(const php_ratelimit_limiter *limiter, const rl_key *key);

/* Lifts the ban of a network. Returns whether there was one. */
bool php_ratelimit_monitor_unban_network(const php_ratelimit_limiter *limiter, const rl_key *key,
	const php_ratelimit_network *network);

/* Counts a question that threw an exception. */
ZEND_COLD void php_ratelimit_monitor_failure(php_ratelimit_limiter *limiter, const rl_key *key);

/* Finds the counts of a limiter, before its first decision. */
void php_ratelimit_monitor_begin(php_ratelimit_limiter *limiter);

/* Runs at module start-up. set: sets the handlers of the properties, php_ratelimit_limiter_set_handlers(). */
void php_ratelimit_limiter_startup(void (*set)(php_ratelimit_lazy_handlers *handlers));

/* Returns whether a limit can keep future moments. */
static inline bool php_ratelimit_can_book(const rl_limit *limit)
{
	return limit->algorithm == RL_CALENDAR_WINDOW || limit->algorithm == RL_SLIDING_LOG;
}

/* ---- Checks whether a limiter can do what a method asks of it: false with an InvalidArgument thrown ---- */

/* Checks that no limit is a concurrent one, whose places only acquire() takes. method: for the message. */
bool php_ratelimit_has_no_places(const php_ratelimit_limiter *limiter, const char *method);

/* Checks that the limits share one identity. given: an argument or a method that needs it. */
bool php_ratelimit_has_one_label(const php_ratelimit_limiter *limiter, const char *given);

/* Sets the question's share to leave, and the part of the cost that is enough. */
bool php_ratelimit_set_given_share(php_ratelimit_limiter *limiter, zend_long leave, zend_long at_least,
	bool at_least_is_null);

static zend_always_inline bool php_ratelimit_set_share(php_ratelimit_limiter *limiter, zend_long leave,
	zend_long at_least, bool at_least_is_null)
{
	return EXPECTED(leave == 0 && at_least_is_null)
		|| php_ratelimit_set_given_share(limiter, leave, at_least, at_least_is_null);
}

/* Sets the handlers that fill in the properties when they are read, and compare limiters. limiter_properties.c. */
void php_ratelimit_limiter_set_handlers(php_ratelimit_lazy_handlers *handlers);

/* ---- The limiters that requests construct again and again: limiter_kept.c ---- */

/* A limiter that the constructor made. */
typedef struct {
	uint64_t tag;                   /* a hash of what it was made of */
	php_ratelimit_limiter *limiter; /* a reference; NULL: made once, or empty */
} php_ratelimit_kept_limiter;

#define PHP_RATELIMIT_KEPT_SETS 16

/* The limiters that a thread's requests construct again and again, in sets by the upper bits of their tags. The
 * first of a set was used last. */
typedef struct php_ratelimit_kept_limiters {
	php_ratelimit_kept_limiter sets[PHP_RATELIMIT_KEPT_SETS][2];
} php_ratelimit_kept_limiters;

void php_ratelimit_kept_limiters_free(php_ratelimit_kept_limiters *kept);

/* Returns what all objects with this name and this one limit share, a reference; NULL: the thread keeps none. The
 * second call with the same name and limit makes and keeps one. */
RL_HOT php_ratelimit_limiter *php_ratelimit_limiter_kept(zend_string *name, zend_object *limit);

#endif
