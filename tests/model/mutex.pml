// SPDX-License-Identifier: BSD-2-Clause
/*
 * A mutex that is contended: src/sync/mutex.c and src/sync/lot.c (how a thread leaves its stack and is
 * woken is in park.pml).
 *
 * Three threads lock and unlock, one of them with a time limit that may be reached while it waits; a
 * signal may end a wait once.  MOVED: two of them begin as waiters of a condition, whom the third moves to
 * the mutex's queue, holding the mutex or not.  A waker may leave the first waiter asleep where somebody else has the lock
 * meanwhile.  LOSSES: so often woken in vain, a waiter is handed the lock.
 * Who was the last to lock it and unlock it frees it at once.
 *
 * What must hold: one thread at a time has it; all come to their end (one that sleeps on for want of a
 * wake-up is an invalid end state); at no moment is somebody queued while the word does not say so, unless
 * a waker is on its way, or who was woken has not tried yet; no waker touches the word of a mutex that is
 * freed.
 *
 * check:
 * check: -DLOSSES=2
 * check: -DMOVED
 * check: -DMOVED -DSIGNALS=0 -DROUNDS=2
 * break: -DBUG_TWO_STEPS        the drop reads the word and clears it, in two steps
 * break: -DBUG_WAKE_FIRST       it wakes before it clears
 * break: -DBUG_MARK_EARLY       who is to wait marks the word before it has the bucket's lock
 * break: -DBUG_QUEUE_UNMARKED   it queues where the holder left the word unmarked
 * break: -DBUG_WOKEN_UNMARKED   who was woken takes it unmarked, though others may be queued
 * break: -DBUG_LOCKED_UNMARKED  so does who finds it free under the bucket's lock
 * break: -DBUG_WAKE_EATEN       whose time is over when it is woken gives up with the wake-up
 * break: -DBUG_HAND_UNMARKED    the lock is handed over unmarked
 * break: -DBUG_HAND_BLIND       it is handed over though another has it
 * break: -DBUG_HAND_UNQUEUED_LATE  its new owner is taken out of the queue under a lock taken anew
 * break: -DBUG_HAND_GIVES_UP    where another has it already, that one's word is not marked again
 * break: -DBUG_HANDED_UNSEEN    who is handed it does not look whether it is
 * break: -DBUG_PASS_UNMARKED    the first waiter is left asleep, and the word of who has it now unmarked
 * break: -DBUG_PASS_GUESS       it is left asleep because somebody spins
 * break: -DBUG_PASS_LATE        it is left asleep, and the word marked when the bucket's lock has been dropped
 * break: -DBUG_WAKE_TOUCHES     a waker looks at the word where nobody is queued
 * break: -DMOVED -DBUG_MOVED_UNMARKED  who was moved and woken takes it unmarked
 * break: -DMOVED -DBUG_MOVE_NO_MARK    waiters are moved to the queue of a mutex that is held unmarked
 * break: -DMOVED -DBUG_MOVE_WAKES_NONE  and to that of a free one, with nobody woken
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef LOSSES
#define LOSSES 1		/* MUTEX_LOSSES */
#endif
#ifndef SIGNALS
#define SIGNALS 1
#endif
#define NTHR 3
#define TIMED 2			/* which thread has a time limit */
#define NOBODY 15
#ifdef MOVED
#define TOTAL (ROUNDS + 2)
#else
#define TOTAL (ROUNDS + ROUNDS + 1)
#endif

mtype = { WOKEN, TIMEOUT, SIGNAL };

#define FREE 0
#define HELD 1
#define WAITED 2

byte word = FREE;
bit locked = 0;			/* the bucket's lock */
byte queue[NTHR], nqueued = 0;	/* the bucket's queue, oldest first */
bit queued[NTHR];		/* thread.wait_queued */
bit starving[NTHR], owns[NTHR];	/* what thread.wait_arg says */
mtype result[NTHR];		/* thread.wait_result */
bit unparked[NTHR];
byte timeouts = 1, signals = SIGNALS;

/* What only the proof knows. */
byte inside = 0, to_do = TOTAL;	/* locks and unlocks that are still to come */
byte nwakers = 0;		/* drops that found it marked, and have not looked at the queue yet */
bit woken[NTHR];		/* taken out of the queue, and has not tried yet */
bit freed = 0;
#ifdef MOVED
byte broadcasts = 1;
#endif

#define LOCK atomic { !locked -> locked = 1 }
#define UNLOCK locked = 0

/* lot.c, lot_queue; the bucket's lock is held */
inline push(t, in_front)
{
	d_step {
		if
		:: in_front ->
			queue[2] = queue[1];
			queue[1] = queue[0];
			queue[0] = t
		:: else -> queue[nqueued] = t
		fi;
		nqueued++;
		queued[t] = 1
	}
}

/* lot.c, unqueue; the bucket's lock is held */
inline unqueue(t, why)
{
	d_step {
		assert(queued[t]);
		if
		:: queue[0] == t -> queue[0] = queue[1]; queue[1] = queue[2]
		:: queue[0] != t && queue[1] == t -> queue[1] = queue[2]
		:: else
		fi;
		queue[2] = 0;
		nqueued--;
		if
		:: nqueued < 2 -> queue[1] = 0
		:: else
		fi;
		if
		:: nqueued < 1 -> queue[0] = 0
		:: else
		fi;
		queued[t] = 0;
		result[t] = why;
		woken[t] = (why == WOKEN)
	}
}

/* mutex.c, hand_over, to the first in the queue: ok if it is the owner now */
inline hand_over()
{
	seen = FREE;
	do
#ifdef BUG_HAND_BLIND
	:: seen == FREE -> word = WAITED; owns[t] = 1; ok = 1; break
#else
	:: seen == FREE -> atomic {
		assert(!freed);
		if
#ifdef BUG_HAND_UNMARKED
		:: word == FREE -> word = HELD; owns[t] = 1; ok = 1; break
#else
		:: word == FREE -> word = WAITED; owns[t] = 1; ok = 1; break
#endif
		:: else -> seen = word
		fi }
#endif
#ifdef BUG_HAND_GIVES_UP
	:: seen == HELD -> break
#endif
	:: seen == HELD -> atomic {
		if
		:: word == HELD -> word = WAITED; break
		:: else -> seen = word
		fi }
	:: seen == WAITED -> break
	od
}

/* mutex.c, is_passed_over, of t, the first in the queue: while somebody spins it looks for as long as it likes */
inline pass_over()
{
	do
	:: atomic { assert(!freed); seen = word }
		if
#ifdef BUG_PASS_UNMARKED
		:: seen != FREE -> t = NOBODY; break
#endif
#ifdef BUG_PASS_GUESS
		:: t = NOBODY; break
#endif
#ifdef BUG_PASS_LATE
		:: seen != FREE -> t = NOBODY; break
#endif
		:: seen == WAITED -> t = NOBODY; break
		:: seen == HELD -> atomic {
			assert(!freed);
			if
			:: word == HELD -> word = WAITED; t = NOBODY; break
			:: else
			fi }
		:: seen == FREE
		fi
	:: unqueue(t, WOKEN); break
	od
}

/* mutex.c, mutex_wake */
inline wake()
{
	LOCK;
#ifdef BUG_WAKE_TOUCHES
	if
	:: atomic { word != WAITED -> assert(!freed) }
	:: atomic { word == WAITED -> assert(!freed) }
	fi;
#endif
	ok = 0;
	if
	:: nqueued == 0 -> t = NOBODY
	:: nqueued > 0 && starving[queue[0]] ->
		t = queue[0];
		hand_over();
#ifdef BUG_HAND_UNQUEUED_LATE
		if
		:: ok -> UNLOCK; LOCK
		:: !ok
		fi;
		if
		:: ok && queued[t] -> unqueue(t, WOKEN)
		:: else -> t = NOBODY
		fi
#else
		if
		:: ok -> unqueue(t, WOKEN)
		:: !ok -> t = NOBODY
		fi
#endif
	:: nqueued > 0 && !starving[queue[0]] -> t = queue[0]; unqueue(t, WOKEN)
	:: nqueued > 0 && !starving[queue[0]] -> t = queue[0]; pass_over()
	fi;
	nwakers--;
	UNLOCK;
#ifdef BUG_PASS_LATE
	if
	:: atomic { seen == HELD && word == HELD -> word = WAITED }
	:: seen != HELD || word != HELD
	fi;
#endif
	if
	:: t != NOBODY -> unparked[t] = 1
	:: else
	fi;
	atomic { t = 0; ok = 0; seen = 0 }
}

/* cond.c, wake_many: threads 1 and 2, who wait for a condition */
inline broadcast()
{
	LOCK;
	/* mutex_mark */
	seen = word;
	do
	:: seen == HELD -> atomic {
#ifdef BUG_MOVE_NO_MARK
		seen = WAITED
#else
		if
		:: word == HELD -> word = WAITED; seen = WAITED
		:: else -> seen = word
		fi
#endif
	}
	:: seen != HELD -> break
	od;
#ifdef BUG_MOVE_WAKES_NONE
	push(1, 0);
#else
	if
	:: seen == FREE -> atomic { result[1] = WOKEN; woken[1] = 1; ok = 1 }
	:: seen == WAITED -> push(1, 0)
	fi;
#endif
	push(2, 0);
	UNLOCK;
	if
	:: ok -> unparked[1] = 1
	:: !ok
	fi;
	atomic { seen = 0; ok = 0 }
}

proctype thread(byte me; byte rounds)
{
	byte seen = 0, losses = 0, t = 0;
	bit ok = 0;

#ifdef MOVED
	if
	:: me > 0 -> goto asleep
	:: else
	fi;
#endif
next:	/* mutex_try, and the caller's own look before that */
	losses = 0;
	if
	:: atomic { word == FREE -> word = HELD } goto critical
	:: word != FREE
	fi;
spin:	/* mutex.c, spin: as long as it likes */
	if
	:: atomic { word == FREE && losses == 0 -> word = HELD } goto critical
#ifdef BUG_WOKEN_UNMARKED
	:: atomic { word == FREE && losses > 0 -> word = HELD; woken[me] = 0 } goto critical
#else
	:: atomic { word == FREE && losses > 0 -> word = WAITED; woken[me] = 0 } goto critical
#endif
#ifdef BUG_WAKE_EATEN
	:: losses > 0 && me == TIMED && timeouts > 0 -> goto gives_up
#endif
	:: true
	fi;
wait:	/* wait_once */
#ifdef BUG_MARK_EARLY
	if
	:: atomic { word == HELD -> word = WAITED }
	:: word == WAITED
	:: word == FREE -> goto spin
	fi;
	LOCK;
#else
	LOCK;
	/* take_or_mark */
	seen = word;
	do
	:: seen == FREE -> atomic {
		if
#ifdef BUG_LOCKED_UNMARKED
		:: word == FREE -> word = HELD
#else
		:: word == FREE -> word = (nqueued > 0 -> WAITED : HELD)
#endif
			woken[me] = 0; seen = 0; locked = 0;	/* lot_abort */
			goto critical
		:: else -> seen = word
		fi }
#ifdef BUG_QUEUE_UNMARKED
	:: seen == HELD -> break
#endif
	:: seen == HELD -> atomic {
		if
		:: word == HELD -> word = WAITED; break
		:: else -> seen = word
		fi }
	:: seen == WAITED -> break
	od;
#endif
	/* lot_queue: whoever drops it from here on finds it marked, and waits for the bucket's lock */
	atomic { seen = 0; woken[me] = 0 }
	if
	:: atomic { signals > 0 && me == 0 -> signals-- } UNLOCK; goto wait
	:: true
	fi;
	atomic { starving[me] = (losses >= LOSSES); owns[me] = 0 }
	push(me, losses > 0);
	UNLOCK;			/* lot_sleep */
asleep:	atomic { unparked[me] -> unparked[me] = 0 }
	if
	:: result[me] == TIMEOUT -> goto gives_up
	:: result[me] == SIGNAL -> goto wait
#ifndef BUG_HANDED_UNSEEN
	:: atomic { result[me] == WOKEN && owns[me] -> owns[me] = 0; woken[me] = 0 } goto critical
#endif
	:: atomic { result[me] == WOKEN && !owns[me] -> losses = (losses < LOSSES -> losses + 1 : losses) }
#ifdef BUG_MOVED_UNMARKED
		if
		:: me > 0 -> atomic { woken[me] = 0; losses = 0 }
		:: else
		fi;
#endif
		goto spin
#ifdef BUG_HANDED_UNSEEN
	:: atomic { result[me] == WOKEN && owns[me] -> losses = LOSSES } goto spin
#endif
	fi;

critical:
	atomic { inside++; assert(inside == 1 && word != FREE) }
#ifdef MOVED
	if
	:: me == 0 && broadcasts > 0 -> broadcasts = 0; broadcast()
	:: true
	fi;
#endif
	atomic { assert(inside == 1); inside-- }
	/* mutex_drop */
#ifdef BUG_WAKE_FIRST
	if
	:: word == WAITED -> nwakers++; wake()
	:: else
	fi;
	atomic { word = FREE; to_do-- }
#else
#ifdef BUG_TWO_STEPS
	seen = word;
	atomic { word = FREE; nwakers = nwakers + (seen == WAITED); to_do-- }
#else
	atomic { seen = word; word = FREE; nwakers = nwakers + (seen == WAITED); to_do-- }
#endif
	if
	:: seen == WAITED -> wake()
	:: else
	fi;
#endif
	atomic { seen = 0; rounds-- }
	if
	:: to_do == 0 -> freed = 1
	:: else
	fi;
	if
	:: rounds > 0 -> goto next
	:: else -> goto end
	fi;

gives_up:
	atomic { woken[me] = 0; to_do = to_do - rounds }
end:
#ifdef MOVED
	if
	:: atomic { me == 0 && broadcasts > 0 -> broadcasts = 0 } broadcast()
	:: else
	fi;
#endif
	skip
}

/* lot.c, on_timeout */
active proctype timer()
{
	bit mine = 0;

end:	do
	:: atomic { timeouts > 0 && queued[TIMED] -> timeouts-- }
		LOCK;
		mine = queued[TIMED];
		if
		:: mine -> unqueue(TIMED, TIMEOUT)
		:: !mine
		fi;
		UNLOCK;
		if
		:: mine -> unparked[TIMED] = 1
		:: !mine
		fi;
		mine = 0
	od
}

/* lot.c, lot_interrupt */
active proctype signaller()
{
	bit mine = 0;

end:	do
	:: atomic { signals > 0 && queued[0] -> signals-- }
		LOCK;
		mine = queued[0];
		if
		:: mine -> unqueue(0, SIGNAL)
		:: !mine
		fi;
		UNLOCK;
		if
		:: mine -> unparked[0] = 1
		:: !mine
		fi;
		mine = 0
	od
}

/* Nobody is queued where the next drop wakes nobody, and nobody else is about to. */
active proctype never_forgotten()
{
end:	do
	:: atomic { nqueued > 0 && word != WAITED && !locked && nwakers == 0 && !woken[0] && !woken[1] && !woken[2] ->
		assert(false) }
	od
}

init
{
	atomic {
#ifdef MOVED
		starving[1] = 0; starving[2] = 0;
		run thread(0, ROUNDS); run thread(1, 1); run thread(2, 1)
#else
		run thread(0, ROUNDS); run thread(1, ROUNDS); run thread(2, 1)
#endif
	}
}
