// SPDX-License-Identifier: BSD-2-Clause
/*
 * Vprocs that go to sleep, and work that comes meanwhile: "Wake states" in src/sched/vproc.h.
 *
 * Two vprocs; the first has a spare.  Threads (here: items, which only need to be run) are made
 * ready from outside, and by threads that run.  One of them announces that it blocks in the kernel, and
 * does so until all others are done, so a vproc must be taken over; one may compute as long.
 *
 * What must hold: every item is run.  Sleeps are waits, so a wake-up that is lost, or an item that
 * waits while all vprocs sleep, is an invalid end state; so is a thread that is run twice, which
 * leaves too few or too many.
 *
 * A spare lingers for half a second before it disarms, so an owner that relied on it has blocked by
 * then; but at once where the owner has announced itself (IS_FREE).  HASTY always disarms at once; then only the monitor
 * would find the block.
 *
 * check: -DNO_BLOCK -DITEMS=3
 * check: -DNO_BLOCK -DSPAWNS=1
 * A busy vproc looks into the poller when nobody sleeps there (LOOKS): somebody may have gone to sleep in
 * it meanwhile, and what comes for that one, events and kicks alike, comes to the busy one.
 *
 * The monitor finds what was lost all the same: with MONITOR what breaks the protocol in three ways does not.
 *
 * check: -DNO_BLOCK -DPOLLS
 * check: -DNO_BLOCK -DPOLLS -DCOMPUTES -DLOOKS
 * check:
 * check: -DCOMPUTES -DITEMS=3
 * check: -DMONITOR -DHASTY
 * check: -DMONITOR -DBUG_KICK_NO_ARM
 * check: -DMONITOR -DNO_BLOCK -DBUG_READ_IDLE_FIRST
 * break: -DNO_BLOCK -DPOLLS -DCOMPUTES -DLOOKS -DBUG_KICK_EATEN  who looks into the poller keeps a kick
 * break: -DNO_BLOCK -DBUG_NO_LAST_LOOK     it sleeps after it announced itself without looking once more
 * break: -DNO_BLOCK -DBUG_LOOK_FIRST       it looks before it announces itself
 * break: -DNO_BLOCK -DBUG_READ_IDLE_FIRST  a pusher reads the idle bits before it pushes
 * break: -DCOMPUTES -DITEMS=3 -DBUG_SEARCHER_SILENT  who found something in its look-round kicks nobody
 * break: -DCOMPUTES -DITEMS=3 -DBUG_BLOCK_NO_LOOK  an owner announces itself and blocks, with no look between
 * break: -DCOMPUTES -DITEMS=3 -DBUG_LATE_KICK  a kick that came after the vproc had woken by itself keeps the
 *        owner from announcing its next block
 * break: -DBUG_KICK_NO_ARM      a kick of a vproc whose owner is blocked arms no spare
 * break: -DHASTY                a spare disarms at the moment when an owner that relied on it blocks
 * break: -DNO_BLOCK -DPOLLS -DBUG_KICK_SLEEPS_FIRST  who kicks the poller looks whether it sleeps, then says so
 */
#ifndef ITEMS
#define ITEMS 2
#endif			/* from outside */
#ifndef SPAWNS
#define SPAWNS 0
#endif				/* made ready by a running one */
#define TOTAL (ITEMS + SPAWNS)

mtype = { AWAKE, KICKED, POLLING, SLEEPING, BLOCKED };

mtype wake[2] = AWAKE;		/* vproc.wake */
#define IS_FREE(w) (w == POLLING || w == SLEEPING || w == BLOCKED)	/* who has work for it kicks it */
bit idle[2];			/* sched.idle */
byte q[2];			/* run queue and inbox */
byte owner[2];			/* which activation */
bit armed = 0, arm_cmd = 0;	/* of vproc 0 */
bit tentative = 0;
bit blocked = 0;		/* the kernel has put the owner of vproc 0 to sleep */
byte nsearching = 0;
bit poller = 0, sleeps = 0, kicked = 0, eventfd = 0;

byte ndone = 0, spawns = SPAWNS, pushed = 0;
bit has_blocked = 0, has_computed = 0;
#define ALL_DONE (ndone == TOTAL)
#define NIDLE (idle[0] + idle[1])

/* spare.c, vproc_arm */
inline arm(v)
{
	if
	:: v == 0 ->
		if
		:: wake[0] == POLLING || wake[0] == SLEEPING
		:: else ->
			if
			:: atomic { !armed -> armed = 1; arm_cmd = 1 }
			:: else
			fi
		fi
	:: else
	fi
}

/* epoll.c, kick; idle.c, vproc_kick */
inline kick(v)
{
	if
	:: atomic { wake[v] == BLOCKED -> wake[v] = KICKED }
#ifndef BUG_KICK_NO_ARM
		arm(v)
#else
		skip
#endif
#ifdef POLLS
	:: atomic { wake[v] == POLLING -> wake[v] = KICKED }
#ifndef BUG_KICK_SLEEPS_FIRST
		kicked = 1;
		if
		:: sleeps -> eventfd = 1
		:: !sleeps
		fi
#else
		if
		:: sleeps -> kicked = 1; eventfd = 1
		:: !sleeps -> kicked = 1
		fi
#endif
#endif
	:: atomic { wake[v] != BLOCKED && wake[v] != POLLING -> wake[v] = KICKED }	/* a sleep waits for it */
	fi
}

/* idle.c, kick_one */
inline kick_one()
{
	if
	:: NIDLE == 0 || nsearching > 0
	:: else ->
		if
		:: atomic { idle[0] -> idle[0] = 0 } kick(0)
		:: atomic { !idle[0] && idle[1] -> idle[1] = 0 } kick(1)
		:: NIDLE == 0
		fi
	fi
}

/* spare.c, vproc_unannounce */
inline unannounce(v)
{
	if
	:: atomic { wake[v] == BLOCKED || wake[v] == KICKED -> wake[v] = AWAKE }
	:: else
	fi;
	idle[v] = 0
}

/* switch.c, ready_remote */
inline ready_remote(v)
{
#ifdef BUG_READ_IDLE_FIRST
	ok = NIDLE > 0;
	q[v]++;
	if
	:: ok -> kick_one(); ok = 0
	:: else
	fi
#else
	q[v]++;
	if
	:: wake[v] != AWAKE ->
		if
		:: atomic { idle[v] -> idle[v] = 0 } kick(v)
		:: !idle[v] -> kick_one()
		fi
	:: wake[v] == AWAKE -> kick_one()
	fi
#endif
}

proctype activation(byte me; byte v)
{
	bit got = 0, ok = 0, relies = 0;

	if
	:: me == 2 -> goto spare
	:: else
	fi;

own:	/* idle.c, find_work, look_round */
	nsearching++;
	if
	:: atomic { q[v] > 0 -> q[v]--; got = 1 }
	:: q[v] == 0 ->
		if
		:: atomic { q[1 - v] > 0 -> q[1 - v]--; got = 1 }
		:: q[1 - v] == 0
		fi
	fi;
	nsearching--;
	if
	:: got ->
#ifndef BUG_SEARCHER_SILENT
		if
		:: NIDLE > 0 && q[0] + q[1] > 0 -> kick_one()
		:: else
		fi;
#endif
		if
		:: wake[v] != AWAKE -> wake[v] = AWAKE
		:: else
		fi;
		got = 0;
		goto item
	:: else
	fi;
#ifdef BUG_LOOK_FIRST
	if
	:: q[0] == 0 -> (q[1] == 0) -> idle[v] = 1; goto sleep
	:: else -> goto own
	fi;
#endif
	idle[v] = 1;
#ifndef BUG_NO_LAST_LOOK
	if
	:: q[0] > 0 -> goto up
	:: q[0] == 0
	fi;
	if
	:: q[1] > 0 -> goto up
	:: q[1] == 0
	fi;
#endif
sleep:	/* idle.c, idle_sleep */
#ifdef POLLS
	if
	:: atomic { !poller -> poller = 1 }
		if
		:: atomic { wake[v] == AWAKE -> wake[v] = POLLING }
			/* epoll.c, poll_events */
			sleeps = 1;
			if
			:: atomic { kicked -> kicked = 0 }
			:: !kicked ->
				if
				:: eventfd -> eventfd = 0
				:: ALL_DONE
				fi
			fi;
			sleeps = 0;
			kicked = 0
		:: else
		fi;
		poller = 0;
		goto up
	:: poller
	fi;
#endif
	if
	:: atomic { wake[v] == AWAKE -> wake[v] = SLEEPING }
		wake[v] != SLEEPING || ALL_DONE
	:: else
	fi;
up:	idle[v] = 0;
	wake[v] = AWAKE;
	if
	:: ALL_DONE -> goto end
	:: else -> goto own
	fi;

item:	/* a thread */
#ifdef LOOKS
	/* idle.c, housekeeping; epoll.c, dispatch */
	if
	:: !poller ->
		if
		:: atomic { eventfd -> eventfd = 0 }
#ifndef BUG_KICK_EATEN
			if
			:: sleeps -> eventfd = 1
			:: !sleeps
			fi
#endif
		:: !eventfd
		fi
	:: poller
	fi;
#endif
	if
	:: atomic { spawns > 0 -> spawns-- }	/* it makes another ready: switch.c, ready_local */
		q[v]++;
		if
		:: NIDLE > 0 ->
			if
			:: kick_one()
			:: true		/* consider_kick: left to ourselves */
			fi
		:: NIDLE == 0
		fi;
		goto finish
	:: spawns == 0
#ifdef COMPUTES
	:: atomic { spawns == 0 && v == 1 && !has_computed -> has_computed = 1 }
		(ndone + has_blocked + 1 >= TOTAL)
#endif
#ifndef NO_BLOCK
	:: atomic { spawns == 0 && v == 0 && me == 0 && !has_blocked -> has_blocked = 1 }
		/* spare.c, announce */
		if
		:: armed -> relies = (q[0] > 0 || q[1] > 0)
		:: !armed -> relies = 0
		fi;
		if
		:: relies
		:: !relies ->
			if
#ifdef BUG_LATE_KICK
			:: atomic { wake[v] == AWAKE -> wake[v] = BLOCKED }
#else
			:: wake[v] = BLOCKED ->
#endif
				idle[v] = 1;
#ifndef BUG_BLOCK_NO_LOOK
				if
				:: q[0] > 0 || q[1] > 0 -> unannounce(v); arm(v)
				:: q[0] == 0 && q[1] == 0
				fi
#endif
#ifdef BUG_LATE_KICK
			:: wake[v] != AWAKE
#endif
			fi
		fi;
		blocked = 1;
		(ndone + has_computed + 1 >= TOTAL);
		blocked = 0;
		/* sched_end_block, rt_enter */
		!tentative;
		if
		:: owner[v] != me -> ready_remote(v); goto end
		:: owner[v] == me -> unannounce(v)
		fi
#endif
	fi;
finish:	atomic { ndone++; assert(ndone <= TOTAL) }
	goto own;

spare:	/* spare.c, spare_wait */
	if
	:: atomic { arm_cmd -> arm_cmd = 0 }
	:: ALL_DONE -> goto end
	fi;
watch:	/* spare.c, watch */
	if
	:: IS_FREE(wake[0]) -> goto disarm
	:: !IS_FREE(wake[0]) && blocked -> goto take_over
#ifdef HASTY
	:: !IS_FREE(wake[0]) && !blocked && q[0] == 0 -> goto disarm
#endif
	:: ALL_DONE -> goto end
	fi;
disarm:	armed = 0;
	if
	:: IS_FREE(wake[0]) -> goto spare
	:: else ->
		if
		:: q[0] == 0 && !blocked -> goto spare
		:: q[0] > 0 || blocked
		fi
	fi;
	if
	:: atomic { !armed -> armed = 1 } goto watch
	:: armed -> goto spare
	fi;
take_over:	/* takeover.pml has the details */
	if
	:: atomic { blocked -> tentative = 1 }
	:: else -> goto watch
	fi;
	idle[0] = 0;
	wake[0] = AWAKE;
	armed = 0;
	atomic { owner[0] = me; tentative = 0 }
	goto own;
end:	skip
}

proctype outside()
{
	bit ok = 0;
	byte v = 0;

	do
	:: pushed < ITEMS -> pushed++;
		if
		:: v = 0
		:: v = 1
		fi;
		ready_remote(v)
	:: pushed == ITEMS -> break
	od
}

/* monitor.c: looks every few milliseconds; what it waits for is what it does something about */
proctype monitor()
{
	bit ok = 0;

end:	do
	/* look_at_vproc, look_at_busy */
	:: blocked && !armed && (wake[0] == KICKED && q[0] + q[1] > 0 || q[0] > 0) -> arm(0)
	/* look_at_busy, idle_vprocs_serve */
	:: NIDLE > 0 && nsearching == 0 && q[0] + q[1] > 0 -> kick_one()
	:: ALL_DONE -> break
	od
}

init
{
	atomic {
		owner[0] = 0; owner[1] = 1;
		run activation(0, 0); run activation(1, 1);
#ifndef NO_BLOCK
		run activation(2, 0);
#endif
#ifdef MONITOR
		run monitor();
#endif
		run outside()
	}
}
