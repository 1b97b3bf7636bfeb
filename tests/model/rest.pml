// SPDX-License-Identifier: BSD-2-Clause
/*
 * How the monitor rests while all vprocs are idle, and is there again when one is not: rest, monitor_rouse, monitor_wake
 * and monitor_leave_doze in src/upcall/monitor.c; monitor_begin in src/sched/vproc.h; sched_confine in src/sched/start.c.
 *
 * A vproc works twice, and each time does not end before the monitor has looked at it.  It may find the monitor resting:
 * then it sets a timer, whose signal the monitor waits for; where there can be no timer (NO_TIMER) it wakes it.  Another
 * rings, once.  The process is confined at some moment: from then on there is a filter that ends it for a call that
 * libc's threads do not make.  What limits the monitor's waits, ten seconds, never comes here.
 *
 * What must hold: the vproc and who rings are looked at (else: an invalid end state); no strange call is made where the
 * filter is there.
 *
 * check:
 * check: -DNO_TIMER
 * break: -DBUG_LOOK_FIRST       the monitor looks at the vprocs before it says that it rests
 * break: -DNO_TIMER -DBUG_LOOK_FIRST
 * break: -DBUG_CALLED_IS_UP     who sends it the signal says that it is up, as who wakes it by the word does
 * break: -DBUG_WAKE_UNCOUNTED   who rings sends it the signal without counting itself
 * break: -DBUG_NO_LEAVE         who confines does not see to it that the monitor is out of its doze
 * break: -DBUG_DOZE_UNCOUNTED   the monitor says that it dozes without counting itself
 */
mtype = { UP, SLEEPS, DOZES, DUE, CALLED };

mtype rest = UP;
bit awake = 0;			/* the vproc */
bit bell = 0;
bit timer = 0, signalled = 0;	/* it is set; the signal, which is pending until it is waited for */
byte strange = 0;
bit confined = 0;

/* What only the proof knows. */
bit looked = 0, heard = 0;
bit filter = 0, is_over = 0;

#define STRANGE_CALL assert(!filter)

/* yes: it may be made. */
inline strange_begin(yes)
{
	strange++;
	yes = !confined;
	if
	:: !yes -> strange--
	:: else
	fi
}

inline call()
{
	atomic {
		if
		:: rest == DOZES || rest == DUE ->
#ifdef BUG_CALLED_IS_UP
			rest = UP;
#else
			rest = CALLED;
#endif
			sends = 1
		:: else -> sends = 0
		fi
	}
	if
	:: sends -> STRANGE_CALL; signalled = 1
	:: else
	fi
}

inline wake()
{
	atomic {
		found = rest;
		if
		:: rest == SLEEPS -> rest = UP
		:: else
		fi
	}
	if
	:: found == SLEEPS || found == UP
	:: else ->
#ifdef BUG_WAKE_UNCOUNTED
		call()
#else
		strange_begin(yes);
		if
		:: yes -> call(); strange--
		:: else			/* the confiner calls it */
		fi
#endif
	fi
}

inline rouse()
{
	atomic {
		found = rest;
		if
		:: rest == DOZES -> rest = DUE
		:: else
		fi
	}
	if
	:: found == SLEEPS -> wake()
	:: found == DOZES ->
		strange_begin(yes);
		if
		:: yes -> STRANGE_CALL;
			if
			:: timer = 1
			:: call()	/* the timer is gone */
			fi;
			strange--
		:: else			/* the confiner calls it */
		fi
	:: else
	fi
}

active proctype vproc()
{
	byte n = 0;
	mtype found;
	bit sends, yes;

	do
	:: n < 2 ->
		looked = 0;
		awake = 1;
		if
		:: rest == SLEEPS || rest == DOZES -> rouse()
		:: else
		fi;
		looked;
		awake = 0;
		n++
	:: else -> break
	od;
	(heard && filter);
	is_over = 1
}

active proctype ringer()
{
	mtype found;
	bit sends, yes;

	bell = 1;
	if
	:: rest != UP -> wake()
	:: else
	fi
}

active proctype kernel()
{
end:	do
	:: timer -> atomic { timer = 0; signalled = 1 }
	od
}

active proctype confiner()
{
	bit sends;

	confined = 1;
	strange == 0;
#ifndef BUG_NO_LEAVE
	do
	:: rest == UP || rest == SLEEPS -> break
	:: else -> call();
		(rest == UP || rest == SLEEPS || rest == DOZES || rest == DUE)
	od;
#endif
	filter = 1
}

active proctype monitor()
{
	bit yes, dozes, may_rest;

	do
	:: is_over -> break
	:: else ->
		if
		:: awake -> looked = 1
		:: else
		fi;
		if
		:: bell -> bell = 0; heard = 1
		:: else
		fi;
		/* It rests, at some look that finds nothing to do. */
#ifdef BUG_LOOK_FIRST
		may_rest = !awake && !bell;
#endif
		dozes = 0;
		strange_begin(yes);
#ifndef NO_TIMER
		dozes = yes;
#endif
#ifdef BUG_DOZE_UNCOUNTED
		if
		:: yes -> strange--
		:: else
		fi;
#endif
		if
		:: dozes -> rest = DOZES
		:: else -> rest = SLEEPS
		fi;
#ifndef BUG_DOZE_UNCOUNTED
		if
		:: yes -> strange--
		:: else
		fi;
#endif
#ifndef BUG_LOOK_FIRST
		may_rest = !awake && !bell;
#endif
		if
		:: may_rest && dozes ->
			STRANGE_CALL;
			atomic { signalled || is_over -> signalled = 0 }
		:: may_rest && !dozes ->
			(rest != SLEEPS || is_over)
		:: else
		fi;
		rest = UP
	od
}
