// SPDX-License-Identifier: BSD-2-Clause
/*
 * A spare takes a vproc over whose owner is blocked: "Ownership" in src/sched/vproc.h.
 *
 * One vproc, two or three activations, two threads that enter the runtime, switch, and block in the kernel;
 * a second vproc that steals threads and gives them back; a monitor that arms.  The event source may
 * say "blocked" of an owner that is not (late, doubled and swapped events look like that), as long
 * as FALSE_EVENTS last.  With TSO owner and spare are on different CPUs, and a store waits in the
 * owner's store buffer while its later loads go ahead; without, they share one.
 *
 * What must hold: data of the owner's is touched by the owner only, and by one at a time; a thread
 * is run by one activation at a time; every thread comes to its end though thread 0's first block
 * lasts until all others are done (so whoever should have taken the vproc over must have done it).
 * A yield loop is a wait for what it looks at: a wake-up that is lost is then an invalid end state.
 *
 * check:
 * check: -DTSO
 * check: -DNACT=3 -DTHEFTS=0 -DFALSE_EVENTS=1
 * break: -DBUG_NO_SECOND_LOOK       the spare does not look at in_rt again once it is tentative
 * break: -DBUG_NO_TENTATIVE         it takes the vproc with its first CAS
 * break: -DBUG_STALE_THREAD         it trusts an in_rt of a thread that was switched away meanwhile
 * break: -DTSO -DBUG_NO_MEMBARRIER  it looks before the owner's store has left the buffer
 * break: -DBUG_KEEP_OWNER_END       who lost pushes to the run queue of the vproc, not to the inbox
 * break: -DBUG_PUBLISH_EARLY        its thread is made ready before its stack is left
 * break: -DBUG_NO_LOOK_AFTER_BLOCK  who comes back from a block does not look at owner
 * break: -DBUG_NOT_ARMED            nobody arms a spare
 */
#ifndef NACT
#define NACT 2
#endif
#define NTHR 2
#define TENTATIVE 8
#define NOBODY 15
#define IDLE(a) (NTHR + (a))
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef FALSE_EVENTS
#define FALSE_EVENTS 2
#endif
#ifndef THEFTS
#define THEFTS 2
#endif

byte owner = 0;			/* vproc.owner: an activation, perhaps | TENTATIVE */
bit in_rt[NTHR + NACT];		/* thread.in_rt; contexts from NTHR on are the idle ones */
byte on[NACT];			/* activation.thread */
bit moved[NACT];		/* vproc.switches is another than when the spare began to look */
bit blocked[NACT];		/* what the kernel knows */
bit arm_cmd[NACT];		/* activation.cmd is CMD_ARM */
bit armed = 0;			/* vproc.armed */
byte spare = NOBODY;		/* vproc.spare */
chan spares = [NACT] of { byte };	/* sched.spares */
chan ready = [NTHR] of { byte };		/* run queue and inbox; who uses the owner's end says touch() */
byte false_events = FALSE_EVENTS, thefts = THEFTS;

/* What only the proof knows. */
byte true_owner = 0, ndone = 0, left[NTHR];
byte runner[NTHR];		/* who runs it: an activation, NOBODY, or ELSEWHERE */
#define ELSEWHERE 14
bit touching = 0;

#ifdef TSO
bit waits[NACT];
byte slot[NACT];
bit value[NACT];
#define DRAIN(a) if :: waits[a] -> in_rt[slot[a]] = value[a]; waits[a] = 0 :: else fi
inline set_in_rt(t, v) { atomic { !waits[me] -> waits[me] = 1; slot[me] = t; value[me] = v } }
#define STORES_ARE_OUT (!waits[me])
#else
inline set_in_rt(t, v) { in_rt[t] = v }
#define STORES_ARE_OUT true
#endif
#define ALL_DONE (ndone == NTHR)

inline run_on(t) { atomic { assert(runner[t] == NOBODY); runner[t] = me } }

/* Owner-only data, touched in more than one step. */
inline touch()
{
	atomic { assert(true_owner == me && !touching); touching = 1 }
	atomic { assert(true_owner == me); touching = 0 }
}

/* spare.c, vproc_arm */
inline arm()
{
#ifndef BUG_NOT_ARMED
	atomic { if
	:: !armed -> armed = 1;
		if
		:: spare != NOBODY
		:: spare == NOBODY ->
			if
			:: spares ? x -> spare = x
			:: empty(spares)
			fi
		fi;
		if
		:: spare != NOBODY -> arm_cmd[spare] = 1
		:: else -> armed = 0
		fi;
		x = 0
	:: else
	fi }
#else
	skip
#endif
}

/* spare.c, owner_in_rt, of activation o; sets inside */
inline look_at_in_rt()
{
	moved[o] = 0;
	t = on[o];
	inside = in_rt[t];
#ifndef BUG_STALE_THREAD
	inside = inside || on[o] != t;
	inside = inside || moved[o];
#endif
	atomic { t = 0; moved[o] = 0 }
}

proctype activation(byte me)
{
	byte t = 0, n = 0, o = 0, x = 0;
	bit inside = 0;

	if
	:: me == 0 -> t = 0; goto user
	:: else -> goto idle
	fi;

user:	/* the program's code; whoever has lost the vproc goes on with it for a while */
	if
	:: left[t] > 0 ->
		blocked[me] = 1;
		if
		:: t == 0 && left[0] == ROUNDS -> ndone == NTHR - 1
		:: else
		fi;
		blocked[me] = 0
	:: true
	fi;
#ifdef BUG_NO_LOOK_AFTER_BLOCK
	set_in_rt(t, 1);
	goto owns;
#endif

	/* switch.c, rt_enter */
	set_in_rt(t, 1);
	if
	:: owner == me -> STORES_ARE_OUT; goto owns
	:: else
	fi;
lost:	/* switch.c, rt_lost */
	o = owner;
	STORES_ARE_OUT;
	if
	:: o == me -> goto owns
	:: o != me && (o & TENTATIVE) ->
		set_in_rt(t, 0);
		owner != o;
		set_in_rt(t, 1);
		goto lost
	:: else
	fi;
	/* switch_to(idle, POST_LOST) and do_post */
#ifdef BUG_PUBLISH_EARLY
	ready ! t;
#endif
	moved[me] = 1;
	atomic { on[me] = IDLE(me); runner[t] = NOBODY }
#ifdef BUG_KEEP_OWNER_END
	touch();
	ready ! t;
#else
#ifndef BUG_PUBLISH_EARLY
	ready ! t;
#endif
#endif
	t = 0; o = 0;
	goto idle;

owns:	/* inside the runtime: schedule(me, POST_YIELD or POST_EXIT) */
	touch();
	if
	:: atomic { left[t] <= 1 -> left[t] = 0 };
		atomic { ndone++; runner[t] = NOBODY };
		moved[me] = 1;
		on[me] = IDLE(me);
		t = 0;
		goto idle
	:: atomic { left[t] > 1 && nempty(ready) -> left[t]--; ready ? n };
		moved[me] = 1;
		atomic { runner[t] = NOBODY; run_on(n); on[me] = n };
		ready ! t;		/* do_post, on the next thread's stack */
		atomic { t = n; n = 0 };
		touch()
	:: atomic { left[t] > 1 && empty(ready) -> left[t]-- }
	fi;
leave:	set_in_rt(t, 0);	/* switch.c, rt_leave */
	goto user;

idle:	/* idle.c, idle_loop: an idle context is always inside the runtime */
	o = owner;
	if
	:: o == me ->
		touch();
		if
		:: ready ? n -> arm();
			moved[me] = 1;
			atomic { t = n; run_on(t); on[me] = t; n = 0; o = 0 };
			goto leave
		:: ALL_DONE -> goto finished
		fi
	:: o != me && (o & TENTATIVE) -> owner != o || ALL_DONE;
		if
		:: ALL_DONE -> goto finished
		:: else -> goto idle
		fi
	:: else
	fi;

	/* spare.c, spare_wait */
	spares ! me;
asleep:	if
	:: atomic { arm_cmd[me] -> arm_cmd[me] = 0 }
	:: ALL_DONE -> goto finished
	fi;
watch:	/* spare.c, watch */
	o = owner;
	o = o & 7;
	if
	:: blocked[o]
	:: atomic { !blocked[o] && false_events > 0 -> false_events-- }
	:: o != (owner & 7) -> goto watch
	:: ALL_DONE -> goto finished
	fi;
	/* spare.c, take_over */
	look_at_in_rt();
	if
	:: inside -> goto backed_off
	:: else
	fi;
#ifdef BUG_NO_TENTATIVE
	if
	:: atomic { owner == o -> owner = me; true_owner = me }
	:: else -> goto backed_off
	fi;
#else
	if
	:: atomic { owner == o -> owner = me | TENTATIVE }
	:: else -> goto backed_off
	fi;
#endif
#if defined(TSO) && !defined(BUG_NO_MEMBARRIER)
	atomic { DRAIN(0); DRAIN(1) }
#endif
#ifndef BUG_NO_SECOND_LOOK
	look_at_in_rt();
	if
	:: inside -> owner = o; goto backed_off
	:: else
	fi;
#endif
	spare = NOBODY;
	armed = 0;
	atomic { owner = me; true_owner = me }
	inside = 0; o = 0;
	goto idle_owner;
backed_off:
	inside = 0;
	/* sched_yield: until the owner may have done something */
	goto watch;
idle_owner:
	goto idle;
finished:
	skip
}

/* Another vproc: idle.c, steal; its thread comes back by ready_remote. */
proctype elsewhere()
{
	byte t = 0;

end:	do
	:: atomic { thefts > 0 && nempty(ready) -> thefts--;
		ready ? t;
		assert(runner[t] == NOBODY); runner[t] = ELSEWHERE }
		in_rt[t] = 0;
		in_rt[t] = 1;
		runner[t] = NOBODY;
		ready ! t;
		t = 0
	od
}

/* monitor.c, look_at_busy: a block that no spare was armed for */
proctype monitor()
{
	byte x = 0;

end:	do
#ifndef BUG_NOT_ARMED
	:: atomic { !ALL_DONE && !armed && (spare != NOBODY || nempty(spares)) -> skip } arm()
#endif
	:: ALL_DONE -> break
	od
}

#ifdef TSO
proctype drain(byte me)
{
end:	do
	:: atomic { waits[me] -> in_rt[slot[me]] = value[me]; waits[me] = 0 }
	od
}
#endif

init
{
	atomic {
		left[0] = ROUNDS; left[1] = ROUNDS;
		runner[0] = 0; runner[1] = NOBODY;
		in_rt[1] = 1;			/* it was switched away */
		in_rt[IDLE(0)] = 1; in_rt[IDLE(1)] = 1;
		on[0] = 0; on[1] = IDLE(1);
		ready ! 1;
		run activation(0); run activation(1);
#if NACT > 2
		in_rt[IDLE(2)] = 1; on[2] = IDLE(2);
		run activation(2);
#endif
		run elsewhere(); run monitor();
#ifdef TSO
		run drain(0); run drain(1)
#endif
	}
}
