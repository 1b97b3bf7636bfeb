// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPU masks and scheduling parameters of threads.  A thread of ours has the program's own mask and
 * policy; anything else binds it.
 */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../sys/sys.h"
#include "alias.h"
#include "bind.h"
#include "priority.h"
#include "real.h"

static const struct wish *wish_of(struct thread *t, unsigned what)
{
	const struct wish *w = bind_wish_of(t);

	return w && (w->what & what) ? w : NULL;
}

static int failed(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

bool bind_is_own(const cpu_set_t *set)
{
	cpu_set_t own = { 0 };

	sched_affinity(&own, sizeof(own));
	return CPU_EQUAL(set, &own);
}

/* The program's own mask may be less than it could have (taskset, or main pinned itself before it made threads). */
bool bind_limit(cpu_set_t *set)
{
	cpu_set_t own = { 0 }, most = { 0 }, within;

	sched_affinity(&own, sizeof(own));
	CPU_AND(&within, set, &own);
	if (!CPU_EQUAL(&within, set)) {
		sched_affinity_most(&most, sizeof(most));
		CPU_AND(set, set, &most);
	}
	return CPU_COUNT(set) > 0;
}

static int set_affinity(struct thread *t, size_t bytes, const cpu_set_t *set)
{
	struct wish w = { .what = WISH_AFFINITY };

	if (t->kind != THREAD_USER && !wish_of(t, WISH_AFFINITY))
		return -sys_set_affinity(bind_kernel_name(t), set, bytes);
	memcpy(&w.affinity, set, bytes < sizeof(w.affinity) ? bytes : sizeof(w.affinity));
	if (!bind_limit(&w.affinity))
		return EINVAL;
	if (bind_is_own(&w.affinity) && !wish_of(t, WISH_AFFINITY))
		return 0;
	if (t == self_ptr) {
		int err = bind_self();

		return err ? err : -sys_set_affinity(0, set, bytes);
	}
	return bind_wish(t, &w);
}

int bind_get_affinity(struct thread *t, size_t bytes, cpu_set_t *set)
{
	const struct wish *w = wish_of(t, WISH_AFFINITY);
	unsigned char own[CPU_SETSIZE / 8];
	size_t n = sched_affinity(own, sizeof(own));

	if (t->kind != THREAD_USER && !w)
		return sys_get_affinity(bind_kernel_name(t), set, bytes);
	if (bytes < n || bytes % sizeof(long))
		return -EINVAL;
	memcpy(set, w ? (const void *)&w->affinity : own, n);
	return (int)n;
}

static int get_affinity_padded(struct thread *t, size_t bytes, cpu_set_t *set)
{
	int n = bind_get_affinity(t, bytes, set);

	if (n < 0)
		return -n;
	memset((char *)set + n, 0, bytes - (size_t)n);
	return 0;
}

EXPORT int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set)
{
	struct thread *t = bind_find(pid);

	return t ? failed(set_affinity(t, bytes, set)) : REAL(sched_setaffinity)(pid, bytes, set);
}

EXPORT int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
	struct thread *t = bind_find(pid);

	return t ? failed(get_affinity_padded(t, bytes, set)) : REAL(sched_getaffinity)(pid, bytes, set);
}

EXPORT int pthread_setaffinity_np(pthread_t handle, size_t bytes, const cpu_set_t *set)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	if (!t)
		return REAL(pthread_setaffinity_np)(handle, bytes, set);
	int err = set_affinity(t, bytes, set);

	return err == ESRCH ? 0 : err;	/* it has ended: libc says nothing either */
}

EXPORT int pthread_getaffinity_np(pthread_t handle, size_t bytes, cpu_set_t *set)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	return t ? get_affinity_padded(t, bytes, set) : REAL(pthread_getaffinity_np)(handle, bytes, set);
}

static bool may_schedule(void)
{
	struct __user_cap_header_struct mine = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return arch_syscall2(SYS_capget, (long)&mine, (long)sets) == 0 &&
	       sets[CAP_TO_INDEX(CAP_SYS_NICE)].effective & CAP_TO_MASK(CAP_SYS_NICE);
}

/* What the kernel would say to the caller asking for a real-time policy. */
static bool may_have(int policy, int priority)
{
	struct rlimit limit = { 0 };

	if (policy != SCHED_FIFO && policy != SCHED_RR)
		return true;
	getrlimit(RLIMIT_RTPRIO, &limit);
	return limit.rlim_cur >= (rlim_t)priority || may_schedule();
}

bool bind_may_be_nice(int nice)
{
	enum { LIMIT_OF_ZERO = 20 };
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NICE, &limit);
	return limit.rlim_cur >= (rlim_t)(LIMIT_OF_ZERO - nice) || may_schedule();
}

/* That of deadlines has more to it than a priority. */
bool bind_is_lendable(int policy)
{
	enum { DEADLINE = 6 };		/* SCHED_DEADLINE, in libc's headers since 2.41 */

	return (policy & ~SCHED_RESET_ON_FORK) != DEADLINE;
}

int bind_check_sched(int policy, int priority)
{
	policy &= ~SCHED_RESET_ON_FORK;
	int low = sched_get_priority_min(policy), high = sched_get_priority_max(policy);

	if (low < 0 || priority < low || priority > high || !bind_is_lendable(policy))
		return EINVAL;
	return may_have(policy, priority) ? 0 : EPERM;
}

static int set_sched(struct thread *t, int policy, const struct sched_param *param)
{
	struct wish w = { .what = WISH_SCHED, .policy = policy };

	if (!param)
		return EINVAL;
	w.param = *param;
	if (t->kind != THREAD_USER && !wish_of(t, WISH_SCHED))
		return (int)-arch_syscall3(SYS_sched_setscheduler, bind_kernel_name(t), policy, (long)param);
	int err = bind_check_sched(policy, param->sched_priority);

	if (err)
		return err;
	if (policy == bind_base_policy && !wish_of(t, WISH_SCHED))
		return 0;
	if (t != self_ptr)
		return bind_wish(t, &w);
	err = bind_self();
	return err ? err : (int)-arch_syscall3(SYS_sched_setscheduler, 0, policy, (long)param);
}

static int get_sched(struct thread *t, int *ret_policy, struct sched_param *ret_param)
{
	const struct wish *w = wish_of(t, WISH_SCHED);

	if (t->kind != THREAD_USER && !w) {
		int policy = (int)arch_syscall1(SYS_sched_getscheduler, bind_kernel_name(t));

		if (policy < 0)
			return -policy;
		*ret_policy = policy;
		return (int)-arch_syscall2(SYS_sched_getparam, bind_kernel_name(t), (long)ret_param);
	}
	*ret_policy = w ? w->policy : bind_base_policy;
	*ret_param = w ? w->param : (struct sched_param){ 0 };
	return 0;
}

/* libc says so of these calls, and of no others here. */
static bool has_ended(const struct thread *t)
{
	return load_acquire(&t->state) == T_DONE;
}

/* Of a thread that may have been lent a priority: true if that is all there is to do. */
static bool set_own(struct thread *debtor, bool with_ceiling, int policy, const struct sched_param *param)
{
	return debtor && param && bind_check_sched(policy, param->sched_priority) == 0 &&
	       priority_set_own(debtor, with_ceiling, policy, param->sched_priority);
}

EXPORT int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *param)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	struct thread *debtor = priority_debtor(handle);

	if (t && has_ended(t))
		return ESRCH;
	priority_note(policy);
	if (set_own(debtor, true, policy, param))
		return 0;
	return t ? set_sched(t, policy, param) : REAL(pthread_setschedparam)(handle, policy, param);
}

EXPORT int pthread_getschedparam(pthread_t handle, int *restrict policy, struct sched_param *restrict param)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;

	struct thread *debtor = priority_debtor(handle);

	if (t && has_ended(t))
		return ESRCH;
	if (debtor && priority_get_own(debtor, false, policy, &param->sched_priority))
		return 0;
	return t ? get_sched(t, policy, param) : REAL(pthread_getschedparam)(handle, policy, param);
}

EXPORT int pthread_setschedprio(pthread_t handle, int priority)
{
	struct thread *t = sched_is_started ? thread_of(handle) : NULL;
	struct thread *debtor = priority_debtor(handle);
	struct sched_param param = { .sched_priority = priority };
	int policy, own;

	if (t && has_ended(t))
		return ESRCH;
	bool is_lent = debtor && priority_get_own(debtor, false, &policy, &own);

	if (is_lent && set_own(debtor, true, policy, &param))
		return 0;
	if (!t)
		return REAL(pthread_setschedprio)(handle, priority);
	if (is_lent)
		return set_sched(t, policy, &param);
	int err = get_sched(t, &policy, &param);

	param.sched_priority = priority;
	return err ? err : set_sched(t, policy, &param);
}

EXPORT int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	struct thread *t = bind_find(pid);

	priority_note(policy);
	if (set_own(priority_debtor_of(pid), false, policy, param))
		return 0;
	return t ? failed(set_sched(t, policy, param)) : REAL(sched_setscheduler)(pid, policy, param);
}
ALIAS(__sched_setscheduler, sched_setscheduler);

EXPORT int sched_getscheduler(pid_t pid)
{
	struct thread *t = bind_find(pid), *debtor = priority_debtor_of(pid);
	struct sched_param param;
	int policy;

	if (debtor && priority_get_own(debtor, true, &policy, &param.sched_priority))
		return policy;
	if (!t || (t->kind != THREAD_USER && !wish_of(t, WISH_SCHED)))
		return REAL(sched_getscheduler)(t ? bind_kernel_name(t) : pid);
	int err = get_sched(t, &policy, &param);

	return err ? failed(err) : policy;
}
ALIAS(__sched_getscheduler, sched_getscheduler);

/* Functions since glibc 2.41. */
struct sched_attr;

EXPORT int sched_setattr(pid_t tid, struct sched_attr *attr, unsigned flags)
{
	return (int)syscall(SYS_sched_setattr, tid, attr, flags);
}

EXPORT int sched_getattr(pid_t tid, struct sched_attr *attr, unsigned size, unsigned flags)
{
	return (int)syscall(SYS_sched_getattr, tid, attr, size, flags);
}

EXPORT int sched_setparam(pid_t pid, const struct sched_param *param)
{
	if (!bind_find(pid) && !priority_debtor_of(pid))
		return REAL(sched_setparam)(pid, param);
	int policy = sched_getscheduler(pid);

	return policy < 0 ? -1 : sched_setscheduler(pid, policy, param);
}

EXPORT int sched_getparam(pid_t pid, struct sched_param *param)
{
	struct thread *t = param ? bind_find(pid) : NULL, *debtor = param ? priority_debtor_of(pid) : NULL;
	int policy;

	if (debtor && priority_get_own(debtor, true, &policy, &param->sched_priority))
		return 0;
	return t && sched_is_started ? failed(get_sched(t, &policy, param)) : REAL(sched_getparam)(pid, param);
}
ALIAS(__sched_getparam, sched_getparam);

EXPORT int sched_rr_get_interval(pid_t pid, struct timespec *span)
{
	struct thread *t = bind_find(pid);

	return REAL(sched_rr_get_interval)(t ? bind_kernel_name(t) : pid, span);
}
