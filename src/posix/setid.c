// SPDX-License-Identifier: BSD-2-Clause
/*
 * setuid and its family change the process, though the kernel's calls change one kernel thread:
 * each kernel thread of the process, ours or not, makes the call.
 *
 * The caller makes it first: if it fails, nothing has changed.  Then all others are sent signal
 * 33, which is libc's own for this purpose and never blocked by a program; the handler makes the
 * raw call, which is safe wherever it interrupts.  Their answers are waited for, and the list of kernel
 * threads is read again until it shows nobody new.
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

#include "../base/child.h"
#include "../base/print.h"
#include "../sys/sys.h"
#include "mutex.h"
#include "real.h"
#include "signal.h"

enum { SETID_SIGNAL = 33, PATIENCE_MS = 60000 };	/* on a machine that has no time for one of its threads */

struct request {
	long nr, a, b, c;
	struct au32 owing;	/* so many have not answered */
	struct au32 refused;	/* the number of one whose call failed */
	long error;
};

static pthread_mutex_t setid_lock;

/* Whoever held it is not there. */
void setid_fork_child(void)
{
	zero_in_child(&setid_lock, sizeof(setid_lock));
}

static struct request request;
/* A bit for each number that a kernel thread may have: it was asked; it has not answered. */
static uint64_t asked[THREAD_FIRST_TID / 64];
static struct au64 owes[THREAD_FIRST_TID / 64];
static int first_word, end_word;	/* all that is not 0 there is between these */

/* The first to do so says true: it has answered, or is not there any more. */
static bool settle(int tid)
{
	uint64_t bit = UINT64_C(1) << tid % 64;

	return (load_relaxed(&owes[tid / 64]) & bit) && (fetch_and(&owes[tid / 64], ~bit) & bit);
}

static void count_answer(void)
{
	if (fetch_sub(&request.owing, 1) == 1)
		sys_futex_wake(&request.owing, 1);
}

static void on_setid(int sig, siginfo_t *info, void *uc)
{
	int tid = sys_gettid();

	(void)sig, (void)info, (void)uc;
	if (!settle(tid))
		return;
	long err = arch_syscall3(request.nr, request.a, request.b, request.c);

	if (err < 0) {
		request.error = err;
		store_release(&request.refused, (uint32_t)tid);
	}
	count_answer();
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

static void note_asked(int tid)
{
	int word = tid / 64;

	asked[word] |= UINT64_C(1) << tid % 64;
	if (word < first_word)
		first_word = word;
	if (word >= end_word)
		end_word = word + 1;
}

/* What is 0 is not written to: it takes no memory.  Others' answers are in, but for those of a parent's threads. */
static void forget_asked(void)
{
	for (int i = first_word; i < end_word; i++)
		if (asked[i]) {
			asked[i] = 0;
			store_relaxed(&owes[i], 0);
		}
	store_relaxed(&request.owing, 0);
	store_relaxed(&request.refused, 0);
	first_word = THREAD_FIRST_TID / 64;
	end_word = 0;
}

static void ask(int tid)
{
	note_asked(tid);
	fetch_add(&request.owing, 1);
	fetch_or(&owes[tid / 64], UINT64_C(1) << tid % 64);
	if (sys_tgkill(tid, SETID_SIGNAL) && settle(tid))
		count_answer();
}

/*
 * A kernel thread that goes away meanwhile, or takes no signals, has no say; one that is held is waited for; one that does
 * not answer breaks the promise.
 */
static void look_for_those_who_owe(bool is_late)
{
	for (int i = first_word; i < end_word; i++)
		for (uint64_t bits = load_relaxed(&owes[i]); bits; bits &= bits - 1) {
			int tid = 64 * i + __builtin_ctzll(bits);

			if (sys_tgkill(tid, 0) || sys_is_deaf(tid)) {
				if (settle(tid))
					count_answer();
			} else if (is_late && !sys_is_held(tid)) {
				give_up(tid, ETIMEDOUT);
			}
		}
}

static void sleep_until_all_answered(uint64_t until)
{
	uint32_t owing;

	while ((owing = load_acquire(&request.owing)) && now_ns() < until)
		sys_futex_wait(&request.owing, owing, until);
}

/* Most answer at once: whoever took our vproc meanwhile, as of one that blocks, would have it for a slice. */
static void await_answers(void)
{
	uint64_t until = now_ns() + PATIENCE_MS * NS_PER_MS;
	struct thread *me = rt_enter();

	sleep_until_all_answered(now_ns() + NS_PER_MS);
	rt_leave(me);
	while (load_acquire(&request.owing)) {
		bool is_late = now_ns() > until;

		look_for_those_who_owe(is_late);
		if (is_late)
			until = now_ns() + PATIENCE_MS * NS_PER_MS;
		sleep_until_all_answered(now_ns() + 10 * NS_PER_MS);
	}
	if (load_acquire(&request.refused))
		give_up((int)load_relaxed(&request.refused), (int)-request.error);
}

/* True if it is a new one. */
static bool ask_new(int tid)
{
	if (tid <= 0 || tid >= THREAD_FIRST_TID || asked[tid / 64] >> tid % 64 & 1)
		return false;
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

	bool any = dir >= 0 ? ask_listed(dir) : is_first ? ask_found() : ask_ours();

	await_answers();
	return any;
}

static long broadcast(struct thread *me, long nr, long a, long b, long c)
{
	uint64_t mask = posix_mask(me);

	/* A handler might jump away from the lock, or make the same call; but that of SIGABRT is give_up's last word. */
	posix_mask_install(me, ~(SIG_FAULTS | SIG_BIT(SIGABRT)));
	posix_mutex_lock(&setid_lock);
	word_set(me, PW_NO_PREEMPT, word_get(me, PW_NO_PREEMPT) + 1);
	long err = arch_syscall3(nr, a, b, c);

	if (!err) {
		install();
		request.nr = nr;
		request.a = a;
		request.b = b;
		request.c = c;
		forget_asked();
		note_asked(sys_gettid());
		for (bool first = true; ask_all(first); first = false)
			;
	}
	posix_mutex_unlock(&setid_lock);
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
