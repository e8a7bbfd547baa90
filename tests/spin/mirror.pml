/* The mirror (src/shm/store/mirror_mark.c, src/guard/mirror.c): what Redis has answered is written into this machine's memory. When all
 * calls have ended, the memory has the ban that Redis has: no answer from before a command, or from before a newer ban, stays.
 *
 * One step is one script on Redis, one read or one compare-and-swap in the memory. Each worker makes CALLS calls; each may be the one that
 * begins a ban. One of them lifts it by hand, and then begins another one by hand, so that both kinds of commands meet every answer.
 * DEATHS workers may die between any two steps. Each -DBREAK_... takes one precaution away, and must be found out. */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef COMMANDS
#define COMMANDS 1 /* 1: lifts the ban; 2: lifts it, and then bans */
#endif

byte redis = 0;      /* the number of the running ban; 0: none */
byte bans = 0;       /* numbers the bans */
byte mirror = 0;     /* the ban in the entry, */
byte version = 0;    /* and what distinguishes two contents of it: a reference that never returns */
byte generation = 0; /* of the identity */
bool commanding;
byte running = WORKERS + 1;

#ifndef DEATHS
#define DEATHS 1
#endif
byte deaths = DEATHS;

#if DEATHS > 0
#define MAY_DIE if :: deaths > 0 -> deaths--; goto gone :: true fi
#else
#define MAY_DIE skip
#endif

/* A command changes the entry in any case: an answer that was about to be written over what it found is not. */
inline command(what)
{
	atomic { redis = what; commanding = true };
	generation++;
	do
	:: atomic { seen = version; was = mirror };
		if
#ifdef BREAK_CHANGE
		:: was == what -> break
#endif
		:: else ->
			if
			:: atomic { version == seen -> version++; mirror = what; }; break
			:: else -> skip
			fi
		fi
	od;
	commanding = false
}

proctype worker()
{
	byte mark, answer, seen, was, n = CALLS;
	bool holds;

	do
	:: n == 0 -> break
	:: n > 0 ->
		n--;
		MAY_DIE;
		mark = generation;
		MAY_DIE;
		/* Redis: a call begins a ban, or is admitted, or is refused by the ban that runs. */
		atomic {
			if
			:: redis == 0 && bans < 2 -> bans++; redis = bans
			:: true -> skip
			fi;
			answer = redis
		}
		MAY_DIE;
		do
		:: atomic { seen = version; was = mirror };
			MAY_DIE;
			if
			:: was == answer -> break
			:: else -> skip
			fi;
			holds = false;
#ifdef BREAK_BEGINS
			holds = (generation == mark);
#else
			if
			:: answer != 0 && was == 0 ->
				atomic {
					if
					:: generation == mark -> generation++; mark++; holds = true
					:: else -> skip
					fi
				}
			:: else -> holds = (generation == mark)
			fi;
#endif
#ifdef BREAK_MARK
			holds = true;
#endif
			if
			:: !holds -> break
			:: else -> skip
			fi;
			MAY_DIE;
			atomic {
				if
				:: version == seen ->
#if WORKERS < 3
					/* No older admission takes the running ban out of the memory, unless a command is about to. (Of three
					 * workers one may write a ban over a lifted one that another is about to drop.) */
					assert(answer != 0 || was == 0 || was != redis || commanding);
#endif
					version++; mirror = answer; seen = version; holds = true
				:: else -> holds = false
				fi
			};
			if
			:: holds -> break
			:: else -> skip
			fi
		od
	od;
gone:
	running--
}

proctype commander()
{
	byte seen, was, ban;

	command(0);
#if COMMANDS > 1
	atomic { bans++; ban = bans };
	command(ban);
#endif
	running--
}

init
{
	byte i = 0;

	atomic {
		do
		:: i < WORKERS -> run worker(); i++
		:: else -> break
		od;
		run commander()
	};
	running == 0;
	/* What was dropped begins afresh: no ban that Redis does not have. */
	assert(mirror == 0 || mirror == redis);
}
