// SPDX-License-Identifier: BSD-2-Clause
/*
 * Order:
 *   priority.loan  lender: write the loan, fence, read the mutex's owner again; owner: give the
 *                  mutex up (an exchange), read PW_DEBT.  One of them takes the loan back.
 */
#include "priority.h"

#include <errno.h>
#include <string.h>

#include "../base/lock.h"
#include "../sys/sys.h"

enum { DEBTS_BYTES = 16384, LOANS = 16 };

/* <linux/sched.h> since Linux 5.3. */
enum { KEEP_POLICY = 0x08, KEEP_PARAMS = 0x10 };

struct loan {
	const struct mutex *m;
	int priority;
	bool is_ceiling;
};

struct debt {
	struct thread *t;		/* NULL: free */
	int policy, priority;		/* its own; perhaps with SCHED_RESET_ON_FORK */
	bool is_laid_down;		/* what it inherits is not in force, for as long as it makes a child */
	struct debt *next;
	int nloans, room;
	struct loan *loans;		/* the first ones, or more in a mapping of their own */
	struct loan first[LOANS];
};

bool priority_in_use;
static struct lock lock;		/* guards all debts; after a bucket's lock */
static struct debt *debts;		/* all that there are, never unmapped */

static bool is_real_time(int policy)
{
	policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static struct debt *debt_of(const struct thread *t)
{
	return (struct debt *)word_get(t, PW_DEBT);
}

/* What the kernel does for a BOUND thread now. */
static int in_force(struct thread *t, int *ret_priority)
{
	struct sched_param param = { 0 };
	int tid = bind_kernel_name(t);

	arch_syscall2(SYS_sched_getparam, tid, (long)&param);
	*ret_priority = param.sched_priority;
	return (int)arch_syscall1(SYS_sched_getscheduler, tid);
}

static int highest(const struct debt *d, bool with_inherited)
{
	int priority = is_real_time(d->policy) ? d->priority : 0;

	for (int i = 0; i < d->nloans; i++)
		if (d->loans[i].priority > priority && (with_inherited || d->loans[i].is_ceiling))
			priority = d->loans[i].priority;
	return priority;
}

/* Makes the kernel do what d says.  0 or an error number. */
static int enforce(struct debt *d)
{
	int priority = highest(d, !d->is_laid_down), policy = d->policy;
	struct sched_param param = { .sched_priority = priority };

	if (priority && !is_real_time(policy))
		policy = SCHED_FIFO | (policy & SCHED_RESET_ON_FORK);
	if (d->t->kind == THREAD_USER)
		return 0;		/* a wish says it */
	return (int)-arch_syscall3(SYS_sched_setscheduler, bind_kernel_name(d->t), policy, (long)&param);
}

static bool is_free(const struct debt *d)
{
	return !d->t;
}

/* Its thread, one of libc's own, has ended; perhaps the descriptor is another's by now. */
static bool is_left_over(const struct debt *d)
{
	const struct thread *t = d->t;

	return debt_of(t) != d || (t->kind == THREAD_BOUND && !t->is_one_to_one && sys_tgkill(t->tid, 0) == -ESRCH);
}

static struct debt *debt_find(bool (*fits)(const struct debt *))
{
	for (struct debt *d = debts; d; d = d->next)
		if (fits(d))
			return d;
	return NULL;
}

static struct debt *debts_more(void)
{
	struct debt *d = sys_map(DEBTS_BYTES);

	for (size_t i = 0; d && i < DEBTS_BYTES / sizeof(*d); i++) {
		d[i] = (struct debt){ .next = debts, .room = LOANS, .loans = d[i].first };
		debts = &d[i];
	}
	return d;
}

static struct debt *debt_new(struct thread *t)
{
	struct debt *d = debt_find(is_free);

	if (!d)
		d = debt_find(is_left_over);
	if (!d)
		d = debts_more();
	if (!d)
		return NULL;
	if (d->t && debt_of(d->t) == d)
		word_set(d->t, PW_DEBT, 0);
	d->t = t;
	d->policy = SCHED_OTHER;
	d->priority = d->nloans = 0;
	d->is_laid_down = false;
	if (t->kind != THREAD_USER)
		d->policy = in_force(t, &d->priority);
	__atomic_store_n(&t->posix[PW_DEBT], d, __ATOMIC_SEQ_CST);
	return d;
}

static void debt_settle(struct debt *d)
{
	if (d->nloans)
		return;
	word_set(d->t, PW_DEBT, 0);
	d->t = NULL;
}

static bool has_room(struct debt *d)
{
	size_t bytes = (size_t)d->room * sizeof(*d->loans);
	struct loan *more = d->nloans < d->room ? NULL : sys_map(2 * bytes);

	if (!more)
		return d->nloans < d->room;
	memcpy(more, d->loans, bytes);
	if (d->loans != d->first)
		sys_unmap(d->loans, bytes);
	d->loans = more;
	d->room *= 2;
	return true;
}

/* 0, or an error number and nothing has changed. */
static int lend(struct thread *t, const struct mutex *m, int priority, bool is_ceiling)
{
	struct debt *d = debt_of(t);

	if (t != thread_self() && (word_get(t, PW_FLAGS) & PF_ENDS))
		return ESRCH;
	if (!d)
		d = debt_new(t);
	if (!d)
		return EAGAIN;
	for (int i = 0; i < d->nloans; i++) {
		if (d->loans[i].m != m)
			continue;
		if (d->loans[i].priority < priority)
			d->loans[i].priority = priority;
		return enforce(d);
	}
	if (!has_room(d))
		return EAGAIN;
	d->loans[d->nloans++] = (struct loan){ m, priority, is_ceiling };
	int err = enforce(d);

	if (err)
		d->nloans--;
	debt_settle(d);
	return err;
}

static void take_back(struct thread *t, const struct mutex *m)
{
	struct debt *d = debt_of(t);
	int n = d ? d->nloans : 0;

	for (int i = 0; i < n; i++) {
		if (d->loans[i].m != m)
			continue;
		d->loans[i] = d->loans[--d->nloans];
		enforce(d);
		debt_settle(d);
		return;
	}
}

int priority_protect(const struct mutex *m, int ceiling)
{
	struct thread *me = thread_self();
	int policy, priority, err = 0;

	if (me->kind == THREAD_USER || !is_real_time(policy = in_force(me, &priority)))
		return 0;
	priority_get_own(me, false, &policy, &priority);	/* what it was lent does not count */
	if (!is_real_time(policy))
		return 0;
	if (priority > ceiling)
		return EINVAL;
	rt_enter();
	lock_take(&lock);
	err = lend(me, m, ceiling, true);
	lock_drop(&lock);
	rt_leave(me);
	return err;
}

static int owner_of(struct mutex *m)
{
	return __atomic_load_n(&m->owner, __ATOMIC_SEQ_CST);
}

void priority_inherit(struct mutex *m)
{
	struct thread *me = thread_self();
	const struct wish loan = { .what = WISH_LOAN };
	int tid = owner_of(m), priority;

	if (me->kind == THREAD_USER || !tid || tid == me->tid)
		return;
	struct thread *t = is_real_time(in_force(me, &priority)) ? thread_by_tid(tid) : NULL;

	if (!t)
		return;
	rt_enter();
	lock_take(&lock);
	bool is_news = lend(t, m, priority, false) == 0 && t->kind == THREAD_USER;

	fence_seq_cst();		/* pairs: priority.loan */
	if (owner_of(m) != tid) {
		take_back(t, m);
		is_news = false;
	}
	lock_drop(&lock);
	rt_leave(me);
	if (is_news && !word_get(t, PW_WISH))
		bind_wish(t, &loan);
}

void priority_enforce(struct thread *me)
{
	rt_enter();
	lock_take(&lock);
	struct debt *d = debt_of(me);

	if (d)				/* it may have given the mutex up meanwhile */
		enforce(d);
	lock_drop(&lock);
	rt_leave(me);
}

void priority_lay_down(struct thread *me, bool is_laid_down)
{
	rt_enter();
	lock_take(&lock);
	struct debt *d = debt_of(me);

	if (d) {
		d->is_laid_down = is_laid_down;
		enforce(d);
	}
	lock_drop(&lock);
	rt_leave(me);
}

void priority_return(struct thread *me, const struct mutex *m)
{
	uint32_t was = me->in_rt;

	if (!was)
		rt_enter();
	lock_take(&lock);
	take_back(me, m);
	lock_drop(&lock);
	if (!was)
		rt_leave(me);
}

void priority_thread_end(struct thread *me)
{
	lock_take(&lock);
	struct debt *d = debt_of(me);

	if (d) {
		d->nloans = 0;
		debt_settle(d);
	}
	lock_drop(&lock);
}

static bool has_ceiling(const struct debt *d)
{
	for (int i = 0; i < d->nloans; i++)
		if (d->loans[i].is_ceiling)
			return true;
	return false;
}

bool priority_set_own(struct thread *t, bool with_ceiling, int policy, int priority)
{
	struct thread *me = rt_enter();
	bool is_lent = false;

	lock_take(&lock);
	struct debt *d = debt_of(t);

	if (d && (with_ceiling || !has_ceiling(d))) {
		int old_policy = d->policy, old_priority = d->priority;

		d->policy = policy;
		d->priority = priority;
		int err = enforce(d);

		if (err) {		/* it is the kernel's to say what is wrong */
			d->policy = old_policy;
			d->priority = old_priority;
		}
		is_lent = t->kind != THREAD_USER && !err;
	}
	lock_drop(&lock);
	rt_leave(me);
	return is_lent;
}

bool priority_get_own(struct thread *t, bool with_ceiling, int *ret_policy, int *ret_priority)
{
	struct thread *me = rt_enter();

	lock_take(&lock);
	struct debt *d = debt_of(t);

	if (d) {
		*ret_policy = d->policy;
		*ret_priority = with_ceiling ? highest(d, false) : d->priority;
	}
	lock_drop(&lock);
	rt_leave(me);
	return d != NULL;
}

void priority_get_heritage(struct thread *me, int *ret_policy, int *ret_priority)
{
	if (likely(!priority_is_lent(me))) {
		*ret_policy = (int)arch_syscall1(SYS_sched_getscheduler, 0);
		if (likely(*ret_policy == bind_base_policy))
			return;
		*ret_policy = in_force(me, ret_priority);
		if (!priority_is_lent(me))	/* nor was that a loan */
			return;
	}
	rt_enter();
	lock_take(&lock);
	struct debt *d = debt_of(me);

	if (d) {
		*ret_policy = d->policy;
		*ret_priority = highest(d, false);
	} else {
		*ret_policy = in_force(me, ret_priority);
	}
	lock_drop(&lock);
	rt_leave(me);
}

/* The kernel has read it. */
static bool keeps(const void *attr)
{
	return ((const struct sys_policy *)attr)->flags & (KEEP_POLICY | KEEP_PARAMS);
}

/*
 * The lock is held all the while: a loan that came in between would count as its own.  What the kernel is told to keep is
 * what is in force; the thread's own stays as well.
 */
long priority_set_attributes(struct thread *t, const void *attr, long flags)
{
	struct thread *me = rt_enter();

	lock_take(&lock);
	struct debt *d = debt_of(t);
	long ret = arch_syscall3(SYS_sched_setattr, bind_kernel_name(t), (long)attr, flags);

	if (ret == 0 && d && !has_ceiling(d)) {
		int priority, policy = keeps(attr) ? -1 : in_force(t, &priority);

		if (policy >= 0 && bind_is_lendable(policy)) {
			d->policy = policy;
			d->priority = priority;
		}
		enforce(d);
	}
	lock_drop(&lock);
	rt_leave(me);
	return ret;
}

/* The thread of this number, or if that is 0, of this handle: descriptors that wait for their thread have no number. */
static struct thread *find_debtor(pthread_t handle, int tid)
{
	struct thread *me = rt_enter(), *found = NULL;

	lock_take(&lock);
	for (struct debt *d = debts; d && !found; d = d->next)
		if (d->t && debt_of(d->t) == d && (tid ? d->t->tid == tid : (pthread_t)d->t->tls == handle))
			found = d->t;
	lock_drop(&lock);
	rt_leave(me);
	return found;
}

struct thread *priority_debtor(pthread_t handle)
{
	return likely(!priority_in_use) ? NULL : find_debtor(handle, 0);
}

struct thread *priority_debtor_of(int tid)
{
	struct thread *me = self_ptr;

	if (likely(!priority_in_use) || is_in_vfork())
		return NULL;
	if (tid)
		return find_debtor(0, tid);
	return me && priority_is_lent(me) ? me : NULL;
}

void priority_note(int policy)
{
	if ((policy & ~SCHED_RESET_ON_FORK) <= SCHED_OTHER)
		return;
	priority_in_use = lot_minds_real_time = true;
	inject_no_sleeps();
}

/* Those that wait for its mutexes are not there; a ceiling is there for as long as the mutex is held. */
static void leave_lenders(struct debt *d)
{
	int n = 0;

	for (int i = 0; i < d->nloans; i++)
		if (d->loans[i].is_ceiling)
			d->loans[n++] = d->loans[i];
	d->nloans = n;
	d->is_laid_down = false;
	enforce(d);
	debt_settle(d);
}

void priority_fork_child(struct thread *me)
{
	lock_fork_child(&lock);
	for (struct debt *d = debts; d; d = d->next)
		if (d->t && d != debt_of(me))
			d->t = NULL;
	if (debt_of(me))
		leave_lenders(debt_of(me));
}
