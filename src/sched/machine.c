// SPDX-License-Identifier: BSD-2-Clause
/*
 * The registers of a thread that does not run: the machine state of Anderson, Bershad, Lazowska and Levy (1991, table
 * II), which comes there with the report that a processor was preempted, or an activation unblocked.
 *
 * They are where the thread's turn ended: on its stack, where it left its vproc in a call of ours (switch.S draws what
 * is there) or amid the handler of our signal, below which the kernel has put all of them; or in the kernel, which says of
 * a thread that it blocks where that is.  Of one that computes on another processor nobody has them.
 *
 * Nothing is stopped: what tells one wait for a turn from the next is read before and after, and what was copied in
 * between counts only where that is the same.  It is copied by the kernel, as a stack may be gone meanwhile.
 */
#include <errno.h>
#include <string.h>
#include <upcall/reports.h>

#include "vproc.h"

_Static_assert((int)ARCH_REGISTERS == (int)UPCALL_MACHINE_REGISTERS, "all of them");

struct stay {
	const void *sp, *interrupted;
	const struct activation *act;
	uint64_t left_ticks;
	uint32_t id, state, waits, interruptions;
	uint16_t yields;
	uint8_t kind;
};

static void note_stay(struct thread *t, struct stay *ret_s)
{
	memset(ret_s, 0, sizeof(*ret_s));
	ret_s->state = load_acquire(&t->state);
	ret_s->interrupted = load_acquire(&t->interrupted);
	ret_s->sp = t->sp;
	ret_s->act = t->act;
	ret_s->left_ticks = t->left_ticks;
	ret_s->id = t->id;
	ret_s->waits = load_relaxed(&t->wait_seq);
	ret_s->interruptions = t->interruptions;
	ret_s->yields = t->yields;
	ret_s->kind = t->kind;
}

static int copy(void *to, const void *from, size_t bytes)
{
	if (!strange_begin())
		return -EPERM;
	int err = sys_read_own(to, (uintptr_t)from, bytes);

	strange_end();
	return err;
}

/* What arch_switch left at its stack pointer. */
static int read_switched(const void *sp, struct upcall_machine *m)
{
	char saved[ARCH_CONTEXT_BYTES];
	int err = copy(saved, sp, sizeof(saved));

	if (err)
		return err;
	m->from = UPCALL_MACHINE_SWITCHED;
	memcpy(&m->pc, saved + ARCH_CONTEXT_RIP, sizeof(m->pc));
	memcpy(&m->fp, saved + ARCH_CONTEXT_RBP, sizeof(m->fp));
	m->sp = (uintptr_t)sp + sizeof(saved);
	return 0;
}

static void take_context(const ucontext_t *uc, struct upcall_machine *m)
{
	m->from = UPCALL_MACHINE_INTERRUPTED;
	m->pc = arch_context_pc(uc);
	m->sp = arch_context_sp(uc);
	m->fp = arch_context_fp(uc);
	arch_context_registers(uc, m->registers);
}

static int read_interrupted(const void *context, struct upcall_machine *m)
{
	ucontext_t uc;
	int err = copy(&uc, context, offsetof(ucontext_t, uc_mcontext) + sizeof(uc.uc_mcontext.gregs));

	if (!err)
		take_context(&uc, m);
	return err;
}

static int read_blocked(int tid, struct upcall_machine *m)
{
	uintptr_t sp, pc;
	long call;

	if (!strange_begin())
		return -EPERM;
	int err = sys_blocked_at(tid, &call, &sp, &pc);

	strange_end();
	if (err)
		return err;
	m->from = UPCALL_MACHINE_BLOCKED;
	m->call = (int32_t)call;
	m->sp = sp;
	m->pc = pc;
	return 0;
}

/* The kernel thread that carries it, or 0. */
static int carrier_of(struct thread *t, const struct stay *s)
{
	return s->kind == THREAD_BOUND && !t->is_one_to_one ? t->tid : sched_tid_of(t);
}

static int read_machine(struct thread *t, const struct stay *s, struct upcall_machine *m)
{
	if (s->kind != THREAD_BOUND && (s->state == T_READY || s->state == T_PARKED))
		return s->interrupted ? read_interrupted(s->interrupted, m) : read_switched(s->sp, m);
	if (s->state == T_NEW)
		return -EBUSY;
	int tid = carrier_of(t, s), err = tid ? read_blocked(tid, m) : -EBUSY;

	return !err && carrier_of(t, s) != tid ? -EBUSY : err;
}

int sched_machine(struct thread *t, struct upcall_machine *ret_m)
{
	const void *interrupted = load_relaxed(&t->interrupted);
	struct upcall_machine m = { .thread = t->id, .call = -1 };
	struct stay before, after;

	if (t == self_ptr && !interrupted)
		return -EAGAIN;
	if (t == self_ptr) {
		take_context(interrupted, &m);
		*ret_m = m;
		return 0;
	}
	note_stay(t, &before);
	if (before.state == T_DONE)
		return -ESRCH;
	int err = read_machine(t, &before, &m);

	note_stay(t, &after);
	if (after.id != before.id || after.state == T_DONE)
		return -ESRCH;
	if (memcmp(&before, &after, sizeof(before)))
		return -EBUSY;		/* it has run */
	if (!err)
		*ret_m = m;
	return err;
}
