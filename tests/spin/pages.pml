/* The reassignment of a page between size classes (src/shm/record/page_reassign.c, page_alloc.c, record_claim.c, record_scan.c),
 * and the retirement of records. A worker never takes a word of a state for an owner word. A page with a record in use
 * keeps its class. No unit is published twice under the same count, whatever class its page had in between. A page that a
 * dead worker had begun to reassign is of use again.
 *
 * The page has two units. Class A has a record in each of them, and class B one record of both: its state covers the
 * second unit. One step is one access to shared memory. -DCRASH lets workers die after any step; a stopped worker takes no
 * more steps. Each -DBREAK_... removes one precaution, and the checker must detect it. */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef OPS
#define OPS 2          /* what each worker does: a use of a record, or a reassignment */
#endif
#ifndef DEATHS
#define DEATHS 1       /* -DCRASH: the most deaths */
#endif
#ifndef COUNTS
#define COUNTS 6       /* the highest count of a unit: after it the record is retired */
#endif

/* The page's word: a class, or a mark of one worker. */
#define NONE 0
#define A 1
#define B 2
#define REASSIGNING(w, class) (16 + (w) * 4 + (class))
#define HELD(w) (32 + (w))
#define IS_REASSIGNING(word) ((word) >= 16 && (word) < 32)
#define IS_HELD(word) ((word) >= 32)
#define WORKER_OF(word) (IS_HELD(word) -> (word) - 32 : ((word) - 16) / 4)
#define CLASS_OF(word) (IS_HELD(word) -> NONE : (IS_REASSIGNING(word) -> (word) % 4 : (word)))

/* An owner word, or a word of a state. */
#define FREE 0
#define RETIRED 100
#define STATE 200

byte word = A;
byte floor;
byte unit_owner[2];  /* 1 + the worker */
byte unit_count[2];
bool scanning[WORKERS];

/* Ghosts, which no worker reads; but a worker finds out whether another one is dead. */
bool dead[WORKERS];
byte deaths, finished;
byte formatted = A;  /* the class that the units have the words of; NONE: about to be formatted */
byte last[2];        /* the highest count that a unit was published under */

#define IS_OWNER_WORD(i) (formatted == A || (formatted == B && (i) == 0))

/* rl_page_swap() */
inline swap_word(before, after)
{
	d_step {
		done = (word == before);
		if
		:: done -> word = after
		:: else
		fi
	}
}

/* rl_record_claim() */
inline claim(unit, before)
{
	d_step {
		done = (unit_owner[unit] == before);
		if
		:: done -> assert(IS_OWNER_WORD(unit)); unit_owner[unit] = me + 1
		:: else
		fi
	}
}

inline free_unit(unit)
{
	d_step { assert(IS_OWNER_WORD(unit) && unit_owner[unit] == me + 1); unit_owner[unit] = FREE }
}

/* rl_record_inspect(): claims a free record, or a dead worker's. */
inline inspect(unit)
{
	owner = unit_owner[unit];
	if
	:: owner == FREE -> claim(unit, FREE)
	:: owner != FREE && owner <= WORKERS && owner != me + 1 && dead[owner - 1] -> claim(unit, owner)
	:: else -> done = false
	fi;
	owner = 0
}

/* rl_scan_class(), rl_record_prepare(), a publication, and an eviction: the record is free again. */
inline use(class)
{
#ifndef BREAK_HAZARD
	scanning[me] = true;
#endif
	done = (word == class);
	if
	:: done ->
		if
		:: i = 0
		:: class == A -> i = 1
		fi;
		inspect(i);
		scanning[me] = false;
		if
		:: done ->
			n = unit_count[i];
			if
#ifndef BREAK_RETIREMENT
			:: n >= COUNTS ->
				d_step { assert(IS_OWNER_WORD(i) && unit_owner[i] == me + 1); unit_owner[i] = RETIRED }
#endif
			:: else ->
				unit_count[i] = (n < COUNTS -> n + 1 : 0);
				if
				:: class == B -> unit_owner[1] = STATE
				:: else
				fi;
				d_step {
					assert(formatted == class);
					assert(unit_count[i] > last[i]);
					last[i] = unit_count[i]
				}
				free_unit(i)
			fi;
			n = 0
		:: else
		fi
	:: else -> scanning[me] = false
	fi
}

/* rl_page_is_being_scanned() */
inline look_at_scanners()
{
	done = true;
#ifndef BREAK_LOOK
	i = 0;
	do
	:: i < WORKERS ->
		if
		:: i != me && scanning[i] && !dead[i] -> done = false
		:: else
		fi;
		i++
	:: else -> break
	od
#endif
}

/* empty_page(), rl_page_give() */
inline reassign()
{
	seen = word;
	from = CLASS_OF(seen);
	to = (from == A -> B : A);
#ifdef BREAK_MARK
	look_at_scanners();
#else
	done = true;
#endif
	if
	:: seen == NONE -> swap_word(NONE, HELD(me))
	:: IS_HELD(seen) ->
		/* rl_page_free_if_lost() */
		if
		:: dead[WORKER_OF(seen)] -> swap_word(seen, NONE); done = false
		:: else -> done = false
		fi
	:: else ->
		if
#ifndef BREAK_BEGIN
		:: done && IS_REASSIGNING(seen) && !dead[WORKER_OF(seen)] -> done = false
#endif
		:: done && (!IS_REASSIGNING(seen) || dead[WORKER_OF(seen)]) -> swap_word(seen, REASSIGNING(me, from))
#ifdef BREAK_BEGIN
		:: done && IS_REASSIGNING(seen) && !dead[WORKER_OF(seen)] -> swap_word(seen, REASSIGNING(me, from))
#endif
		:: !done
		fi;
#ifndef BREAK_MARK
		if
		:: done ->
			look_at_scanners();
			if
			:: !done -> swap_word(REASSIGNING(me, from), from); done = false
			:: else
			fi
		:: else
		fi;
#endif
		if
		:: done ->
			/* take_all() */
			inspect(0);
			if
			:: done && from == A ->
				inspect(1);
				if
				:: !done -> free_unit(0)
				:: else
				fi
			:: else
			fi;
			if
			:: done ->
#ifndef BREAK_FLOOR
				n = unit_count[0];
				d_step { floor = (n > floor -> n : floor) }
				if
				:: from == A -> n = unit_count[1]; d_step { floor = (n > floor -> n : floor) }
				:: else
				fi;
#endif
				d_step {
					done = (word == REASSIGNING(me, from));
					if
					:: done -> word = HELD(me); formatted = NONE
					:: else
					fi
				}
			:: else -> swap_word(REASSIGNING(me, from), from); done = false
			fi
		:: else
		fi
	fi;
	if
	:: done ->
		/* format_page() */
		n = floor;
		unit_count[0] = n;
		unit_owner[0] = FREE;
		if
		:: to == A -> unit_count[1] = n; unit_owner[1] = FREE
		:: else -> unit_owner[1] = STATE
		fi;
		d_step {
			assert(word == HELD(me));
			word = to;
			formatted = to
		}
	:: else
	fi
}

proctype worker(byte me)
{
	byte ops, i, n, owner, seen, from, to;
	bool done;

	{
	do
	:: ops < OPS ->
		ops++;
		if
		:: use(A)
		:: use(B)
		:: reassign()
		fi;
progress:
		atomic { i = 0; n = 0; owner = 0; seen = 0; from = 0; to = 0; done = false }
	:: else -> break
	od
	}
#ifdef CRASH
	unless { dead[me] }
#endif
	finished++
}

#ifdef CRASH
proctype reaper()
{
	byte w;
end:
	do
	:: deaths < DEATHS && finished < WORKERS ->
		atomic {
			if
			:: w = 0
			:: w = 1
			:: WORKERS > 2 -> w = WORKERS - 1
			fi;
			if
			:: !dead[w] -> dead[w] = true; deaths++
			:: else
			fi;
			w = 0
		}
	:: else -> break
	od
}
#endif

init {
	byte w;

	atomic {
		do
		:: w < WORKERS -> run worker(w); w++
		:: else -> break
		od;
#ifdef CRASH
		run reaper()
#endif
	}
	/* When all are gone, no page is left to a live worker's mark, and no record to a live owner. */
	atomic {
		finished == WORKERS;
		assert(word == NONE || CLASS_OF(word) != NONE && !IS_REASSIGNING(word) || dead[WORKER_OF(word)]);
		assert(formatted == NONE || unit_owner[0] == FREE || unit_owner[0] == RETIRED || dead[unit_owner[0] - 1])
	}
}
