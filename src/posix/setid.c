// SPDX-License-Identifier: BSD-2-Clause
/*
 * setuid and its family change the process, though the kernel's calls change one kernel thread:
 * each kernel thread of the process, ours or not, makes the call.
 *
 * The caller makes it first: if it fails, nothing has changed.  Then each other one is sent signal
 * 33, which is libc's own for this purpose and never blocked by a program; the handler makes the
 * raw call, which is safe wherever it interrupts.  One at a time; and the list of kernel threads is
 * read again until it shows nobody new.
 *
 * The list is the kernel's.  Where it cannot be read, as by a server in an empty root (chroot) or with no descriptor
 * left, the runtime knows its own kernel threads, and those of others (libc's helpers, what the program cloned) are
 * looked for by trying all numbers: a second or so, once for each call.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/lock.h"
#include "../base/print.h"
#include "../sys/sys.h"
#include "real.h"
#include "signal.h"

enum { SETID_SIGNAL = 33, PATIENCE_MS = 60000 };	/* on a machine that has no time for one of its threads */

struct request {
	long nr, a, b, c;
	struct au32 target;	/* tid that is to answer */
	struct au32 answered;
	long result;
};

static struct lock setid_lock;

/* Whoever held it is not there. */
void setid_fork_child(void)
{
	memset(&setid_lock, 0, sizeof(setid_lock));
}
static struct request request;
static uint64_t done[THREAD_FIRST_TID / 64];	/* a bit for each number that a kernel thread may have */

static void on_setid(int sig, siginfo_t *info, void *uc)
{
	(void)sig, (void)info, (void)uc;
	if (load_acquire(&request.target) != (uint32_t)sys_gettid())
		return;
	request.result = arch_syscall3(request.nr, request.a, request.b, request.c);
	store_release(&request.target, 0);
	store_release(&request.answered, 1);
	sys_futex_wake(&request.answered, 1);
}

static void install(void)
{
	struct {
		void (*handler)(int, siginfo_t *, void *);
		uint64_t flags;
		void (*restorer)(void);
		uint64_t mask;
	} action = { on_setid, SA_SIGINFO | SA_RESTART | 0x04000000 /* SA_RESTORER */, arch_sigreturn,
		     ~UINT64_C(0) };

	arch_syscall4(SYS_rt_sigaction, SETID_SIGNAL, (long)&action, 0, 8);
}

/* Some have the new IDs and some have not: nobody may go on, and the program may say so. */
static _Noreturn void give_up(int tid, int err)
{
	complain("kernel thread %d keeps other user and group IDs (error %d)", tid, err);
	abort();
}

/*
 * A kernel thread that goes away meanwhile, or takes no signals, has no say; one that is held is waited for; one that does
 * not answer breaks the promise.
 */
static void ask(int tid)
{
	uint64_t until = now_ns() + PATIENCE_MS * NS_PER_MS;

	store_relaxed(&request.answered, 0);
	store_release(&request.target, (uint32_t)tid);
	if (sys_tgkill(tid, SETID_SIGNAL))
		return;
	while (!load_acquire(&request.answered)) {
		sys_futex_wait(&request.answered, 0, now_ns() + 10 * NS_PER_MS);
		if (load_acquire(&request.answered))
			break;
		if (sys_tgkill(tid, 0) || sys_is_deaf(tid))
			return;
		if (now_ns() > until) {
			if (!sys_is_held(tid))
				give_up(tid, ETIMEDOUT);
			until = now_ns() + PATIENCE_MS * NS_PER_MS;
		}
	}
	if (request.result < 0)
		give_up(tid, (int)-request.result);
}

static void note_done(int tid)
{
	done[tid / 64] |= UINT64_C(1) << tid % 64;
}

/* What is 0 is not written to: it takes no memory. */
static void forget_done(void)
{
	for (int i = 0; i < THREAD_FIRST_TID / 64; i++)
		if (done[i])
			done[i] = 0;
}

/* True if it is a new one. */
static bool ask_new(int tid)
{
	if (tid <= 0 || tid >= THREAD_FIRST_TID || done[tid / 64] >> tid % 64 & 1)
		return false;
	note_done(tid);
	ask(tid);
	return true;
}

/* By system calls: a thread that holds a lock of malloc's may be one that waits for us. */
static bool ask_listed(long dir)
{
	union { struct dirent64 e; char bytes[2048]; } list;
	bool any = false;
	long n;

	while ((n = arch_syscall3(SYS_getdents64, dir, (long)&list, sizeof(list))) > 0)
		for (long at = 0; at < n; at += ((struct dirent64 *)(list.bytes + at))->d_reclen)
			any |= ask_new(atoi(((struct dirent64 *)(list.bytes + at))->d_name));
	arch_syscall1(SYS_close, dir);
	return any;
}

static bool ask_ours(void)
{
	bool any = false;

	for (int tid = 0; (tid = sched_next_kernel_thread(tid)) > 0;)
		any |= ask_new(tid);
	return any;
}

/* One that is made meanwhile has the IDs of its maker, who answers when that is over. */
static bool ask_found(void)
{
	bool any = ask_ours();

	for (int tid = 1; tid < THREAD_FIRST_TID; tid++)
		if (sys_tgkill(tid, 0) == 0)
			any |= ask_new(tid);
	return any;
}

/* True when there was somebody new. */
static bool ask_all(bool is_first)
{
	long dir = arch_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	return dir >= 0 ? ask_listed(dir) : is_first ? ask_found() : ask_ours();
}

static long broadcast(struct thread *me, long nr, long a, long b, long c)
{
	uint64_t mask = posix_mask(me);

	/* A handler might jump away from the lock, or make the same call; but that of SIGABRT is give_up's last word. */
	posix_mask_install(me, ~(SIG_FAULTS | SIG_BIT(SIGABRT)));
	while (!lock_try(&setid_lock))
		sched_yield();
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) + 1);
	long err = arch_syscall3(nr, a, b, c);

	if (!err) {
		install();
		request.nr = nr;
		request.a = a;
		request.b = b;
		request.c = c;
		forget_done();
		note_done(sys_gettid());
		for (bool first = true; ask_all(first); first = false)
			;
	}
	lock_drop(&setid_lock);
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) - 1);
	posix_mask_install(me, mask);
	if (!sigqueue_is_empty(me) || (orphan_set() & ~mask))
		signal_deliver(me);
	return err;
}

/* The caller may be one that libc made by itself, and that is not known yet. */
static bool is_shared(struct thread **ret_me)
{
	if (!sched_is_started)
		return false;
	*ret_me = thread_self();
	return !word_get(*ret_me, PW_VFORK);
}

static int everywhere(struct thread *me, long nr, long a, long b, long c)
{
	long err = broadcast(me, nr, a, b, c);

	if (!err)
		return 0;
	errno = (int)-err;
	return -1;
}

/* is_refused: as libc does, which asks the kernel for another call than the one it is. */
#define SETID_UNLESS(is_refused, name, nr, params, args, a, b, c) \
	EXPORT int name params \
	{ \
		struct thread *me; \
	\
		if (!is_shared(&me) || (is_refused)) \
			return REAL(name) args; \
		return everywhere(me, nr, (long)(a), (long)(b), (long)(c)); \
	}

#define SETID(...) SETID_UNLESS(false, __VA_ARGS__)

SETID(setuid, SYS_setuid, (uid_t uid), (uid), uid, 0, 0)
SETID(setgid, SYS_setgid, (gid_t gid), (gid), gid, 0, 0)
SETID_UNLESS(uid == (uid_t)-1, seteuid, SYS_setresuid, (uid_t uid), (uid), -1, uid, -1)
SETID_UNLESS(gid == (gid_t)-1, setegid, SYS_setresgid, (gid_t gid), (gid), -1, gid, -1)
SETID(setreuid, SYS_setreuid, (uid_t real, uid_t effective), (real, effective), real, effective, 0)
SETID(setregid, SYS_setregid, (gid_t real, gid_t effective), (real, effective), real, effective, 0)
SETID(setresuid, SYS_setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s), r, e, s)
SETID(setresgid, SYS_setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s), r, e, s)
SETID(setgroups, SYS_setgroups, (size_t n, const gid_t *groups), (n, groups), n, groups, 0)

EXPORT int initgroups(const char *user, gid_t group)
{
	struct thread *me;
	gid_t few[64], *groups = few;
	int n = 64;

	if (!is_shared(&me))
		return REAL(initgroups)(user, group);
	if (getgrouplist(user, group, groups, &n) < 0) {
		groups = malloc((size_t)n * sizeof(gid_t));
		if (!groups || getgrouplist(user, group, groups, &n) < 0) {
			free(groups);
			errno = ENOMEM;
			return -1;
		}
	}
	int err = setgroups((size_t)n, groups);

	if (groups != few)
		free(groups);
	return err;
}
