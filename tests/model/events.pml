// SPDX-License-Identifier: BSD-2-Clause
/*
 * The stream of events (upcall_reports_open(3)): src/upcall/events.c, and who looks (src/sched/idle.c).
 *
 * One vproc.  A thread of the program's that it runs holds both kinds back, posts an event itself, and lets them
 * come again ("unmask and wait for the next"); then it yields, as long as something is to come.  Two others post
 * an event of each kind, and there is room for one of each, so some find none.  The handler takes two steps.
 *
 * The owner looks at a switch when looks_left is 0, which who posts sees to, racily; a tick of the monitor's makes
 * up for that.  So it does when it is about to look for work, before it sleeps.
 *
 * What must hold: the handler is called by one at a time, the owner; for no kind that is held back; of the kinds
 * that wait the most important first; once for each event, but those that found no room, which are counted
 * and told; when the unmasking call returns, what had waited has been delivered; none waits for ever on a vproc
 * whose threads switch (else: an invalid end state); after a close that has returned the handler is not called.
 *
 * A vproc that is about to sleep says so, then looks once more (SLEEPS); who posts, or clears the mask, looks whether
 * it has said so, and wakes it.  Who holds back kinds of another vproc waits for the delivery that goes on (OTHER_MASKS).
 * A new handler is told nothing of what waited when there was none (REOPENS).
 *
 * What computes there does not switch (COMPUTES): the monitor sends it a signal while something is to come, whose handler
 * delivers.
 *
 * check:
 * check: -DCLOSES
 * check: -DPOSTS=2
 * check: -DOTHER_UNMASKS
 * check: -DOTHER_MASKS
 * check: -DSLEEPS
 * check: -DOTHER_UNMASKS -DSLEEPS
 * check: -DREOPENS
 * check: -DCOMPUTES
 * check: -DCOMPUTES -DPOSTS=2
 * check: -DCOMPUTES -DCLOSES
 * break: -DCOMPUTES -DBUG_NO_POKE  the monitor does not
 * break: -DSLEEPS -DBUG_NO_KICK        who posts does not wake it
 * break: -DSLEEPS -DBUG_NO_LAST_LOOK   it does not look once more when it has said that it sleeps
 * break: -DOTHER_UNMASKS -DSLEEPS -DBUG_NO_KICK  who clears the mask does not
 * break: -DOTHER_MASKS -DBUG_MASK_NO_WAIT  who holds kinds back does not wait for the delivery that goes on
 * break: -DOTHER_MASKS -DBUG_MASK_EARLY    the mask is read before the lock is taken, and before the delivery is counted
 * break: -DREOPENS -DBUG_KEEPS         what waits when there is no handler is kept for the next one
 * break: -DBUG_NO_DELIVERY  who unmasks does not deliver what waits
 * break: -DBUG_DELIVERS_FIRST  it delivers, then unmasks
 * break: -DBUG_NO_LOOK      who posts for another vproc does not have it look, and the tick does not either
 * break: -DBUG_POSTER_DELIVERS  who posts delivers, though it is not the owner
 * break: -DBUG_UNLOCKED     events are put and taken without the lock
 * break: -DBUG_ANY_ORDER    the least important one is taken first
 * break: -DBUG_MASK_UNSEEN  deliveries do not look at the mask
 * break: -DBUG_UNCOUNTED    who finds no room does not count that
 * break: -DCLOSES -DBUG_CLOSE_NO_WAIT    a close does not wait for deliveries that are going on
 * break: -DCLOSES -DBUG_CLOSE_WAITS_FIRST  it waits, then says so
 * break: -DCLOSES -DBUG_COUNT_LATE       a delivery looks whether it is open, then counts itself
 */
#ifndef POSTS
#define POSTS 1			/* of each kind, by each of the others */
#endif
#define KINDS 2			/* 0 is the more important */
#define ROOM 1
#define POSTERS 2

bit locked = 0;			/* queue.lock */
byte head[KINDS], tail[KINDS], lost[KINDS];	/* queue.kinds */
byte says_lost[KINDS];		/* upcall_report.lost of the one that waits */
bit mask[KINDS];		/* queue.mask: one word */
bit open = 1;			/* events_open */
byte deliveries = 0;
bit look_due = 0;		/* vproc.looks_left is 0 */
bit asleep = 0;			/* vproc.wake */
bit poked = 0;			/* a signal of the monitor's is on its way */

/* What only the proof knows. */
byte posted[KINDS], delivered[KINDS], told[KINDS], nposters = POSTERS;
bit in_handler = 0, closed = 0, held = 0, is_unmasked = 0;
bit stale[KINDS];		/* what waits was posted before the handler was there */

#define WAITS(k) (tail[k] != head[k])
#define DUE(k) (WAITS(k) && !mask[k])
#define IS_OVER (nposters == 0 && (closed || !DUE(0) && !DUE(1)) && UNMASKED)
#ifdef OTHER_UNMASKS
#define UNMASKED is_unmasked
#else
#define UNMASKED true
#endif

#ifdef BUG_UNLOCKED
#define LOCK skip
#define UNLOCK skip
#else
#define LOCK atomic { !locked -> locked = 1 }
#define UNLOCK locked = 0
#endif

/* events.c, events_put but for what comes last */
inline put(k)
{
	posted[k]++;
	LOCK;
	n = tail[k];
	if
	:: n - head[k] == ROOM ->
#ifndef BUG_UNCOUNTED
		lost[k]++
#else
		skip
#endif
	:: else ->
		atomic { says_lost[k] = lost[k]; lost[k] = 0; stale[k] = 0 }
		tail[k] = n + 1
	fi;
	n = 0;
	UNLOCK
}

/* events.c, take; got is KINDS if there is none */
inline take()
{
#ifdef BUG_MASK_EARLY
	LOCK;
#else
	LOCK;
	atomic { m0 = mask[0]; m1 = mask[1] }
#endif
	got = KINDS;
	if
#ifdef BUG_ANY_ORDER
	:: WAITS(1) && !m1 -> got = 1
	:: !(WAITS(1) && !m1) && WAITS(0) && !m0 -> got = 0
#elif defined(BUG_MASK_UNSEEN)
	:: WAITS(0) -> got = 0
	:: !WAITS(0) && WAITS(1) -> got = 1
#else
	:: WAITS(0) && !m0 -> got = 0
	:: !(WAITS(0) && !m0) && WAITS(1) && !m1 -> got = 1
#endif
	:: else
	fi;
	if
	:: got < KINDS ->
		assert(got == 0 || m0 || !WAITS(0));
		n = head[got];
		assert(!stale[got]);
		atomic { told[got] = told[got] + says_lost[got]; says_lost[got] = 0 }
		head[got] = n + 1
	:: else
	fi;
	n = 0;
	UNLOCK
}

/* events.c, events_deliver */
inline deliver()
{
#ifdef BUG_MASK_EARLY
	atomic { m0 = mask[0]; m1 = mask[1] }
#endif
#ifndef BUG_COUNT_LATE
	deliveries++;
#endif
	do
	:: !open -> break
	:: open ->
#ifdef BUG_COUNT_LATE
		deliveries++;
#endif
		take();
#ifdef BUG_COUNT_LATE
		if
		:: got == KINDS -> deliveries--; break
		:: else
		fi;
#else
		if
		:: got == KINDS -> break
		:: else
		fi;
#endif
		atomic { assert(!in_handler && !closed && !held); in_handler = 1; delivered[got]++ }
		in_handler = 0;
#ifdef BUG_COUNT_LATE
		deliveries--
#endif
	od;
	atomic { got = 0; m0 = 0; m1 = 0 }
#ifndef BUG_COUNT_LATE
	deliveries--
#endif
}

/* events.c, ask_to_look */
inline ask_to_look()
{
	if
#ifndef BUG_NO_KICK
	:: atomic { asleep -> asleep = 0 }
#endif
	:: else -> look_due = 1
	fi
}

inline check_all_are_there(k)
{
	assert(posted[k] == delivered[k] + told[k] + lost[k] + (WAITS(k) -> 1 + says_lost[k] : 0))
}

/* They are out of the account. */
inline forget(k)
{
	posted[k] = posted[k] - lost[k] - (WAITS(k) -> 1 + says_lost[k] : 0);
	head[k] = tail[k]; lost[k] = 0; says_lost[k] = 0; stale[k] = 0
}

active proctype vproc()
{
	byte n = 0, got = 0, before0 = 0, before1 = 0;
	bit m0 = 0, m1 = 0, left = 0;

#ifndef OTHER_MASKS
	/* upcall_reports_mask, by a thread that this vproc runs */
	atomic { mask[0] = 1; mask[1] = 1 }
	deliver();
#ifndef OTHER_UNMASKS
	held = 1;
#endif
	put(1);
	deliver();
#ifndef OTHER_UNMASKS
	atomic { held = 0; before0 = tail[0]; before1 = tail[1] }
#ifdef BUG_DELIVERS_FIRST
	deliver();
	atomic { mask[0] = 0; mask[1] = 0 }
#else
	atomic { mask[0] = 0; mask[1] = 0 }
#ifndef BUG_NO_DELIVERY
	deliver();
#endif
#endif
#ifndef REOPENS
	assert(!open || (head[0] >= before0 && head[1] >= before1));
#endif
	atomic { before0 = 0; before1 = 0 }
#endif
#endif
#ifdef COMPUTES
	/* preempt.c, on_signal */
	do
	:: poked -> poked = 0; deliver()
	:: IS_OVER && !poked -> break
	od;
#endif
	do
	/* switch.c, schedule_as; idle.c, vproc_look */
	:: look_due ->
		left = look_due;
		look_due = 0;
		if
		:: left -> deliver()
		:: !left
		fi;
		left = 0
#ifdef SLEEPS
	/* idle.c, find_work */
#ifdef OTHER_UNMASKS
	:: nposters == 0 ->
#else
	:: true ->
#endif
		deliver();
		asleep = 1;
		if
#ifndef BUG_NO_LAST_LOOK
		:: atomic { DUE(0) || DUE(1) -> asleep = 0 }
#endif
		:: else -> atomic { !asleep || IS_OVER -> asleep = 0 }
		fi
#endif
	:: IS_OVER -> break
	od;
	check_all_are_there(0);
	check_all_are_there(1)
}

/* Another vproc, or the monitor. */
active [POSTERS] proctype poster()
{
	byte n = 0, got = 0, times = POSTS;
	bit m0 = 0, m1 = 0;

	do
	:: times > 0 -> times--;
		if
		:: open -> put(0)
		:: !open
		fi;
#ifdef BUG_POSTER_DELIVERS
		deliver();
#endif
#ifndef BUG_NO_LOOK
		ask_to_look();
#endif
		if
		:: open -> put(1)
		:: !open
		fi;
#ifndef BUG_NO_LOOK
		ask_to_look()
#endif
	:: times == 0 -> break
	od;
	nposters--
}

#ifndef BUG_NO_LOOK
/* monitor.c, look_at_vproc: a vproc that is awake */
active proctype monitor()
{
end:	do
	:: atomic { !asleep && (DUE(0) || DUE(1)) && !look_due -> look_due = 1 }
#if defined(COMPUTES) && !defined(BUG_NO_POKE)
	:: atomic { (DUE(0) || DUE(1)) && !poked -> poked = 1 }
#endif
	od
}
#endif

/* upcall_reports_mask for a vproc that is not the caller's */
#if defined(OTHER_MASKS) || defined(OTHER_UNMASKS)
active proctype other()
{
#ifdef OTHER_MASKS
	LOCK;
	atomic { mask[0] = 1; mask[1] = 1 }
	UNLOCK;
#ifndef BUG_MASK_NO_WAIT
	deliveries == 0;
#endif
	held = 1;
#else
#ifdef SLEEPS
	asleep;
#endif
	LOCK;
	atomic { mask[0] = 0; mask[1] = 0 }
	UNLOCK;
	ask_to_look();
	is_unmasked = 1
#endif
}
#endif

#if defined(CLOSES) || defined(REOPENS)
/* upcall_reports_open(NULL) */
active proctype closer()
{
#ifdef BUG_CLOSE_WAITS_FIRST
	deliveries == 0;
	open = 0;
#else
	open = 0;
#ifndef BUG_CLOSE_NO_WAIT
	deliveries == 0;
#endif
#endif
	closed = 1;
#ifdef REOPENS
	atomic { closed = 0; stale[0] = WAITS(0); stale[1] = WAITS(1) }
	/* events.c, forget_all */
	LOCK;
#ifndef BUG_KEEPS
	atomic { forget(0); forget(1) }
#endif
	UNLOCK;
	open = 1
#endif
}
#endif
