// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parking: a thread waits in the parking lot (src/sync/lot.c), leaves its stack (src/sched/switch.c),
 * and is woken by a waker, by its timer, by a signal, or by several at once.
 *
 * One thread waits for a token as a futex would; two wakers give one each; its timer may fire late,
 * when the thread is in its next wait already; a signal ends a wait once.  The vproc that the thread
 * leaves and the queue it comes back by are one process, `vproc`, which runs whatever is ready.
 *
 * What must hold: the thread is unparked once for each time it was taken out of the queue; it is on
 * the ready queue once and is run by one vproc at a time, only when its registers are saved; a late
 * timer ends no wait but its own; it gets both tokens and the signal (else: an invalid end state).
 *
 * check:
 * break: -DBUG_NO_NOTIFIED      a waker that finds PARKING makes the thread ready at once
 * break: -DBUG_TOKEN_DROPPED    who has left its stack does not see that it was notified
 * break: -DBUG_NO_SEQ           a timer does not compare the number of the wait
 * break: -DBUG_TAKE_UNLOCKED    whoever takes it out of the queue does not look whether it is in it
 * break: -DBUG_PARK_LATE        it becomes visible to wakers before it says PARKING
 * break: -DBUG_CHECK_BEFORE_LOCK  the word is compared before the bucket's lock is held
 * break: -DBUG_PENDING_FIRST    signals are looked for before the wait is announced
 */
mtype = { RUNNING, PARKING, NOTIFIED, PARKED, READY };
mtype = { WOKEN, TIMEOUT, SIGNAL };

mtype state = RUNNING;		/* thread.state */
mtype result;			/* thread.wait_result */
bit queued = 0;			/* thread.wait_queued, guarded by `locked` */
bit locked = 0;			/* the bucket's lock */
bit key = 0;			/* thread.wait_key is set */
byte seq = 0;			/* thread.wait_seq */
bit pending = 0;		/* PEND_SIGNAL */
byte word = 0;			/* what it waits for: tokens */
byte timer = 0;			/* timer_seq of a timer that is set, 0: none */
chan ready = [3] of { bit };	/* the run queue: how often it holds the thread */

/* What only the proof knows. */
bit on_stack = 1;		/* its registers are not saved yet, or it runs */
byte taken = 0, unparked = 0, got = 0, signals = 0, timeouts = 0;
bit gone = 0;

#define LOCK atomic { !locked -> locked = 1 }
#define UNLOCK locked = 0

/* switch.c, ready: state = READY; runq_push */
inline make_ready()
{
	state = READY;
	atomic { assert(empty(ready)); ready ! 1 }
}

/* switch.c, unpark */
inline unpark()
{
	atomic { unparked++; assert(unparked <= taken) }
	if
	:: atomic { state == PARKING ->
#ifndef BUG_NO_NOTIFIED
		state = NOTIFIED
#else
		skip
#endif
		}
#ifdef BUG_NO_NOTIFIED
		make_ready()
#endif
	:: atomic { state != PARKING -> assert(state == PARKED) }
		make_ready()
	fi
}

/* lot.c, unqueue; the bucket's lock is held */
inline unqueue(why)
{
	queued = 0;
	result = why;
	taken++
}

/* The thread and the vproc that it leaves and comes back to. */
active proctype vproc()
{
	byte i = 0;
	bit interrupted = 0;

	do
	:: got < 2 || signals < 1 ->
		/* lot_begin */
		interrupted = 0;
#ifdef BUG_PENDING_FIRST
		interrupted = pending;
#endif
		seq++;
		key = 1;
#ifdef BUG_CHECK_BEFORE_LOCK
		if
		:: atomic { word > 0 -> word--; got++ }
			key = 0;
			goto next
		:: word == 0
		fi;
		LOCK;
#else
		LOCK;
		if
		:: atomic { word > 0 -> word--; got++; key = 0; locked = 0 }	/* lot_abort */
			goto next
		:: word == 0
		fi;
#endif
		/* lot_queue */
#ifndef BUG_PENDING_FIRST
		interrupted = pending;
#endif
		if
		:: interrupted -> result = SIGNAL; UNLOCK; goto out
		:: else
		fi;
#ifndef BUG_PARK_LATE
		state = PARKING;
#endif
		queued = 1;
		UNLOCK;
#ifdef BUG_PARK_LATE
		state = PARKING;
#endif
		/* lot_sleep: timer_set; park */
		if
		:: timer = seq
		:: skip
		fi;
		if
		:: state == PARKING ->		/* schedule(me, POST_PARK) */
			on_stack = 0;
			/* do_post */
			if
			:: atomic { state == PARKING -> state = PARKED }
			:: state != PARKING ->
#ifndef BUG_TOKEN_DROPPED
				make_ready()
#else
				skip
#endif
			fi;
			/* pick */
			ready ? 1;
			assert(!on_stack);
			on_stack = 1
		:: state != PARKING
		fi;
		state = RUNNING;
		timer = 0;			/* timer_clear: one that has been popped fires yet */
out:		key = 0;
		if
		:: atomic { result == SIGNAL && pending -> pending = 0; signals++ }
		:: else		/* or its signal has been seen before: callers ask what came */
		fi;
		assert(unparked == taken);
next:		i = 0
	:: got == 2 && signals == 1 -> break
	od;
	gone = 1
}

/* A release: word++, lot_wake(1).  lot_take under the lock, unpark after it. */
active [2] proctype waker()
{
	bit found = 0;

	word++;
	LOCK;
#ifndef BUG_TAKE_UNLOCKED
	if
	:: queued -> found = 1; unqueue(WOKEN)
	:: !queued
	fi;
	UNLOCK;
#else
	UNLOCK;
	if
	:: queued -> found = 1; unqueue(WOKEN)
	:: !queued
	fi;
#endif
	if
	:: found -> unpark()
	:: else
	fi
}

/* timer.c, timers_run, then lot.c, on_timeout: popped under the heap's lock, told later. */
active proctype timers()
{
	byte what = 0;
	bit mine = 0;

end:	do
	:: atomic { timer != 0 && timeouts < 2 -> what = timer; timer = 0; timeouts++ }
		if
		:: key ->
			LOCK;
#ifndef BUG_NO_SEQ
			mine = queued && seq == what;
#else
			mine = queued;
#endif
			if
			:: mine -> assert(seq == what); unqueue(TIMEOUT)
			:: else
			fi;
			UNLOCK;
			if
			:: mine -> unpark()
			:: else
			fi
		:: !key
		fi;
		mine = 0; what = 0
	:: gone -> break
	od
}

/* sigkill.c: pending is set first; lot.c, lot_interrupt */
active proctype signaller()
{
	bit mine = 0;

	pending = 1;
	if
	:: key ->
		LOCK;
		mine = queued;
		if
		:: mine -> unqueue(SIGNAL)
		:: else
		fi;
		UNLOCK;
		if
		:: mine -> unpark()
		:: else
		fi
	:: !key
	fi
}
