// SPDX-License-Identifier: BSD-2-Clause
#include "bind.h"

#include <errno.h>
#include <string.h>
#include <sys/fsuid.h>
#ifdef __x86_64__
#include <sys/io.h>
#endif
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../base/child.h"
#include "../base/clock.h"
#include "../base/print.h"
#include "../sched/vproc.h"
#include "../sync/lot.h"
#include "../sys/sys.h"
#include "../thread/tls.h"
#include "block.h"
#include "priority.h"
#include "real.h"

/*
 * Wishes, and those of them that are free: whoever has done with one puts it there, and only who holds
 * thread_lock_all takes one, so that none that is the first can have gone and come back meanwhile.  They stay
 * mapped: somebody may still wait for the next grant of one.
 */
enum { WISHES = 64 };

struct wishes {
	struct wishes *next;
	struct wish all[WISHES];
};

static struct wishes *all_wishes;
static struct wish *free_wishes;

/* No handler runs until all is done: one that jumps would leave it, or what comes of it, in the middle. */
static void hold_handlers(struct thread *me)
{
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | PF_BINDS);
	compiler_barrier();
}

static void let_handlers(struct thread *me)
{
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) & ~(uintptr_t)PF_BINDS);
	compiler_barrier();
	/* A mark may also have gone to the kernel thread that it had; and who told it of something was not heard until now. */
	fetch_or(&me->pending, PEND_SIGNAL);
	rt_leave(rt_enter());
}

/*
 * Handlers are held.  0 or an error number, and it is as it was.
 *
 * Nobody admits queued signals on the way: the kernel thread that it leaves would for a moment, and what comes there
 * is with nobody until a handler has queued it, while those that are sent later go straight to the other one.
 */
static int bind_user(struct thread *me, int (*to_kernel_thread)(struct thread *))
{
	uint64_t mask = posix_mask(me);

	signal_keep_own(me);
	posix_mask_install(me, mask | SIG_REAL_TIME);
	posix_mask_bound(me, true);
	int err = -to_kernel_thread(me);

	if (err) {
		posix_mask_install(me, mask);
		posix_mask_bound(me, false);
		return err;
	}
	stack_t ss = { .ss_sp = (void *)word_get(me, PW_ALT_SP), .ss_size = word_get(me, PW_ALT_BYTES) };

	if (!ss.ss_size)
		ss.ss_flags = SS_DISABLE;
	arch_syscall2(SYS_sigaltstack, (long)&ss, 0);
	arch_syscall2(SYS_prctl, 15 /* PR_SET_NAME */, (long)me->name);
	word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) & ~(uintptr_t)PF_BLOCKS_URG);	/* the kernel blocks it now */
	posix_mask_install(me, mask);
	/* The others might come behind what the kernel has been sent meanwhile: it looks at its queue first, as before. */
	signal_to_kernel(me, ~SIG_REAL_TIME);
	return 0;
}

static int bind_to(int (*to_kernel_thread)(struct thread *))
{
	struct thread *me = user_self();

	if (!me)
		return 0;
	hold_handlers(me);
	int err = bind_user(me, to_kernel_thread);

	let_handlers(me);
	return err;
}

int bind_self(void)
{
	return bind_to(sched_bind);
}

void bind_await_kernel_thread(unsigned tries)
{
	enum { EVERY_MS = 5, TRIES_UNTOLD = 200 };
	static const struct au32 never_changes;
	static struct au32 is_told;
	struct thread *me = rt_enter();

	lot_wait_word(me, &never_changes, 0, ns_after(now_ns(), EVERY_MS * NS_PER_MS), WAIT_FUTEX, 0);
	rt_leave(me);
	if (tries > TRIES_UNTOLD && !xchg_seq_cst(&is_told, 1))
		complain("a thread waits for a kernel thread of its own, of which the system gives no more (RLIMIT_NPROC, or pids.max of the control group)");
}

/* The kernel has a thing, made before the first thread, that it ties to the kernel thread which main had then. */
static bool main_is_named;

void bind_main_later(void)
{
	main_is_named = true;
}

/* A robust mutex that it holds names its kernel thread, too. */
void bind_main(bool in_any_case)
{
	if (main_is_named || in_any_case || tls_has_robust(self_ptr->tls))
		bind_to(sched_bind_main);
}

static void wish_put_free(struct wish *w)
{
	w->next = __atomic_load_n(&free_wishes, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&free_wishes, &w->next, w, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* Under thread_lock_all, as the next. */
static bool more_wishes(void)
{
	struct wishes *more = sys_map(sizeof(*more));

	if (!more)
		return false;
	more->next = all_wishes;
	all_wishes = more;
	for (int i = 0; i < WISHES; i++)
		wish_put_free(&more->all[i]);
	return true;
}

static struct wish *wish_take_free(void)
{
	struct wish *w = __atomic_load_n(&free_wishes, __ATOMIC_ACQUIRE);

	if (!w && more_wishes())
		w = __atomic_load_n(&free_wishes, __ATOMIC_ACQUIRE);
	while (w && !__atomic_compare_exchange_n(&free_wishes, &w, w->next, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		;
	return w;
}

static void wish_copy(struct wish *copy, const struct wish *w)
{
	copy->what = w->what;
	copy->affinity = w->affinity;
	copy->policy = w->policy;
	copy->param = w->param;
	copy->nice = w->nice;
}

/* In PW_WISH: the thread is granting it; it stays visible, and is the thread's to free. */
enum { GRANTING = 1 };

static struct wish *wish_of_word(uintptr_t word)
{
	return (struct wish *)(word & ~(uintptr_t)GRANTING);
}

struct wish *bind_wish_of(const struct thread *t)
{
	return wish_of_word((uintptr_t)__atomic_load_n(&t->posix[PW_WISH], __ATOMIC_ACQUIRE));
}

static uintptr_t wish_swap(struct thread *t, struct wish *w)
{
	return (uintptr_t)__atomic_exchange_n(&t->posix[PW_WISH], w, __ATOMIC_ACQ_REL);
}

static bool wish_cas(struct thread *t, uintptr_t old, uintptr_t new)
{
	void *expected = (void *)old;

	return __atomic_compare_exchange_n(&t->posix[PW_WISH], &expected, (void *)new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Inside the runtime. */
static void wish_over(struct wish *w)
{
	fetch_add(&w->grants, 1);
	lot_wake(&w->grants, INT32_MAX);
	wish_put_free(w);
}

static void wish_done(struct wish *w)
{
	struct thread *me = rt_enter();

	wish_over(w);
	rt_leave(me);
}

/* What an older wish said beside. */
static void merge(struct wish *w, const struct wish *old)
{
	unsigned more = old->what & ~w->what;

	if (more & WISH_AFFINITY)
		w->affinity = old->affinity;
	if (more & WISH_SCHED) {
		w->policy = old->policy;
		w->param = old->param;
	}
	if (more & WISH_NICE)
		w->nice = old->nice;
	w->what |= more;
}

/* Inside the runtime. */
static void tell(struct thread *t)
{
	fetch_or(&t->pending, PEND_SIGNAL);
	if (load_acquire(&t->state) != T_NEW && !lot_interrupt(t, WAIT_SIGNAL))
		sched_kick_activation(t);
}

static void make_look(struct thread *t)
{
	struct thread *me = rt_enter();

	tell(t);
	rt_leave(me);
}

/* Under thread_lock_all: a thread that ends looks for a last wish after it has said so under that. */
static int wish_give(struct thread *t, const struct wish *w, uintptr_t *ret_old)
{
	if (word_get(t, PW_FLAGS) & PF_ENDS)
		return ESRCH;
	struct wish *copy = wish_take_free();

	if (!copy)
		return EAGAIN;
	do {				/* t may grant the old one meanwhile, which then is gone */
		*ret_old = (uintptr_t)__atomic_load_n(&t->posix[PW_WISH], __ATOMIC_ACQUIRE);
		wish_copy(copy, w);
		if (*ret_old)
			merge(copy, wish_of_word(*ret_old));
	} while (!wish_cas(t, *ret_old, (uintptr_t)copy));
	return 0;
}

int bind_wish(struct thread *t, const struct wish *w)
{
	struct thread *me = rt_enter();
	uintptr_t old = 0;

	thread_lock_all();
	int err = wish_give(t, w, &old);

	thread_unlock_all();
	if (old && !(old & GRANTING))
		wish_over(wish_of_word(old));
	/* Who told it of the old one did so for this one, too: one who wishes in a loop would keep it from all else. */
	if (!old && !err)
		tell(t);
	rt_leave(me);
	return err;
}

void bind_thread_end(struct thread *t)
{
	if (unlikely(word_get(t, PW_WISH)))
		wish_over(wish_of_word(wish_swap(t, NULL)));
}

static void grant(struct thread *me, const struct wish *w)
{
	if (w->what & WISH_AFFINITY)
		sys_set_affinity(0, &w->affinity, sizeof(w->affinity));
	if (w->what & WISH_SCHED)
		arch_syscall3(SYS_sched_setscheduler, 0, w->policy, (long)&w->param);
	if (w->what & WISH_NICE)
		arch_syscall3(SYS_setpriority, PRIO_PROCESS, 0, w->nice);
	if (w->what & WISH_LOAN)
		priority_enforce(me);
}

static void grant_all(struct thread *me)
{
	uintptr_t word;

	hold_handlers(me);
	bool is_bound = !user_self() || bind_user(me, sched_bind) == 0;

	while ((word = word_get(me, PW_WISH)) != 0) {
		if (!wish_cas(me, word, word | GRANTING))
			continue;
		if (is_bound)
			grant(me, wish_of_word(word));
		wish_cas(me, word | GRANTING, 0);	/* unless there is a newer one */
		wish_done(wish_of_word(word));
	}
	let_handlers(me);
}

int bind_kernel_name(struct thread *t)
{
	if (t == self_ptr)
		return 0;
	if (t->kind == THREAD_USER)	/* a bound caller's kernel thread is its own, the monitor is as the process */
		return user_self() ? 0 : monitor_tid;
	int tid = posix_kernel_tid(t);

	return tid ? tid : INT32_MAX;
}

static struct au32 binds_all;

bool bind_binds_all(void)
{
	return unlikely(load_relaxed(&binds_all));
}

/* System calls as such: the thread may be anywhere, in a handler that interrupted libc too. */
void bind_as_wished(struct thread *me)
{
	if (unlikely(word_get(me, PW_WISH)))
		grant_all(me);
	if (unlikely(me->binds_soon) || bind_binds_all()) {
		me->binds_soon = false;
		bind_self();
	}
}

/* The next of those that are not bound yet, by their ids: they may be bound at any moment. */
static struct thread *unbound(uint32_t after)
{
	struct thread *me = rt_enter(), *found = NULL;

	thread_lock_all();
	for (struct list *l = threads.all.next; l != &threads.all; l = l->next) {
		struct thread *t = container_of(l, struct thread, all_link);

		if (t != me && t->kind == THREAD_USER && load_relaxed(&t->state) != T_DONE &&
		    load_relaxed(&t->state) != T_NEW && t->id > after && (!found || t->id < found->id))
			found = t;
	}
	thread_unlock_all();
	rt_leave(me);
	return found;
}

/* The kernel thread that t has got when `limit_ns` are over, by turns, or 0. */
static int await_binding(struct thread *t, uint64_t *limit_ns)
{
	uint64_t before = now_ns();

	while (t->kind == THREAD_USER || !sched_tid_of(t)) {
		if (load_acquire(&t->state) == T_DONE || *limit_ns == 0)
			return 0;
		sched_yield();
		uint64_t turn = turn_ns(&before);

		*limit_ns -= turn < *limit_ns ? turn : *limit_ns;
	}
	return sched_tid_of(t);
}

/* All are told, and most are waited for; who is in the kernel, or computes with every signal blocked, does it later. */
static void bind_all(void)
{
	uint64_t left_ns = 2 * NS_PER_S;	/* for all together */
	struct thread *t;

	store_seq_cst(&binds_all, 1);
	for (uint32_t after = 0; sched_is_started && (t = unbound(after)) != NULL;) {
		uint64_t share_ns = left_ns < 250 * NS_PER_MS ? left_ns : 250 * NS_PER_MS, unused_ns = share_ns;

		make_look(t);
		await_binding(t, &unused_ns);
		left_ns -= share_ns - unused_ns;
		after = t->id;
	}
	bind_self();
}

/* The memory of a child of vfork's is its parent's. */
static bool is_vforked(void)
{
	return self_ptr && word_get(self_ptr, PW_VFORK);
}

void bind_all_threads(void)
{
	if (is_vforked())
		return;
	bind_all();
	posix_mask_all_bound();
}

bool bind_before_filter(void)
{
	if (load_acquire(&sched_is_confined) || is_vforked())
		return false;
	bind_all_threads();
	sched_confine();
	return true;
}

void bind_after_filter(bool was_free, bool is_in_force)
{
	if (was_free && !is_in_force)
		store_seq_cst(&sched_is_confined, 0);
}

/* Until it has got it; a thread that holds its kernel thread through all this is not to be had. */
int bind_other(struct thread *t)
{
	const struct wish w = { 0 };
	uint64_t limit_ns = 10 * NS_PER_S;	/* it may have to wait for its processor */

	return bind_wish(t, &w) ? 0 : await_binding(t, &limit_ns);
}

int bind_for_kernel(int tid)
{
	struct thread *me = self_ptr, *t = bind_find(tid);

	if (!sched_is_started && (tid == 0 || tid == sys_getpid()))
		main_is_named = true;
	if (!t)
		return tid;
	if (t->kind == THREAD_USER && (t == me ? bind_self() != 0 : bind_other(t) == 0))
		return -1;
	return posix_kernel_tid(t);
}

int bind_number_of(int kernel_tid)
{
	int tid = kernel_tid;

	if (!sched_is_started || kernel_tid <= 0)
		return tid;
	struct thread *me = rt_enter();

	thread_lock_all();
	for (struct list *l = threads.all.next; l != &threads.all; l = l->next) {
		struct thread *t = container_of(l, struct thread, all_link);

		if (t->kind != THREAD_USER && load_relaxed(&t->state) != T_DONE && sched_tid_of(t) == kernel_tid)
			tid = t->tid;
	}
	thread_unlock_all();
	rt_leave(me);
	return tid;
}

/* The thread of ours that admits the signal. */
static struct thread *admitter(uint64_t signal)
{
	struct thread *me = rt_enter(), *found = NULL;

	thread_lock_all();
	for (struct list *l = threads.all.next; l != &threads.all && !found; l = l->next) {
		struct thread *t = container_of(l, struct thread, all_link);

		if (t->kind == THREAD_USER && load_relaxed(&t->state) != T_DONE && !t->is_unsettled &&
		    !(word_get(t, PW_COUNTED) & signal))
			found = t;
	}
	thread_unlock_all();
	rt_leave(me);
	return found;
}

void bind_only_admitter(uint64_t signals)
{
	const struct wish none = { 0 };
	struct thread *me = self_ptr;
	uint64_t limit_ns = 250 * NS_PER_MS;

	signals &= load_relaxed(&action_handles_queued);	/* relaxed: who sets a handler looks himself */
	if (likely(!signals) || !me || word_get(me, PW_VFORK))
		return;
	for (signals = posix_mask_admitted_by(1, signals); signals; signals &= signals - 1) {
		struct thread *t = admitter(signals & -signals);

		if (t == me)
			bind_self();
		else if (t && !bind_wish_of(t) && bind_wish(t, &none) == 0)	/* waited for once */
			await_binding(t, &limit_ns);
	}
}

static int base_nice;
int bind_base_policy;

/* What a confined process had when its threads started. */
static int own_policy(void)
{
	return load_relaxed(&sched_is_confined) ? bind_base_policy : (int)arch_syscall1(SYS_sched_getscheduler, 0);
}

void bind_start(void)
{
	base_nice = REAL(getpriority)(PRIO_PROCESS, 0);
	int policy = own_policy();

	bind_base_policy = policy < 0 ? SCHED_OTHER : policy & ~SCHED_RESET_ON_FORK;
	priority_note(bind_base_policy);
}

static void wish_for_new(struct thread *t, const struct wish *w)
{
	if (w->what & WISH_SCHED)
		priority_note(w->policy);
	if (w->what)
		bind_wish(t, w);
}

static COLD void inherit(struct thread *t)
{
	struct wish w = { .what = WISH_AFFINITY };

	if (load_relaxed(&sched_is_confined) || sys_get_affinity(0, &w.affinity, sizeof(w.affinity)) < 0)
		return;
	if (bind_is_own(&w.affinity))
		w.what = 0;
	priority_get_heritage(self_ptr, &w.policy, &w.param.sched_priority);
	if (w.policy >= 0 && w.policy != bind_base_policy && !(w.policy & SCHED_RESET_ON_FORK))
		w.what |= WISH_SCHED;
	w.nice = REAL(getpriority)(PRIO_PROCESS, 0);
	if (w.nice != base_nice)
		w.what |= WISH_NICE;
	wish_for_new(t, &w);
}

void bind_inherit(struct thread *creator, struct thread *t)
{
	if (unlikely(creator->is_one_to_one))
		inherit(t);
}

/* The policy that they ask for, not one that is inherited. */
static bool reads_sched(const pthread_attr_t *attr, int *ret_policy, struct sched_param *ret_param)
{
	int inherits = PTHREAD_INHERIT_SCHED;

	return attr && pthread_attr_getinheritsched(attr, &inherits) == 0 &&
	       inherits == PTHREAD_EXPLICIT_SCHED && pthread_attr_getschedpolicy(attr, ret_policy) == 0 &&
	       pthread_attr_getschedparam(attr, ret_param) == 0;
}

/* The CPUs that they ask for; libc says all that a set can name where they ask for none. */
static bool reads_cpus(const pthread_attr_t *attr, cpu_set_t *ret_cpus)
{
	const unsigned long *words = (const unsigned long *)ret_cpus;
	size_t i = 0;

	if (!attr || REAL(pthread_attr_getaffinity_np)(attr, sizeof(*ret_cpus), ret_cpus))
		return false;
	while (i < sizeof(*ret_cpus) / sizeof(long) && words[i] == ~0ul)
		i++;
	return i < sizeof(*ret_cpus) / sizeof(long);
}

int bind_check_attr(const pthread_attr_t *attr)
{
	struct sched_param param;
	cpu_set_t cpus;
	int policy;

	if (reads_cpus(attr, &cpus) && !bind_limit(&cpus))
		return EINVAL;
	if (!reads_sched(attr, &policy, &param))
		return 0;
	priority_note(policy);
	return bind_check_sched(policy, param.sched_priority);
}

void bind_new(struct thread *t, const pthread_attr_t *attr)
{
	struct wish w = { 0 };

	if (!attr)
		return;
	if (reads_sched(attr, &w.policy, &w.param)) {
		word_set(t, PW_FLAGS, word_get(t, PW_FLAGS) | PF_EXPLICIT);
		if (w.policy != bind_base_policy || word_get(t, PW_WISH))
			w.what |= WISH_SCHED;
	}
	if (reads_cpus(attr, &w.affinity) && bind_limit(&w.affinity) &&
	    (!bind_is_own(&w.affinity) || word_get(t, PW_WISH)))
		w.what |= WISH_AFFINITY;
	wish_for_new(t, &w);
}

void bind_note(const pthread_attr_t *attr)
{
	struct sched_param param;
	int policy;

	priority_note(reads_sched(attr, &policy, &param) ? policy : own_policy() & ~SCHED_RESET_ON_FORK);
}

struct wish *bind_urgent(struct thread *t, uint32_t *ret_grants)
{
	struct wish *w = bind_wish_of(t);

	if (likely(!w || !(w->what & WISH_SCHED)))
		return NULL;
	if (w->param.sched_priority <= (self_ptr->kind == THREAD_USER ? 0 : sys_real_time_priority()))
		return NULL;
	*ret_grants = load_acquire(&w->grants);
	return w;
}

void bind_await(struct wish *w, uint32_t grants)
{
	while (load_acquire(&w->grants) == grants) {
		struct thread *me = rt_enter();

		lot_wait_word(me, &w->grants, grants, NEVER, WAIT_FUTEX, 0);
		rt_leave(me);
	}
}

struct thread *bind_find(int tid)
{
	struct thread *me = self_ptr;

	if (!sched_is_started || (me && word_get(me, PW_VFORK)))
		return NULL;
	if (me && (tid == 0 || tid == me->tid))
		return me;
	return tid > 0 ? thread_by_tid(tid) : NULL;	/* me, too: one that libc made is perhaps not known yet */
}

static int failed(int err)
{
	if (!err)
		return 0;
	errno = err;
	return -1;
}

void bind_apart(uintptr_t how)
{
	struct thread *me = self_ptr;

	if (sched_is_started && me && !word_get(me, PW_VFORK))
		word_set(me, PW_FLAGS, word_get(me, PW_FLAGS) | how);
}

uintptr_t bind_how_apart(void)
{
	return self_ptr ? word_get(self_ptr, PW_FLAGS) & (PF_APART | PF_OWN_FILES) : 0;
}

/* Those of the threads that the child has not are free. */
static void wishes_fork_child(const struct wish *own)
{
	if (all_wishes)
		free_wishes = NULL;
	for (struct wishes *some = all_wishes; some; some = some->next)
		for (int i = 0; i < WISHES; i++)
			if (&some->all[i] != own)
				wish_put_free(&some->all[i]);
}

/* All kernel threads of the child come from the only one that it has now. */
void bind_fork_child(void)
{
	wishes_fork_child(bind_wish_of(self_ptr));
	word_set(self_ptr, PW_FLAGS, word_get(self_ptr, PW_FLAGS) & ~(uintptr_t)(PF_APART | PF_OWN_FILES));
	zero_in_child(&main_is_named, sizeof(main_is_named));
}

/* The calling thread takes a kernel thread first, where the call is about that. */
#define BOUND_CALL(call) \
	({ \
		int err_ = bind_self(); \
		err_ ? failed(err_) : (call); \
	})

/* ... and is about what others inherit. */
static int apart(int r)
{
	if (r != -1)
		bind_apart(PF_APART);
	return r;
}

EXPORT int unshare(int flags)
{
	int r = apart(BOUND_CALL(REAL(unshare)(flags)));

	if (r == 0 && (flags & CLONE_FILES))
		bind_apart(PF_OWN_FILES);
	return r;
}

EXPORT int setns(int fd, int type)
{
	return apart(BOUND_CALL(REAL(setns)(fd, type)));
}

EXPORT int personality(unsigned long what)
{
	return what == 0xffffffff ? REAL(personality)(what) : apart(BOUND_CALL(REAL(personality)(what)));
}

#ifdef __x86_64__
EXPORT int ioperm(unsigned long from, unsigned long n, int on)
{
	return apart(BOUND_CALL(REAL(ioperm)(from, n, on)));
}

EXPORT int iopl(int level)
{
	return apart(BOUND_CALL(REAL(iopl)(level)));
}
#endif

/* Leaves the caller's rights as they are: of a key that nobody has set rights to, they are none. */
static bool has_protection_keys(void)
{
	long key = arch_syscall2(SYS_pkey_alloc, 0, PKEY_DISABLE_ACCESS);

	if (key >= 0)
		arch_syscall1(SYS_pkey_free, key);
	return key >= 0;
}

/*
 * What a protection key lets a thread do is in a register, which the kernel keeps for each kernel thread, and sets as it gives
 * the key out: all are bound before.
 */
EXPORT int pkey_alloc(unsigned flags, unsigned rights)
{
	if (bind_binds_all())
		bind_self();
	else if (has_protection_keys())
		bind_all_threads();
	return REAL(pkey_alloc)(flags, rights);
}

/* What <linux/capability.h> calls a header. */
struct capabilities_of {
	uint32_t version;
	int tid;
};

/* The thread that a header names goes by another number in the kernel. */
static int with_kernel_name(int (*call)(void *header, void *data), void *header, void *data)
{
	struct capabilities_of *of = header, copy;
	bool names_one = sys_read_own(&copy, (uintptr_t)header, sizeof(copy)) == 0 && copy.tid;
	struct thread *t = names_one ? bind_find(copy.tid) : NULL;

	if (!t)
		return call(header, data);
	copy.tid = t == self_ptr ? 0 : bind_kernel_name(t);
	int r = call(&copy, data);

	if (of->version != copy.version)
		of->version = copy.version;	/* the kernel says which it knows */
	return r;
}

EXPORT int capset(void *header, const void *data)
{
	return apart(BOUND_CALL(with_kernel_name((int (*)(void *, void *))REAL(capset), header, (void *)data)));
}

EXPORT int capget(void *header, void *data)
{
	return with_kernel_name(REAL(capget), header, data);
}

EXPORT int setfsuid(uid_t uid)
{
	if (uid == (uid_t)-1)		/* none: who is it now? */
		return REAL(setfsuid)(uid);
	return apart(BOUND_CALL(REAL(setfsuid)(uid)));
}

EXPORT int setfsgid(gid_t gid)
{
	if (gid == (gid_t)-1)
		return REAL(setfsgid)(gid);
	return apart(BOUND_CALL(REAL(setfsgid)(gid)));
}

EXPORT int getpriority(__priority_which_t which, id_t who)
{
	struct thread *t = which == PRIO_PROCESS && who ? bind_find((int)who) : NULL;
	struct wish *w = t ? bind_wish_of(t) : NULL;

	if (w && (w->what & WISH_NICE))
		return w->nice;
	/* Threads that have no kernel thread of their own are as nice as the process was. */
	return REAL(getpriority)(which, t ? (id_t)bind_kernel_name(t) : who);
}

/* What the kernel makes of those beyond. */
enum { LEAST_NICE = -20, NICEST = 19 };

EXPORT int setpriority(__priority_which_t which, id_t who, int nice)
{
	struct thread *t = which == PRIO_PROCESS ? bind_find((int)who) : NULL;

	struct wish *wished = t ? bind_wish_of(t) : NULL;

	if (!t || (t->kind != THREAD_USER && !(wished && (wished->what & WISH_NICE))))
		return REAL(setpriority)(which, t ? (id_t)bind_kernel_name(t) : who, nice);
	nice = nice < LEAST_NICE ? LEAST_NICE : nice > NICEST ? NICEST : nice;
	int now = getpriority(which, who);

	if (t == self_ptr)
		return now == nice ? 0 : BOUND_CALL(REAL(setpriority)(which, 0, nice));
	if (nice < now && !bind_may_be_nice(nice))
		return failed(EACCES);
	struct wish w = { .what = WISH_NICE, .nice = nice };

	return failed(bind_wish(t, &w));
}

EXPORT int nice(int more)
{
	return more ? BOUND_CALL(REAL(nice)(more)) : REAL(nice)(more);
}
