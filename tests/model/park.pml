// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parking: a thread waits in the parking lot (src/sync/lot.c), leaves its stack (src/sched/switch.c),
 * and is woken by a waker, by its timer, by a signal, or by several at once.
 *
 * One thread waits for a token as a futex would; two wakers give one each; its timer may fire late,
 * when the thread is in its next wait already; a signal ends a wait once, sent by another thread, or
 * taken by a handler of the waiter's own kernel thread while it is inside the runtime.  A USER thread
 * keeps the bucket's lock until it is off its stack; with BOUND it sleeps on a futex instead.  The
 * vproc that the thread leaves and the queue it comes back by are one process, `vproc`, which runs
 * whatever is ready.
 *
 * What must hold: the thread is unparked once for each time it was taken out of the queue; it is on
 * the ready queue once and is run only when its registers are saved; a late timer ends no wait but
 * its own; it gets both tokens and the signals (else: an invalid end state).
 *
 * check:
 * check: -DBOUND
 * break: -DBUG_UNLOCK_EARLY     the bucket's lock is dropped before the stack is left
 * break: -DBUG_NO_SEQ           a timer does not compare the number of the wait
 * break: -DBUG_TAKE_UNLOCKED    whoever takes it out of the queue does not hold the lock
 * break: -DBUG_CHECK_BEFORE_LOCK  the word is compared before the bucket's lock is held
 * break: -DBUG_HANDLER_UNSEEN   nobody looks for what a handler left after that
 * break: -DBOUND -DBUG_PARK_LATE  it becomes visible to wakers before it says PARKING
 */
mtype = { RUNNING, PARKING, NOTIFIED, PARKED, READY };
mtype = { WOKEN, TIMEOUT, SIGNAL };

mtype state = RUNNING;		/* thread.state */
mtype result;			/* thread.wait_result */
bit queued = 0;			/* thread.wait_queued, guarded by `locked` */
bit locked = 0;			/* the bucket's lock */
bit key = 0;			/* thread.wait_key is set */
byte seq = 0;			/* thread.wait_seq */
byte pending = 0;		/* PEND_SIGNAL, how many */
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
#ifdef BOUND
	atomic { assert(state == PARKING); state = NOTIFIED }
#else
	assert(state == PARKED);
	make_ready()
#endif
}

/* lot.c, unqueue; the bucket's lock is held */
inline unqueue(why)
{
	queued = 0;
	result = why;
	taken++
}

/* lot.c, lot_interrupt */
inline interrupt()
{
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
		fi;
		mine = 0
	:: !key
	fi
}

/* The thread and the vproc that it leaves and comes back to. */
active proctype vproc()
{
	byte i = 0;
	bit interrupted = 0, mine = 0;

	do
	:: got < 2 || signals < 2 ->
		/* lot_begin */
		interrupted = 0;
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
		interrupted = (pending > 0);
		if
		:: interrupted -> result = SIGNAL; UNLOCK; goto out
		:: else
		fi;
#ifdef BOUND
#ifdef BUG_PARK_LATE
		queued = 1;
		UNLOCK;
		state = PARKING;
#else
		state = PARKING;
		queued = 1;
		UNLOCK;
#endif
		/* lot_sleep, bound_sleep: a futex that a change of `pending` ends too */
		if
		:: state != PARKING
		:: pending > 0 ->
			interrupted = (pending > 0);
			LOCK;
			mine = queued;
			if
			:: mine && interrupted -> queued = 0; result = SIGNAL
			:: mine && !interrupted -> queued = 0; result = TIMEOUT
			:: else
			fi;
			UNLOCK;
			if
			:: !mine -> state != PARKING
			:: else
			fi;
			mine = 0
		fi;
		state = RUNNING;
#else
		queued = 1;
#ifdef BUG_UNLOCK_EARLY
		UNLOCK;
#endif
		/* lot_sleep: timer_set; park */
		if
		:: timer = seq
		:: skip
		fi;
		on_stack = 0;			/* schedule(me, POST_PARK) */
		/* finish_park */
		interrupted = (pending > 0);
		state = PARKED;
#ifndef BUG_UNLOCK_EARLY
		UNLOCK;
#endif
#ifndef BUG_HANDLER_UNSEEN
		if
		:: interrupted -> interrupt()
		:: else
		fi;
#endif
		/* pick */
		ready ? 1;
		assert(!on_stack);
		on_stack = 1;
		state = RUNNING;
		timer = 0;			/* timer_clear: one that has been popped fires yet */
#endif
out:		key = 0;
		if
		:: atomic { result == SIGNAL && pending -> signals = signals + pending; pending = 0 }
		:: else		/* or its signal has been seen before: callers ask what came */
		fi;
		assert(unparked == taken);
next:		i = 0
	:: got == 2 && signals == 2 -> break
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
	:: atomic { timer != 0 && timeouts < 1 -> what = timer; timer = 0; timeouts++ }
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

/* sigkill.c: pending is set first */
active proctype signaller()
{
	bit mine = 0;

	pending++;
	interrupt()
}

/* sigdeliver.c, defer: a handler on the waiter's own kernel thread only leaves a note */
active proctype handler()
{
	bit mine = 0;

	if
	:: atomic { on_stack -> pending++ }
	:: atomic { !on_stack -> pending++ }	/* it has left: the sender ends its wait */
		interrupt()
	fi
}
