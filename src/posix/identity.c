// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who a thread is, what it is called, and how long it has computed.
 *
 * The clock of a thread that has no kernel thread is our account, kept at switches; a clock ID that
 * names one holds its made-up tid, in the kernel's own encoding.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "../sys/sys.h"
#include "../trace/ring.h"
#include "alias.h"
#include "bind.h"
#include "real.h"

/* The number that it had when it began: whoever is bound later, by what it does or by itself, keeps it. */
EXPORT pid_t gettid(void)
{
	struct thread *me = own_self();

	return me && !me->wants_kernel_thread ? me->tid : sys_gettid();
}

/* The thread that a clock ID means, if the kernel would not know. */
static struct thread *clock_thread(clockid_t clock)
{
	struct thread *me = own_self();

	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return me;
	if (!sched_is_started || !clock_is_of_tid(clock))
		return NULL;
	int tid = clock_tid(clock);

	if (tid == 0)
		return me;
	return me && tid == me->tid ? me : thread_by_tid(tid);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *ts)
{
	struct thread *t;

	if (likely(clock >= 0 && clock != CLOCK_THREAD_CPUTIME_ID) || !(t = clock_thread(clock)))
		return REAL(clock_gettime)(clock, ts);
	if (t->kind != THREAD_USER && !t->is_one_to_one)
		return REAL(clock_gettime)(clock_of_tid(posix_kernel_tid(t)), ts);
	uint64_t ns = sched_cpu_ns(t);

	*ts = (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
	return 0;
}

/* Both clocks, the kernel's as near to the program's as it gets. */
static void read_both(clockid_t clock, double *ret_ns, double *ret_program_ns)
{
	uint64_t least = NEVER;

	for (int i = 0; i < 10; i++) {
		uint64_t before = clock_ns(clock), program = clock_program_ns(clock), after = clock_ns(clock);

		if (after - before >= least)
			continue;
		least = after - before;
		*ret_ns = ((double)before + (double)after) / 2;
		*ret_program_ns = (double)program;
	}
}

/*
 * How far it goes in 2 ms, less what it goes when it is read and no time passes: libfaketime can move its
 * clocks at each call.
 */
static double measure_speed(clockid_t clock)
{
	double from, to, again, program_from, program_to, program_again, speed;

	read_both(clock, &from, &program_from);
	for (uint64_t end = now_ns() + 2 * NS_PER_MS; now_ns() < end;)
		;
	read_both(clock, &to, &program_to);
	read_both(clock, &again, &program_again);
	speed = (program_to - program_from - (program_again - program_to)) / (to - from - (again - to));
	if (!(speed > 1e-3 && speed < 1e6))
		return 0;
	return speed > 0.99 && speed < 1.01 ? 1 : speed;
}

/* The runtime reads clocks where nothing may be looked up. */
__attribute__((constructor(101))) static void load(void)
{
	clock_program = REAL(clock_gettime);
	clock_read = REAL_AS(clock_gettime, "=clock_gettime");
	clock_is_replaced = clock_read != clock_program;
	if (!clock_is_replaced)
		return;
	clock_speeds[0] = measure_speed(CLOCK_REALTIME);
	clock_speeds[1] = measure_speed(CLOCK_MONOTONIC);
}

EXPORT int clock_getres(clockid_t clock, struct timespec *ts)
{
	if (clock < 0 && clock_thread(clock))
		clock = CLOCK_THREAD_CPUTIME_ID;
	return REAL(clock_getres)(clock, ts);
}

EXPORT int pthread_getcpuclockid(pthread_t handle, clockid_t *ret_clock)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	if (!t)
		return REAL(pthread_getcpuclockid)(handle, ret_clock);
	if (load_acquire(&t->state) == T_DONE)
		return ESRCH;
	*ret_clock = clock_of_tid(t->tid);
	return 0;
}

static struct timeval timeval_of(uint64_t ns)
{
	return (struct timeval){ (time_t)(ns / NS_PER_S), (__suseconds_t)(ns % NS_PER_S / NS_PER_US) };
}

EXPORT int getrusage(__rusage_who_t who, struct rusage *usage)
{
	struct thread *me = who == (__rusage_who_t)RUSAGE_THREAD ? own_self() : NULL;
	/* Counts of faults and switches nobody keeps by thread; those of the process do not go back. */
	int err = REAL(getrusage)(me ? RUSAGE_SELF : who, usage);

	if (me && !err) {
		uint64_t all, system = sched_system_ns(me, &all);
		uint64_t user = all > system ? all - system : 0, before = word_get(me, PW_USER_NS);

		/* The kernel's word on the shares changes by ticks; neither time may go back. */
		if (user < before)
			user = before;
		word_set(me, PW_USER_NS, user);
		usage->ru_utime = timeval_of(user);
		usage->ru_stime = timeval_of(all - user);
	}
	return err;
}

EXPORT int sched_yield(void)
{
	struct thread *me = user_self();

	if (!me || me->in_rt)
		return (int)arch_syscall0(SYS_sched_yield);
	return sched_yield_now();
}
extern int __sched_yield(void);
ALIAS(__sched_yield, sched_yield);

/* The header turns the name itself into sched_yield. */
EXPORT int old_pthread_yield(void) __asm__("pthread_yield");
EXPORT int old_pthread_yield(void)
{
	return sched_yield();
}

EXPORT void thrd_yield(void)
{
	sched_yield();
}

static void set_name(struct thread *t, const char *name)
{
	char text[sizeof(t->name)] = { 0 };

	strncpy(text, name, sizeof(text) - 1);
	memcpy(t->name, text, sizeof(text));
	if (trace_is_on()) {
		rt_enter();
		trace_name(t->id, text);
		rt_leave(thread_self());
	}
}

/* Main's name is the process's, which ps and top show. */
static bool has_kernel_name(const struct thread *t)
{
	return t == thread_main() || t->kind != THREAD_USER;
}

static int kernel_rename(struct thread *t)
{
	int tid = t == thread_main() ? sys_getpid() : posix_kernel_tid(t);

	if (t == self_ptr && t->kind != THREAD_USER) {
		arch_syscall2(SYS_prctl, PR_SET_NAME, (long)t->name);
		if (tid == sys_gettid() || load_relaxed(&sched_is_confined))
			return 0;
	}
	return -sys_set_name(tid, t->name);
}

EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	if (!t)
		return REAL(pthread_setname_np)(handle, name);
	if (strlen(name) >= sizeof(t->name))
		return ERANGE;
	/* A child of vfork's has but this thread, whose descriptor is its parent's. */
	if (is_in_vfork())
		return t == self_ptr ? (int)-arch_syscall2(SYS_prctl, PR_SET_NAME, (long)name) : ENOENT;
	set_name(t, name);
	return has_kernel_name(t) ? kernel_rename(t) : 0;
}

EXPORT int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	if (!t || (t->kind == THREAD_BOUND && !t->is_one_to_one))
		return REAL(pthread_getname_np)(handle, name, size);
	if (size < sizeof(t->name))
		return ERANGE;
	memcpy(name, t->name, sizeof(t->name));
	return 0;
}

/* Those that change only the kernel thread they are made on. */
enum about { ABOUT_ALL, ABOUT_ONE, ABOUT_ONE_AND_ITS_CHILDREN };

static enum about what_it_changes(int option)
{
	switch (option) {
	case PR_SET_NO_NEW_PRIVS: case PR_CAPBSET_DROP: case PR_SET_SECUREBITS: case PR_CAP_AMBIENT:
	case PR_SET_TSC: case PR_SET_SPECULATION_CTRL: case PR_SET_IO_FLUSHER: case PR_SCHED_CORE:
		return ABOUT_ONE_AND_ITS_CHILDREN;
	case PR_SET_SECCOMP: case PR_SET_KEEPCAPS: case PR_SET_TIMERSLACK: case PR_MCE_KILL: case PR_SET_UNALIGN:
	case PR_SET_FPEXC: case PR_SET_SYSCALL_USER_DISPATCH: case PR_SET_PDEATHSIG:
		return ABOUT_ONE;
	default:
		return ABOUT_ALL;
	}
}

/* A bound thread has given itself a name.  A filter may refuse the calls that name the process. */
static void note_name(const char *name)
{
	struct thread *me = bind_find(0);

	if (!me)
		return;
	set_name(me, name);
	if (me == thread_main() && !load_relaxed(&sched_is_confined))
		kernel_rename(me);
}

/* <linux/prctl.h> since Linux 5.14: what the number is of. */
enum { SCHED_CORE_OF_THREAD = 0 };

/* The thread that shares a core, or is asked with whom, as the kernel knows it. */
static long core_name(long number, long scope)
{
	return scope == SCHED_CORE_OF_THREAD ? bind_for_kernel((int)number) : posix_process_of((int)number);
}

EXPORT int prctl(int option, ...)
{
	struct thread *me = user_self();
	va_list ap;
	long a[4];

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (me && option == PR_GET_NAME) {
		memcpy((char *)a[0], me->name, sizeof(me->name));
		return 0;
	}
	if (me && option == PR_SET_NAME) {
		set_name(me, (const char *)a[0]);
		if (has_kernel_name(me))
			kernel_rename(me);
		return 0;
	}
	if (option == PR_SET_SECCOMP && a[1]) {
		bool was_free = bind_before_filter();
		int err = REAL(prctl)(option, a[0], a[1], a[2], a[3]);

		bind_after_filter(was_free, !err);
		return err;
	}
	enum about what = what_it_changes(option);

	if (what != ABOUT_ALL)
		bind_self();
	if (option == PR_SCHED_CORE && a[1] > 0 && (a[1] = core_name(a[1], a[2])) < 0) {
		errno = EAGAIN;
		return -1;
	}
	int r = REAL(prctl)(option, a[0], a[1], a[2], a[3]);

	if (option == PR_SET_NAME && r == 0)
		note_name((const char *)a[0]);
	if (what == ABOUT_ONE_AND_ITS_CHILDREN && r != -1)
		bind_apart(PF_APART);
	return r;
}
