/* Limits with identities of their own, on the embedded store and in a cluster (src/guard/multi_key/multi_key.c): a call takes its part of each
 * state in turn, and gives back what it took when a later state refuses.
 *
 * One step is one question to one state; records.pml models how a state is read and published. A state is one fixed window: its end,
 * its count and its tag. A worker asks for a tenant, which all have, and a user. It is refused, or passes and may cancel its
 * permit later. It dies after any step. The time goes on, and an operator resets a state, between any two steps.
 *
 * Each -DBREAK_... takes one precaution away, and must be found out. */

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef TICKS
#define TICKS 1      /* how often the time goes on */
#endif
#ifndef RESETS
#define RESETS 1
#endif
#ifndef TENANT_LIMIT
#define TENANT_LIMIT 2
#endif
#ifndef ROUNDS
#define ROUNDS 2     /* so often a call takes its parts anew */
#endif
#define PERIOD 1
#define STATES 3     /* the tenant's, and two users' */
#define LIMIT(s) ((s) == 0 -> TENANT_LIMIT : 1)
/* The first two workers have the same user. */
#define USER(me) ((me) < 2 -> 1 : 2)

byte now = 1;

/* A state. No window runs where end <= now. The tag is that of the call that began the window, in one of its rounds. */
byte end[STATES], count[STATES], tag[STATES];

/* Ghosts, which no worker reads. Each window has a number of its own. part: 1 + the window that has the worker's permit. */
byte window[STATES];
byte part[WORKERS * STATES];
byte deaths;
bool dead[WORKERS];

#define PART(w, s) part[(w) * STATES + (s)]
#define RUNS(s) (end[s] > now)
#define ADMITS(s) (!RUNS(s) || count[s] < LIMIT(s))

/* Each count is the number of permits in its window, and never above the limit. */
inline check_counts()
{
	s = 0;
	do
	:: s == STATES -> break
	:: else ->
		n = 0;
		w = 0;
		do
		:: w == WORKERS -> break
		:: else -> n = n + (PART(w, s) == 1 + window[s]); w++
		od;
		assert(!RUNS(s) || (count[s] == n && n <= LIMIT(s)));
		s++
	od;
	s = 0; n = 0; w = 0
}

#ifdef BREAK_ROUND
#define OWN_TAG (1 + me)
#else
#define OWN_TAG (1 + me * ROUNDS + round - 1)
#endif

/* A worker's step, unless it is dead. */
#define STEP(what) atomic { if :: dead[me] -> goto gone :: else -> what fi }

inline begin_window(x)
{
	window[x]++;
	end[x] = now + PERIOD;
	count[x] = 0;
	tag[x] = OWN_TAG
}

inline count_part(x)
{
	count[x]++;
	PART(me, x) = 1 + window[x];
	held_tag[x] = tag[x];
	held_end[x] = end[x]
}

/* An acquire of one state. */
inline take(x)
{
#ifdef BREAK_TAKE
	/* Asks, and counts in a second step. */
	STEP(admitted = ADMITS(x));
	STEP(d_step { if :: admitted -> if :: !RUNS(x) -> begin_window(x) :: else fi; count_part(x) :: else fi; check_counts() })
#else
	STEP(d_step {
		admitted = ADMITS(x);
		if
		:: admitted ->
			if :: !RUNS(x) -> begin_window(x) :: else fi;
			count_part(x)
		:: else
		fi;
		check_counts()
	})
#endif
}

#ifdef BREAK_TAG
#define SAME_TAG(x) true
#else
#define SAME_TAG(x) (tag[x] == held_tag[x])
#endif
#ifdef BREAK_ALONE
#define IS_ALONE(x) true
#else
#define IS_ALONE(x) (count[x] == 0)
#endif

/* Gives a part back. undo: of a call that is refused, which ends a window that it began and in which nothing else is counted. */
inline give_back(x, undo)
{
	STEP(d_step {
		if
		:: RUNS(x) && end[x] == held_end[x] && SAME_TAG(x) ->
			count[x] = (count[x] > 0 -> count[x] - 1 : 0);
			if
			:: undo && tag[x] == OWN_TAG && IS_ALONE(x) ->
				end[x] = 0; tag[x] = 0;
				PART(me, x) = 0;
				w = 0;
				do
				:: w == WORKERS -> break
				:: else -> assert(PART(w, x) != 1 + window[x]); w++ /* no permit goes with the window */
				od;
				w = 0
			:: else
			fi
		:: else
		fi;
		PART(me, x) = 0;
		check_counts()
	})
}

proctype worker(byte me)
{
	byte held_tag[STATES], held_end[STATES];
	byte s, n, w, round;
	bool admitted, passes;

	do
	:: round == ROUNDS -> goto refused
	:: else ->
		round++;
		take(0);
		if
		:: !admitted -> goto judge
		:: else
		fi;
#ifdef BREAK_LAST
		/* Asks the last state, and takes nothing there. */
		STEP(admitted = ADMITS(USER(me)));
#else
		take(USER(me));
#endif
		if
		:: admitted -> goto passed
		:: else
		fi;
#ifndef BREAK_UNDO
		give_back(0, true);
#endif
judge:
		/* Peeks: where all admit now, the call begins again. */
		STEP(passes = ADMITS(0));
		STEP(passes = passes && ADMITS(USER(me)));
		if
		:: passes
		:: else -> goto refused
		fi
	od;
passed:
	STEP(assert(PART(me, 0) > 0 && PART(me, USER(me)) > 0));
	if
	:: give_back(0, false); give_back(USER(me), false); goto refused
	:: true
	fi;
	goto gone;
refused:
	/* Nothing stays behind, in any window. */
	STEP(assert(PART(me, 0) == 0 && PART(me, USER(me)) == 0));
gone:
	skip
}

/* The time, an operator, and death. */
proctype world()
{
	byte ticks, resets, s, n, w;

	do
	:: ticks < TICKS -> d_step { ticks++; now++; check_counts() }
	:: resets < RESETS -> d_step { resets++; end[0] = 0; count[0] = 0; tag[0] = 0 }
	:: deaths < DEATHS -> atomic {
			deaths++;
			if
			:: dead[0] = true
			:: dead[WORKERS - 1] = true
			fi
		}
	:: break
	od
}

init
{
	byte w;

	atomic {
		do
		:: w == WORKERS -> break
		:: else -> run worker(w); w++
		od;
		run world()
	}
}
