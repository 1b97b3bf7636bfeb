// SPDX-License-Identifier: BSD-2-Clause
#include "process.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "../base/child.h"
#include "../io/io.h"
#include "../native/native.h"
#include "../sync/lot.h"
#include "../sys/sys.h"
#include "../thread/stack.h"
#include "alias.h"
#include "block.h"
#include "cond.h"
#include "posix.h"
#include "priority.h"
#include "real.h"

/* What the program blocks and the kernel thread does not is SIGURG. */
static void depart_now(struct thread *me)
{
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) | NO_PREEMPT_DEPARTURE);
	compiler_barrier();		/* a handler that comes from here on leaves, and resumes, it */
	sched_unpin(me);
	uint64_t mask = posix_mask(me);
	bool execs = word_get(me, PW_FLAGS) & PF_EXECS;

	if (execs && mask != me->kmask)
		sched_refuse_kicks(me);
	if (mask != me->kmask)
		sys_sigmask(SIG_SETMASK, &mask, NULL);
	if (execs)
		signal_to_kernel(me, ~UINT64_C(0));
}

/* It is told of the children that it makes: see signal_is_mains. */
static void note_child(void)
{
	struct thread *me = own_self();

	if (me)
		word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | PF_FORKS);
}

struct departure depart(void)
{
	struct thread *self = self_ptr;
	struct departure d = { .me = user_self() };

	note_child();
	if (!d.me && self && priority_is_lent(self) && !word_get(self, PW_VFORK)) {
		d.is_laid_down = true;
		priority_lay_down(self, true);
	}
	if (d.me)
		depart_now(d.me);
	return d;
}

struct departure depart_by_exec(void)
{
	struct thread *me = user_self(), *self = self_ptr;

	if (me)
		word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | PF_EXECS);
	else if (sched_is_started && self && self->is_one_to_one && !word_get(self, PW_VFORK))
		signal_to_kernel(self, ~UINT64_C(0));
	return depart();
}

/* Every signal is blocked. */
bool signal_departure_leave(struct thread *me)
{
	uintptr_t word = word_get(me, PW_NO_PREEMPT);

	if (likely(!(word & NO_PREEMPT_DEPARTURE)))
		return false;
	sched_repin(me);
	word_set(me, PW_NO_PREEMPT, word - NO_PREEMPT_DEPARTURE);
	if (word_get(me, PW_FLAGS) & PF_EXECS)
		signal_from_kernel(me, me->kmask);
	return true;
}

void signal_departure_resume(struct thread *me)
{
	if (me->kind == THREAD_USER)	/* unless the handler bound it */
		depart_now(me);
}

void depart_undo(struct departure *d)
{
	uint64_t all = ~UINT64_C(0);

	if (d->is_laid_down)
		priority_lay_down(self_ptr, false);
	if (!d->me)
		return;
	bool execs = word_get(d->me, PW_FLAGS) & PF_EXECS;

	sys_sigmask(SIG_SETMASK, &all, NULL);
	signal_departure_leave(d->me);
	word_set(d->me, PW_FLAGS, word_get(d->me, PW_FLAGS) & ~(uintptr_t)PF_EXECS);
	sys_sigmask(SIG_SETMASK, &d->me->kmask, NULL);
	if (execs) {
		rt_enter();
		rt_leave(d->me);	/* what it was not told of meanwhile */
	}
}

/* What `system` changes for as long as the command runs, shared by all who are in it. */
static struct lock system_lock;
static unsigned system_users;
static struct sigaction system_int, system_quit;

/* Who is in it is the parent's; one may be about to change this. */
static void system_fork_child(void)
{
	lock_fork_child(&system_lock);
	zero_in_child(&system_users, sizeof(system_users));
}

/*
 * Runs on the child's only kernel thread, before any other code of the program's does.  What descriptors the runtime has
 * are the parent's, too, in a table that both share.
 */
static void begin_child(bool shares_files)
{
	struct thread *me = thread_self();
	bool was_user = me->kind == THREAD_USER;

	word_set(me, PW_VFORK, 0);
	action_at_home();
	bind_fork_child();
	system_fork_child();
	native_fork_child();
	thread_choose_tids();
	if (!sched_is_started && !posix_is_bound()) {
		me->tid = sys_gettid();
		return;
	}
	bool was_started = sched_is_started;

	if (was_started)
		sched_fork_child(me);
	lot_fork_child();
	setid_fork_child();
	ptimer_fork_child();
	cancel_fork_child();
	if (was_started)
		io_fork_child(shares_files);
	thread_fork_child(me);
	posix_leave_fork_child();
	priority_fork_child(me);
	cond_fork_child();
	if (was_started)
		signal_fork_child();
	else
		action_fork_child();	/* the program sets actions on kernel threads, too */
	if (was_user) {
		signal_to_child(me);
		arch_syscall2(SYS_prctl, PR_SET_NAME, (long)me->name);
	}
}

void posix_fork_child(void)
{
	begin_child(false);
}

static void before_fork(void)
{
	if (unlikely(posix_traces))
		bind_self();
	real_before_fork();
	note_child();
	if (user_self())
		sched_before_fork();
}

static void after_fork(void)
{
	if (user_self())
		sched_after_fork();
}

/*
 * Children of libc's fork, whoever calls it: before any handler of the program's or of another library's,
 * for those call us, and the threads that we would switch to or wait for are not there.  A library that is
 * preloaded behind ours (tcmalloc) comes before our constructor: so whoever registers first, registers ours.
 */
typedef int register_fn(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

static int register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso)
{
	static atomic_bool is_first_registered;
	register_fn *real = (register_fn *)real_find("__register_atfork", NULL);

	if (!atomic_exchange(&is_first_registered, true))
		real(before_fork, after_fork, posix_fork_child, NULL);
	return prepare || parent || child ? real(prepare, parent, child, dso) : 0;
}

__attribute__((constructor(103))) static void load(void)
{
	register_atfork(NULL, NULL, NULL, NULL);
}

EXPORT register_fn __register_atfork;
EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso)
{
	return register_atfork(prepare, parent, child, dso);
}

/* What libc exports for programs of long ago, and for weak references. */
EXPORT int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	return register_atfork(prepare, parent, child, NULL);
}

EXPORT pid_t _Fork(void)
{
	before_fork();
	pid_t pid = REAL(_Fork)();

	if (pid == 0)
		posix_fork_child();
	else
		after_fork();
	return pid;
}

bool fork_by_number(long nr, const long *a, long *ret)
{
	uint64_t flags = 0;

	if (nr == SYS_clone)
		flags = (uint64_t)a[0];
	else if (nr == SYS_clone3)
		sys_read_own(&flags, (uintptr_t)a[0], sizeof(flags));	/* the kernel says what is wrong with it */
#ifdef SYS_fork
	else if (nr != SYS_fork)
		return false;
#else
	else
		return false;
#endif
	before_fork();
	*ret = arch_syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (*ret == 0 && !(flags & CLONE_VM))
		begin_child(flags & CLONE_FILES);
	else if (*ret)
		after_fork();
	return true;
}

/* PW_VFORK between the two: how deep, and whether the outermost must undo it. */
enum { VFORK_DEPARTED = 1, VFORK_LAID_DOWN = 2, VFORK_DEEPER = 4 };

void vfork_before(void)
{
	struct departure d = depart();
	struct thread *me = thread_self();
	uintptr_t word = word_get(me, PW_VFORK) + VFORK_DEEPER;

	/* A child of a kernel thread of its own shares our memory as well. */
	if (d.me)
		word |= VFORK_DEPARTED;
	if (d.is_laid_down)
		word |= VFORK_LAID_DOWN;
	word_set(me, PW_VFORK, word);
}

long vfork_after(long result)
{
	struct thread *me = self_ptr;
	uintptr_t word = word_get(me, PW_VFORK) - VFORK_DEEPER;

	if (word < VFORK_DEEPER) {
		struct departure d = { word & VFORK_DEPARTED ? me : NULL, word & VFORK_LAID_DOWN };

		word_set(me, PW_VFORK, 0);
		depart_undo(&d);
	} else {
		word_set(me, PW_VFORK, word);
	}
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

struct clone_child {
	int (*fn)(void *);
	void *arg;
	int flags;
};

static int clone_child_main(void *arg)
{
	struct clone_child c = *(struct clone_child *)arg;

	begin_child(c.flags & CLONE_FILES);
	int code = c.fn(c.arg);

	posix_thread_leave(code);	/* as libc, which ends no more than this kernel thread */
	return code;
}

/*
 * With memory of its own the child is one of fork's, whatever it has to be called for the sake of namespaces; with
 * ours, while we wait for it, one of vfork's, though on a stack of its own.
 */
EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	struct clone_child c = { fn, arg, flags };
	va_list ap;

	va_start(ap, arg);
	pid_t *parent_tid = va_arg(ap, pid_t *);
	void *tls = va_arg(ap, void *);
	pid_t *child_tid = va_arg(ap, pid_t *);

	va_end(ap);
	if ((flags & CLONE_VM) && (flags & CLONE_VFORK)) {
		vfork_before();
		pid_t pid = REAL(clone)(fn, stack, flags, arg, parent_tid, tls, child_tid);

		return (int)vfork_after(pid < 0 ? -errno : pid);
	}
	if (flags & CLONE_VM)
		return REAL(clone)(fn, stack, flags, arg, parent_tid, tls, child_tid);
	before_fork();
	pid_t pid = REAL(clone)(clone_child_main, stack, flags, &c, parent_tid, tls, child_tid);

	after_fork();
	return pid;
}

ALIAS(__clone, clone);

/* The child's mask is an attribute, since libc blocks everything while it makes the child. */
static const posix_spawnattr_t *with_own_mask(const posix_spawnattr_t *attr, posix_spawnattr_t *copy,
					      struct thread *me)
{
	sigset_t mask = { 0 };
	short flags = 0;

	if (attr && posix_spawnattr_getflags(attr, &flags) == 0 && (flags & POSIX_SPAWN_SETSIGMASK))
		return attr;
	if (attr)
		*copy = *attr;
	else if (posix_spawnattr_init(copy))
		return attr;
	*(uint64_t *)&mask = posix_mask(me);
	posix_spawnattr_setsigmask(copy, &mask);
	posix_spawnattr_setflags(copy, (short)(flags | POSIX_SPAWN_SETSIGMASK));
	return copy;
}

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
		     char *const[], char *const[]);

static int spawn_with(spawn_fn *real, pid_t *pid, const char *path, const posix_spawn_file_actions_t *acts,
		      const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	DEPARTURE(d, depart);
	posix_spawnattr_t copy;

	if (d.me)
		attr = with_own_mask(attr, &copy, d.me);
	return real(pid, path, acts, attr, argv, envp);
}

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
		       const posix_spawn_file_actions_t *restrict acts,
		       const posix_spawnattr_t *restrict attr, char *const argv[restrict],
		       char *const envp[restrict])
{
	return spawn_with(REAL(posix_spawn), pid, path, acts, attr, argv, envp);
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			const posix_spawn_file_actions_t *restrict acts,
			const posix_spawnattr_t *restrict attr, char *const argv[restrict],
			char *const envp[restrict])
{
	return spawn_with(REAL(posix_spawnp), pid, file, acts, attr, argv, envp);
}

/* Both since glibc 2.39. */
extern int pidfd_spawn(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
		       char *const[]);
extern int pidfd_spawnp(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
			char *const[]);

static int spawn_is_unknown(void)
{
	return ENOSYS;
}

EXPORT int pidfd_spawn(int *restrict fd, const char *restrict path, const posix_spawn_file_actions_t *restrict acts,
		       const posix_spawnattr_t *restrict attr, char *const argv[restrict], char *const envp[restrict])
{
	return spawn_with(REAL_OR(pidfd_spawn, spawn_is_unknown), fd, path, acts, attr, argv, envp);
}

EXPORT int pidfd_spawnp(int *restrict fd, const char *restrict file, const posix_spawn_file_actions_t *restrict acts,
			const posix_spawnattr_t *restrict attr, char *const argv[restrict], char *const envp[restrict])
{
	return spawn_with(REAL_OR(pidfd_spawnp, spawn_is_unknown), fd, file, acts, attr, argv, envp);
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	DEPARTURE(d, depart);
	return REAL(popen)(command, mode);
}

/* Of the commands in it. */
EXPORT int wordexp(const char *restrict words, wordexp_t *restrict to, int flags)
{
	DEPARTURE(d, depart);
	return REAL(wordexp)(words, to, flags);
}

static void system_lock_take(void)
{
	while (!lock_try(&system_lock)) {
		if (!user_self()) {
			lock_slow(&system_lock);
			return;
		}
		sched_yield();
	}
}

static const struct sigaction ignore = { .sa_handler = SIG_IGN };

/* What no thread admits stays pending.  Of what is ignored, one may be pending as a kernel thread blocks it amid a handler. */
static void discard_ignored(int sig)
{
	if (sched_is_started && !posix_mask_blocked_by_all(SIG_BIT(sig)))
		sigaction(sig, &ignore, NULL);
}

static void system_enter(void)
{
	system_lock_take();
	if (system_users++ == 0) {
		sigaction(SIGINT, &ignore, &system_int);
		sigaction(SIGQUIT, &ignore, &system_quit);
	}
	lock_drop(&system_lock);
}

static void system_leave(void)
{
	system_lock_take();
	if (--system_users == 0) {
		discard_ignored(SIGINT);
		discard_ignored(SIGQUIT);
		sigaction(SIGINT, &system_int, NULL);
		sigaction(SIGQUIT, &system_quit, NULL);
	}
	lock_drop(&system_lock);
}

struct command {
	pid_t pid;
	sigset_t mask;
};

/* Also when a cancellation unwinds out of waitpid: the shell must not outlive us unwaited. */
static void command_end(struct command *c)
{
	int status;

	if (c->pid > 0) {
		REAL(kill)(c->pid, SIGKILL);
		arch_syscall4(SYS_wait4, c->pid, (long)&status, 0, 0);
	}
	system_leave();
	pthread_sigmask(SIG_SETMASK, &c->mask, NULL);
}

static int spawn_shell(const char *line, const sigset_t *mask, pid_t *ret_pid)
{
	const char *with_end[] = { "sh", "-c", "--", line, NULL }, *without[] = { "sh", "-c", line, NULL };
	/* A line that begins with a dash is no option of the shell's, since then. */
	const char **argv = strverscmp(gnu_get_libc_version(), "2.38") >= 0 ? with_end : without;
	posix_spawnattr_t attr;
	sigset_t defaults;

	posix_spawnattr_init(&attr);
	sigemptyset(&defaults);
	if (system_int.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGINT);
	if (system_quit.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_setsigmask(&attr, mask);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	int err = posix_spawn(ret_pid, "/bin/sh", NULL, &attr, (char *const *)argv, environ);

	posix_spawnattr_destroy(&attr);
	return err;
}

static int run_shell(const char *line)
{
	__attribute__((cleanup(command_end))) struct command c = { 0 };
	sigset_t child;
	int status = 127 << 8;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, &c.mask);
	system_enter();
	if (spawn_shell(line, &c.mask, &c.pid))
		return status;
	while (waitpid(c.pid, &status, 0) < 0) {
		if (errno == EINTR)
			continue;
		status = -1;
		break;
	}
	c.pid = 0;
	return status;
}

/*
 * Of bound threads too: libc has a count of its own, and who comes first and goes last by one of two leaves SIG_IGN.  Libc
 * would give the shell what the caller is lent.
 */
EXPORT int system(const char *line)
{
	struct thread *self = self_ptr;

	if (is_in_vfork() || (!sched_is_started && !(self && priority_is_lent(self))))
		return REAL(system)(line);
	REAL(pthread_testcancel)();
	if (!line)
		return run_shell("exit 0") == 0;
	return run_shell(line);
}

/* ---- what is the process's, whichever of its threads is named ---- */

EXPORT int prlimit(pid_t pid, __rlimit_resource_t what, const struct rlimit *limit, struct rlimit *ret_old)
{
	return REAL(prlimit)(posix_process_of(pid), what, limit, ret_old);
}

EXPORT int prlimit64(pid_t pid, __rlimit_resource_t what, const struct rlimit64 *limit, struct rlimit64 *ret_old)
{
	return REAL(prlimit64)(posix_process_of(pid), what, limit, ret_old);
}

EXPORT pid_t getpgid(pid_t pid)
{
	return REAL(getpgid)(posix_process_of(pid));
}

EXPORT pid_t getsid(pid_t pid)
{
	return REAL(getsid)(posix_process_of(pid));
}

ALIAS(__getpgid, getpgid);

/* ---- memory that stays ---- */

static bool lock_stacks(bool locks)
{
	if (!sched_is_started)
		return stack_lock(locks);
	struct thread *me = rt_enter();
	bool was = stack_lock(locks);

	rt_leave(me);
	return was;
}

EXPORT int mlockall(int flags)
{
	bool fills = !(flags & MCL_ONFAULT);

	if (is_in_vfork())
		return REAL(mlockall)(flags);
	bool had = lock_stacks(fills);
	int err = REAL(mlockall)(flags);

	lock_stacks(err ? had : fills && (flags & MCL_FUTURE));
	return err;
}

EXPORT int munlockall(void)
{
	int err = REAL(munlockall)();

	if (!err && !is_in_vfork())
		lock_stacks(false);
	return err;
}
