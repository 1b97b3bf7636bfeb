// SPDX-License-Identifier: BSD-2-Clause
#include "unwind.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "kernel.h"

enum { STACK_COPY = 256 * 1024, RED_ZONE = 128, REGISTERS = 17, RIP = 16, RSP = 7, RETRIES = 20 };

static const char moved[] = "it moved while it was looked at";

/* libdwfl asks for threads by number; ours is the one at hand. */
static struct {
	struct target *target;
	uint64_t registers[REGISTERS];	/* in DWARF's order */
	uint32_t valid;			/* bits */
	uint64_t low, bytes;		/* copied stack */
	uint64_t carrier, thread;	/* the activation must still run this thread, or 0 */
	char stack[STACK_COPY];
	struct frames *frames;
} now;

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	(void)dwfl, (void)arg;
	if (address >= now.low && now.bytes >= 8 && address - now.low <= now.bytes - 8) {
		memcpy(result, now.stack + (address - now.low), 8);
		return true;
	}
	return target_read(now.target, address, result, 8);
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **ret_arg)
{
	pid_t first = *ret_arg == NULL;

	(void)dwfl;
	*ret_arg = arg;
	return first;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **ret_arg)
{
	(void)dwfl, (void)tid;
	*ret_arg = arg;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	(void)arg;
	for (int i = 0; i < REGISTERS; i++) {
		Dwarf_Word word = now.registers[i];

		if ((now.valid >> i & 1) && !dwfl_thread_state_registers(thread, i, 1, &word))
			return false;
	}
	dwfl_thread_state_register_pc(thread, now.registers[RIP]);
	return true;
}

static const Dwfl_Thread_Callbacks callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

bool unwind_begin(struct snapshot *s)
{
	struct target *t = s->target;

	now.target = t;
	if (dwfl_attach_state(t->dwfl, t->core, t->pid ? t->pid : 1, &callbacks, &now))
		return true;
	snprintf(t->problem, sizeof(t->problem), "stacks cannot be read: %s", dwfl_errmsg(-1));
	return false;
}

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct frames *f = arg;
	bool is_exact;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, &is_exact))
		return DWARF_CB_ABORT;
	if (f->n == FRAMES_MAX) {
		f->is_cut = true;
		return DWARF_CB_ABORT;
	}
	f->pc[f->n] = pc;
	f->is_exact[f->n++] = is_exact;
	return DWARF_CB_OK;
}

static void set(int reg, uint64_t value)
{
	now.registers[reg] = value;
	now.valid |= 1u << reg;
}

/* As much of the stack as fits, in one read: it is the same instant for all of it. */
static void copy_stack(uint64_t sp, uint64_t end)
{
	uint64_t low = sp - RED_ZONE, bytes = end > low ? end - low : 0;

	now.low = low;
	now.bytes = 0;
	if (bytes > STACK_COPY || !bytes)
		bytes = STACK_COPY;
	for (; bytes >= 4096; bytes /= 2) {
		if (target_read(now.target, low, now.stack, (size_t)bytes)) {
			now.bytes = bytes;
			return;
		}
	}
	if (bytes && target_read(now.target, low, now.stack, (size_t)bytes))
		now.bytes = bytes;
}

/* What arch_switch left at its stack pointer; the frame there has saved the rest. */
static bool read_context(const struct look_thread *t)
{
	static const struct { int reg; const char *name; } saved[] = {
		{ 6, "context.rbp" }, { RIP, "context.rip" },
	};

	copy_stack(t->sp, t->stack_start);
	for (size_t i = 0; i < sizeof(saved) / sizeof(saved[0]); i++) {
		Dwarf_Word word;

		if (!memory_read(NULL, t->sp + target_value(now.target, saved[i].name, 0), &word, NULL))
			return false;
		set(saved[i].reg, word);
	}
	set(RSP, t->sp + target_value(now.target, "context.bytes", 0));
	return true;
}

static void set_all(const struct user_regs_struct *r)
{
	const uint64_t all[REGISTERS] = {
		r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8,
		r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip,
	};

	for (int i = 0; i < REGISTERS; i++)
		set(i, all[i]);
}

/* Above 0: it has stopped, with which signal, if any; below: it is gone. */
static int look_whether_stopped(int tid, int *ret_signal)
{
	int status;
	pid_t got = waitpid(tid, &status, WNOHANG | __WALL);

	if (got != tid)
		return got;
	if (!WIFSTOPPED(status))
		return -1;
	*ret_signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	return 1;
}

/* At once if it runs; where many want the processors it stops when it has its turn. */
static bool has_stopped(int tid, int *ret_signal)
{
	enum { NAP_NS = 100000, NAP_MAX_NS = 5000000, NAPS = 500 };
	struct timespec nap = { 0, NAP_NS };

	for (int i = 0; i < NAPS; i++) {
		int stopped = look_whether_stopped(tid, ret_signal);

		if (stopped)
			return stopped > 0;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < NAP_MAX_NS)
			nap.tv_nsec += nap.tv_nsec / 4;
	}
	return false;
}

static uint64_t carried_by(const struct target *t, uint64_t activation)
{
	return target_read_word(t, activation + target_field(t, "activation.thread").offset, 8);
}

static bool is_still_carried(void)
{
	return !now.carrier || carried_by(now.target, now.carrier) == now.thread;
}

/* One that did not stop when it was asked to: it may since, and nobody else would let it go on. */
static int late;

void unwind_let_go(void)
{
	int signal = 0, stopped = late ? look_whether_stopped(late, &signal) : 0;

	if (stopped > 0)
		ptrace(PTRACE_DETACH, late, 0, signal);
	if (stopped)
		late = 0;
}

/* Stops the kernel thread for as long as it takes to copy what unwinding needs. */
static bool stop_and_copy(struct frames *f, int tid, uint64_t stack_end)
{
	struct user_regs_struct r;
	bool ok = false;
	int signal = 0;

	unwind_let_go();
	/* The number is what the process's memory says: it could name another's. */
	if (!kernel_has_task(now.target->pid, tid)) {
		snprintf(f->problem, sizeof(f->problem), "%d is no kernel thread of it", tid);
		return false;
	}
	if (ptrace(PTRACE_SEIZE, tid, 0, 0)) {
		snprintf(f->problem, sizeof(f->problem), "kernel thread %d cannot be stopped: %s", tid,
			 strerror(errno));
		return false;
	}
	if (!ptrace(PTRACE_INTERRUPT, tid, 0, 0) && has_stopped(tid, &signal) &&
	    !ptrace(PTRACE_GETREGS, tid, 0, &r)) {
		ok = is_still_carried();
		set_all(&r);
		copy_stack(r.rsp, stack_end);
		if (!ok)
			snprintf(f->problem, sizeof(f->problem), "%s", moved);
	}
	if (ptrace(PTRACE_DETACH, tid, 0, signal))
		late = tid;
	if (!ok && !f->problem[0])
		snprintf(f->problem, sizeof(f->problem), "kernel thread %d does not stop", tid);
	return ok;
}

/* Calls that the kernel resumes by itself after a stop; others would return EINTR to the program. */
static bool may_be_stopped(const struct kernel_call *c)
{
	static const char *const resumed[] = {
		"flock", "futex", "read", "write", "readv", "writev", "pread64", "pwrite64", "open", "openat",
		"fcntl", "wait4", "waitid", "nanosleep", "clock_nanosleep", "poll", "ppoll", "fsync",
		"fdatasync", "accept", "accept4", "connect", "ioctl",
	};
	const char *name = kernel_call_name(c->number);

	for (size_t i = 0; name && i < sizeof(resumed) / sizeof(resumed[0]); i++)
		if (!strcmp(name, resumed[i]))
			return true;
	return false;
}

static void walk(struct frames *f)
{
	f->n = 0;
	f->is_cut = false;
	f->problem[0] = 0;
	if (dwfl_getthread_frames(now.target->dwfl, 1, on_frame, f) && !f->is_cut)
		snprintf(f->problem, sizeof(f->problem), "%s", dwfl_errmsg(-1));
	if (!f->n && (now.valid >> RIP & 1)) {
		f->pc[f->n] = now.registers[RIP];
		f->is_exact[f->n++] = true;
	}
}

/* Where a register that is not known was needed, libdwfl takes the frame for a thread's first. */
static bool ends_as_threads_do(const struct frames *f)
{
	static const char *const first[] = {
		"_start", "arch_context_start", "arch_clone", "clone", "clone3", "__clone", "__clone3", "start_thread",
	};
	const char *name = f->n ? target_symbol(now.target, f->pc[f->n - 1]) : "";
	size_t length = strcspn(name, "+");

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		if (strlen(first[i]) == length && !memcmp(name, first[i], length))
			return true;
	return false;
}

/*
 * /proc tells the stack pointer of a kernel thread that is blocked, but no other register.  That is
 * enough for code that does not use a frame pointer; only if it was not the thread is stopped.  What it says is of no
 * use once the thread has run again.
 */
static void unwind_kernel_thread(struct frames *f, int tid, uint64_t stack_end)
{
	uint64_t has_run_ns = kernel_cpu_ns(now.target->pid, tid);
	struct kernel_call c;

	kernel_call(now.target->pid, tid, &c);
	if (c.is_blocked && c.sp) {
		set(RSP, c.sp);
		set(RIP, c.pc);
		copy_stack(c.sp, stack_end);
		if (kernel_cpu_ns(now.target->pid, tid) != has_run_ns) {
			snprintf(f->problem, sizeof(f->problem), "%s", moved);
			return;
		}
		walk(f);
		if ((!f->problem[0] && ends_as_threads_do(f)) || !may_be_stopped(&c))
			return;
	}
	now.valid = 0;
	if (stop_and_copy(f, tid, stack_end))
		walk(f);
}

static bool take_registers(const void *note, size_t bytes, void *arg)
{
	const int *tid = arg;
	struct elf_prstatus status;
	struct user_regs_struct r;

	if (bytes < sizeof(status))
		return false;
	memcpy(&status, note, sizeof(status));
	if (status.pr_pid != *tid)
		return false;
	memcpy(&r, status.pr_reg, sizeof(r));
	set_all(&r);
	return true;
}

/* On an activation, or bound.  False: it is somewhere else by now. */
static bool unwind_running(struct snapshot *s, const struct look_thread *t, struct frames *f)
{
	const struct target *target = s->target;
	int tid = thread_kernel_tid(s, t);

	now.carrier = 0;
	if (t->state != LOOK_BOUND) {
		if (!t->act || carried_by(target, t->act) != t->address)
			return false;
		now.carrier = t->act;
		now.thread = t->address;
		tid = (int)target_read_word(target, t->act + target_field(target, "activation.tid").offset, 4);
		tid = kernel_tid_here(target->pid, tid);
	}
	if (target->pid) {
		unwind_kernel_thread(f, tid, t->stack_start);
		return is_still_carried() && strcmp(f->problem, moved) != 0;
	}
	if (!target_notes(target, NT_PRSTATUS, take_registers, &tid)) {
		snprintf(f->problem, sizeof(f->problem), "the core file has no registers of kernel thread %d", tid);
		return true;
	}
	copy_stack(now.registers[RSP], t->stack_start);
	walk(f);
	return true;
}

/* Waiting, with all it needs in memory.  False: it is somewhere else by now. */
static bool unwind_parked(struct snapshot *s, const struct look_thread *t, struct frames *f)
{
	struct look_thread again;
	bool ok = read_context(t);

	if (!snapshot_reread(s, t->address, &again) || again.id != t->id || again.state != t->state ||
	    again.sp != t->sp || again.wait_seq != t->wait_seq || again.left_ticks != t->left_ticks)
		return false;
	if (ok)
		walk(f);
	else
		snprintf(f->problem, sizeof(f->problem), "its stack cannot be read");
	return true;
}

void unwind_thread(struct snapshot *s, const struct look_thread *t, struct frames *f)
{
	struct look_thread seen = *t;

	for (int i = 0; i < RETRIES; i++) {
		f->n = 0;
		f->problem[0] = 0;
		now.valid = 0;
		now.bytes = 0;
		if (seen.is_switched_out ? unwind_parked(s, &seen, f) : unwind_running(s, &seen, f))
			return;
		if (!snapshot_reread(s, t->address, &seen) || seen.id != t->id)
			break;
	}
	f->n = 0;
	snprintf(f->problem, sizeof(f->problem), "%s", moved);
}
