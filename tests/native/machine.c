// SPDX-License-Identifier: BSD-2-Clause
/*
 * The registers of threads that do not run: parked, interrupted in a loop, blocked in the kernel and back; asked by
 * another thread, and by who is told of it.  They are of the function that the thread is in, and it goes on as if
 * nobody had asked.
 */
#include "check.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <upcall/policy.h>
#include <upcall/reports.h>
#include <upcall/stats.h>

enum { PATIENCE_MS = 20000, STORM = 12, STORM_LOOKS = 20000 };

/* The linker says where a section with such a name begins and ends. */
#define IN(name) __attribute__((noinline, section(#name)))
#define IS_IN(name, pc) ((pc) >= (uintptr_t)__start_##name && (pc) <= (uintptr_t)__stop_##name)
extern char __start_text_waits[], __stop_text_waits[], __start_text_loops[], __stop_text_loops[];
extern char __start_text_blocks[], __stop_text_blocks[], __start_text_asks[], __stop_text_asks[];

static const uint64_t marks[4] = { 0x1111222233334444, 0x5555666677778888, 0x9999aaaabbbbcccc, 0xddddeeeeffff0000 };
static atomic_uint is_over;

/* It was told so in a handler: what came of asking there. */
struct told {
	atomic_uint n;
	int err;
	struct upcall_machine machine;
};
static struct told told[UPCALL_REPORT_KINDS];
static long number;			/* of the call that it is to block in */
static _Atomic(upcall_t) watched, watched_too;

static int ask(upcall_t t, struct upcall_machine *m)
{
	memset(m, 0xee, sizeof(*m));
	m->size = sizeof(*m);
	return upcall_machine(t, m);
}

static void note(const struct upcall_report *event, void *arg)
{
	upcall_t t = event->handle;

	CHECK(arg == told && (t != NULL) == (event->thread != 0));
	if (!t || (t != watched && t != watched_too))
		return;
	struct told *r = &told[event->kind];
	struct upcall_machine m;
	int err = ask(t, &m);

	/* It has another processor by now, or has not come to its loop yet. */
	if (event->kind == UPCALL_REPORT_PREEMPTED &&
	    (err || m.from != UPCALL_MACHINE_INTERRUPTED || !IS_IN(text_loops, m.pc)))
		return;
	r->err = err;
	r->machine = m;
	CHECK(r->err || r->machine.thread == event->thread || getenv("UPCALL_INJECT"));	/* told too late, of who has ended */
	if (event->kind == UPCALL_REPORT_BLOCKED && (r->err || r->machine.call != (int)number))
		return;			/* for a page, or the memory map's lock: it may be back already */
	r->n++;
}

static void await(const atomic_uint *word, unsigned n)
{
	for (uint64_t start = upcall_now(); *word < n; upcall_sleep(MS))
		CHECK(upcall_now() - start < PATIENCE_MS * MS);
}

/* Until it is found so. */
static struct upcall_machine found(upcall_t t, uint32_t from)
{
	struct upcall_machine m;
	int err;

	for (uint64_t start = upcall_now(); (err = ask(t, &m)) != 0 || m.from != from; upcall_sleep(MS)) {
		CHECK_IS(err == 0 ? -EBUSY : err, -EBUSY);
		CHECK(upcall_now() - start < PATIENCE_MS * MS);
	}
	return m;
}

static void await_wait(upcall_t t)
{
	struct upcall_thread_info info = { .size = sizeof(info) };

	for (uint64_t start = upcall_now(); info.wait != UPCALL_WAIT_SEM; upcall_sleep(MS)) {
		CHECK(upcall_now() - start < PATIENCE_MS * MS);
		CHECK_IS(upcall_info(t, &info), 0);
	}
}

static void check_stack(upcall_t t, const struct upcall_machine *m)
{
	struct upcall_thread_info info = { .size = sizeof(info) };

	CHECK_IS(upcall_info(t, &info), 0);
	CHECK(m->thread == info.id);
	CHECK(m->sp > (uintptr_t)info.stack && m->sp < (uintptr_t)info.stack + info.stack_bytes);
}

/* In the library; with a frame of the caller's function above, where a call returns to. */
static void check_in_library(const struct upcall_machine *m, const char *start, const char *stop)
{
	enum { FRAMES_BYTES = 2048 };
	Dl_info info;
	bool is_there = false;

	CHECK(dladdr((void *)(uintptr_t)m->pc, &info) && strstr(info.dli_fname, "libupcall"));
	for (const uintptr_t *at = (uintptr_t *)(uintptr_t)m->sp; !is_there && (uintptr_t)at - m->sp < FRAMES_BYTES; at++)
		is_there = *at > (uintptr_t)start && *at <= (uintptr_t)stop;
	CHECK(is_there);
}

static struct upcall_sem gate;

IN(text_waits) static void *wait_at_gate(void *arg)
{
	char room[1024];		/* nothing of it is touched while it waits */

	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	long err = upcall_sem_wait(&gate);

	__asm__ volatile("" : : "r"(room) : "memory");
	return err ? NULL : arg;
}

static void test_parked(void)
{
	upcall_t t = spawn(wait_at_gate, &gate);

	await_wait(t);
	struct upcall_machine m = found(t, UPCALL_MACHINE_SWITCHED);

	check_stack(t, &m);
	check_in_library(&m, __start_text_waits, __stop_text_waits);
	CHECK(((uintptr_t *)(uintptr_t)m.sp)[-1] == m.pc);
	CHECK_IS(m.call, -1);
	CHECK_IS(upcall_sem_post(&gate), 0);
	CHECK(join(t) == &gate);
	CHECK_IS(ask(t, &m), -ESRCH);
}

/* All four are as they were when it is over. */
IN(text_loops) static void *loop(void *arg)
{
	register uint64_t a __asm__("r12") = marks[0], b __asm__("r13") = marks[1];
	register uint64_t c __asm__("r14") = marks[2], d __asm__("r15") = marks[3];

	while (!is_over)
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	return a == marks[0] && b == marks[1] && c == marks[2] && d == marks[3] ? arg : NULL;
}

static void check_interrupted(upcall_t t, const struct upcall_machine *m)
{
	CHECK_IS(m->from, UPCALL_MACHINE_INTERRUPTED);
	check_stack(t, m);
	CHECK(m->registers[REG_RIP - 1] == m->sp && m->registers[REG_RBP] == m->fp);	/* REG_RSP is the one before */
	CHECK(m->registers[REG_R12] == marks[0] && m->registers[REG_R13] == marks[1]);
	CHECK(m->registers[REG_R14] == marks[2] && m->registers[REG_R15] == marks[3]);
}

static void forget(void)
{
	for (int i = 0; i < UPCALL_REPORT_KINDS; i++)
		told[i].n = 0;
}

static void test_interrupted(void)
{
	is_over = 0;
	forget();
	upcall_t t = spawn(loop, told), other = spawn(loop, told);

	watched = t;
	for (int i = 0; i < 5; i++) {
		struct upcall_machine m = found(t, UPCALL_MACHINE_INTERRUPTED);

		CHECK(IS_IN(text_loops, m.pc));
		check_interrupted(t, &m);
	}
	await(&told[UPCALL_REPORT_SLICE].n, 3);
	is_over = 1;
	CHECK(join(t) == told && join(other) == told);
	CHECK_IS(told[UPCALL_REPORT_SLICE].err, 0);
	CHECK(IS_IN(text_loops, told[UPCALL_REPORT_SLICE].machine.pc));
	CHECK(told[UPCALL_REPORT_SLICE].machine.registers[REG_R15] == marks[3]);
}

/* Another process has the processor now and then. */
static void test_preempted(void)
{
	struct upcall_stats stats = { .size = sizeof(stats) };

	CHECK_IS(upcall_stats(&stats), 0);
	if (!strcmp(stats.source, "monitor"))
		return;		/* it does not tell */
	pid_t parent = getpid(), hog = fork();

	CHECK(hog >= 0);
	while (hog == 0)
		if (getppid() != parent)
			_exit(0);
	is_over = 0;
	forget();
	upcall_t t = spawn(loop, told), other = spawn(loop, told);

	watched = t;
	watched_too = other;
	await(&told[UPCALL_REPORT_PREEMPTED].n, 3);
	is_over = 1;
	CHECK(join(t) == told && join(other) == told);
	watched_too = NULL;
	CHECK(told[UPCALL_REPORT_PREEMPTED].machine.registers[REG_R12] == marks[0]);
	CHECK(kill(hog, SIGKILL) == 0 && waitpid(hog, NULL, 0) == hog);
}

struct call {
	long number, a, b, c;
};
static bool computes;			/* when it is back; else it calls the library */

/* Nobody wraps this one. */
IN(text_blocks) static void *block(void *arg)
{
	const struct call *call = arg;

	watched = upcall_self();		/* no call from here on, which would lose what registers hold */
	register uint64_t a __asm__("r12") = marks[0], b __asm__("r13") = marks[1];
	register uint64_t c __asm__("r14") = marks[2], d __asm__("r15") = marks[3];
	register long r10 __asm__("r10") = 0;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret), "+r"(a), "+r"(b), "+r"(c), "+r"(d)
			 : "a"(call->number), "D"(call->a), "S"(call->b), "d"(call->c), "r"(r10)
			 : "rcx", "r11", "memory");
	if (!computes)
		upcall_yield();
	while (!is_over && computes)
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	return a == marks[0] && b == marks[1] && c == marks[2] && d == marks[3] && ret >= 0 ? arg : NULL;
}

static void *yield(void *arg)
{
	while (!is_over)
		upcall_yield();
	return arg;
}

static void check_blocked(upcall_t t, const struct upcall_machine *m, const struct call *call)
{
	CHECK_IS(m->from, UPCALL_MACHINE_BLOCKED);
	CHECK_IS(m->call, call->number);
	CHECK(IS_IN(text_blocks, m->pc) && m->fp == 0);
	check_stack(t, m);
}

static bool comes(const atomic_uint *word)
{
	for (uint64_t start = upcall_now(); !*word; upcall_sleep(MS))
		if (upcall_now() - start > PATIENCE_MS / 10 * MS)
			return false;
	return true;
}

/*
 * False where nobody was told: it had lost its vproc before, for a page perhaps, and was not back when it blocked here; or
 * too late, when it ran again.
 */
static bool try_blocked(struct call *call, void (*end)(void))
{
	is_over = 0;
	number = call->number;
	watched = NULL;
	forget();
	upcall_t other = spawn(yield, told), t = spawn(block, call);

	bool is_told = comes(&told[UPCALL_REPORT_BLOCKED].n);
	struct upcall_machine m = found(t, UPCALL_MACHINE_BLOCKED);

	check_blocked(t, &m, call);
	if (is_told)
		check_blocked(t, &told[UPCALL_REPORT_BLOCKED].machine, call);
	end();
	if (!is_told) {
		is_over = 1;
		CHECK(join(t) == call && join(other) == told);
		return false;
	}
	await(&told[UPCALL_REPORT_UNBLOCKED].n, 1);
	m = told[UPCALL_REPORT_UNBLOCKED].machine;
	is_told = told[UPCALL_REPORT_UNBLOCKED].err != -EBUSY && m.from != UPCALL_MACHINE_CALLER;
	CHECK(told[UPCALL_REPORT_UNBLOCKED].err == 0 || !is_told);
	if (is_told && (computes || m.from != UPCALL_MACHINE_SWITCHED)) {	/* the signal may come before it calls the library, too */
		check_interrupted(t, &m);
		CHECK(IS_IN(text_blocks, m.pc));
	}
	is_over = 1;
	CHECK(join(t) == call && join(other) == told);
	watched = NULL;
	return is_told;
}

static void test_blocked(struct call *call, void (*end)(void))
{
	int tries = 10;

	while (!try_blocked(call, end))
		CHECK(--tries > 0);
}

static int pipe_fds[2];
static uint32_t word;

static void end_read(void)
{
	CHECK(write(pipe_fds[1], "x", 1) == 1);
}

/* In the kernel, where it waits, and not where the runtime's futexes are. */
static void end_futex(void)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(SYS_futex), "D"(&word), "S"(FUTEX_WAKE_PRIVATE), "d"(1L)
			 : "rcx", "r11", "memory");
	CHECK_IS(ret, 1);
}

static void test_calls(void)
{
	static char byte;

	CHECK(pipe(pipe_fds) == 0);
	test_blocked(&(struct call){ SYS_read, pipe_fds[0], (long)&byte, 1 }, end_read);
	test_blocked(&(struct call){ SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0 }, end_futex);
}

static void *compute(void *arg)
{
	while (!is_over)
		;
	return arg;
}

/* One that has a kernel thread of its own: while it waits, and while it computes. */
static void test_bound(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	struct upcall_machine m;
	upcall_t t;

	attr.flags = UPCALL_BOUND;
	CHECK_IS(upcall_create(&t, &attr, wait_at_gate, &gate), 0);
	await_wait(t);
	m = found(t, UPCALL_MACHINE_BLOCKED);
	check_stack(t, &m);
	check_in_library(&m, __start_text_waits, __stop_text_waits);
	CHECK_IS(m.call, SYS_futex);
	CHECK_IS(upcall_sem_post(&gate), 0);
	CHECK(join(t) == &gate);
	is_over = 0;
	CHECK_IS(upcall_create(&t, &attr, compute, &gate), 0);
	for (uint64_t start = upcall_now(); ask(t, &m) != -EBUSY;)	/* for a page it may block, too */
		CHECK(upcall_now() - start < PATIENCE_MS * MS);
	is_over = 1;
	CHECK(join(t) == &gate);
}

IN(text_asks) static int ask_of_itself(struct upcall_machine *m)
{
	int err = upcall_machine(NULL, m);

	__asm__ volatile("" : "+r"(err));
	return err;
}

static void test_itself(void)
{
	struct upcall_machine m = { .size = sizeof(m) };

	CHECK_IS(ask_of_itself(&m), 0);
	CHECK(m.from == UPCALL_MACHINE_CALLER && m.thread == 1 && IS_IN(text_asks, m.pc));
	CHECK((uintptr_t)&m - m.sp < 4096);
	CHECK(upcall_self() && upcall_machine(upcall_self(), &m) == 0 && m.from == UPCALL_MACHINE_CALLER);
	m.size = 5;
	CHECK_IS(upcall_machine(NULL, &m), -EINVAL);
}

/* Whatever they do meanwhile: of each that is found its own stack. */
static void *change(void *arg)
{
	static struct upcall_sem sem;

	for (unsigned n = 0; !is_over; n++) {
		if (n % 3 == 0)
			CHECK_IS(upcall_sem_post(&sem), 0);
		else if (n % 3 == 1)
			upcall_sem_wait_until(&sem, upcall_after(MS / 5));
		else
			upcall_yield();
	}
	return arg;
}

static void test_storm(void)
{
	upcall_t t[STORM];
	unsigned n = 0;

	is_over = 0;
	for (int i = 0; i < STORM; i++)
		t[i] = spawn(change, told);
	for (unsigned i = 0; i < STORM_LOOKS; i++) {
		struct upcall_machine m;
		int err = ask(t[i % STORM], &m);

		CHECK(err == 0 || err == -EBUSY);
		if (err == 0) {
			check_stack(t[i % STORM], &m);
			n++;
		}
		if (i % STORM == 0)
			upcall_yield();
	}
	is_over = 1;
	for (int i = 0; i < STORM; i++)
		CHECK(join(t[i]) == told);
	CHECK(n > 0);
}

/* A policy has them whenever it is handed a thread that was blocked or interrupted, before anybody can run it. */
static const struct upcall_policy *fifo;
static atomic_uint handed[UPCALL_READY_EXPIRED + 1], lacking;

static int enqueue(upcall_t t, enum upcall_ready why, int vproc)
{
	struct upcall_machine m;

	if (why != UPCALL_READY_NEW && (ask(t, &m) || (m.from != UPCALL_MACHINE_SWITCHED && m.from != UPCALL_MACHINE_INTERRUPTED)))
		lacking++;
	handed[why]++;
	return fifo->enqueue(t, why, vproc);
}

static void test_policy(void)
{
	struct upcall_options options = UPCALL_OPTIONS_INIT;
	struct upcall_policy mine = *(fifo = upcall_policy_named("fifo"));

	mine.enqueue = enqueue;
	options.policy = &mine;
	CHECK_IS(upcall_init(&options), 0);
	CHECK_IS(upcall_reports_open(note, told), 0);
	test_calls();
	CHECK(handed[UPCALL_READY_UNBLOCKED] >= 2 && handed[UPCALL_READY_WOKEN] > 0);
	CHECK_IS(lacking, 0);
}

static void in_a_process(void (*fn)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		fn();
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_IS(status, 0);
}

static void confine(void)
{
	cpu_set_t one;

	CHECK(sched_getaffinity(0, sizeof(one), &one) == 0);
	for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &one) && n++)
			CPU_CLR(i, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);	/* one vproc: who is told runs, and nobody else */
}

static void test(void)
{
	bool is_told_what_is = !getenv("UPCALL_INJECT");	/* injection tells of what was not, and not of what was */

	in_a_process(test_storm);
	confine();
	if (is_told_what_is)
		in_a_process(test_policy);
	test_itself();
	CHECK_IS(upcall_sem_init(&gate, 0), 0);
	CHECK_IS(upcall_reports_open(note, told), 0);
	test_parked();
	if (!test_flags) {		/* those without a TLS block are not preempted */
		test_interrupted();
		if (is_told_what_is)
			test_preempted();
		test_bound();
	}
	computes = !test_flags;
	if (is_told_what_is)
		test_calls();
	CHECK_IS(upcall_reports_open(NULL, NULL), 0);
}
