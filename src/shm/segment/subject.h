/* Names a caller that was refused or banned: the name of a limiter or an action, and an identity. */
#ifndef RL_SHM_SUBJECT_H
#define RL_SHM_SUBJECT_H

#include "../../store.h"

#define RL_SUBJECT_NAME_MAX 96  /* bytes that are kept of a name */
#define RL_SUBJECT_ID_MAX   112 /* of an identity */

/* The kinds of names. They are stored: never renumber. */
typedef enum {
	RL_KIND_LIMITER = 1,
	RL_KIND_ACTION = 2,    /* doHandle(), check(), isActionAllowed() */
	RL_KIND_ATTRIBUTE = 3, /* #[AccessLimit] and #[ConcurrencyLimit] */
	RL_KIND_OTHER = 4,     /* all names behind the last one that has room */
	RL_KIND_ELSEWHERE = 5, /* of a caller: a Limiter with another store than the general one */
} rl_kind;

/* A copy, which nothing else writes. */
typedef struct {
	uint8_t kind; /* rl_kind */
	bool is_int, name_cut, id_cut;
	uint8_t name_len, id_len;
	uint8_t label_len; /* of a key of RL_SPACE_LABEL: its name begins with so many bytes and a NUL; else 0 */
	uint8_t unused;
	int64_t int_id;
	char name[RL_SUBJECT_NAME_MAX];
	char id[RL_SUBJECT_ID_MAX];
} rl_subject;

/* The space of the names of RL_KIND_ELSEWHERE among the callers: RL_SPACE_LIMITER has those of the general store. */
#define RL_SUBJECT_ELSEWHERE ((rl_space) 7)

/* Returns the hash of a name in a space, without an identity. It is keyed, so that nobody can aim at a collision. 0: there is no
 * segment. */
uint64_t rl_subject_name_id(rl_space space, const char *name, size_t name_len);

#endif
