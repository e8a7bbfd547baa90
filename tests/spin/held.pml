/* The places that workers hold in Redis (src/shm/machine/held_places.c, src/guard/dead_places.c): a live worker's place is given back
 * by nobody else, and no noted place of a dead worker stays behind.
 *
 * One step is one script on Redis, one validated copy of a list, one publication of a list, or one look at a worker slot.
 * records.pml models how a list is copied and published. A worker dies after any step: its slot can then be taken, and its
 * place is found by a search. A stopped worker is one that takes no more steps for a while: every interleaving has it.
 *
 * Each worker notes and takes one place, may renew it, ends it or fails to, and searches. Each -DBREAK_... takes one
 * precaution away, and must be found out. */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef SLOTS
#define SLOTS 2      /* worker slots of the machine: fewer than workers, so that a later one takes a dead one's */
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef DEATHS
#define DEATHS 2
#endif
#ifndef TICKS
#define TICKS 0      /* how often the time goes on */
#endif
#define HELD 2       /* a place is held so long, unless it is renewed */
#ifdef BREAK_END
#define LATEST HELD
#else
#define LATEST (HELD + TICKS) /* the script runs so late at the most */
#endif

/* Redis: the end of each permit's place; 0: it has none. A permit's number is its worker's. */
byte redis_end[WORKERS];

/* A slot: its epoch, and the lock that its worker holds while it lives. */
byte epoch[SLOTS], lock[SLOTS];

/* The list of a slot: a reference that never returns, and for each permit the owner and the end that are noted. */
#define NONE      0
#define ABANDONED 1
#define OWNER(slot, e) (2 + (slot) + SLOTS * (e))
#define SLOT_OF(owner)  (((owner) - 2) % SLOTS)
#define EPOCH_OF(owner) (((owner) - 2) / SLOTS)
typedef list {
	byte ref;
	byte owner[WORKERS];
	byte end[WORKERS]
};
list lists[SLOTS];

byte now = 1;

/* Ghosts, which no worker reads. */
bool dead[WORKERS], over[WORKERS], holds[WORKERS], noted[WORKERS];
byte deaths;
byte slot_of[WORKERS];  /* 1 + the slot; 0: none */

/* A worker's step, unless it is dead. */
#define STEP(what) atomic { if :: dead[me] -> goto gone :: else -> what fi }

#if defined(BREAK_OWNER)
/* Asks whether the slot has a live worker, whichever it is. */
#define IS_GONE(o) ((o) == ABANDONED || lock[SLOT_OF(o)] == 0)
#elif defined(BREAK_ALIVE)
/* Does not ask at all. */
#define IS_GONE(o) true
#else
#define IS_GONE(o) ((o) == ABANDONED || epoch[SLOT_OF(o)] != EPOCH_OF(o) || lock[SLOT_OF(o)] == 0)
#endif

inline live_holders()
{
	d_step {
		held = 0;
		i = 0;
		do
		:: i == WORKERS -> break
		:: else ->
			held = held + (holds[i] && !dead[i] && redis_end[i] > now);
			i++
		od;
		assert(held <= LIMIT);
		i = 0; held = 0
	}
}

/* Notes (o, until), or forgets (NONE): change_list() of permit n in the list of slot s. */
inline change_list(s, n, o, until)
{
	do
	:: STEP(ref = lists[s].ref; at = now; d_step {
			i = 0;
			do
			:: i == WORKERS -> break
			:: else ->
				/* What has ended goes. */
				copy[i] = (lists[s].end[i] > at -> lists[s].owner[i] : NONE);
				copy_end[i] = (lists[s].end[i] > at -> lists[s].end[i] : 0);
				i++
			od;
			i = 0
		});
		if
		:: o != NONE && (o != ABANDONED || copy[n] != NONE) ->
			copy[n] = o;
			copy_end[n] = (o == ABANDONED -> copy_end[n] : until)
		:: o == NONE -> copy[n] = NONE; copy_end[n] = 0
		:: else
		fi;
		STEP(if
#ifdef BREAK_SWAP
		:: true ->
#else
		:: lists[s].ref == ref ->
#endif
			d_step {
				lists[s].ref++;
				i = 0;
				do
				:: i == WORKERS -> break
				:: else ->
					lists[s].owner[i] = copy[i];
					lists[s].end[i] = copy_end[i];
					copy[i] = 0; copy_end[i] = 0;
					i++
				od;
				i = 0; at = 0;
				noted[n] = noted[n] || o > ABANDONED
			}
			done = true
#ifndef BREAK_SWAP
		:: else
#endif
		fi);
		if
		:: done -> break
		:: else
		fi
	od;
	done = false; ref = 0
}

/* The script that ends the place of permit n. other: not by the permit's own worker. */
inline end_place(n, other)
{
	assert(!other || !holds[n] || dead[n] || redis_end[n] <= now);
	redis_end[n] = 0
}

/* rl_dead_places_give_back(): looks through all lists once. */
inline search()
{
	s = 0;
	do
	:: s == SLOTS -> break
	:: else ->
		n = 0;
		do
		:: n == WORKERS -> break
		:: else ->
			STEP(o = (lists[s].end[n] > now -> lists[s].owner[n] : NONE));
			if
			:: o == NONE -> goto next_place
			:: else
			fi;
			STEP(dying = IS_GONE(o));
			if
			:: dying ->
#ifdef BREAK_ORDER
				change_list(s, n, NONE, 0);
				STEP(end_place(n, true))
#else
				STEP(end_place(n, true));
				change_list(s, n, NONE, 0)
#endif
			:: else
			fi;
next_place:
			o = 0; dying = false;
			n++
		od;
		s++
	od;
	s = 0; n = 0
}

active [WORKERS] proctype worker()
{
	byte me = _pid, my, s, n, i, o, at, ref, held, began;
	byte copy[WORKERS], copy_end[WORKERS];
	bool done, dying;

	/* Takes a free slot. */
	STEP(if
	:: lock[0] == 0 -> my = 0
#if SLOTS > 1
	:: lock[1] == 0 -> my = 1
#endif
	:: lock[0] != 0 && lock[SLOTS - 1] != 0 -> goto gone
	fi; lock[my] = me + 1; slot_of[me] = my + 1; epoch[my]++);
#ifdef BREAK_KEEP
	/* Begins with an empty list. */
	STEP(d_step {
		i = 0;
		do
		:: i == WORKERS -> break
		:: else -> lists[my].owner[i] = NONE; lists[my].end[i] = 0; i++
		od;
		i = 0; lists[my].ref++
	});
#endif

	/* The note has the latest end that the place can have. */
	STEP(began = now);
#ifndef BREAK_NOTE
	change_list(my, me, OWNER(my, epoch[my]), began + LATEST);
#endif
	/* The script of acquire(): ended places are none. */
	STEP(d_step {
		held = 0; i = 0;
		do
		:: i == WORKERS -> break
		:: else -> held = held + (redis_end[i] > now); i++
		od;
		i = 0;
		if
		:: held < LIMIT -> redis_end[me] = now + HELD; holds[me] = true; noted[me] = true
		:: else
		fi;
		held = 0
	});
	live_holders();
	if
	:: !holds[me] -> change_list(my, me, NONE, 0); goto search_only
	:: else
	fi;
#ifdef BREAK_NOTE
	change_list(my, me, OWNER(my, epoch[my]), began + LATEST);
#endif

	/* renew() */
	if
	:: TICKS > 0 ->
		STEP(if :: redis_end[me] > now -> redis_end[me] = now + HELD; noted[me] = false; done = true :: else fi);
		live_holders();
		if
		:: done -> done = false; STEP(began = now); change_list(my, me, OWNER(my, epoch[my]), began + HELD)
		:: else
		fi
	:: true
	fi;

	STEP(holds[me] = false);
	if
	:: true ->
#ifdef BREAK_FORGET
		change_list(my, me, NONE, 0);
		STEP(end_place(me, false))
#else
		STEP(end_place(me, false));
		change_list(my, me, NONE, 0)
#endif
	:: true ->
		/* Redis did not answer: the place stays. */
#ifndef BREAK_ABANDON
		change_list(my, me, ABANDONED, 0)
#else
		skip
#endif
	fi;
search_only:
	search();
	goto finish;
gone:
	skip;
finish:
	atomic {
		/* A worker that lives on keeps its slot. */
		over[me] = true;
		i = 0; s = 0; n = 0; o = 0; at = 0; ref = 0; held = 0; began = 0; done = false; dying = false
	}
}

/* Kills workers that have a slot. */
active proctype killer()
{
	byte w;

	do
	:: deaths < DEATHS ->
		atomic {
			w = 0;
			do
			:: w < WORKERS - 1 -> w++
			:: break
			od;
			if
			:: !dead[w] && slot_of[w] != 0 -> dead[w] = true; lock[slot_of[w] - 1] = 0; deaths++
			:: else
			fi;
			w = 0
		}
	:: break
	od
}

active proctype clock()
{
	do
	:: now <= TICKS -> now++
	:: else -> break
	od
}

#define IS_OVER(w) (over[w] || dead[w])

/* When all have finished or died, one more search by a live worker leaves no noted place of the others. */
active proctype last()
{
	byte s, n;

	atomic {
		(IS_OVER(0) && IS_OVER(WORKERS / 2) && IS_OVER(WORKERS - 1));
		d_step {
			s = 0;
			do
			:: s == SLOTS -> break
			:: else ->
				n = 0;
				do
				:: n == WORKERS -> break
				:: else ->
					if
					:: lists[s].end[n] > now && lists[s].owner[n] != NONE ->
						if
						:: IS_GONE(lists[s].owner[n]) -> redis_end[n] = 0
						:: else
						fi
					:: else
					fi;
					n++
				od;
				s++
			od;
			n = 0;
			do
			:: n == WORKERS -> break
			:: else ->
				assert(redis_end[n] <= now || !noted[n] || (holds[n] && !dead[n]));
				n++
			od
		}
	}
}
