// SPDX-License-Identifier: BSD-2-Clause
/*
 * A futex word is looked at with no lock held, as its page may be missing: src/sync/futex.c.  Two threads wait while
 * it is 0, one changes it and wakes them, one wakes for nothing.  What must hold: nobody sleeps for ever.
 *
 * check: as it is
 * check: -DCOMPARES who requeues by a comparison moves nobody who began to wait with another value
 * break: -DNO_TURN a wake does not end the turn
 * break: -DLOOKS_FIRST the word is read before the turn
 * break: -DWAKES_FIRST the turn is ended before the word is changed
 * break: -DCOMPARES -DWAIT_KEEPS a wait does not end the turn
 */
byte word, turn;
bool locked;
bool queued[2];
byte waits_for[2];

inline lock() { atomic { !locked; locked = true } }
inline unlock() { locked = false }

/* futex_wait, again and again while the word is what it was */
proctype waiter(byte me)
{
	byte seen, value;

	do
	::
#ifdef COMPARES
		value = word;
#endif
again:
#ifdef LOOKS_FIRST
		if
		:: word != value -> break
		:: else
		fi;
		seen = turn;
#else
		seen = turn;
		if
		:: word != value -> break
		:: else
		fi;
#endif
		lock();
		if
		:: turn == seen ->
#ifndef WAIT_KEEPS
			turn++;
#endif
			queued[me] = true;
			waits_for[me] = value;
			unlock();
#ifdef COMPARES
end_wait:		/* for a value that is the last */
#endif
			!queued[me]
		:: else ->
			unlock();
			goto again
		fi;
#ifdef COMPARES
		break
#endif
	od
}

inline wake(i) { queued[i] = false }

proctype waker()
{
#ifdef WAKES_FIRST
	lock();
	turn++;
	unlock();
	word = 1;
	lock();
#else
	word = 1;
	lock();
#ifndef NO_TURN
	turn++;
#endif
#endif
	wake(0);
	wake(1);
	unlock()
}

/* FUTEX_CMP_REQUEUE of the value 0; whoever is moved is woken by the other word. */
proctype requeuer()
{
	byte seen, i;

again:
	seen = turn;
	if
	:: word != 0 -> goto over
	:: else
	fi;
	lock();
	if
	:: turn == seen ->
		turn++;
		for (i : 0 .. 1) {
			if
			:: queued[i] ->
				assert(waits_for[i] == 0)
			:: else
			fi
		}
		unlock()
	:: else ->
		unlock();
		goto again
	fi;
over:
	word = 2;
	lock();
	turn++;
	wake(0);
	wake(1);
	unlock()
}

/* Of another word in the same bucket. */
proctype stranger()
{
	lock();
	turn++;
	unlock()
}

init {
	atomic {
		run waiter(0);
		run waiter(1);
#ifdef COMPARES
		run requeuer();
#endif
		run waker();
		run stranger()
	}
}
