/* The insertion of an identity's entry (src/shm/table/table.c): an identity never has two entries, and no worker waits for another.
 *
 * One step is one access to shared memory. A stopped or killed worker takes no more steps, and every assertion is checked
 * after every prefix of every interleaving: that covers a death after any step.
 *
 * Not modelled: two different contents with one digest (24 bits in the code), and an overflow of the turns (32 bits; 24 in a
 * counter's new word). Each -DBREAK_... removes one precaution, and the checker must detect it; docs/protocols.md names two
 * that it does not detect. */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef IDS
#define IDS 2      /* identities 1..IDS, all of the same home */
#endif
#ifndef ENTRIES
#define ENTRIES 2
#endif
#ifndef OPS1
#define OPS1 OPS   /* the number of decisions or removals of the first worker */
#endif
#ifndef OPS
#define OPS 2      /* and of each other worker */
#endif
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef TURNS
#define TURNS 6    /* a run ends at this turn; -DSTRICT: no run may reach it */
#endif
#ifndef TRIES
#define TRIES 4    /* -DALONE: the most rounds of a worker after all others have stopped */
#endif

#if defined(TWO_STRIPES)
#define STRIPES 2
#define STRIPE_OF(id) ((id) & 1)
#else
#define STRIPES 1
#define STRIPE_OF(id) 0
#endif

/* An entry's halves. a: 0 empty, 1..IDS an identity, FREED + number a removed one. b: below LIVE an ended state (a new entry's
 * is its turn), otherwise a window, numbered, and its count. */
#define FREED 16
#define LIVE  64
#define IS_ID(a)          ((a) >= 1 && (a) <= IDS)
#define WORD(window, n)   (LIVE + (window) * 4 + (n))
#define COUNT(b)          ((b) & 3)

byte entry_a[ENTRIES], entry_b[ENTRIES];

/* A stripe's control. b is one word in the code: turn, digest, probe. */
byte insert_fp[STRIPES], insert_turn[STRIPES], insert_da[STRIPES], insert_db[STRIPES], insert_probe[STRIPES];

byte removals;
byte windows;             /* no two windows of one identity end in the same millisecond */

byte given[IDS + 1];      /* ghost: permits given on the identity's present count */
byte live_lost;           /* ghost: live counts that made room for others */
byte finished;
byte alone;               /* -DALONE: all but this worker have stopped for ever */


#if defined(BREAK_NEWBORN)
#define NEWBORN(turn) 0
#else
#define NEWBORN(turn) (turn)
#endif

#if defined(BREAK_DIGEST)
#define DIGEST_IS(a, b, da, db) true
#elif defined(BREAK_DIGEST_WIDTH)
#define DIGEST_IS(a, b, da, db) (((a) & 1) == ((da) & 1))
#else
#define DIGEST_IS(a, b, da, db) ((a) == (da) && (b) == (db))
#endif

/* carry_out(): fp and (turn, da, db, probe) are what the caller read, or wrote, on the control. */
inline carry_out()
{
	was_a = entry_a[probe];
	was_b = entry_b[probe];
	if
	:: was_a != fp && DIGEST_IS(was_a, was_b, da, db) ->
#ifndef BREAK_NOTE_CHECK
		if
		:: insert_turn[s] != turn || insert_da[s] != da || insert_db[s] != db || insert_probe[s] != probe -> goto again
		:: else
		fi;
		if
		:: insert_fp[s] != fp -> goto again
		:: else
		fi;
#endif
		d_step {
			if
			:: entry_a[probe] == was_a && entry_b[probe] == was_b ->
				if
				:: IS_ID(was_a) && was_b >= LIVE ->
					live_lost++;
					given[was_a] = 0
				:: else
				fi;
				entry_a[probe] = fp;
				entry_b[probe] = NEWBORN(turn);
				/* The identity that the insert descriptor is for has no other entry. */
				k = 0;
				do
				:: k < ENTRIES ->
					assert(k == probe || entry_a[k] != fp);
					k++
				:: else -> break
				od;
				k = 0
			:: else
			fi
		}
	:: else
	fi;
	d_step {
		if
		:: insert_fp[s] == fp && insert_turn[s] == turn && insert_da[s] == da && insert_db[s] == db && insert_probe[s] == probe ->
			insert_fp[s] = 0;
#ifndef BREAK_TURN
			insert_turn[s] = turn + 1;
#endif
			insert_da[s] = 0;
			insert_db[s] = 0;
			insert_probe[s] = 0
		:: else
		fi;
		was_a = 0;
		was_b = 0
	}
}

proctype worker()
{
	byte ops, id, s, i, k;
	byte fp, turn, da, db, probe;      /* the control as read, or as written */
	byte was_a, was_b;                 /* the entry that an insert descriptor names */
	byte a, b, va, vb, vprobe, worth;  /* the scan: what it looks at, and the cheapest so far */
	byte tries, max;

	max = (_pid == 1 -> OPS1 : OPS);
	{
	do
	:: ops < max ->
		ops++;
		atomic {
			if
			:: id = 1
			:: IDS > 1 -> id = 2
			fi;
			s = STRIPE_OF(id)
		}
		if
		:: goto decide
		:: goto remove
		fi;

again:
#ifdef ALONE
		atomic {
			if
			:: alone != 0 -> tries++; assert(tries <= TRIES)
			:: else
			fi
		}
#endif
decide:
		/* rl_table_claim() */
		atomic {
			turn = insert_turn[s];
			da = insert_da[s];
			db = insert_db[s];
			probe = insert_probe[s];
			if
			:: turn >= TURNS ->
#ifdef STRICT
				assert(false);
#endif
				goto given_up
			:: else
			fi
		}
		fp = insert_fp[s];
		if
		:: fp != 0 ->
#ifdef BREAK_HELP
			goto again
#else
			carry_out();
			goto again
#endif
		:: else
		fi;
		d_step { i = 0; worth = 3 }
		do
		:: i < ENTRIES ->
			a = entry_a[i];
			d_step {
				b = entry_b[i];
				if
				:: a == id -> worth = 9                      /* found, at i */
				:: a != id && worth > 0 && !(IS_ID(a) && b >= LIVE) -> worth = 0; va = a; vb = b; vprobe = i
				:: a != id && worth > 1 && IS_ID(a) && b >= LIVE -> worth = 1; va = a; vb = b; vprobe = i
				:: else
				fi
			}
			if
			:: worth == 9 || a == 0 -> break
			:: else -> i++
			fi
		:: else -> break
		od;
		if
		:: worth != 9 ->
			/* The turn was read before the scan: no other worker inserted meanwhile. */
			d_step {
				b = 0;
				if
				:: insert_fp[s] == 0 && insert_turn[s] == turn && insert_da[s] == da && insert_db[s] == db &&
						insert_probe[s] == probe ->
					insert_fp[s] = id;
					insert_da[s] = va;
					insert_db[s] = vb;
					insert_probe[s] = vprobe;
					b = 1
				:: else
				fi;
				fp = id; da = va; db = vb; probe = vprobe;
				va = 0; vb = 0; vprobe = 0
			}
			if
			:: b == 1 ->
				carry_out()
			:: else
			fi;
			goto again
		:: else
		fi;
		d_step { va = 0; vb = 0; vprobe = 0; fp = 0; turn = 0; da = 0; db = 0; probe = 0; worth = 0 }

		/* decide_plain() in the entry i */
		a = entry_a[i];
		b = entry_b[i];
		if
		:: a != id -> goto again
		:: a == id && b >= LIVE && COUNT(b) >= LIMIT -> goto done    /* refused */
		:: else
		fi;
		d_step {
			va = 0;
			if
#ifdef BREAK_SWAP
			:: entry_a[i] == a ->
#else
			:: entry_a[i] == a && entry_b[i] == b ->
#endif
				va = 1;
				if
				:: b < LIVE ->
					given[id] = 0;
					entry_b[i] = WORD(windows, 1);
#ifndef SAME_MILLISECOND
					windows++;
#endif
				:: else -> entry_b[i] = b + 1
				fi;
				given[id] = given[id] + 1;
				assert(given[id] <= LIMIT);
				assert(given[id] == COUNT(entry_b[i]))
			:: else
			fi
		}
		if
		:: va == 1 -> va = 0; goto done
		:: else -> goto again
		fi;

remove:
		/* forget_plain(): find, then rl_record_remove() */
		i = 0;
		do
		:: i < ENTRIES ->
			a = entry_a[i];
			if
			:: a == id || a == 0 -> break
			:: else -> i++
			fi
		:: else -> break
		od;
		if
		:: i == ENTRIES || a == 0 -> goto done
		:: else
		fi;
		a = entry_a[i];
		b = entry_b[i];
		if
		:: a != id -> goto remove
		:: else
		fi;
		d_step {
			removals++;
			k = removals
		}
		d_step {
			va = 0;
			if
			:: entry_a[i] == a && entry_b[i] == b ->
				va = 1;
#ifdef BREAK_REMOVAL_NUMBER
				entry_a[i] = FREED;
#else
				entry_a[i] = FREED + k;
#endif
				entry_b[i] = 0;
				given[id] = 0
			:: else
			fi;
			k = 0
		}
		if
		:: va == 0 -> goto remove
		:: else
		fi;
done:
progress:
		atomic {
			tries = 0; a = 0; b = 0; i = 0; va = 0; id = 0; fp = 0; turn = 0; da = 0; db = 0; probe = 0; worth = 0 }
	:: else -> break
	od;
	atomic {
		finished++;
		/* With an entry for everybody, nothing live ever makes room. */
		assert(ENTRIES < IDS || live_lost == 0)
	}
#ifdef ALONE
	} unless { alone != 0 && alone != _pid }
#else
	}
#endif
	goto end;
given_up:
	finished++;
end:
	skip
}

init {
	byte w;
	atomic {
		do
		:: w < WORKERS -> run worker(); w++
		:: else -> break
		od
	}
#ifdef ALONE
	if
	:: alone = 1
	:: alone = 2
	:: WORKERS > 2 -> alone = 3
	fi
#endif
}
