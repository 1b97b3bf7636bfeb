// SPDX-License-Identifier: BSD-2-Clause
/*
 * Preemption, beside the take-over of takeover.pml, where events of the source and signals go astray:
 * src/sched/preempt.c, rt_leave and leave_pending in src/sched/switch.c, src/upcall/monitor.c.
 *
 * One vproc, two activations, two threads.  Thread 0 blocks in the kernel, or computes, until the other
 * has come to its end, so it must be taken over, or preempted; or it comes back from a block for which it
 * was taken over, and computes.  The monitor sends a signal to an owner that seems to compute while a thread
 * waits, and to who has lost the vproc and seems to run.  A signal comes at any moment; of two that wait to
 * be delivered the second is lost, as the kernel keeps one.  Inside the runtime its handler leaves
 * PEND_PREEMPT behind, which is looked at on the way out; outside it switches, and the thread goes on from
 * there when it next runs, perhaps on the other activation.  A signal interrupts a block.
 *
 * FAULTS events or signals go astray: one, or several of which NONE_IS_LATE.  An event of the source may be
 * lost, so that until the next one it says what it said before; late; late, and after the next one, which is
 * how two are swapped; or told twice, the second time late.  A signal may be lost; one that is doubled is one
 * that the monitor sends again.  What makes up for all that is that the monitor asks again at each of its
 * ticks: a thread that seems to compute, and is blocked, gives way as well.  And an activation that runs beside
 * another on its processor is switched out sooner or later, which is another event.
 *
 * ONCE: the monitor asks once in each turn of a thread's.  What a signal leaves behind the handler's last look
 * at PEND_PREEMPT is looked at when the next one comes, so the ticks are needed even where nothing goes
 * astray; LOOKS_AGAIN: the handler looks once more where signals are blocked already, as it does not.
 *
 * What must hold: owner-only data is touched by the owner only, and by one at a time, handlers too; a thread is
 * run by one activation; all come to their end.  Who is asked to give way and does not, computes for ever; who
 * has lost its vproc computes until it has been told: either way an invalid end state.
 *
 * check: -DFAULTS=0 -DBOTH_BLOCK
 * check: -DFAULTS=0 -DFIRST=1
 * check: -DFAULTS=0 -DONCE -DLOOKS_AGAIN
 * check:
 * check: -DFAULTS=3 -DNONE_IS_LATE -DACTIONS=0
 * break: -DFAULTS=0 -DONCE              a request behind the handler's last look waits for the next tick
 * break: -DONCE -DLOOKS_AGAIN           what goes astray is not made up for where the monitor asks but once
 * break: -DBUG_BUSY_UNASKED             nor where it does not ask who seems to compute
 * break: -DFAULTS=0 -DBUG_LOST_UNTOLD   who has lost the vproc is not told
 * break: -DFAULTS=0 -DBUG_NEVER_FORCES  who refuses, in libc's code, is not asked with force in the end
 * break: -DFAULTS=0 -DBUG_PREEMPT_INSIDE  the handler switches inside the runtime
 * break: -DFAULTS=0 -DBUG_NO_REGAIN     it switches though the vproc has been lost
 * break: -DFAULTS=0 -DBUG_NOT_IN_RT     it does not say that it is inside
 * break: -DFAULTS=0 -DFIRST=1 -DBUG_STAYS_MASKED  it leaves the next thread with the signal blocked
 * break: -DFAULTS=0 -DONCE -DLOOKS_AGAIN -DBUG_NOT_NOTED    a signal inside leaves nothing behind
 * break: -DFAULTS=0 -DFIRST=1 -DONCE -DLOOKS_AGAIN -DBUG_LEAVE_LOOKS_FIRST  who leaves looks at PEND_PREEMPT, then clears in_rt
 */
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef ACTIONS
#define ACTIONS 1		/* that thread 1 takes before it ends */
#endif
#ifndef FIRST
#define FIRST 0			/* which thread runs at first */
#endif
#ifdef BOTH_BLOCK
#define BLOCKS_TOO(t) true
#else
#define BLOCKS_TOO(t) (t == 0)
#endif
#define NTHR 2
#define NACT 2
#define TENTATIVE 8
#define NOBODY 15
#define IDLE(a) (NTHR + (a))
#define IS_IDLE(t) ((t) >= NTHR)
#define REFUSALS_MAX 1

mtype = { NONE, TRY, FORCE };	/* which signal waits: its cookie */
mtype = { CALLS, YIELDS, COMPUTES, BLOCKS };
mtype = { BY_CALL, BY_HANDLER };	/* how a thread left its activation */
mtype = { IN_USER, IN_LEAVE };	/* where a signal interrupted it */

byte owner = 0;			/* vproc.owner */
bit in_rt[NTHR + NACT];		/* thread.in_rt */
bit pending[NTHR + NACT];	/* PEND_PREEMPT of thread.pending */
bit awaits[NTHR + NACT];	/* thread.awaits_spare */
byte on[NACT];			/* activation.thread */
byte self[NACT];		/* self_ptr, in the thread's own block: not changed in the same moment */
bit lost[NACT];			/* activation.is_lost */
bit blocked[NACT];		/* what the kernel knows */
bit told[NACT];			/* what the source says */
byte late[NACT];		/* an event on its way: 1 it is back, 2 it has blocked */
mtype sig[NACT] = NONE;		/* pending in the kernel */
bit masked[NACT];		/* blocked, in the handler */
bit armed = 0, arm_cmd = 0;
bit asleep[NACT];		/* a spare that can be had */
chan ready = [NTHR] of { byte };
byte faults = FAULTS, refusals = 0;
#ifdef ONCE
bit asked[NACT];		/* in this turn */
#define MAY_ASK(a) (!asked[a])
#define NOTE_ASKED(a) asked[a] = 1
#define NEW_TURN(a) asked[a] = 0
#define ONLY_ONCE true
#else
#define MAY_ASK(a) true
#define NOTE_ASKED(a) skip
#define NEW_TURN(a) skip
#define ONLY_ONCE false
#endif

/* What only the proof knows. */
byte true_owner = 0, ndone = 0, runner[NTHR], left[NTHR];
mtype does[NTHR] = CALLS, how[NTHR] = BY_CALL, at[NTHR] = IN_USER;
bit touching = 0;
#define ALL_DONE (ndone == NTHR)
#define OTHERS_ARE_DONE (ndone == NTHR - 1)

inline touch_begin() { atomic { assert(true_owner == me && !touching); touching = 1 } }
inline touch_end() { atomic { assert(true_owner == me); touching = 0 } }
inline touch() { touch_begin(); touch_end() }

/* The kernel says what activation a does, and what becomes of that. */
inline tell(a, is_so)
{
	if
	:: told[a] = is_so
	:: faults > 0 -> faults--		/* lost */
#ifndef NONE_IS_LATE
	:: faults > 0 && late[a] == 0 -> faults--; late[a] = 1 + is_so
	:: faults > 0 && late[a] == 0 -> faults--; told[a] = is_so; late[a] = 1 + is_so
#endif
	fi
}

/* spare.c, vproc_arm: there is but one that it could be */
inline arm()
{
	atomic { if
	:: !armed && (asleep[0] || asleep[1]) -> armed = 1; arm_cmd = 1
	:: else
	fi }
}

/* spare.c, owner_in_rt, of activation o; how it looks is in takeover.pml */
#define OWNER_IN_RT in_rt[on[o]]

/* switch.c, leave and begin_turn: from t to n, on me; what becomes of t is done behind it */
inline switch_to_n()
{
	atomic { runner[t] = NOBODY; assert(runner[n] == NOBODY); runner[n] = me; on[me] = n }
	atomic { self[me] = n; NEW_TURN(me) }
}

inline switch_to_idle()
{
	atomic { runner[t] = NOBODY; on[me] = IDLE(me) }
	self[me] = IDLE(me)
}

proctype activation(byte me)
{
	byte t = FIRST, n = 0, o = 0;
	mtype cookie = NONE;

	if
	:: me == 0 -> goto user
	:: else -> t = 0; goto idle
	fi;

user:	/* the program's code */
	if
	:: atomic { sig[me] != NONE && !masked[me] -> at[t] = IN_USER } goto handler
	:: does[t] == COMPUTES && owner == me && OTHERS_ARE_DONE -> does[t] = CALLS
	:: does[t] == BLOCKS -> goto block
	:: atomic { does[t] == CALLS && left[t] > 0 -> left[t]-- }
		if
		:: BLOCKS_TOO(t) -> does[t] = BLOCKS
		:: t == 0 -> does[t] = COMPUTES
		:: t == 1 -> does[t] = YIELDS
		:: true
		fi
	:: does[t] == YIELDS || (does[t] == CALLS && left[t] == 0) -> goto enter
	fi;
	goto user;

block:
	atomic { blocked[me] = 1; tell(me, 1) }
	if
	:: atomic { (t != 0 || OTHERS_ARE_DONE) -> does[t] = CALLS; blocked[me] = 0; tell(me, 0) }
	:: atomic { t == 0 && lost[me] -> does[t] = CALLS; blocked[me] = 0; tell(me, 0) }	/* or soon, and it computes on */
		does[t] = COMPUTES
	:: atomic { sig[me] != NONE && !masked[me] -> at[t] = IN_USER; blocked[me] = 0; tell(me, 0) }
		goto handler
	fi;
	goto user;

enter:	/* switch.c, rt_enter */
	in_rt[t] = 1;
	o = owner;
	if
	:: o == me -> goto owns
	:: o != me && (o & TENTATIVE) ->
		awaits[t] = 1;		/* let_spare_decide */
		in_rt[t] = 0;
		owner != o;
		in_rt[t] = 1;
		awaits[t] = 0;
		goto enter
	:: else -> goto loses
	fi;

owns:	/* inside the runtime */
	o = 0;
	touch_begin();
#ifdef BUG_PREEMPT_INSIDE
	if
	:: atomic { sig[me] != NONE -> at[t] = IN_LEAVE } goto handler
	:: true
	fi;
#endif
	touch_end();
	if
	:: does[t] == CALLS ->		/* its end */
		ndone++;
		switch_to_idle();
		t = 0;
		goto idle
	:: does[t] == YIELDS -> does[t] = CALLS
	fi;

yield:	/* schedule(me, POST_YIELD or POST_PREEMPT), if another is ready */
	touch_begin();
	if
	:: ready ? n
	:: empty(ready) -> touch_end(); goto resume
	fi;
	touch_end();
	switch_to_n();
	atomic { ready ! t; t = n; n = 0 }	/* finish_yield */
resume:	if
	:: atomic { how[t] == BY_HANDLER -> how[t] = BY_CALL } goto looks
	:: how[t] == BY_CALL
	fi;

leave:	/* switch.c, rt_leave */
#ifdef BUG_LEAVE_LOOKS_FIRST
	if
	:: atomic { pending[t] -> pending[t] = 0 } goto yield
	:: !pending[t]
	fi;
	in_rt[t] = 0;
	goto user;
#endif
	in_rt[t] = 0;
looks_out:
	if
	:: atomic { sig[me] != NONE && !masked[me] -> at[t] = IN_LEAVE } goto handler
	:: atomic { pending[t] -> pending[t] = 0 }	/* leave_pending */
		in_rt[t] = 1;
regain:		o = owner;
		if
		:: o == me -> o = 0; goto yield
		:: o != me && (o & TENTATIVE) ->
			awaits[t] = 1;
			in_rt[t] = 0;
			owner != o;
			in_rt[t] = 1;
			awaits[t] = 0;
			goto regain
		:: else -> goto loses
		fi
	:: !pending[t] -> goto user
	fi;

loses:	/* switch.c, rt_lost; finish_lost */
	pending[t] = 0;
	switch_to_idle();
	lost[me] = 0;
	ready ! t;
	atomic { t = 0; o = 0 }
	goto idle;

handler:	/* preempt.c, on_signal, outside the runtime; every signal is blocked */
	atomic { cookie = sig[me]; sig[me] = NONE; masked[me] = 1 }
	if
	:: atomic { cookie == TRY && owner == me -> cookie = NONE; masked[me] = 0 } goto back	/* in libc's code */
	:: atomic { cookie = NONE; pending[t] = 1 }
	fi;
	/* preempt_here */
#ifndef BUG_NOT_IN_RT
	in_rt[t] = 1;
#endif
#ifndef BUG_STAYS_MASKED
	masked[me] = 0;			/* accept_as */
#endif
#ifdef BUG_NO_REGAIN
	goto looks;
#endif
handler_regain:
	o = owner;
	if
	:: o == me
	:: o != me && (o & TENTATIVE) ->
		awaits[t] = 1;
		in_rt[t] = 0;
		owner != o;
		in_rt[t] = 1;
		awaits[t] = 0;
		goto handler_regain
	:: else -> how[t] = BY_HANDLER; goto loses
	fi;
looks:	if
	:: atomic { pending[t] -> pending[t] = 0; how[t] = BY_HANDLER; o = 0 } goto yield
	:: atomic { !pending[t] -> o = 0 }
	fi;
	masked[me] = 1;			/* accept_none */
#ifdef LOOKS_AGAIN
	if
	:: pending[t] -> masked[me] = 0; goto looks
	:: !pending[t]
	fi;
#endif
	in_rt[t] = 0;
	masked[me] = 0;			/* sigreturn */
back:	if
	:: at[t] == IN_USER -> goto user
	:: at[t] == IN_LEAVE -> at[t] = IN_USER; goto looks_out
	fi;

idle:	/* idle.c, idle_loop */
	o = owner;
	if
	:: o == me ->
		touch();
		if
		:: ready ? n ->
			if
			:: arm()	/* vproc_arm_if_wise */
			:: true		/* left to the monitor */
			fi;
			atomic { assert(runner[n] == NOBODY); runner[n] = me; on[me] = n; o = 0 }
			atomic { self[me] = n; t = n; n = 0; NEW_TURN(me) }
			goto resume
		:: ALL_DONE -> goto finished
		fi
	:: o != me && (o & TENTATIVE) -> owner != o; goto idle
	:: else
	fi;
	/* spare.c, spare_wait */
	asleep[me] = 1;
	if
	:: atomic { arm_cmd -> arm_cmd = 0; asleep[me] = 0 }
	:: ALL_DONE -> goto finished
	fi;
watch:	/* spare.c, watch; a yield waits for what is looked at */
	o = 1 - me;
	if
	:: told[o]
	:: ALL_DONE -> goto finished
	fi;
	/* take_over */
	if
	:: OWNER_IN_RT -> goto watch
	:: else
	fi;
	if
	:: atomic { owner == o -> owner = me | TENTATIVE }
	:: else -> goto watch
	fi;
	if
	:: OWNER_IN_RT -> owner = o; goto watch
	:: else
	fi;
	atomic { lost[o] = 1; armed = 0; NEW_TURN(o) }
	atomic { owner = me; true_owner = me; o = 0 }
	goto idle;
finished:
	skip
}

/* preempt.c, on_signal, inside the runtime: nothing else of the activation's happens meanwhile. */
active proctype handler_inside()
{
#define SEES(a) (sig[a] != NONE && !masked[a] && (IS_IDLE(self[a]) || in_rt[self[a]] || awaits[self[a]]))
#ifdef BUG_NOT_NOTED
#define NOTE(a) skip
#else
#define NOTE(a) pending[self[a]] = !IS_IDLE(self[a])
#endif
end:	do
	:: atomic { SEES(0) -> sig[0] = NONE; NOTE(0) }
	:: atomic { SEES(1) -> sig[1] = NONE; NOTE(1) }
	od
}

/* What is on its way from the source; and what a running one's next switch says. */
active proctype source()
{
end:	do
	:: atomic { late[0] > 0 -> told[0] = (late[0] == 2); late[0] = 0 }
	:: atomic { late[1] > 0 -> told[1] = (late[1] == 2); late[1] = 0 }
	:: atomic { told[0] && !blocked[0] -> told[0] = 0 }
	:: atomic { told[1] && !blocked[1] -> told[1] = 0 }
	od
}

/* preempt.c, press */
inline press(a, cookie)
{
	if
	:: sig[a] = cookie
	:: faults > 0 -> faults--
	fi
}

/* upcall/monitor.c: each tick; what it waits for is what it does something about */
active proctype monitor()
{
	byte o = 0;

end:	do
	/* look_at_busy */
	:: atomic { !ALL_DONE && nempty(ready) && !(owner & TENTATIVE) && told[owner] && !armed &&
		    (asleep[0] || asleep[1]) -> skip }
		arm()
#ifndef BUG_BUSY_UNASKED
	:: atomic { nempty(ready) && !(owner & TENTATIVE) && !told[owner] && !IS_IDLE(on[owner]) &&
		    sig[owner] == NONE && MAY_ASK(owner) &&
#ifdef BUG_NEVER_FORCES
		    refusals < REFUSALS_MAX &&
#endif
		    true -> o = owner; NOTE_ASKED(o) }
		atomic {
			if
			:: refusals < REFUSALS_MAX && !ONLY_ONCE -> refusals++; press(o, TRY)
			:: refusals == REFUSALS_MAX || ONLY_ONCE -> press(o, FORCE)
			fi;
			o = 0 }
#endif
	/* look_at_lost */
#ifndef BUG_LOST_UNTOLD
	:: atomic { lost[0] && !told[0] && sig[0] == NONE && MAY_ASK(0) -> NOTE_ASKED(0); press(0, FORCE) }
	:: atomic { lost[1] && !told[1] && sig[1] == NONE && MAY_ASK(1) -> NOTE_ASKED(1); press(1, FORCE) }
#endif
	od
}

init
{
	atomic {
		left[0] = 1; left[1] = ACTIONS;
		runner[FIRST] = 0; runner[1 - FIRST] = NOBODY;
		in_rt[1 - FIRST] = 1;		/* it was switched away */
		in_rt[IDLE(0)] = 1; in_rt[IDLE(1)] = 1;
		on[0] = FIRST; on[1] = IDLE(1);
		self[0] = FIRST; self[1] = IDLE(1);
		ready ! 1 - FIRST;
		run activation(0); run activation(1)
	}
}
