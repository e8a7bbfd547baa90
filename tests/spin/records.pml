/* The publication of a state larger than a word (src/shm/record/record.c, record_cache.c, record_alloc.c, worker.c,
 * limiter_store.c). A published record is never written; a record has one owner; a validated copy is one state; no
 * admission is lost; and every record of a dead worker can be claimed.
 *
 * One step is one access to shared memory. -DCRASH lets workers die after any step: their slots can then be taken. A
 * stopped worker takes no more steps, and every assertion is checked after every prefix of every interleaving.
 *
 * -DSPARES: a worker marks what it keeps as a spare. -DMOVES: workers also move states unchanged, as a page's reassignment
 * does; pages.pml models the rest of that.
 *
 * insertion.pml models how an identity gets its entry: here it is one step. Each -DBREAK_... removes one precaution, and
 * the checker must detect it. */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ENTRIES
#define ENTRIES 1      /* one identity for each */
#endif
#ifndef RECORDS
#define RECORDS 3    /* units 1..RECORDS; 0 is no record */
#endif
#ifndef OPS1
#define OPS1 1       /* what the first worker does */
#endif
#ifndef OPS
#define OPS 2        /* and what each of the others does */
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef TICKS
#define TICKS 0      /* how often the time goes on: a state of an earlier time has ended */
#endif
#ifndef DEATHS
#define DEATHS 1     /* -DCRASH: how many workers die, at the most */
#endif
#ifndef MORTALS
#define MORTALS WORKERS /* which of them may: where all do the same, the first stands for each */
#endif
#ifndef TRIES
#define TRIES 3      /* -DALONE: when all others have stopped, so many rounds at the most until it is done */
#endif

#ifdef SPARES
#define SPARE 128    /* in an owner word: kept for later, and any worker may claim it */
#endif

#define TAKEN 1
#define FREED 2      /* FREED + number */

/* An entry: fingerprint, and a reference of generation and unit. */
byte entry_fp[ENTRIES], entry_gen[ENTRIES], entry_unit[ENTRIES];
byte removals, turns, now = 1;

typedef record {
	byte owner;      /* 0, or 1 + the worker's slot, and the epoch in units of 16 */
	byte meta;       /* 1 + the entry */
	byte count;      /* the state: two words, */
	byte window      /* which are written one after the other */
};
record records[RECORDS + 1];

typedef worker_slot {
	byte epoch;      /* odd while somebody sits there */
	byte journal;
	byte lock        /* 1 + the worker who holds the mutex */
};
worker_slot workers[WORKERS];

#define OWNER(d)        (workers[d].epoch * 16 + (d) + 1)
#define DESK_OF(owner)  (((owner) & 15) - 1)
#define EPOCH_OF(owner) ((owner) >> 4)

/* Ghosts, which no worker reads. */
byte holder[RECORDS + 1];          /* 1 + the worker whose own the record is */
byte count[ENTRIES], window[ENTRIES];  /* the state that stands */
bool dead[WORKERS];
byte deaths, finished, answered, in_flight;
byte alone;
#ifdef BREAK_VALIDATION
bool stood[16];                    /* the states that ever stood */
#endif

#define PUBLISHED(u) (entry_unit[0] == (u) || (ENTRIES > 1 && entry_unit[ENTRIES - 1] == (u)))

inline own(u)
{
	assert(holder[u] == 0 && !PUBLISHED(u));
	holder[u] = me + 1
}

/* The worth of the generation that an entry begins with. What it counts up to must not come again. */
#ifdef BREAK_GENERATION
#define FIRST_GENERATION(turn) (turn)
#else
#define FIRST_GENERATION(turn) ((turn) * 16)
#endif

/* rl_record_swap(): entry c from (fp, gen, unit) to (nfp, ngen, nunit); done says whether. */
inline swap(nfp, ngen, nunit)
{
#ifndef BREAK_JOURNAL
	if
	:: unit != 0 -> workers[me].journal = unit
	:: else
	fi;
#endif
	d_step {
		done = (entry_fp[c] == fp && entry_gen[c] == gen && entry_unit[c] == unit);
		if
		:: done ->
			if
			:: nunit != 0 ->
				/* What is published follows from what stood. */
				assert(count[c] == seen_count && window[c] == seen_window || unit == 0);
				assert(holder[nunit] == me + 1);
				holder[nunit] = 0;
				count[c] = records[nunit].count;
				window[c] = records[nunit].window;
				assert(count[c] <= LIMIT);
#ifdef BREAK_VALIDATION
				stood[window[c] * 4 + count[c]] = true;
#endif
				in_flight = in_flight | (1 << me)
			:: else -> count[c] = 0; window[c] = 0
			fi;
			entry_fp[c] = nfp;
			entry_gen[c] = ngen;
			entry_unit[c] = nunit;
			if
			:: unit != 0 -> own(unit)
			:: else
			fi
		:: else
		fi
	}
	if
	:: unit != 0 && done -> records[unit].owner = OWNER(me)
	:: else
	fi;
#ifndef BREAK_JOURNAL
	if
	:: unit != 0 -> workers[me].journal = 0
	:: else
	fi
#endif
}

inline free_record(u)
{
	d_step {
		assert(holder[u] == me + 1);
		holder[u] = 0;
		records[u].owner = 0
	}
}

inline claim(u, was)
{
	d_step {
#ifdef BREAK_CLAIM
		done = true;
#else
		done = (records[u].owner == was);
#endif
		if
		:: done -> records[u].owner = OWNER(me); own(u)
		:: else
		fi
	}
}

/* rl_record_home(): home is 1 + the entry that the record r is published in, or 0. */
inline find_home()
{
	home = records[r].meta;
	if
	:: home != 0 ->
		if
		:: entry_fp[home - 1] != TAKEN -> home = 0
		:: else ->
			if
			:: entry_unit[home - 1] != r -> home = 0
			:: else
			fi
		fi
	:: else
	fi
}

inline look_at_journals()
{
	k = 0;
	do
	:: k < WORKERS && workers[k].journal == r -> k = 0; goto kept_out
	:: k < WORKERS && workers[k].journal != r -> k++
	:: k == WORKERS -> k = 0; break
	od
}

/* rl_worker_is_dead() */
inline find_left()
{
	k = DESK_OF(owner);
	if
	:: workers[k].epoch != EPOCH_OF(owner) -> skip
	:: else ->
		if
		:: k == me -> k = 0; goto kept_out
		:: else
		fi;
		d_step {
			done = (workers[k].lock == 0 || dead[workers[k].lock - 1]);
			if
			:: done -> workers[k].lock = me + 1
			:: else
			fi
		}
		if
		:: !done -> k = 0; goto kept_out
		:: else
		fi;
		workers[k].epoch = (workers[k].epoch + 1) | 1;
		workers[k].journal = 0;
		workers[k].epoch = workers[k].epoch + 1;
		workers[k].lock = 0
	fi;
	k = 0
}

proctype worker(byte me)
{
	byte ops, max, c, t, k;
	byte fp, gen, unit;              /* the entry as seen */
	byte seen_count, seen_window;    /* the state as copied */
	byte r, spare, owner, home;      /* the record to write into */
	byte tries;
	bool done, reset, move;

	max = (me == 0 -> OPS1 : OPS);
	{
	do
	:: ops < max ->
		ops++;
		atomic {
			if
			:: c = 0
			:: ENTRIES > 1 -> c = ENTRIES - 1
			fi;
			if
			:: reset = false
#ifdef RESETS
			:: me > 0 -> reset = true
#endif
#ifdef MOVES
			:: me > 0 -> move = true
#endif
			fi
		}

again:
		atomic {
			t = now;
#ifdef ALONE
			if
			:: alone != 0 -> tries++; assert(tries <= TRIES)
			:: else
			fi
#endif
		}
		/* look_up() */
		fp = entry_fp[c];
		if
		:: fp != TAKEN && (reset || move) -> goto next
		:: fp != TAKEN && !reset && !move ->
			d_step {
				if
				:: entry_fp[c] != TAKEN ->
					turns++;
					entry_fp[c] = TAKEN;
					entry_gen[c] = FIRST_GENERATION(turns);
					entry_unit[c] = 0
				:: else
				fi
			}
			goto again
		:: else
		fi;
#ifdef BREAK_MOVE
		if
		:: move ->
			unit = entry_unit[c];
			seen_count = records[unit].count;
			seen_window = records[unit].window;
		:: else
		fi;
#endif
		d_step { gen = entry_gen[c]; unit = entry_unit[c] }
		if
		:: move && unit == 0 -> goto next
		:: move && unit != 0 ->
			/* move_record(): no check, because the swap is one. */
#ifndef BREAK_MOVE
			seen_count = records[unit].count;
			seen_window = records[unit].window;
#endif
			skip
		:: !move && unit != 0 ->
			seen_count = records[unit].count;
			seen_window = records[unit].window;
#ifndef BREAK_VALIDATION
			d_step {
				done = (entry_gen[c] == gen && entry_unit[c] == unit);
				assert(!done || entry_fp[c] != TAKEN || (seen_count == count[c] && seen_window == window[c]))
			}
			if
			:: !done -> goto again
			:: else
			fi;
			if
			:: entry_fp[c] != fp -> goto again
			:: else
			fi
#else
			assert(stood[seen_window * 4 + seen_count])
#endif
		:: else -> seen_count = 0; seen_window = 0
		fi;

		if
		:: reset ->
			if
			:: unit == 0 -> goto next
			:: else
			fi;
			d_step { removals++; k = removals }
			swap(FREED + k, 0, 0);
			k = 0;
			if
			:: !done -> goto again
			:: else
			fi;
			if
			:: unit != 0 -> free_record(unit)
			:: else
			fi;
			goto next
		:: !reset && !move && unit != 0 && seen_window >= t && seen_count >= LIMIT -> goto next   /* refused */
		:: else
		fi;

		/* rl_record_get() */
		if
		:: spare != 0 ->
			r = spare;
			spare = 0;
#ifdef SPARES
#ifdef BREAK_SPARE
			d_step { records[r].owner = OWNER(me); own(r); done = true }
#else
			claim(r, OWNER(me) + SPARE);
#endif
			if
			:: done -> goto taken
			:: else -> r = 0
			fi
#else
			goto taken
#endif
		:: else
		fi;

		/* look_at(): one record, whichever; the order that they are looked at in is no part of the protocol. */
		atomic {
			if
			:: r = 1
			:: RECORDS > 1 -> r = 2
			:: RECORDS > 2 -> r = 3
			:: RECORDS > 3 -> r = 4
			fi
		}
		owner = records[r].owner;
		if
		:: owner == 0 ->
			claim(r, 0);
			if
			:: done -> goto taken
			:: else -> goto kept_out
			fi
#ifdef SPARES
		:: owner >= SPARE ->
			claim(r, owner);
			if
			:: done -> goto taken
			:: else -> goto kept_out
			fi
#endif
		:: else
		fi;
		find_home();
		if
		:: home == 0 ->
			/* claim_if_lost() */
			find_left();
#ifdef BREAK_ORDER
			look_at_journals();
			find_home();
			if
			:: home != 0 -> goto kept_out
			:: else
			fi;
#else
			find_home();
			if
			:: home != 0 -> goto kept_out
			:: else
			fi;
			look_at_journals();
#endif
			claim(r, owner);
			if
			:: done -> goto taken
			:: else -> goto kept_out
			fi
		:: else
		fi;
#if TICKS > 0
		/* It is published. evict(), when what it holds has ended. */
		atomic {
			fp = TAKEN;
			k = c;           /* the entry that the record is wanted for */
			c = home - 1
		}
		d_step { gen = entry_gen[c]; unit = entry_unit[c] }
		owner = records[r].window;
		if
		:: unit != r || owner >= t -> owner = 0; c = k; k = 0; goto kept_out
		:: else
		fi;
#ifdef BREAK_EVICTION
		find_home();
		if
		:: home == 0 -> owner = 0; c = k; k = 0; goto kept_out
		:: else
		fi;
		d_step { gen = entry_gen[home - 1]; unit = entry_unit[home - 1]; owner = 0; c = home - 1 }
		if
		:: unit != r -> c = k; k = 0; goto kept_out
		:: else
		fi;
#endif
		d_step { removals++; owner = removals }
		workers[me].journal = unit;
		d_step {
			done = (entry_fp[c] == fp && entry_gen[c] == gen && entry_unit[c] == unit);
			if
			:: done ->
				assert(window[c] < t);      /* nothing live is taken for ended */
				entry_fp[c] = FREED + owner;
				entry_gen[c] = 0;
				entry_unit[c] = 0;
				count[c] = 0;
				window[c] = 0;
				own(unit)
			:: else
			fi;
			owner = 0;
			c = k;
			k = 0
		}
		if
		:: done -> records[r].owner = OWNER(me)
		:: else
		fi;
		workers[me].journal = 0;
		if
		:: !done -> goto kept_out
		:: else
		fi;
		free_record(r);
		claim(r, 0);
		if
		:: done -> goto again_with_record
		:: else
		fi;
#endif
kept_out:
		atomic { r = 0; owner = 0; home = 0 }
		goto next            /* no room: the answer is an error */

again_with_record:
		/* The code goes on with what it saw before; its swap then fails when that is no more. Here: begin again. */
		atomic { spare = r; r = 0; owner = 0; home = 0 }
		goto again

taken:
		atomic { owner = 0; home = 0; done = false }
		records[r].meta = c + 1;
		d_step {
			assert(holder[r] == me + 1 && !PUBLISHED(r));
			records[r].count = (move -> seen_count : (unit != 0 && seen_window >= t -> seen_count + 1 : 1))
		}
		d_step {
			assert(holder[r] == me + 1 && !PUBLISHED(r));
			records[r].window = (move || seen_window > t -> seen_window : t)
		}
		swap(TAKEN, gen + 1, r);
		atomic {
			if
			:: done -> spare = unit
			:: else -> spare = r
			fi;
			r = 0
		}
#ifdef MOVES
		if
		:: move ->
			free_record(spare);
			d_step { spare = 0; in_flight = in_flight & ~(1 << me) }
			goto next
		:: else
		fi;
#endif
#ifdef SPARES
		if
		:: spare != 0 ->
			d_step { assert(holder[spare] == me + 1); holder[spare] = 0; records[spare].owner = OWNER(me) + SPARE }
		:: else
		fi;
#endif
		if
		:: !done -> goto again
		:: else
		fi;
		d_step { answered++; in_flight = in_flight & ~(1 << me) }
next:
progress:
		atomic { fp = 0; gen = 0; unit = 0; seen_count = 0; seen_window = 0; t = 0; tries = 0; reset = false; move = false; done = false; c = 0 }
	:: else -> break
	od;
	/* rl_record_cache_flush(), rl_worker_unregister() */
	if
	:: spare != 0 ->
#ifdef SPARES
		claim(spare, OWNER(me) + SPARE);
		if
		:: done -> free_record(spare)
		:: else
		fi;
#else
		free_record(spare);
#endif
		spare = 0
	:: else
	fi;
	workers[me].epoch = workers[me].epoch + 1;
	workers[me].lock = 0
	}
#if defined(CRASH)
	unless { dead[me] }
#elif defined(ALONE)
	unless { alone != 0 && alone != me + 1 }
#endif
	finished++
}

#ifdef CRASH
proctype reaper()
{
	byte w, k;
end:
	do
	:: deaths < DEATHS && finished < WORKERS ->
		atomic {
			if
			:: w = 0
			:: MORTALS > 1 -> w = 1
			:: MORTALS > 2 -> w = 2
			fi;
			if
			:: !dead[w] && workers[w].lock == w + 1 ->
				dead[w] = true;
				deaths++;
				k = 1;
				do
				:: k <= RECORDS ->
					if
					:: holder[k] == w + 1 -> holder[k] = 0
					:: else
					fi;
					k++
				:: else -> break
				od;
				k = 0
			:: else
			fi;
			w = 0
		}
	:: else -> break
	od
}
#endif

#if TICKS > 0
proctype time()
{
	byte i;
	do
	:: i < TICKS -> now++; i++
	:: else -> break
	od
}
#endif

init {
	byte w, k;
	atomic {
		do
		:: w < WORKERS ->
			workers[w].epoch = 1;
			workers[w].lock = w + 1;
			run worker(w);
			w++
		:: else -> break
		od;
		w = 0;
#ifdef CRASH
		run reaper();
#endif
#if TICKS > 0
		run time();
#endif
	}
#ifdef ALONE
	atomic {
		if
		:: alone = 1
		:: alone = 2
		:: WORKERS > 2 -> alone = 3
		fi
	}
#else
	/* When all are gone, by leaving or by dying, the next ones sit down at their workers: nothing is lost for good. */
	atomic {
		finished == WORKERS;
		do
		:: w < WORKERS ->
#ifndef BREAK_EPOCH
			if
			:: workers[w].lock != 0 -> workers[w].epoch = (workers[w].epoch + 1) | 1
			:: else
			fi;
#endif
			workers[w].journal = 0;
			w++
		:: else -> break
		od;
		k = 1;
		do
		:: k <= RECORDS ->
			assert(PUBLISHED(k) || records[k].owner == 0 ||
#ifdef SPARES
				records[k].owner >= SPARE ||
#endif
				workers[DESK_OF(records[k].owner)].epoch != EPOCH_OF(records[k].owner));
			k++
		:: else -> break
		od;
#if ENTRIES == 1 && TICKS == 0 && !defined(RESETS)
		/* No permit is lost that was given; one that nobody heard of is a dead worker's own. */
		assert(count[0] >= answered);
		assert(count[0] <= answered + deaths)
#endif
	}
#endif
}
