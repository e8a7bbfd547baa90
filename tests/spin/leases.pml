/* Leased permits (src/guard/lease.c, src/shm/machine/lease_entry.c): that no window gives more than its limit, over all machines, and that
 * no permit is used when its window is over.
 *
 * One step is one access to a machine's entry, one reading of the clock, or one script on Redis. Time passes between any
 * two. A worker that is stopped or killed is one that takes no more steps: every assertion is checked after every prefix
 * of every interleaving. The clock here is never set: after that a machine uses another cell, and the permits in the old
 * one are lost (the epoch of rl_lease_position). Clocks here run alike; in the code a thousandth of the window is left for their difference.
 * -DAUTO: a batch may end before its window, so batches of one window have different ends.
 * Each -DBREAK_... takes one precaution away, and must be found out. */

#ifndef WORKERS
#define WORKERS 2  /* -DTOGETHER: on one machine; otherwise each on its own */
#endif
#ifndef OPS
#define OPS 3      /* calls of each */
#endif
#ifndef LIMIT
#define LIMIT 3
#endif
#ifndef BATCH
#define BATCH 2    /* permits at most beside the one that a call needs */
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef TIME
#define TIME 4     /* a run is followed until then */
#endif

#define MACHINES WORKERS
#define WINDOWS  8
#if defined(TOGETHER)
#define MACHINE_OF(worker) 0
#else
#define MACHINE_OF(worker) (worker)
#endif

byte now;

/* Redis. */
byte redis_end, redis_count, window;

/* A machine's entry: one word in the code. */
byte entry_end[MACHINES], entry_left[MACHINES];

byte entry_of[MACHINES];        /* ghost: the window that the entry's permits were counted in */
byte ends[WINDOWS];            /* ghost: when a window is over */
byte given[WINDOWS];           /* ghost: permits that calls were given */

active proctype clock()
{
	do
	:: now < TIME -> now++
	:: else -> break
	od
}

active [WORKERS] proctype worker()
{
	byte me = _pid - 1, m, calls;
	byte end, left, at, began, granted, win, until, total;
	bool done;

	m = MACHINE_OF(me);
	do
	:: calls == OPS -> break
	:: else ->
		calls++;
		done = false;
		/* rl_lease_entry_take() */
		do
		:: atomic { end = entry_end[m]; left = entry_left[m] }
			at = now;
#ifdef BREAK_END
			if
			:: left == 0 -> break
			:: else
			fi;
#else
			if
			:: end <= at || left == 0 -> break
			:: else
			fi;
#endif
			atomic {
				if
#ifdef BREAK_SWAP
				:: true ->
#else
				:: entry_end[m] == end && entry_left[m] == left ->
#endif
					entry_left[m] = left - 1;
					given[entry_of[m]]++;
					assert(given[entry_of[m]] <= LIMIT);
					assert(at < ends[entry_of[m]]);
					done = true
#ifndef BREAK_SWAP
				:: else
#endif
				fi
			}
			if
			:: done -> break
			:: else
			fi
		od;
		if
		:: done -> goto next
		:: else
		fi;

		began = now;
		/* The script. */
		atomic {
			granted = 0;
			if
			:: redis_end <= now ->
				window++;
				redis_end = now + WINDOW;
				redis_count = 0;
				ends[window] = redis_end
			:: else
			fi;
			win = window;
			if
			:: redis_count < LIMIT ->
				redis_count++;
				given[win]++;
				assert(given[win] <= LIMIT);
				do
				:: granted < BATCH && redis_count < LIMIT ->
					granted++;
#ifndef BREAK_COUNT
					redis_count++
#else
					if
					:: granted == 1
					:: else -> redis_count++
					fi
#endif
				:: break
				od;
				until = redis_end - now
			:: else
			fi
		}
#ifdef BREAK_BEGAN
		began = now;
#endif
		if
		:: granted == 0 -> goto next
		:: else
		fi;
#ifdef AUTO
		if
		:: until > 1 -> until = 1
		:: true
		fi;
#endif
		until = began + until;

		/* rl_lease_entry_put() */
		done = false;
		do
		:: atomic { end = entry_end[m]; left = entry_left[m] }
			at = now;
			if
			:: until <= at -> break
			:: else
			fi;
			total = granted;
			if
#ifdef BREAK_MERGE
			:: left > 0 ->
#else
			:: end > at && left > 0 ->
#endif
				total = total + left;
				if
				:: end < until -> until = end
				:: else
				fi
			:: else
			fi;
			atomic {
				if
				:: entry_end[m] == end && entry_left[m] == left ->
					/* What joins is of one window. */
					assert(total == granted || entry_of[m] == win);
					entry_end[m] = until;
					entry_left[m] = total;
					entry_of[m] = win;
					done = true
				:: else
				fi
			}
			if
			:: done -> break
			:: else
			fi
		od;
next:
		atomic { end = 0; left = 0; at = 0; began = 0; granted = 0; win = 0; until = 0; total = 0; done = false }
	od
}
