/* How an identity gets its cell (src/shm/table.c): that it never has two, and that nobody waits for anybody.
 *
 * One step is one access to shared memory. A worker that is stopped or killed is one that takes no more steps, and
 * every assertion is checked after every prefix of every interleaving: that covers a death after any step.
 *
 * Not modelled: two different contents with one digest (24 bits in the code), and turns that come round (32 bits;
 * 24 in a plain counter's newborn word). Each -DBREAK_... takes one precaution away, and must be found
 * out; docs/protocols.md says of which two that has not been shown. */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef IDS
#define IDS 2      /* identities 1..IDS, all of the same home */
#endif
#ifndef CELLS
#define CELLS 2
#endif
#ifndef OPS1
#define OPS1 OPS   /* what the first worker does: that often a decision, or a removal */
#endif
#ifndef OPS
#define OPS 2      /* and what each of the others does */
#endif
#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef TURNS
#define TURNS 6    /* a run that comes this far is followed no further; -DSTRICT: must not be */
#endif
#ifndef TRIES
#define TRIES 4    /* -DALONE: when all others have stopped, so many rounds at the most until it is done */
#endif

#if defined(TWO_STRIPES)
#define STRIPES 2
#define STRIPE_OF(id) ((id) & 1)
#else
#define STRIPES 1
#define STRIPE_OF(id) 0
#endif

/* A cell's halves. a: 0 empty, 1..IDS an identity, FREED + number a removed one. b: below LIVE an ended state (a newborn's
 * is its turn), otherwise a window, numbered, and its count. */
#define FREED 16
#define LIVE  64
#define IS_ID(a)          ((a) >= 1 && (a) <= IDS)
#define WORD(window, n)   (LIVE + (window) * 4 + (n))
#define COUNT(b)          ((b) & 3)

byte cell_a[CELLS], cell_b[CELLS];

/* A stripe's control. b is one word in the code: turn, digest, probe. */
byte note_fp[STRIPES], note_turn[STRIPES], note_da[STRIPES], note_db[STRIPES], note_probe[STRIPES];

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
	was_a = cell_a[probe];
	was_b = cell_b[probe];
	if
	:: was_a != fp && DIGEST_IS(was_a, was_b, da, db) ->
#ifndef BREAK_NOTE_CHECK
		if
		:: note_turn[s] != turn || note_da[s] != da || note_db[s] != db || note_probe[s] != probe -> goto again
		:: else
		fi;
		if
		:: note_fp[s] != fp -> goto again
		:: else
		fi;
#endif
		d_step {
			if
			:: cell_a[probe] == was_a && cell_b[probe] == was_b ->
				if
				:: IS_ID(was_a) && was_b >= LIVE ->
					live_lost++;
					given[was_a] = 0
				:: else
				fi;
				cell_a[probe] = fp;
				cell_b[probe] = NEWBORN(turn);
				/* The identity that the note is for has no other cell. */
				k = 0;
				do
				:: k < CELLS ->
					assert(k == probe || cell_a[k] != fp);
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
		:: note_fp[s] == fp && note_turn[s] == turn && note_da[s] == da && note_db[s] == db && note_probe[s] == probe ->
			note_fp[s] = 0;
#ifndef BREAK_TURN
			note_turn[s] = turn + 1;
#endif
			note_da[s] = 0;
			note_db[s] = 0;
			note_probe[s] = 0
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
	byte was_a, was_b;                 /* the cell that a note names */
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
			turn = note_turn[s];
			da = note_da[s];
			db = note_db[s];
			probe = note_probe[s];
			if
			:: turn >= TURNS ->
#ifdef STRICT
				assert(false);
#endif
				goto given_up
			:: else
			fi
		}
		fp = note_fp[s];
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
		:: i < CELLS ->
			a = cell_a[i];
			d_step {
				b = cell_b[i];
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
			/* The turn was read before the scan: nobody inserted behind our back. */
			d_step {
				b = 0;
				if
				:: note_fp[s] == 0 && note_turn[s] == turn && note_da[s] == da && note_db[s] == db &&
						note_probe[s] == probe ->
					note_fp[s] = id;
					note_da[s] = va;
					note_db[s] = vb;
					note_probe[s] = vprobe;
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

		/* decide_plain() in the cell i */
		a = cell_a[i];
		b = cell_b[i];
		if
		:: a != id -> goto again
		:: a == id && b >= LIVE && COUNT(b) >= LIMIT -> goto done    /* refused */
		:: else
		fi;
		d_step {
			va = 0;
			if
#ifdef BREAK_SWAP
			:: cell_a[i] == a ->
#else
			:: cell_a[i] == a && cell_b[i] == b ->
#endif
				va = 1;
				if
				:: b < LIVE ->
					given[id] = 0;
					cell_b[i] = WORD(windows, 1);
#ifndef SAME_MILLISECOND
					windows++;
#endif
				:: else -> cell_b[i] = b + 1
				fi;
				given[id] = given[id] + 1;
				assert(given[id] <= LIMIT);
				assert(given[id] == COUNT(cell_b[i]))
			:: else
			fi
		}
		if
		:: va == 1 -> va = 0; goto done
		:: else -> goto again
		fi;

remove:
		/* forget_plain(): find, then rl_table_remove() */
		i = 0;
		do
		:: i < CELLS ->
			a = cell_a[i];
			if
			:: a == id || a == 0 -> break
			:: else -> i++
			fi
		:: else -> break
		od;
		if
		:: i == CELLS || a == 0 -> goto done
		:: else
		fi;
		a = cell_a[i];
		b = cell_b[i];
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
			:: cell_a[i] == a && cell_b[i] == b ->
				va = 1;
#ifdef BREAK_REMOVAL_NUMBER
				cell_a[i] = FREED;
#else
				cell_a[i] = FREED + k;
#endif
				cell_b[i] = 0;
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
		/* With a cell for everybody, nothing live ever makes room. */
		assert(CELLS < IDS || live_lost == 0)
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
