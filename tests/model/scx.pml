// SPDX-License-Identifier: BSD-2-Clause
/*
 * The scheduler in the kernel, and what the runtime does about it: src/bpf/scx.bpf.c; src/upcall/scx.c, and in src/sched
 * spare.c, switch.c (rt_lost) and idle.c.
 *
 * One processor; a vproc with three activations; with RIVAL another vproc, of one.  Each call from the kernel is one step,
 * as it has the processor's lock.  The kernel's normal class takes the processor at any moment, also in the switch in which
 * another goes, before the scheduler is asked who is next or after.  A unit of time is a tick; of how long things last only
 * the order is kept.
 *
 * As it is, the activations are the runtime's: an owner, a spare, and one that is made when another spare is wanted, and
 * named while it registers; two threads, which block, enter the runtime and yield; a monitor that arms.  Who comes
 * back from a block is a visitor.  With EJECT, where none is made, the scheduler may end at any moment: all are ordinary
 * kernel threads then, and the runtime hears of it later.  NTICKS ticks fall where they do most harm, NOUTS times the normal
 * class comes, NLATE times no visitor has had a turn for long; more than one of these at a time is not looked at.
 *
 * With RUBBISH the process names another owner, spare and wanted one at each look of the scheduler's, and its activations
 * yield, block and compute as they like.  With MOVES they leave the class and come back, too, and change their priority, and
 * all that depends on time is due, or not, as suits them; where RIVAL comes with it, likewise.
 *
 * What must hold, with everybody: one of a vproc runs, or is about to, and that one has the token, but for who has just come
 * from the normal class; no token is lost; who wants to run is held, or runs, or is about to, each once; the processor does
 * not idle while one is held.  With the runtime: when the owner blocks, its spare, armed and held, runs next, where there
 * are no visitors, nobody was about to run, and the turn is not over while a rival waits; who wakes up is counted; when the
 * owner has looked for its next thread, one of the visitors that were counted has had a turn, but where the normal class came in the
 * same switch, or the owner itself has just come from there; no thread is ready while the processor idles, but where no
 * spare is armed; who watches is known as the spare, who owns as the owner; a thread is run by one; who waits for a spare to
 * decide does not wait again and again; all come to their end.  With RUBBISH, but without MOVES: who wants to run, of the
 * vproc or with RIVAL the rival, does within BOUND ticks of the class.
 *
 * Not modelled: several processors; critical sections, warnings, and the grace; those that are not registered; two threads
 * in a slot; rubbish in vproc_of; signals.  How one sees an owner inside the runtime is takeover.pml's, how a vproc sleeps
 * idle.pml's, how who computes is told that it has lost its vproc preempt.pml's.
 *
 * check:
 * check: -DNTICKS=1 -DNLATE=0 -DROUNDS=1
 * check: -DNOUTS=1 -DNLATE=0
 * check: -DRIVAL -DNLATE=0
 * check: -DEJECT -DNLATE=0
 * check: -DRUBBISH
 * check: -DRUBBISH -DRIVAL
 * check: -DRUBBISH -DMOVES
 * break: -DBUG_SPARE_LAST             the spare is not next when the owner blocks
 * break: -DBUG_NOT_COUNTED            who wakes up is not counted
 * break: -DBUG_NO_YIELD               the owner does not yield to visitors
 * break: -DNOUTS=1 -DNLATE=0 -DBUG_YIELDS_TO_SPARE  who waits for a spare to decide yields, and has the processor again
 * break: -DBUG_NO_LOOK_AFTER_BLOCK    who comes back does not look at owner
 * break: -DBUG_KEEPS_THREAD           who has lost the vproc goes to bed with its thread
 * break: -DBUG_LOOKS_FIRST            who registers looks whether it is the spare, then takes its slot
 * break: -DBUG_OWNER_UNTOLD           who takes over does not say so to the scheduler
 * break: -DEJECT -DNLATE=0 -DBUG_STAY_HELD      who is held when the scheduler ends stays so
 * break: -DRUBBISH -DBUG_NO_VISITS         no visitor comes first, however long none has had a turn
 * break: -DRUBBISH -DBUG_NO_ROTATION       where there are no visitors nobody looks for who has been held for long
 * break: -DRUBBISH -DBUG_NAMES_HIDE        who has been is no visitor while it is named owner or spare
 * break: -DRUBBISH -DRIVAL -DBUG_TIME_LOST   what one has used that yields to another of its vproc counts for nothing
 * break: -DRUBBISH -DRIVAL -DBUG_OUT_GOES_ON  who loses the processor to the normal class at a tick goes on with its turn
 * break: -DRUBBISH -DMOVES -DBUG_BLOCKED_KEEPS  who blocks keeps the token until the scheduler is asked who is next
 * break: -DRUBBISH -DMOVES -DBUG_QUEUED_KEEPS   who is queued anew keeps it
 * break: -DRUBBISH -DMOVES -DBUG_LEAVER_KEEPS   who leaves the class does
 * break: -DRUBBISH -DMOVES -DBUG_TAKES_TOKEN    who comes from the normal class takes it from another
 */
#define NACT 3
#define RIVALS 3		/* the activation of the other vproc */
#define NTASK 4
#define OUTSIDER 14
#define NOBODY 15
#define V(a) ((a) == RIVALS)
#define IS_TASK(a) ((a) < NTASK)

/* In ticks. */
#define VISIT 1
#define TURN 2
#define LOOK 3
#define ROTATE 4
#ifdef RIVAL
#define BOUND 12
#else
#define BOUND 30
#endif
#ifndef NTICKS
#define NTICKS 0
#endif
#ifndef NLATE
#define NLATE 1
#endif
#ifndef NOUTS
#define NOUTS 0
#endif

mtype = { NONE, TICK, YIELD, BLOCK, WAKE, OUT, BACK, JOIN, LEAVE, CHANGE };
mtype = { NOTHING, EVENT, LAST, CMD, KICK, NAP };	/* what a blocked one waits for */
mtype = { AWAKE, SLEEPING, KICKED };
mtype = { NOT_OUT, BEFORE, BEHIND };	/* when the normal class takes the processor: of dispatch */

/* The kernel's. */
byte cur = 0;			/* who has the processor */
byte next_up = NOBODY;		/* in the processor's queue, SCX_DSQ_LOCAL */
bit slice = 1;			/* cur's is not 0 */
bit runs[NTASK];		/* in the class, and wants to run */

/* struct vp, of each vproc, and struct cpu */
bit held[NTASK];
byte token[2] = NOBODY;
byte used[2], given[2];
byte ran[2];			/* since on_ns */
byte at = 0, visits = 0;	/* of the first */
bit last = 0;

/* struct abi_vproc_control and abi_vproc, of the first */
byte owner_word = NOBODY, spare_word = NOBODY, want_word = NOBODY;
byte visitors = 0;

/* What only the proof knows. */
byte newcomer = NOBODY;		/* has come from the normal class, and runs since */
byte nticks = NTICKS, nouts = NOUTS;

#define IS_OTHER(a) (held[a] && owner_word != (a) && spare_word != (a))
#define NOTHERS (IS_OTHER(0) + IS_OTHER(1) + IS_OTHER(2))
#define IS_HELD(a) (a != NOBODY && held[a])
#define ANY_HELD (held[0] || held[1] || held[2])
#define AFTER(a, i) (((a) + i) % NACT)

#ifdef RUBBISH
#define IS_OWNER(a) ((a) == RIVALS || claims)
#define count() skip
#else
#define IS_OWNER(a) ((a) == RIVALS || owner_word == (a))
#define count() visitors = NOTHERS
#endif

#if defined(RUBBISH) && !defined(MOVES)
#define IS_BOUNDED
#ifdef RIVAL
#define VICTIM RIVALS
#else
#define VICTIM 1
#define IS_TIMED
#endif
byte waited = 0;
#endif
#ifdef IS_TIMED
byte visit_age = 0, look_age = 0, since[NTASK];
#define IS_AFTER(age, limit) (age > limit || (age == limit && is_late))
#define VISIT_DUE IS_AFTER(visit_age, TURN)
#define LOOK_DUE IS_AFTER(look_age, LOOK)
#define IS_OLD(a) IS_AFTER(since[a], ROTATE)
#define ON_EDGE (visit_age == TURN || look_age == LOOK || since[0] == ROTATE || since[1] == ROTATE || since[2] == ROTATE)
#define BEGIN(age) age = 0
#else
#define VISIT_DUE is_late
#define LOOK_DUE is_old
#define IS_OLD(a) is_old
#define BEGIN(age) skip
#endif

#ifdef MOVES
bit is_away[NACT];		/* in the normal class */
#endif

#ifndef RUBBISH
/* The runtime's. */
#define NTHR 2
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define TENTATIVE 8
#define IDLE(a) (NTHR + (a))
byte owner = 0;			/* vproc.owner */
byte spare = NOBODY;		/* vproc.spare */
bit armed = 0;
bit arm_cmd[NACT];		/* activation.cmd is CMD_ARM */
mtype wake = AWAKE;
bit idle = 0;			/* the vproc's bit in sched.idle */
bit keeps_cpus = 1;
bit slot[NACT];			/* activation.slot_number is not 0 */
chan spares = [NACT] of { byte };
chan ready = [NTHR] of { byte };
bit in_rt[NTHR + NACT];
byte on[NACT];			/* activation.thread */

mtype call = NONE;		/* of cur to the kernel */
mtype waits[NACT] = NOTHING;
bit free[NACT];			/* wants to run, and is none of the scheduler's: runs at any moment */
bit joins = 0, is_made = 0;	/* activation 2 */
bit ejected = 0;

byte true_owner = 0, runner[NTHR], left[NTHR], ndone = 0;
bit touching = 0;
bit let_in = 1;			/* a visitor, if any was counted when the owner began to look for its next thread */
bit arming = 0;
byte nlate = NLATE;		/* so often no visitor has had a turn for long */
byte nwakes = 1;		/* of the rival */
#define ALL_DONE (ndone == NTHR)
#define IS_BLOCKED(a) (!runs[a] && !free[a])
#define HAS_COME(a) ((waits[a] == LAST && ndone == NTHR - 1) || (waits[a] == CMD && arm_cmd[a]) || \
		     (waits[a] == KICK && wake != SLEEPING))
#define CAN_WAKE(a) (IS_BLOCKED(a) && (waits[a] == EVENT || waits[a] == NAP || HAS_COME(a)))
#endif

/* Within a step. */
hidden byte prev, next, goes_on, mine, v, p, who, visitor, n_others, stage, i;
hidden byte resched, gave, is_visit, spare_is_due;

/* upcall_enqueue: give_up_token, hold */
inline enqueue(a)
{
	if
#ifndef BUG_QUEUED_KEEPS
	:: token[V(a)] == a -> token[V(a)] = NOBODY
#endif
	:: else
	fi;
	held[a] = 1;
#ifndef BUG_NOT_COUNTED
	count()
#endif
}

/* is_turn_over */
#define SPENT(n) (used[n] + ran[n])
#define MOST(ticks) (ticks > TURN + VISIT -> TURN + VISIT : ticks)
#define IS_OVER(a) (token[V(a)] != (a) || (IS_OWNER(a) && SPENT(V(a)) >= TURN) || \
		    (!IS_OWNER(a) && SPENT(V(a)) - given[V(a)] >= VISIT))

/* upcall_running */
inline running(a)
{
	if
#ifndef BUG_TAKES_TOKEN
	:: token[V(a)] != NOBODY && token[V(a)] != a -> slice = 0
#endif
	:: else -> token[V(a)] = a; ran[V(a)] = 0
	fi
}

/* upcall_stopping */
inline stopping()
{
	if
#ifndef BUG_OUT_GOES_ON
	:: runs[prev] && IS_OVER(prev) -> slice = 0
#endif
	:: else
	fi;
	if
	:: token[V(prev)] == prev ->
		used[V(prev)] = MOST(SPENT(V(prev)));
		ran[V(prev)] = 0;
		if
#ifndef BUG_BLOCKED_KEEPS
		:: !runs[prev] -> token[V(prev)] = NOBODY
#endif
		:: else
		fi
	:: else
	fi
}

/* give_to_visitor */
#ifdef BUG_NAMES_HIDE
#define MAY_VISIT(a) IS_OTHER(a)
#else
#define MAY_VISIT(a) (IS_OTHER(a) || (held[a] && IS_OLD(a)))
#endif

inline begin_turn() { used[v] = 0; given[v] = 0; ran[v] = 0; last = v }
inline take_visitor() { who = visitor; is_visit = 1 }

inline pass_on()
{
	who = NOBODY;
	is_visit = 0;
	if
	:: v == 1 && held[RIVALS] -> who = RIVALS
	:: v == 0 && ANY_HELD ->
		n_others = NOTHERS;
		visitor = (MAY_VISIT(AFTER(at, 1)) -> AFTER(at, 1) : (MAY_VISIT(AFTER(at, 2)) -> AFTER(at, 2) : at));
		if
#ifndef BUG_NO_VISITS
		:: n_others && VISIT_DUE -> take_visitor()
#endif
		:: else
		fi;
		if
#ifndef BUG_NO_ROTATION
		:: who == NOBODY && LOOK_DUE ->
			BEGIN(look_age);
			if
			:: IS_HELD(spare_word) && IS_OLD(spare_word) -> who = spare_word; count()
			:: else ->
				if
				:: IS_HELD(owner_word) && IS_OLD(owner_word) -> who = owner_word; count()
				:: else
				fi
			fi
#endif
		:: else
		fi;
		if
		:: who == NOBODY ->
			if
			:: want_word != p && IS_HELD(want_word) -> who = want_word
			:: else ->
				if
				:: p != NOBODY && p == owner_word ->
					count();
					visits = n_others;
					if
					:: n_others -> take_visitor()
					:: else
					fi
				:: else ->
					if
					:: visits ->
						visits--;
						if
						:: n_others -> take_visitor()
						:: else
						fi
					:: else
					fi;
					if
					:: who == NOBODY ->
						if
						:: IS_HELD(owner_word) -> who = owner_word
						:: else ->
							if
#ifndef BUG_SPARE_LAST
							:: spare_word != p && IS_HELD(spare_word) -> who = spare_word
#endif
							:: else ->
								if
								:: n_others -> take_visitor()
								:: else
								fi
							fi
						fi
					:: else
					fi
				fi
			fi
		:: else
		fi
	:: else
	fi;
	if
	:: who != NOBODY ->		/* give */
		assert(held[who] && next_up == NOBODY);
		gave = 1;
		held[who] = 0;
		BEGIN(since[who]);
		token[v] = who;
		given[v] = used[v];
		next_up = who;
		if
		:: is_visit ->
			at = who;
			BEGIN(visit_age);
#ifndef RUBBISH
			let_in = 1;
#endif
			count()
		:: else
		fi
	:: else
	fi
}

/* upcall_dispatch: of the vproc of prev; of the other, as in try_vproc; of that of prev again, in a new turn */
inline dispatch()
{
	gave = 0;
	stage = 1;
	goes_on = NOBODY;
	mine = last;
	if
	:: prev != NOBODY ->
		mine = V(prev);
		if
		:: runs[prev] -> goes_on = prev
		:: else -> token[mine] = NOBODY
		fi;
#ifndef BUG_TIME_LOST
		if
		:: goes_on != NOBODY && token[mine] == goes_on -> used[mine] = MOST(SPENT(mine)); ran[mine] = 0
		:: else
		fi;
#endif
		if
		:: SPENT(mine) < TURN -> stage = 0
		:: else
		fi
	:: else
	fi;
	do
	:: gave || stage > 2 -> break
	:: else ->
		v = (stage == 1 -> 1 - mine : mine);
		p = (stage == 1 -> NOBODY : goes_on);
		if
		:: stage == 2 && prev != NOBODY -> begin_turn()
		:: else
		fi;
		if
		:: (stage == 1 || prev == NOBODY) && (v == 0 && ANY_HELD || v == 1 && held[RIVALS]) -> token[v] = NOBODY
		:: else
		fi;
		if
		:: token[v] == NOBODY || token[v] == p -> pass_on()
		:: else
		fi;
		if
		:: gave && (stage == 1 || prev == NOBODY) -> begin_turn()
		:: else
		fi;
		stage++
	od;
	if
	:: !gave && goes_on != NOBODY -> slice = 1
	:: else
	fi
}

/* What the kernel does to find who is next. */
inline schedule()
{
	next = NOBODY;
	if
	:: out != BEFORE ->
		if
		:: (prev != NOBODY && runs[prev] && slice) || next_up != NOBODY
		:: else -> dispatch()
		fi;
		next = next_up;
		if
		:: prev != NOBODY && runs[prev] && (slice || next == NOBODY) -> next = prev; slice = 1
		:: else
		fi
	:: else
	fi;
	if
	:: out == NOT_OUT && next == prev && prev != NOBODY
	:: else ->
		if
		:: prev != NOBODY && runs[prev] ->
			stopping();
			if
			:: slice -> assert(next_up == NOBODY); next_up = prev
			:: else -> BEGIN(since[prev]); enqueue(prev)
			fi
		:: else
		fi;
		newcomer = NOBODY;
		if
		:: out != NOT_OUT -> cur = OUTSIDER
		:: else ->
			cur = next;
			slice = 1;
			if
			:: cur != NOBODY -> next_up = NOBODY; running(cur)
			:: else
			fi
		fi
	fi
}

inline pass_time()
{
	if
	:: prev != NOBODY && token[V(prev)] == prev -> ran[V(prev)]++
	:: else
	fi;
#ifdef IS_TIMED
	if
	:: visit_age <= TURN -> visit_age++
	:: else
	fi;
	if
	:: look_age <= LOOK -> look_age++
	:: else
	fi;
	i = 0;
	do
	:: i < NACT ->
		if
		:: held[i] && since[i] <= ROTATE -> since[i]++
		:: else
		fi;
		i++
	:: else -> break
	od;
#endif
#ifdef IS_BOUNDED
	if
	:: runs[VICTIM] && cur != VICTIM -> waited++; assert(waited <= BOUND)
	:: else
	fi
#endif
}

/* What the kernel does, in one step: op, to task a. */
inline step()
{
	prev = (IS_TASK(cur) -> cur : NOBODY);
	resched = 0;
	spare_is_due = 0;
	if
	:: op == TICK ->
		pass_time();
		if
		:: IS_OWNER(prev) -> count()
		:: else
		fi;
		if
		:: IS_OVER(prev) -> slice = 0; resched = 1
		:: else
		fi
	:: op == YIELD -> slice = 0; resched = 1
	:: op == BLOCK ->
#ifndef RUBBISH
		if
		:: prev != RIVALS && HAS_COME(prev) -> waits[prev] = NOTHING
		:: else ->
			spare_is_due = armed && spare != NOBODY && held[spare] && prev == owner && out == NOT_OUT && next_up == NOBODY &&
				held[0] + held[1] + held[2] == 1 && (!held[RIVALS] || SPENT(0) < TURN);
			runs[prev] = 0
		fi;
#else
		runs[prev] = 0;
#endif
		if
		:: !runs[prev] -> stopping(); resched = 1
		:: else
		fi
	:: op == WAKE ->
		runs[a] = 1;
		BEGIN(since[a]);
		enqueue(a);
#ifndef RUBBISH
		if
		:: a != RIVALS -> waits[a] = NOTHING
		:: else
		fi;
		assert(visitors == NOTHERS);
#endif
		resched = (cur == NOBODY)
	:: op == OUT ->
		if
		:: at_tick -> pass_time()
		:: else
		fi;
		resched = 1
	:: op == BACK || op == JOIN -> resched = 1
#ifdef MOVES
	:: op == LEAVE ->
		runs[a] = 0;
		is_away[a] = 1;
		if
		:: a == cur -> stopping(); cur = OUTSIDER; newcomer = NOBODY
		:: a == next_up -> next_up = NOBODY
		:: else -> held[a] = 0
		fi;
#ifndef BUG_LEAVER_KEEPS
		if
		:: token[0] == a -> token[0] = NOBODY
		:: else
		fi
#endif
	:: op == CHANGE ->
		runs[prev] = 0;
		stopping();
		runs[prev] = 1;
		enqueue(prev);
		held[prev] = 0;
		running(prev)
#endif
	:: else
	fi;
	if
	:: resched -> schedule()
	:: else
	fi;
	if
	:: op == JOIN ->		/* queued, taken out again, and running */
		runs[a] = 1;
		enqueue(a);
		held[a] = 0;
		count();
		cur = a;
		newcomer = a;
		slice = 1;
		running(a)
	:: else
	fi;
#ifndef RUBBISH
	if
	:: op == YIELD && (out == BEFORE || NOTHERS == 0) -> let_in = 1	/* it is not known to have yielded; or there is none */
	:: else
	fi;
	assert(!spare_is_due || cur == spare);
	assert(cur != NOBODY || empty(ready) ||
	       (wake != SLEEPING && (!armed || arming || spare == NOBODY || arm_cmd[spare])));
#endif
	i = 0;
	do
	:: i < NTASK -> assert(runs[i] == held[i] + (cur == i) + (next_up == i)); i++
	:: else -> break
	od;
	assert(cur != NOBODY || !(ANY_HELD || held[RIVALS]));
	assert(token[0] == NOBODY || token[0] == cur || token[0] == next_up);
	assert(token[1] == NOBODY || token[1] == cur || token[1] == next_up);
	assert(!IS_TASK(cur) || token[V(cur)] == cur || cur == newcomer);
	assert(next_up == NOBODY || token[V(next_up)] == next_up);
#ifdef IS_BOUNDED
	if
	:: cur == VICTIM || !runs[VICTIM] -> waited = 0
	:: else
	fi
#endif
}

#ifdef RUBBISH
/* Who does not want to run is as good as nobody. */
inline any_word(word)
{
	if
	:: runs[0] -> word = 0
	:: runs[1] -> word = 1
	:: runs[2] -> word = 2
	:: ANY_HELD -> word = NOBODY
	fi
}

active proctype kernel()
{
	mtype op = NONE, out = NOT_OUT;
	byte a = NOBODY;
	bit at_tick = 0, claims = 0, is_late = 0, is_old = 0;

	atomic {
		token[0] = 0;
		runs[0] = 1; runs[1] = 1; runs[2] = 1;
		held[1] = 1; held[2] = 1;
#ifdef RIVAL
		runs[RIVALS] = 1;
		held[RIVALS] = 1;
#endif
	}
	do
	:: atomic {
		if
		:: IS_TASK(cur) -> op = TICK
		:: IS_TASK(cur) -> op = YIELD
		:: IS_TASK(cur) -> op = BLOCK
		:: IS_TASK(cur) -> op = OUT; out = BEFORE
		:: IS_TASK(cur) -> op = OUT; out = BEFORE; at_tick = 1
		:: cur == OUTSIDER -> op = BACK
#ifdef MOVES
		:: !runs[0] && !is_away[0] -> op = WAKE; a = 0
		:: !runs[1] && !is_away[1] -> op = WAKE; a = 1
		:: !runs[2] && !is_away[2] -> op = WAKE; a = 2
		:: runs[0] -> op = LEAVE; a = 0
		:: runs[1] -> op = LEAVE; a = 1
		:: runs[2] -> op = LEAVE; a = 2
		:: is_away[0] -> op = JOIN; a = 0; out = BEFORE; is_away[0] = 0
		:: is_away[1] -> op = JOIN; a = 1; out = BEFORE; is_away[1] = 0
		:: is_away[2] -> op = JOIN; a = 2; out = BEFORE; is_away[2] = 0
		:: IS_TASK(cur) -> op = CHANGE
#else
		:: !runs[0] -> op = WAKE; a = 0
		:: !runs[1] -> op = WAKE; a = 1
		:: !runs[2] -> op = WAKE; a = 2
#endif
#ifdef RIVAL
		:: !runs[RIVALS] -> op = WAKE; a = RIVALS
#endif
		fi;
		if
		:: op == TICK || op == OUT || op == JOIN ->
			if
			:: claims = 1
			:: true
			fi
		:: else
		fi;
#ifdef MOVES
		if
		:: op == TICK || op == YIELD || op == BLOCK ->
			if
			:: out = BEFORE
			:: out = BEHIND
			:: true
			fi
		:: else
		fi;
#endif
		if
		:: ANY_HELD && (op == TICK || op == YIELD || op == BLOCK || op == BACK) && out != BEFORE ->
			any_word(owner_word);
			any_word(spare_word);
#ifdef IS_TIMED
			/* The victim is not done a favour. */
			if
			:: held[0] -> want_word = 0
			:: held[2] -> want_word = 2
			:: true
			fi;
			if
			:: ON_EDGE -> is_late = 1
			:: true
			fi
#else
			any_word(want_word);
			if
			:: is_late = 1
			:: true
			fi;
			if
			:: is_old = 1
			:: true
			fi
#endif
		:: else
		fi;
		d_step {
			step();
			op = NONE; out = NOT_OUT; a = NOBODY; at_tick = 0; claims = 0; is_late = 0; is_old = 0;
			owner_word = NOBODY; spare_word = NOBODY; want_word = NOBODY
		}
	   }
	od
}
#else

proctype kernel()
{
	mtype op = NONE, out = NOT_OUT;
	byte a = NOBODY;
	bit at_tick = 0, is_late = 0;
	bit is_old = 0;			/* time is too short for that */

	do
	:: atomic {
		if
		:: call != NONE -> op = call; call = NONE
		:: call == NONE && IS_TASK(cur) && nticks > 0 -> op = TICK; nticks--
		:: call == NONE && IS_TASK(cur) && nouts > 0 -> op = OUT; out = BEFORE; nouts--;
			if
			:: nticks > 0 -> at_tick = 1; nticks--
			:: true
			fi
		:: call == NONE && cur == OUTSIDER -> op = BACK
		:: call == NONE && CAN_WAKE(0) && !ejected -> op = WAKE; a = 0
		:: call == NONE && CAN_WAKE(1) && !ejected -> op = WAKE; a = 1
		:: call == NONE && CAN_WAKE(2) && !ejected -> op = WAKE; a = 2
		:: call == NONE && joins && !ejected -> op = JOIN; a = 2; out = BEFORE; joins = 0; free[2] = 0
#ifdef RIVAL
		:: cur == RIVALS -> op = YIELD
		:: cur == RIVALS -> op = BLOCK
		:: call == NONE && !runs[RIVALS] && nwakes > 0 -> op = WAKE; a = RIVALS; nwakes--
#endif
		fi;
		if
		:: nouts > 0 && (op == TICK || op == YIELD || op == BLOCK) ->
			if
			:: out = BEFORE; nouts--
			:: out = BEHIND; nouts--
			:: true
			fi
		:: else
		fi;
		if
		:: ANY_HELD && (op == TICK || op == YIELD || op == BLOCK || op == BACK) && out != BEFORE && nlate > 0 ->
			is_late = 1;
			nlate--
		:: true
		fi;
		d_step {
			step();
			op = NONE; out = NOT_OUT; a = NOBODY; at_tick = 0; is_late = 0
		}
	   }
#ifdef EJECT
	:: d_step { call == NONE && !ejected ->
		i = 0;
		do
		:: i < NACT ->
			if
#ifdef BUG_STAY_HELD
			:: runs[i] && !held[i] -> free[i] = 1
#else
			:: runs[i] -> free[i] = 1
#endif
			:: else
			fi;
			runs[i] = 0;
			held[i] = 0;
			i++
		:: else -> break
		od;
		token[0] = NOBODY; next_up = NOBODY; cur = NOBODY; newcomer = NOBODY; slice = 1; ejected = 1;
		used[0] = 0; given[0] = 0; ran[0] = 0; at = 0; visits = 0; nticks = 0; nouts = 0; nlate = 0
	   }
	:: ejected && visitors > 0 -> visitors = 0
	:: atomic { ejected && joins -> joins = 0 }
	:: atomic { ejected && CAN_WAKE(0) -> free[0] = 1; waits[0] = NOTHING }
	:: atomic { ejected && CAN_WAKE(1) -> free[1] = 1; waits[1] = NOTHING }
	:: atomic { ejected && CAN_WAKE(2) -> free[2] = 1; waits[2] = NOTHING }
#endif
	:: atomic { ALL_DONE && call == NONE -> free[0] = 1; free[1] = 1; free[2] = 1; joins = 0 }
		break
	od
}

inline yield()
{
	atomic { if
	:: free[me]
	:: !free[me] -> call = YIELD
	fi }
	call == NONE
}

inline block_for(what)
{
	atomic { waits[me] = what;
	if
	:: free[me] -> free[me] = ALL_DONE
	:: !free[me] -> call = BLOCK
	fi }
	waits[me] == NOTHING || ALL_DONE
}

/* switch.c */
inline let_spare_run()
{
	atomic {
		tries = (spare_word == (owner & 7) && !ejected -> tries + 1 : 0);
		assert(tries <= 1 + NTICKS + NOUTS)
	}
	if
#ifndef BUG_YIELDS_TO_SPARE
	:: keeps_cpus -> block_for(NAP)
#endif
	:: else -> yield()
	fi
}

inline run_on(t) { atomic { assert(runner[t] == NOBODY); runner[t] = me; on[me] = t } }

proctype activation(byte me) provided (cur == _pid - 1 || free[_pid - 1])
{
	byte t = 0, n = 0, o = 0, k = 0, tries = 0;
	mtype why = NOTHING;

	if
	:: me == 0 -> goto user
	:: me == 1 -> goto asleep
	:: me == 2 && ALL_DONE -> goto finished
	:: me == 2 && !ALL_DONE
	fi;

	/* scx.c, attach */
#ifdef BUG_LOOKS_FIRST
	if
	:: spare == me -> n = 1
	:: else
	fi;
	slot[me] = 1;
	if
	:: n == 1 -> spare_word = me; n = 0
	:: else
	fi;
#else
	slot[me] = 1;
	if
	:: spare == me -> spare_word = me
	:: else
	fi;
#endif
	joins = 1;
	!joins || ALL_DONE;
	goto asleep;

user:	/* the program's code */
	if
	:: left[t] > 0 ->
		if
		:: why = EVENT
		:: t == 0 && left[0] == ROUNDS -> why = LAST
		fi;
		block_for(why);
		why = NOTHING
	:: true
	fi;

	/* switch.c, rt_enter */
	in_rt[t] = 1;
#ifdef BUG_NO_LOOK_AFTER_BLOCK
	goto owns;
#endif
lost:	o = owner;
	if
	:: atomic { o == me -> o = 0; tries = 0 } goto owns
	:: o != me && (o & TENTATIVE) ->
		in_rt[t] = 0;
		let_spare_run();
		in_rt[t] = 1;
		goto lost
	:: else
	fi;
	/* switch_to(idle, POST_LOST); finish_lost, ready_remote */
	atomic { on[me] = IDLE(me); runner[t] = NOBODY; o = 0; tries = 0 }
#ifndef BUG_KEEPS_THREAD
	ready ! t;
#endif
	atomic { t = 0;
	if
	:: idle -> idle = 0; wake = KICKED
	:: !idle
	fi }
	spares ! me;
	goto asleep;

owns:	/* inside the runtime */
	if
	:: atomic { left[t] <= 1 -> left[t] = 0; ndone++; runner[t] = NOBODY; on[me] = IDLE(me); t = 0 }
	:: atomic { left[t] > 1 -> left[t]-- }
	fi;
	goto picks;

idle_loop:
	o = owner;
	if
	:: atomic { o == me -> o = 0; tries = 0 }
	:: o != me && (o & TENTATIVE) -> let_spare_run(); goto idle_loop
	fi;

picks:	/* idle.c, pick */
	atomic {
		assert(true_owner == me && !touching);
		assert(ejected || owner_word == me);
		touching = 1;
		k = visitors;
		let_in = k == 0 || NOTHERS == 0 || newcomer != NOBODY
	}
#ifndef BUG_NO_YIELD
	do
	:: k > 0 && visitors > 0 -> yield(); k--
	:: else -> break
	od;
#endif
	atomic {
		assert(true_owner == me);
#ifndef RIVAL
		assert(ejected || ALL_DONE || let_in || NOTHERS == 0);
#endif
		touching = 0;
		k = 0;
		let_in = 1
	}
	if
	:: on[me] != IDLE(me) ->		/* schedule */
		if
		:: ready ? n ->
			atomic { runner[t] = NOBODY; run_on(n) }
			ready ! t;
			atomic { t = n; n = 0 }
		:: empty(ready)
		fi;
		goto leave
	:: on[me] == IDLE(me) && nempty(ready) ->	/* find_work, run_after_block */
		ready ? t;
		wake = AWAKE;
		run_on(t);
		goto leave
	:: ALL_DONE -> goto finished
	:: on[me] == IDLE(me) && empty(ready) && !ALL_DONE
	fi;
	idle = 1;
	if
	:: nempty(ready)
	:: empty(ready) ->
		if
		:: atomic { wake == AWAKE -> wake = SLEEPING } block_for(KICK)
		:: wake != AWAKE
		fi
	fi;
	idle = 0;
	wake = AWAKE;
	goto idle_loop;

leave:	in_rt[t] = 0;
	goto user;

asleep:	/* spare.c, spare_wait */
	waits[me] == NOTHING || ALL_DONE;
	if
	:: ALL_DONE -> goto finished
	:: atomic { arm_cmd[me] && !ALL_DONE -> arm_cmd[me] = 0 }
	:: !arm_cmd[me] && !ALL_DONE -> block_for(CMD); goto asleep
	fi;
watch:	assert(ejected || spare_word == me);
	if
	:: ALL_DONE -> goto finished
	:: atomic { wake == SLEEPING && !ALL_DONE } goto quiet
	:: atomic { wake != SLEEPING && !ALL_DONE -> o = owner & 7 }
	fi;
	if
	:: !IS_BLOCKED(o) && empty(ready) -> goto quiet
	:: !IS_BLOCKED(o) -> goto lets_run
	:: IS_BLOCKED(o)
	fi;
	/* take_over */
	if
	:: in_rt[on[o]] -> goto lets_run
	:: else
	fi;
	if
	:: atomic { owner == o -> owner = me | TENTATIVE }
	:: else -> goto lets_run
	fi;
	if
	:: in_rt[on[o]] -> owner = o; goto lets_run
	:: else
	fi;
	idle = 0;
	wake = AWAKE;
	spare = NOBODY;
	armed = 0;
	atomic { owner = me; true_owner = me; o = 0 }
#ifndef BUG_OWNER_UNTOLD
	owner_word = me;
#endif
	goto picks;

quiet:	/* no longer wanted, or the owner sleeps */
	atomic { armed = 0; o = 0 }
	if
	:: wake == SLEEPING || (empty(ready) && !IS_BLOCKED(owner & 7)) -> goto asleep
	:: wake != SLEEPING && (nempty(ready) || IS_BLOCKED(owner & 7))
	fi;
	if
	:: atomic { !armed -> armed = 1 }
	:: armed -> goto asleep
	fi;
lets_run:
	o = 0;
	yield();
	goto watch;

finished:
	skip
}

/* monitor.c; spare.c, vproc_arm; scx.c, tell; source_tick */
proctype monitor()
{
	byte x = 0;

	do
	:: atomic { !ALL_DONE && !armed && wake != SLEEPING && (nempty(ready) || IS_BLOCKED(owner & 7)) &&
			(spare != NOBODY || nempty(spares) || !is_made) ->
			armed = 1; arming = 1; x = spare }
		if
		:: x == NOBODY ->
			if
			:: spares ? x
			:: atomic { empty(spares) && !is_made -> is_made = 1; free[2] = 1; x = 2 }
			:: atomic { empty(spares) && is_made -> armed = 0; arming = 0; x = 0 } goto next_time
			fi;
			spare = x;
			if
			:: slot[x] -> spare_word = x
			:: else
			fi
		:: else
		fi;
		atomic { arm_cmd[x] = 1; arming = 0; x = 0 }
next_time:	skip
	:: atomic { ejected && keeps_cpus -> keeps_cpus = 0 }
	:: ALL_DONE -> break
	od
}

init
{
	atomic {
		left[0] = ROUNDS; left[1] = 1;
		runner[0] = 0; runner[1] = NOBODY;
		on[0] = 0; on[1] = IDLE(1); on[2] = IDLE(2);
		in_rt[1] = 1; in_rt[IDLE(0)] = 1; in_rt[IDLE(1)] = 1; in_rt[IDLE(2)] = 1;
		ready ! 1;
		spares ! 1;
		slot[0] = 1; slot[1] = 1;
		waits[1] = CMD;
		runs[0] = 1; token[0] = 0; owner_word = 0;
#ifdef EJECT
		is_made = 1;			/* none is */
#endif
		run activation(0); run activation(1); run activation(2);
		run kernel(); run monitor()
	}
}
#endif
