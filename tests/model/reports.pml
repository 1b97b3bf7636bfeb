// SPDX-License-Identifier: BSD-2-Clause
/*
 * The wait for an event (upcall_reports_wait(3)): src/native/reports.c, and how who delivers one tells those who wait
 * (src/upcall/events.c, src/sched/idle.c, spare.c and preempt.c).  What comes before, the queue and its mask, is
 * events.pml's: here each is one step.
 *
 * The kind is held back but for the wait.  In each round one event is posted, at any moment: before the wait, so that
 * it is queued, or during it.  It is posted from elsewhere; or by the vproc's owner, as those of timers are
 * (OWNER_POSTS).  The waiter runs on another vproc, or on the one whose events it waits for (OWN), and has that back
 * when it is picked there.  What else runs on the vproc does the worst it can: it computes, or waits in a call that it
 * has announced, until the waiter is through; or there is nothing, and the vproc sleeps.
 *
 * What must hold: each wait ends (else: an invalid end state), with an event delivered since it was begun; or, at its
 * time limit (DEADLINE), with none.  Without a mask (UNMASKED) those who wait at the same time are all told.
 *
 * check:
 * check: -DOWN
 * check: -DOWNER_POSTS
 * check: -DOWNER_POSTS -DOWN
 * check: -DDEADLINE
 * check: -DDEADLINE -DOWNER_POSTS
 * check: -DUNMASKED -DWAITERS=2
 * check: -DUNMASKED -DWAITERS=2 -DOWNER_POSTS
 * break: -DBUG_NO_SECOND_LOOK    the word is not looked at again under the lock of its bucket
 * break: -DBUG_TOLD_LATE         who delivers counts it before those who wait are told
 * break: -DBUG_SEEN_LATE         who waits looks whether it is told, then reads the word
 * break: -DBUG_COUNT_LATE        who waits counts itself when it has looked
 * break: -DBUG_NO_KICK           who lets the kind come does not wake the vproc
 * break: -DBUG_NOT_TOLD          who delivers tells nobody
 * break: -DOWN -DBUG_TELLS_AT_ONCE  it does amid a delivery, perhaps with the bucket's lock
 * break: -DUNMASKED -DWAITERS=2 -DBUG_WAKES_ONE  it tells one
 * break: -DDEADLINE -DBUG_LATE_IS_NONE  who has slept as long as it may does not look again
 * break: -DDEADLINE -DBUG_NO_AWAIT  a delivery goes on when the mask is back
 * break: -DOWNER_POSTS -DBUG_SLEEPS_WITH_NEWS  the vproc sleeps with what it has not told yet
 * break: -DBUG_BLOCKS_WITH_EVENTS   it is announced as blocked, with what it has not delivered yet
 * break: -DOWNER_POSTS -DBUG_BLOCKS_WITH_NEWS  or told
 * break: -DBUG_HANDLER_KEEPS_NEWS   the handler of the monitor's signal delivers, and does not tell
 * break: -DOWNER_POSTS -DBUG_NO_POKE_FOR_NEWS  the monitor sends it only for what is not delivered
 */
#ifndef WAITERS
#define WAITERS 1
#endif
#if defined(UNMASKED) || defined(DEADLINE)
#define ROUNDS 1
#else
#define ROUNDS 2
#endif

mtype = { AWAKE, SLEEPING, BLOCKED, KICKED };
mtype = { WOKEN, TIMEOUT };

/* events.c, struct queue */
bit waits = 0;			/* an event is queued */
#ifdef UNMASKED
bit mask = 0;
#else
bit mask = 1;
#endif
byte delivered = 0, waiters = 0;
bit is_news = 0, delivers = 0;
bit waiting[WAITERS], taken[WAITERS], told[WAITERS];	/* struct events_waiter */

mtype wake = AWAKE;		/* of the vproc */
bit idle = 0;			/* its bit in sched.idle */
bit armed = 0;
bit looks_due = 0;		/* looks_left is 0 */
bit poll_due = 0;
bit poked = 0;			/* a signal of the monitor's is on its way */

bit locked = 0;			/* the bucket's lock */
bit queued[WAITERS], ready[WAITERS];
mtype result[WAITERS];
#ifdef OWN
bit runs = 1;			/* it has the vproc */
#else
bit runs = 0;
#endif

/* What only the proof knows. */
byte to_post = 0, handled = 0, ndone = 0, ncalling = 0;
bit in_vain = 0;		/* a signal of the monitor's, which sends it at each tick; once is enough to see that */

#define OVER (ndone == WAITERS)
#define DUE (waits && !mask)
#define LOCK atomic { !locked -> locked = 1 }
#define UNLOCK locked = 0
#ifdef OWNER_POSTS
#define TIMER_DUE (to_post > 0)
#else
#define TIMER_DUE false
#endif

/* lot.c, lot_wake */
inline wake_waiters()
{
	LOCK;
	i = 0;
	do
	:: i < WAITERS ->
		if
		:: queued[i] -> queued[i] = 0; result[i] = WOKEN; ready[i] = 1;
#ifdef BUG_WAKES_ONE
			break
#endif
		:: !queued[i]
		fi;
		i++
	:: i == WAITERS -> break
	od;
	i = 0;
	UNLOCK
}

#if WAITERS == 2
#define FOR_EACH(what, from) what[0] = what[0] || from[0]; what[1] = what[1] || from[1]
#else
#define FOR_EACH(what, from) what[0] = what[0] || from[0]
#endif

/* events.c, note_delivery: under the queue's lock */
inline tell_taken()
{
	if
	:: waiters > 0 -> FOR_EACH(told, taken)
	:: waiters == 0
	fi
}

/* events.c, events_deliver and note_delivery; by the owner */
inline deliver()
{
	do
	:: atomic { DUE -> waits = 0; delivers = 1; FOR_EACH(taken, waiting) }
#ifdef BUG_TOLD_LATE
		atomic { handled++; delivered++; delivers = 0 }
		atomic { tell_taken() }
#else
		atomic { handled++; tell_taken() }
		atomic { delivered++; delivers = 0 }
#endif
		if
		:: waiters > 0 ->
#ifdef BUG_TELLS_AT_ONCE
			wake_waiters()
#else
			atomic { is_news = 1; poll_due = 1; looks_due = 1 }
#endif
		:: waiters == 0
		fi
	:: !DUE -> break
	od
}

/* events.c, events_tell; by the owner, with no lock */
inline tell()
{
	deliver();
	if
	:: is_news -> is_news = 0;
#ifndef BUG_NOT_TOLD
		wake_waiters()
#endif
	:: else
	fi
}

/* timer.c, timers_run, and events_put by the owner */
inline timers()
{
	if
	:: atomic { TIMER_DUE -> to_post--; waits = 1 } deliver()
	:: !TIMER_DUE
	fi
}

/* spare.c, vproc_arm: if it is blocked, it is taken over soon */
inline arm() { armed = 1 }

/* idle.c, vproc_kick */
inline kick()
{
	atomic { was = wake; wake = KICKED }
	if
	:: was == BLOCKED -> arm()
	:: else
	fi;
	was = AWAKE
}

/* events.c, ask_to_look */
inline ask_to_look()
{
	if
	:: atomic { idle -> idle = 0 } kick()
	:: !idle -> looks_due = 1
	fi
}

/* The owner lets the waiter have the vproc, and has it back. */
inline pick()
{
#ifdef OWN
	if
	:: atomic { ready[0] -> ready[0] = 0; runs = 1 } !runs
	:: !ready[0]
	fi
#else
	skip
#endif
}

/* switch.c, look_and_pick; idle.c, housekeeping */
inline switch_threads()
{
	if
	:: looks_due -> looks_due = 0; deliver();
		if
		:: poll_due -> poll_due = 0; tell(); timers()
		:: !poll_due
		fi
	:: !looks_due
	fi;
	pick()
}

active proctype vproc()
{
	byte i = 0;
	mtype was = AWAKE;

#ifdef OWN
	!runs;
#endif
	do
	:: OVER -> break
	:: else ->
		if
		:: switch_threads()
		:: goto computes
		:: goto idles
		:: goto blocks
		fi;
		goto next;
computes:	/* preempt.c, on_signal; or it gives way to what is ready, or for a timer */
		do
		:: poked -> poked = 0; deliver();
#ifndef BUG_HANDLER_KEEPS_NEWS
			tell();
#endif
			in_vain = is_news
		:: TIMER_DUE -> looks_due = 1; poll_due = 1; switch_threads()
#ifdef OWN
		:: ready[0] -> pick()
#endif
		:: OVER -> break
		od;
		goto next;
idles:		/* idle.c, find_work */
		tell();
		timers();
		pick();
		idle = 1;
		if
		:: DUE
#ifndef BUG_SLEEPS_WITH_NEWS
		:: is_news && !DUE
#endif
		:: else ->
			/* idle_sleep */
			if
			:: atomic { wake == AWAKE -> wake = SLEEPING }
				wake != SLEEPING || TIMER_DUE || OVER
			:: wake != AWAKE
			fi
		fi;
		idle = 0;
		wake = AWAKE;
		if
		:: goto idles
		:: goto next
		fi;
blocks:		/* spare.c, announce */
		atomic { was = wake; wake = BLOCKED }
		was = AWAKE;
		idle = 1;
		if
		:: TIMER_DUE
#ifndef BUG_BLOCKS_WITH_EVENTS
		:: DUE && !TIMER_DUE
#endif
#ifndef BUG_BLOCKS_WITH_NEWS
		:: is_news && !DUE && !TIMER_DUE
#endif
		:: else -> goto waits_in_call
		fi;
		wake = AWAKE;
		idle = 0;
		arm();
waits_in_call:	if
		:: OVER -> goto next
		:: armed || TIMER_DUE
		fi;
		/* take_over, by the spare, which is the owner from here on; run_after_block, or find_work */
		idle = 0;
		wake = AWAKE;
		armed = 0;
		deliver();
		pick();
		if
		:: goto computes
		:: goto idles
		fi;
next:		skip
	od
}

/* events.c, events_wait_begin and events_wait_end, but for the count */
inline set_mask(m)
{
#ifndef UNMASKED
	atomic { mask = m; waiting[_pid - 1] = !m }
#ifdef OWN
	deliver()
#else
#ifndef BUG_NO_KICK
	ask_to_look();
#endif
#ifndef BUG_NO_AWAIT
	!m || !delivers
#endif
#endif
#else
	waiting[_pid - 1] = !m
#endif
}

active [WAITERS] proctype waiter()
{
	byte i = 0, seen = 0, round = 0, before = 0;
	bit is_late = 0;
	mtype was = AWAKE;

	do
	:: round == ROUNDS -> break
	:: round < ROUNDS ->
#ifndef UNMASKED
		to_post++;
#endif
again:		/* upcall_reports_wait */
		atomic { before = handled; taken[_pid - 1] = 0; told[_pid - 1] = 0 }
#ifndef BUG_COUNT_LATE
		waiters++;
#endif
		set_mask(0);
#ifdef UNMASKED
		atomic { ncalling++;
			if
			:: ncalling == WAITERS -> to_post++
			:: else
			fi }
#endif
		is_late = 0;
		/* wait_until_told */
		do
		:: true ->
#ifndef BUG_SEEN_LATE
			seen = delivered;
#endif
			if
#ifdef BUG_LATE_IS_NONE
			:: atomic { is_late -> assert(!told[_pid - 1]) } break
			:: !is_late && told[_pid - 1] -> break
#else
			:: told[_pid - 1] -> is_late = 0; break
			:: atomic { !told[_pid - 1] && is_late -> assert(handled == before) } break
#endif
			:: !told[_pid - 1] && !is_late
			fi;
#ifdef BUG_SEEN_LATE
			seen = delivered;
#endif
			/* lot_wait_word */
			LOCK;
#ifndef BUG_NO_SECOND_LOOK
			if
			:: delivered != seen -> UNLOCK; goto looked
			:: else
			fi;
#endif
#ifdef BUG_COUNT_LATE
			waiters++;
#endif
			queued[_pid - 1] = 1;
#ifdef OWN
			/* it leaves its stack, with the lock: look_and_pick */
			if
			:: looks_due -> looks_due = 0; deliver()
			:: !looks_due
			fi;
			UNLOCK;
			runs = 0;
			runs;
#else
			UNLOCK;
			ready[_pid - 1];
			ready[_pid - 1] = 0;
#endif
			is_late = (result[_pid - 1] == TIMEOUT);
looked:			skip
		od;
		assert(is_late || handled > before);
		set_mask(1);
		if
		:: waiters > 0 -> waiters--
		:: else
		fi;
		if
		:: handled == round -> is_late = 0; goto again
		:: else
		fi;
		is_late = 0;
		round++
	od;
	atomic { ndone++; runs = 0 }
}

/* monitor.c, have_it_hear: a vproc that is awake */
active proctype monitor()
{
end:	do
	:: atomic { (wake == AWAKE || wake == KICKED) && !poked &&
#ifdef BUG_NO_POKE_FOR_NEWS
		DUE
#else
		(DUE || is_news && !in_vain)
#endif
		-> poked = 1; looks_due = 1 }
	od
}

#ifndef OWNER_POSTS
/* events.c, events_put */
active proctype poster()
{
	mtype was = AWAKE;
	bit is_masked = 0;

end:	do
	:: atomic { to_post > 0 -> to_post--; waits = 1; is_masked = mask }
		if
		:: !is_masked -> ask_to_look()
		:: is_masked
		fi;
		is_masked = 0
	od
}
#endif

#ifdef DEADLINE
/* lot.c, on_timeout */
active proctype limit()
{
	byte ntimeouts = 1;

end:	do
	:: atomic { ntimeouts > 0 && queued[0] -> ntimeouts-- }
		LOCK;
		if
		:: queued[0] -> queued[0] = 0; result[0] = TIMEOUT; ready[0] = 1
		:: else
		fi;
		UNLOCK
	od
}
#endif
