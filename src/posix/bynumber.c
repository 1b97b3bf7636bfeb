// SPDX-License-Identifier: BSD-2-Clause
/*
 * System calls that a program makes by number, or by libraries that only pass them on, where the runtime has a word
 * in them: those that close descriptors, or change what we remember of them, those that name a thread by the number that
 * gettid gave, those that tie something to the kernel thread that makes them, those that make a process, and those that
 * confine it.
 *
 * They do what libc's functions do, and are no cancellation points.
 */
#include "bynumber.h"

#ifdef __x86_64__
#include <asm/prctl.h>
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../sched/vproc.h"
#include "../sys/numbers.h"
#include "../sys/sys.h"
#include "alias.h"
#include "bind.h"
#include "block.h"
#include "fd.h"
#include "priority.h"
#include "process.h"
#include "rawcall.h"
#include "real.h"

enum { JOIN_SESSION_KEYRING = 1, PRIO_ZERO = 20, IOPRIO_OF_PROCESS = 1, REGISTER_ENABLE = 12, REGISTER_RING_FDS = 20 };

/* <asm/prctl.h> since Linux 5.16. */
enum { GET_XCOMP_SUPP = 0x1021, GET_XCOMP_PERM = 0x1022 };

/* <linux/pidfd.h>, since Linux 6.9. */
enum { PIDFD_OF_THREAD = O_EXCL };

/* <linux/io_uring.h> since Linux 6.0 and 6.1. */
enum { RING_DISABLED = 1 << 6, RING_SINGLE_ISSUER = 1 << 12, RING_DEFER_TASKRUN = 1 << 13 };

/* Of one of libc's functions. */
static long answered(long r)
{
	return r == -1 ? -errno : r;
}

/* The call with `value` in place of its argument i. */
static long with(long nr, const long *a, int i, long value)
{
	long args[6];

	memcpy(args, a, sizeof(args));
	args[i] = value;
	return raw_call(nr, args);
}

/* The call says something of t, which its argument i names: t gets a kernel thread for it. */
static long about(struct thread *t, long nr, const long *a, int i)
{
	int tid = bind_for_kernel(t->tid);

	return tid > 0 ? with(nr, a, i, tid) : -ESRCH;
}

/* The call asks about t, which its argument i names.  Who has no kernel thread is as the process. */
static long asks(struct thread *t, long nr, const long *a, int i)
{
	return with(nr, a, i, bind_kernel_name(t));
}

/* Programs copy the attributes of one thread to all they make: that is nothing to bind a thread for. */
static bool is_news(const struct sys_policy *attr)
{
	struct sys_policy mine;
	size_t head = offsetof(struct sys_policy, policy);

	sys_get_policy(&mine);
	mine.runtime = sched.policy.runtime;
	return !mine.bytes || !attr || attr->bytes < sizeof(mine) ||
	       memcmp((char *)&mine + head, (const char *)attr + head, sizeof(mine) - head);
}

/* Bound before anything else: that itself gives it what it has been lent so far. */
static long set_attributes(struct thread *t, const long *a)
{
	const struct sys_policy *attr = (const void *)a[1];

	if (t == self_ptr && t->kind == THREAD_USER && !is_news(attr))
		return 0;
	int tid = bind_for_kernel(t->tid);

	if (tid <= 0)
		return -ESRCH;
	long ret = priority_in_use ? priority_set_attributes(t, attr, a[2]) : with(SYS_sched_setattr, a, 0, tid);

	if (ret == 0)
		priority_note((int)attr->policy);
	return ret;
}

static long get_attributes(struct thread *t, const long *a)
{
	const struct wish *w = t->kind == THREAD_USER ? bind_wish_of(t) : NULL;
	long ret = asks(t, SYS_sched_getattr, a, 0);
	struct sys_policy *attr = (void *)a[1];

	if (ret == 0 && w && (w->what & WISH_SCHED)) {
		attr->policy = (uint32_t)w->policy;
		attr->priority = (uint32_t)w->param.sched_priority;
	}
	if (ret == 0 && w && (w->what & WISH_NICE))
		attr->nice = w->nice;
	if (ret == 0 && priority_is_lent(t)) {
		int policy, priority;

		if (priority_get_own(t, true, &policy, &priority)) {
			attr->policy = (uint32_t)(policy & ~SCHED_RESET_ON_FORK);
			attr->priority = (uint32_t)priority;
		}
	}
	if (ret == 0 && t->kind == THREAD_USER)
		attr->runtime = sched.policy.runtime;	/* a spare of late may have a shorter slice in the kernel */
	return ret;
}

static bool is_of_thread(long nr, const long *a, struct thread *t, long *ret)
{
	int priority;

	switch (nr) {
	case SYS_sched_setaffinity:
		*ret = answered(sched_setaffinity((pid_t)a[0], (size_t)a[1], (const cpu_set_t *)a[2]));
		return true;
	case SYS_sched_getaffinity:
		*ret = bind_get_affinity(t, (size_t)a[1], (cpu_set_t *)a[2]);
		return true;
	case SYS_sched_setscheduler:
		*ret = answered(sched_setscheduler((pid_t)a[0], (int)a[1], (const struct sched_param *)a[2]));
		return true;
	case SYS_sched_getscheduler:
		*ret = answered(sched_getscheduler((pid_t)a[0]));
		return true;
	case SYS_sched_setparam:
		*ret = answered(sched_setparam((pid_t)a[0], (const struct sched_param *)a[1]));
		return true;
	case SYS_sched_getparam:
		*ret = answered(sched_getparam((pid_t)a[0], (struct sched_param *)a[1]));
		return true;
	case SYS_sched_setattr:
		*ret = set_attributes(t, a);
		return true;
	case SYS_sched_getattr:
		*ret = get_attributes(t, a);
		return true;
	case SYS_sched_rr_get_interval:
		*ret = asks(t, nr, a, 0);
		return true;
	case SYS_setpriority:
		*ret = answered(setpriority(PRIO_PROCESS, (id_t)a[1], (int)a[2]));
		return true;
	case SYS_getpriority:
		errno = 0;
		priority = getpriority(PRIO_PROCESS, (id_t)a[1]);
		*ret = priority == -1 && errno ? -errno : PRIO_ZERO - priority;
		return true;
	case SYS_ioprio_set: case SYS_perf_event_open:
		*ret = about(t, nr, a, 1);
		return true;
	case SYS_pidfd_open:
		*ret = about(t, nr, a, 0);
		return true;
	case SYS_ioprio_get:
		*ret = asks(t, nr, a, 1);
		return true;
	case SYS_get_robust_list:
		*ret = about(t, nr, a, 0);
		return true;
	default:
		return false;
	}
}

/* Which argument names a thread, or -1. */
static int names_thread(long nr, const long *a)
{
	switch (nr) {
	case SYS_sched_setaffinity: case SYS_sched_getaffinity: case SYS_sched_setscheduler: case SYS_sched_getscheduler:
	case SYS_sched_setparam: case SYS_sched_getparam: case SYS_sched_setattr: case SYS_sched_getattr:
	case SYS_sched_rr_get_interval: case SYS_get_robust_list:
		return 0;
	case SYS_setpriority: case SYS_getpriority:
		return a[0] == PRIO_PROCESS ? 1 : -1;
	case SYS_ioprio_set: case SYS_ioprio_get:
		return a[0] == IOPRIO_OF_PROCESS ? 1 : -1;
	case SYS_perf_event_open:
		return a[1] >= 0 ? 1 : -1;
	case SYS_pidfd_open:
		return a[1] & PIDFD_OF_THREAD ? 0 : -1;
	default:
		return -1;
	}
}

/* Do we remember what it changes, or does it name a thread?  Of a structure that is to be read, a filter may mind it. */
static bool is_our_fcntl(int cmd)
{
	return cmd == F_SETFL || cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC || cmd == F_SETLEASE || cmd == F_NOTIFY ||
	       cmd == F_SETOWN || cmd == F_GETOWN_EX || (cmd == F_SETOWN_EX && !load_relaxed(&sched_is_confined));
}

static bool is_of_descriptor(long nr, const long *a, long *ret)
{
	switch (nr) {
	case SYS_close:
		*ret = fd_release((int)a[0]) ? raw_call(nr, a) : -EBADF;
		fd_released((int)a[0]);
		return true;
#ifdef SYS_dup2
	case SYS_dup2:
#endif
	case SYS_dup3:
		*ret = fd_may_replace((int)a[0], (int)a[1], nr == SYS_dup3 ? (int)a[2] : 0) ? raw_call(nr, a) : -EBUSY;
		fd_released((int)a[1]);
		return true;
	case SYS_close_range:
		*ret = answered(close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]));
		return true;
	case SYS_fcntl:
		if (!is_our_fcntl((int)a[1]))
			return false;
		*ret = answered(fcntl((int)a[0], (int)a[1], a[2]));
		return true;
	case SYS_ioctl:
		if ((unsigned)a[1] != FIONBIO && (unsigned)a[1] != FIOSETOWN && (unsigned)a[1] != SIOCSPGRP)
			return false;
		*ret = answered(ioctl((int)a[0], (unsigned)a[1], (void *)a[2]));
		return true;
	case SYS_epoll_ctl:
		*ret = answered(epoll_ctl((int)a[0], (int)a[1], (int)a[2], (struct epoll_event *)a[3]));
		return true;
	case SYS_setsockopt:
		*ret = answered(setsockopt((int)a[0], (int)a[1], (int)a[2], (const void *)a[3], (socklen_t)a[4]));
		return true;
	default:
		return false;
	}
}

int call_makes_ring(unsigned flags)
{
	bool is_of_one = flags & (RING_SINGLE_ISSUER | RING_DEFER_TASKRUN);

	/* The kernel cancels what a kernel thread asked for when that one ends. */
	store_relaxed(&sched.keeps_spares, 1);
	return is_of_one && !(flags & RING_DISABLED) ? bind_self() : 0;
}

static int call_registers(unsigned opcode)
{
	return opcode == REGISTER_ENABLE || opcode == REGISTER_RING_FDS ? bind_self() : 0;
}

/* Who traces, or is traced, is a kernel thread; who asks to be traced shows its tracer all it has from then on. */
static int call_traces(int request)
{
	if (request == PTRACE_TRACEME)
		bind_all_threads();
	return bind_self();
}

/* Whatever comes of the call. */
static int bind_self_apart(void)
{
	int err = bind_self();

	if (!err)
		bind_apart(PF_APART);
	return err;
}

#ifdef SYS_arch_prctl
/* What the others set, as the GS base, is the kernel thread's. */
static bool only_asks(int code)
{
	return code == ARCH_GET_FS || code == ARCH_GET_GS || code == GET_XCOMP_SUPP || code == GET_XCOMP_PERM;
}
#endif

static int ties(long nr, const long *a)
{
	const struct io_uring_params *params = (const void *)a[1];

	switch (nr) {
	case SYS_signalfd: case SYS_signalfd4:
		signal_show_in_kernel();
		return 0;
	case SYS_keyctl:
		return a[0] == JOIN_SESSION_KEYRING ? bind_self_apart() : bind_self();
	case SYS_seccomp: case SYS_add_key: case SYS_request_key: case SYS_set_robust_list:
		return bind_self();
	case SYS_setns: case SYS_landlock_restrict_self: case SYS_set_mempolicy:
	case SYS_setuid: case SYS_setgid: case SYS_setreuid: case SYS_setregid:
	case SYS_setresuid: case SYS_setresgid: case SYS_setgroups:
		return bind_self_apart();
	case SYS_setfsuid: case SYS_setfsgid:
		return (uid_t)a[0] == (uid_t)-1 ? 0 : bind_self_apart();	/* none: who is it now? */
	case SYS_ptrace:
		return call_traces((int)a[0]);
	case SYS_perf_event_open:
		return (int)a[1] >= 0 && bind_for_kernel((int)a[1]) < 0 ? EAGAIN : 0;
#ifdef SYS_arch_prctl
	case SYS_arch_prctl:
		return only_asks((int)a[0]) ? 0 : bind_self();
#endif
	case SYS_io_uring_setup:
		return call_makes_ring(params ? params->flags : 0);
	case SYS_io_uring_register:
		return call_registers(a[1]);
	default:
		return 0;
	}
}

static long make_timer(const long *a)
{
	struct sigevent e;
	clockid_t clock = (clockid_t)a[0];
	long args[6];

	if (a[1] && sys_read_own(&e, (uintptr_t)a[1], sizeof(e)))
		return -EFAULT;
	int owner = ptimer_clock_owner(clock), err = ptimer_name(&clock, a[1] ? &e : NULL);

	if (err)
		return err;
	memcpy(args, a, sizeof(args));
	args[0] = clock;
	args[1] = a[1] ? (long)&e : 0;
	long ret = raw_call(SYS_timer_create, args);

	if (ret == 0)
		ptimer_note(*(const int *)a[2], owner);
	return ret;
}

static long set_timer(const long *a)
{
	struct itimerspec copy;

	return with(SYS_timer_settime, a, 2, (long)ptimer_value((int)a[0], (int)a[1], (const void *)a[2], &copy));
}

/* A call by number is no cancellation point; an asynchronous cancellation may come all the same. */
static int uncancelled_begin(void)
{
	int type, state = PTHREAD_CANCEL_DISABLE;

	REAL(pthread_setcanceltype)(PTHREAD_CANCEL_DEFERRED, &type);
	if (type == PTHREAD_CANCEL_DEFERRED)
		REAL(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, &state);
	else
		REAL(pthread_setcanceltype)(type, NULL);
	return state;
}

static void uncancelled_end(const int *state)
{
	if (*state == PTHREAD_CANCEL_ENABLE)
		REAL(pthread_setcancelstate)(PTHREAD_CANCEL_ENABLE, NULL);
}

#define UNCANCELLED(call) \
	({ \
		__attribute__((cleanup(uncancelled_end))) int state_ = uncancelled_begin(); \
		answered(call); \
	})

/* The kernel's sets are of 64 signals. */
static long about_signals(long nr, const long *a)
{
	const uint64_t *given = (const void *)a[0];
	uint64_t *asked = (void *)a[0];
	sigset_t set = { 0 }, old = { 0 };

	if (nr == SYS_rt_sigprocmask) {
		given = (const void *)a[1];
		asked = (void *)a[2];
	}
	if (nr == SYS_rt_sigpending) {
		sigpending(&old);
	} else {
		if (given)
			*(uint64_t *)&set = *given;
		if (nr == SYS_rt_sigtimedwait)
			return UNCANCELLED(sigtimedwait(&set, (siginfo_t *)a[1], (const struct timespec *)a[2]));
		int err = pthread_sigmask((int)a[0], given ? &set : NULL, &old);

		if (err)
			return -err;
	}
	if (asked)
		*asked = mask_of(&old);
	return 0;
}

/* What is left of the time that a wait may take, which it says, if that can be written: libc's functions do not. */
static void take_off(struct timespec *limit, uint64_t since_ns)
{
	uint64_t ns = ns_from_timespec(limit), passed = now_ns() - since_ns;

	ns -= passed < ns ? passed : ns;
	struct timespec left = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	sys_write_own(limit, &left, sizeof(left));
}

/* The mask that a wait is to have, of the kernel's size: false if it has none, or the kernel is to say what is wrong. */
static bool reads_mask(const uint64_t *mask, size_t bytes, sigset_t *ret_mask)
{
	if (!mask || bytes != sizeof(*mask))
		return false;
	*ret_mask = (sigset_t){ 0 };
	return sys_read_own(ret_mask, (uintptr_t)mask, sizeof(*mask)) == 0;
}

/* Who waits with another mask says so to those who send signals. */
static bool is_masked_wait(long nr, const long *a, long *ret)
{
	const struct { const uint64_t *mask; size_t bytes; } *sixth = (const void *)a[5];
	struct timespec *limit = NULL;
	uint64_t since_ns = 0;
	sigset_t mask;

	switch (nr) {
	case SYS_rt_sigsuspend:
		if (!sched_is_started || load_relaxed(&sched_is_confined) || !reads_mask((const uint64_t *)a[0], (size_t)a[1], &mask))
			return false;
		*ret = UNCANCELLED(sigsuspend(&mask));
		return true;
	case SYS_epoll_pwait:
		if (!io_parker() || !reads_mask((const uint64_t *)a[4], (size_t)a[5], &mask))
			return false;
		*ret = UNCANCELLED(epoll_pwait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3], &mask));
		return true;
#ifdef SYS_epoll_pwait2
	case SYS_epoll_pwait2:
		if (!io_parker() || !reads_mask((const uint64_t *)a[4], (size_t)a[5], &mask))
			return false;
		*ret = UNCANCELLED(epoll_pwait2((int)a[0], (struct epoll_event *)a[1], (int)a[2],
						(const struct timespec *)a[3], &mask));
		return true;
#endif
	case SYS_ppoll:
		if (!io_parker() || !reads_mask((const uint64_t *)a[3], (size_t)a[4], &mask))
			return false;
		limit = (struct timespec *)a[2];
		since_ns = now_ns();
		*ret = UNCANCELLED(ppoll((struct pollfd *)a[0], (nfds_t)a[1], limit, &mask));
		break;
	case SYS_pselect6:
		if (!io_parker() || !sixth || !reads_mask(sixth->mask, sixth->bytes, &mask))
			return false;
		limit = (struct timespec *)a[4];
		since_ns = now_ns();
		*ret = UNCANCELLED(pselect((int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], limit, &mask));
		break;
	default:
		return false;
	}
	if (limit && *ret != -EINVAL && *ret != -EFAULT)
		take_off(limit, since_ns);
	return true;
}

/* With no filter at all it is only a question whether there could be one. */
static bool sets_filter(long nr, const long *a)
{
	return nr == SYS_seccomp && (a[0] == SECCOMP_SET_MODE_STRICT || (a[0] == SECCOMP_SET_MODE_FILTER && a[2]));
}

/* Those that are as libc's function, which is ours. */
static bool is_of_function(long nr, const long *a, long *ret)
{
	switch (nr) {
	case SYS_unshare:
		*ret = answered(unshare((int)a[0]));
		return true;
	case SYS_kill:
		*ret = answered(kill((pid_t)a[0], (int)a[1]));
		return true;
	case SYS_execve:
		*ret = answered(execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]));
		return true;
	case SYS_execveat:
		*ret = answered(execveat((int)a[0], (const char *)a[1], (char *const *)a[2], (char *const *)a[3], (int)a[4]));
		return true;
	case SYS_sched_setattr:			/* of none of our threads */
		*ret = raw_call(nr, a);
		if (*ret == 0)
			priority_note((int)((const struct sys_policy *)a[1])->policy);
		return true;
	case SYS_timer_create:
		*ret = make_timer(a);
		return true;
	case SYS_timer_settime:
		*ret = set_timer(a);
		return true;
	case SYS_clock_gettime:			/* others are the kernel's own, whatever library has its word in libc's function */
		if (a[0] != CLOCK_THREAD_CPUTIME_ID && !clock_is_of_tid((clockid_t)a[0]))
			return false;
		*ret = answered(clock_gettime((clockid_t)a[0], (struct timespec *)a[1]));
		return true;
	case SYS_getrusage:
		if (a[0] != RUSAGE_THREAD)
			return false;
		*ret = answered(getrusage((__rusage_who_t)a[0], (struct rusage *)a[1]));
		return true;
	case SYS_sigaltstack:
		*ret = answered(sigaltstack((const stack_t *)a[0], (stack_t *)a[1]));
		return true;
	case SYS_rt_sigprocmask: case SYS_rt_sigpending: case SYS_rt_sigtimedwait:
		if (!sched_is_started || a[nr == SYS_rt_sigpending ? 1 : 3] != sizeof(uint64_t))
			return false;
		*ret = about_signals(nr, a);
		return true;
	case SYS_personality:
		*ret = answered(personality((unsigned long)a[0]));
		return true;
	case SYS_pkey_alloc:
		*ret = answered(pkey_alloc((unsigned)a[0], (unsigned)a[1]));
		return true;
	case SYS_capset:
		*ret = answered(capset((void *)a[0], (const void *)a[1]));
		return true;
	case SYS_capget:
		*ret = answered(capget((void *)a[0], (void *)a[1]));
		return true;
	case SYS_mlockall:
		*ret = answered(mlockall((int)a[0]));
		return true;
	case SYS_munlockall:
		*ret = answered(munlockall());
		return true;
	case SYS_prctl:
		*ret = answered(prctl((int)a[0], a[1], a[2], a[3], a[4]));
		return true;
	case SYS_getrandom:
		*ret = answered(getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]));
		return true;
	case SYS_sendfile:
		*ret = answered(sendfile64((int)a[0], (int)a[1], (off64_t *)a[2], (size_t)a[3]));
		return true;
	case SYS_copy_file_range:
		*ret = answered(copy_file_range((int)a[0], (off64_t *)a[1], (int)a[2], (off64_t *)a[3], (size_t)a[4], (unsigned)a[5]));
		return true;
	default:
		return false;
	}
}

bool call_by_number(long nr, const long *a, long *ret)
{
	int i = names_thread(nr, a);
	struct thread *t = i >= 0 ? bind_find((int)a[i]) : NULL;

	if (!t && i >= 0)
		t = priority_debtor_of((int)a[i]);
	switch (nr) {
	case SYS_tgkill:
		*ret = (int)a[0] <= 0 ? -EINVAL : posix_tgkill((int)a[0], (int)a[1], (int)a[2]);
		return true;
	/* Any thread's number is its process's, too. */
	case SYS_rt_sigqueueinfo: case SYS_prlimit64: case SYS_getpgid: case SYS_getsid: case SYS_migrate_pages:
	case SYS_move_pages:
		*ret = with(nr, a, 0, posix_process_of((int)a[0]));
		return true;
	case SYS_tkill:
		*ret = posix_tgkill(-1, (int)a[0], (int)a[1]);
		return true;
	case SYS_rt_tgsigqueueinfo:
		return posix_tgsigqueue((int)a[0], (int)a[1], (int)a[2], (const siginfo_t *)a[3], ret);
	case SYS_set_tid_address:	/* what the kernel clears is the kernel thread's, and the runtime's */
		*ret = gettid();
		return sched_is_started && self_ptr && !word_get(self_ptr, PW_VFORK);
	}
	if (t)
		return is_of_thread(nr, a, t, ret);
	if (is_of_function(nr, a, ret))
		return true;
	if (is_masked_wait(nr, a, ret))
		return true;
	if (fork_by_number(nr, a, ret))
		return true;
	if (sets_filter(nr, a)) {
		bool was_free = bind_before_filter();

		*ret = raw_call(nr, a);
		bind_after_filter(was_free, *ret >= 0);
		return true;
	}
	*ret = -ties(nr, a);
	return *ret != 0 || is_of_descriptor(nr, a, ret);
}

#ifdef SYS_arch_prctl
/* In no header of libc's. */
EXPORT int arch_prctl(int code, unsigned long address)
{
	return (int)syscall(SYS_arch_prctl, code, address);
}
ALIAS(__arch_prctl, arch_prctl);
#endif

/* glibc has it since 2.36. */
extern int pidfd_open(pid_t pid, unsigned flags);
EXPORT int pidfd_open(pid_t pid, unsigned flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

EXPORT long ptrace(enum __ptrace_request request, ...)
{
	va_list ap;

	va_start(ap, request);
	pid_t pid = va_arg(ap, pid_t);
	void *address = va_arg(ap, void *), *data = va_arg(ap, void *);

	va_end(ap);
	int err = call_traces(request);

	if (err) {
		errno = err;
		return -1;
	}
	return REAL(ptrace)(request, pid, address, data);
}

/* ---- liburing, whose system calls are in its own text ---- */

struct io_uring;

static void *of_liburing(const char *name)
{
	void *fn = dlsym(RTLD_NEXT, name);
	void *library = fn ? NULL : dlopen("liburing.so.2", RTLD_LAZY | RTLD_NOLOAD);	/* loaded for one user */

	return library ? dlsym(library, name) : fn;
}

#define OF_LIBURING(name, err, ...) \
	({ \
		__typeof__(&name) fn_ = (__typeof__(&name))of_liburing(#name); \
		int err_ = fn_ ? (err) : ENOSYS; \
		err_ ? -err_ : fn_(__VA_ARGS__); \
	})

EXPORT int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	return OF_LIBURING(io_uring_queue_init, call_makes_ring(flags), entries, ring, flags);
}

EXPORT int io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *p)
{
	return OF_LIBURING(io_uring_queue_init_params, call_makes_ring(p->flags), entries, ring, p);
}

EXPORT int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *p, void *buf,
				   size_t bytes)
{
	return OF_LIBURING(io_uring_queue_init_mem, call_makes_ring(p->flags), entries, ring, p, buf, bytes);
}

EXPORT int io_uring_enable_rings(struct io_uring *ring)
{
	return OF_LIBURING(io_uring_enable_rings, bind_self(), ring);
}

EXPORT int io_uring_register_ring_fd(struct io_uring *ring)
{
	return OF_LIBURING(io_uring_register_ring_fd, bind_self(), ring);
}

EXPORT int io_uring_setup(unsigned entries, struct io_uring_params *p)
{
	return OF_LIBURING(io_uring_setup, call_makes_ring(p ? p->flags : 0), entries, p);
}

EXPORT int io_uring_register(unsigned fd, unsigned opcode, const void *arg, unsigned n)
{
	return OF_LIBURING(io_uring_register, call_registers(opcode), fd, opcode, arg, n);
}
