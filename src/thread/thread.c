// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../arch/arch.h"
#include "../base/lock.h"
#include "../base/print.h"
#include "../sys/sys.h"
#include "stack.h"
#include "tls.h"

enum { ADOPTED_CHUNK = 16, ADOPTED_LOOKS = 4,
       TID_RESERVED = 0, TID_NOBODY = INT32_MAX };

struct threads threads = {
	.all = { &threads.all, &threads.all },
	.live = { 1 },
	.next_id = { 2 },
};
static struct thread main_thread;
struct au32 thread_has_bound;
static struct lock all_lock;
static uint32_t locks_want;		/* LOCKS_*; guarded by all_lock */
enum { PAGE = 4096 };

static size_t default_stack_bytes;
static uint32_t process_tids;		/* where the numbers of this process begin */

struct thread *thread_main(void)
{
	return &main_thread;
}

/*
 * Never a real one, and the same as another process's by bad luck only: owners of shared locks are told by it.
 * The kernel has 30 bits for the owner of a lock; 28 fit into the number of a thread's CPU clock, which is
 * negative.  Once all have been given out a used descriptor keeps its number, and only fresh ones get others.
 */
static int make_tid(uint32_t id, int used)
{
	const uint32_t fresh = 1u << 24, tids = (1u << 28) - THREAD_FIRST_TID - fresh;
	static struct au32 have_gone_round, nfresh;

	if (likely(id < tids && !load_relaxed(&have_gone_round)))
		return (int)(THREAD_FIRST_TID + (process_tids + id) % tids);
	store_relaxed(&have_gone_round, 1);
	return used >= THREAD_FIRST_TID ? used : (int)((1u << 28) - 1 - fetch_add(&nfresh, 1) % fresh);
}

void thread_choose_tids(void)
{
	process_tids = (uint32_t)sys_getpid() * UINT32_C(0x9e3779b1) >> 2;
}

static void list_in(struct thread *t)
{
	lock_take(&all_lock);
	t->locks_plainly = !locks_want;
	if (!t->all_link.next)
		list_push_back(&threads.all, &t->all_link);
	lock_drop(&all_lock);
}

void thread_want_of_locks(uint32_t want, bool is_so)
{
	uint64_t all = ~UINT64_C(0), old;

	sys_sigmask(SIG_SETMASK, &all, &old);
	lock_take(&all_lock);
	locks_want = is_so ? locks_want | want : locks_want & ~want;
	for (struct list *l = threads.all.next; l != &threads.all; l = l->next)
		container_of(l, struct thread, all_link)->locks_plainly = !locks_want;
	lock_drop(&all_lock);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void thread_lock_all(void)
{
	lock_take(&all_lock);
}

void thread_unlock_all(void)
{
	lock_drop(&all_lock);
}

/* Main takes a lock in the constructor of a library that is initialised before ours. */
static void adopt_main(void)
{
	if (main_thread.id)
		return;
	main_thread.kind = THREAD_BOUND;
	main_thread.id = 1;
	main_thread.tid = sys_gettid();
	main_thread.tls = arch_tls();
	store_relaxed(&main_thread.state, T_RUNNING);
	self_ptr = &main_thread;
	list_in(&main_thread);
}

void thread_init(void)
{
	pthread_attr_t attr;

	tls_init();
	thread_choose_tids();
	adopt_main();
	default_stack_bytes = 8u << 20;
	if (pthread_attr_init(&attr) == 0) {
		pthread_attr_getstacksize(&attr, &default_stack_bytes);
		pthread_attr_destroy(&attr);
	}
}

static struct thread *adopted;		/* all of them, ever; guarded by all_lock */

/*
 * One whose kernel thread is gone.  Each call looks at a few more: where there are thousands, most
 * of them alive, one that looked at all would take forever.
 */
static struct thread *gone_descriptor(void)
{
	static struct thread *at;

	for (int i = 0; i < ADOPTED_LOOKS && adopted; i++) {
		at = at && at->free_next ? at->free_next : adopted;
		int tid = at->tid;

		/* The number once more: it may have ended meanwhile, and been kept (thread_keep). */
		if (tid != TID_RESERVED && sys_tgkill(tid, 0) == -ESRCH && at->tid == tid)
			return at;
	}
	return NULL;
}

/* A descriptor for a kernel thread that is not ours; that of one that is gone serves again. */
static struct thread *adopted_descriptor(void)
{
	static struct thread first[ADOPTED_CHUNK], *chunk = first;	/* some are there whatever happens */
	static unsigned left = ADOPTED_CHUNK;

	lock_take(&all_lock);
	struct thread *t = gone_descriptor();

	if (!t) {
		if (!left) {
			chunk = sys_map(ADOPTED_CHUNK * sizeof(struct thread));
			left = chunk ? ADOPTED_CHUNK : 0;
		}
		if (left) {
			t = &chunk[--left];
			t->free_next = adopted;
			adopted = t;
		}
	}
	if (t)
		t->tid = sys_gettid();
	lock_drop(&all_lock);
	return t;
}

struct thread *thread_reserve(void)
{
	const struct thread *creator = thread_self();
	uint64_t all = ~UINT64_C(0), old;

	sys_sigmask(SIG_SETMASK, &all, &old);
	struct thread *t = adopted_descriptor();

	if (t) {
		t->tid = TID_RESERVED;
		memset(t->posix, 0, sizeof(t->posix));	/* what it had is not for who looks at it before its thread begins */
		memcpy(t->name, creator->name, sizeof(t->name));
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return t;
}

void thread_keep(struct thread *me)
{
	me->tid = TID_RESERVED;
}

void thread_unreserve(struct thread *t)
{
	t->tid = TID_NOBODY;
}

struct thread *thread_adopt(void)
{
	if (!main_thread.id) {
		adopt_main();
		return &main_thread;
	}
	return thread_adopt_as(NULL);
}

struct thread *thread_adopt_as(struct thread *t)
{
	uint64_t all = ~UINT64_C(0), old;

	bool is_reserved = t;

	/* The list's lock may be held by whom a handler interrupted: no handler while we hold it. */
	sys_sigmask(SIG_SETMASK, &all, &old);
	if (is_reserved)
		t->tid = sys_gettid();
	else
		t = adopted_descriptor();
	if (!t)
		panic("no memory to adopt kernel thread %d", sys_gettid());
	if (!is_reserved)		/* nor is it known who made it */
		memcpy(t->name, main_thread.name, sizeof(t->name));
	t->kind = THREAD_BOUND;
	store_relaxed(&thread_has_bound, 1);
	t->tls = arch_tls();
	t->kmask = old;
	t->in_rt = 0;
	store_relaxed(&t->pending, 0);
	memset(t->posix, 0, sizeof(t->posix));
	memset(t->value, 0, sizeof(t->value));
	store_relaxed(&t->life, 0);
	store_relaxed(&t->token, 0);
	store_relaxed(&t->is_cancelled, 0);
	t->joiner = NULL;
	t->left_ticks = arch_ticks();
	store_relaxed(&t->state, T_RUNNING);
	t->id = fetch_add(&threads.next_id, 1);
	list_in(t);
	self_ptr = t;
	sys_sigmask(SIG_SETMASK, &old, NULL);
	return t;
}

struct thread *thread_of(pthread_t handle)
{
	if (handle == 0)
		return NULL;
	struct thread *t = tls_get_self((const void *)handle);

	return t && t->tls == (void *)handle ? t : NULL;
}

/*
 * Whole pages, as long as asked for: some protect the lowest, or look for their faults in the guard right below it.
 * What is above holds the TLS block and the descriptor; frames begin here, in a page that they need in any case.
 */
static size_t frame_bytes(const struct thread *t)
{
	return t->stack_bytes / PAGE * PAGE;
}

int thread_attributes(struct thread *t, pthread_attr_t *ret_attr)
{
	int err = pthread_attr_init(ret_attr);

	if (err)
		return err;
	char *low = thread_stack_low(t);
	size_t bytes = t->is_bare ? t->stack_bytes : frame_bytes(t);

	pthread_attr_setstack(ret_attr, t->user_stack ? t->user_stack : low,
			      t->user_stack ? t->user_stack_bytes : bytes);
	pthread_attr_setguardsize(ret_attr, t->user_stack ? 0 : t->guard_bytes);
	pthread_attr_setdetachstate(ret_attr, load_relaxed(&t->life) & LIFE_DETACHED ?
						      PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
	return 0;
}

void thread_set_default_stack_bytes(size_t bytes)
{
	default_stack_bytes = bytes;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "live is the low half of births");

/* One more is live, with the next id: both in one locked instruction. */
static uint32_t count_birth(void)
{
	const uint64_t one_of_each = (UINT64_C(1) << 32) + 1;

	return (uint32_t)(fetch_add(&threads.births, one_of_each) >> 32);
}

/* Descriptor fields of a thread that is about to be born, which is counted here; its memory stays. */
static void make_new(struct thread *t)
{
	store_relaxed(&t->state, T_NEW);
	store_relaxed(&t->pending, 0);
	store_relaxed(&t->life, 0);
	store_relaxed(&t->cpu_ticks, 0);
	store_relaxed(&t->system_us, 0);
	t->left_ticks = t->burst_ticks = 0;
	t->kind = THREAD_USER;
	t->is_one_to_one = false;
	t->wants_kernel_thread = false;
	t->binds_soon = false;
	t->kticks_blocked = 0;
	store_relaxed(&t->directed, 0);
	t->in_rt = 1;			/* it starts inside the runtime, like everybody who is switched to */
	t->act = NULL;
	t->joiner = NULL;
	t->joiner_is_next = false;
	t->priority = t->real_time = 0;
	store_relaxed(&t->priority_now, 0);
	t->result = PTHREAD_CANCELED;	/* what stands if nothing else is returned */
	t->name[0] = 0;
	thread_clear_posix(t);
	store_relaxed(&t->token, 0);
	store_relaxed(&t->is_cancelled, 0);
	t->nopreempt = 0;
	t->owes_since_ns = t->distrusted_until_ns = 0;
	t->id = count_birth();
	t->tid = make_tid(t->id, t->tid);
	tls_set_tid(t->tls, t->tid);
	if (unlikely(t->asks_policy)) {
		t->asks_policy = false;
		tls_know_policy(t->tls, true);
	}
}

/*
 * t's first TLS block.  0 or -errno, and then it is gone.  Whoever loads a library initialises its data in all blocks
 * that libc knows of, which this one is not yet when it is filled in.
 */
static COLD int new_block(struct thread *me, struct thread *t)
{
	uint64_t modules = tls_modules();
	uint32_t was = me->in_rt;
	char *low = (char *)t - t->stack_bytes;		/* so that the block is right below the descriptor */
	bool is_copy = tls_copy(t, low, t->stack_bytes);
	int err = is_copy ? 0 : tls_harvest(t, low, t->stack_bytes);

	if (!err && unlikely(tls_modules() != modules))
		tls_reset(t);
	me->in_rt = 1;
	compiler_barrier();
	if (err) {
		stack_put(t);
	} else {
		uintptr_t top = (uintptr_t)t->stack_low + frame_bytes(t);

		if ((uintptr_t)t->stack_start > top)
			t->stack_start = (void *)top;
		list_in(t);
	}
	if (!err && !is_copy)
		tls_copy_learn(t, low, t->stack_bytes);
	compiler_barrier();
	me->in_rt = was;
	return err == -ENOSYS || err == -EINVAL ? err : err ? -EAGAIN : 0;
}

/* A descriptor with its stack and block, warm (used before) or fresh. */
static struct thread *get_stack(struct thread *me, struct stack_class *c)
{
	uint32_t was = me->in_rt;

	me->in_rt = 1;			/* stack_get takes the runtime's locks */
	compiler_barrier();
	struct thread *t = stack_get(c);

	compiler_barrier();
	me->in_rt = was;
	return t;
}

static inline int get(struct stack_class *c, struct thread *used, struct thread **ret_t)
{
	struct thread *me = thread_self();
	struct thread *t = used ? used : get_stack(me, c);

	if (!t)
		return -EAGAIN;
	if (likely(t->tls != NULL)) {
		tls_reset(t);
	} else {
		int err = new_block(me, t);

		if (err)
			return err;
	}
	*ret_t = t;
	return 0;
}

/* For the TLS block of what runs on another stack; libc's harvested thread runs here for a moment. */
static size_t block_bytes(size_t usual)
{
	size_t least = tls_least_stack() + 4 * PAGE;

	return least > usual ? least : usual;
}

struct stack_class *thread_class(size_t stack_bytes, size_t guard_bytes, const void *user_stack)
{
	enum { BESIDE = 64 * 1024 };	/* for the TLS block of one that runs on a stack of the program's */

	return stack_class_of(user_stack ? block_bytes(BESIDE) : stack_bytes ? stack_bytes : default_stack_bytes,
			      guard_bytes, false);
}

FLAT int thread_create(struct stack_class *c, struct thread *used, size_t stack_bytes, void *user_stack,
		       struct thread **ret_t)
{
	struct thread *t;
	int err = get(c, used, &t);

	if (err)
		return err;
	make_new(t);
	if (unlikely(user_stack || t->user_stack))
		tls_set_stack(t->tls, user_stack ? user_stack : (char *)t - t->stack_bytes,
			      user_stack ? stack_bytes : t->stack_bytes);
	t->user_stack = user_stack;
	t->user_stack_bytes = user_stack ? stack_bytes : 0;
	*ret_t = t;
	return 0;
}

void thread_renew_bare(struct thread *t)
{
	store_relaxed(&t->state, T_NEW);	/* relaxed, all: nobody else knows it */
	store_relaxed(&t->pending, 0);
	store_relaxed(&t->life, 0);
	store_relaxed(&t->token, 0);
	store_relaxed(&t->is_cancelled, 0);
	t->in_rt = 1;
	t->burst_ticks = 0;
	t->joiner = NULL;
	t->joiner_is_next = false;
	t->priority = t->real_time = 0;
	store_relaxed(&t->priority_now, 0);
	t->nopreempt = 0;
	t->owes_since_ns = t->distrusted_until_ns = 0;
	t->name[0] = 0;
}

struct thread *thread_create_bare(size_t stack_bytes)
{
	struct thread *t = stack_get(stack_class_of(stack_bytes, 0, true));

	if (!t)
		return NULL;
	if (!t->id) {
		t->id = fetch_add(&threads.next_id, 1);
		t->tid = make_tid(t->id, 0);
		t->is_bare = true;
		t->kind = THREAD_USER;
		t->stack_start = (void *)((uintptr_t)t & ~(uintptr_t)63);
	}
	if (!t->all_link.next)		/* nor is one of a forked child's parent's */
		list_in(t);
	thread_renew_bare(t);
	return t;
}

void *thread_guest_tls(void)
{
	enum { STACK = 32 * 1024 };
	struct thread *t;

	if (get(stack_class_of(block_bytes(STACK), 0, false), NULL, &t))
		return NULL;
	store_relaxed(&t->state, T_DONE);		/* never was one, to those who look */
	fetch_or(&t->life, LIFE_REAPED);
	tls_set_tid(t->tls, make_tid(fetch_add(&threads.next_id, 1), 0));

	/* What a thread does first, done on the block by us. */
	struct thread *me = thread_self();
	uint32_t was = me->in_rt;

	me->in_rt = 1;
	tls_set_self(t->tls, me);	/* a signal may come */
	arch_set_tls(t->tls);
	tls_enter();
	arch_set_tls(me->tls);
	tls_set_self(t->tls, t);
	compiler_barrier();
	me->in_rt = was;
	return t->tls;
}

void thread_end(struct thread *t)
{
	store_relaxed(&t->state, T_DONE);
	/* Nobody else may change it any more: who comes too late only reads it. */
	store_release(&t->life, load_relaxed(&t->life) | LIFE_REAPED);
}

void thread_recycle(struct thread *t)
{
	thread_end(t);
	if (t->stack_class)		/* main's is the kernel's */
		stack_put(t);
}

/* Every other thread is gone, and with it what libc knew of its block. */
void thread_fork_child(struct thread *me)
{
	struct list *l, *next;

	lock_fork_child(&all_lock);
	for (l = threads.all.next; l != &threads.all; l = next) {
		struct thread *t = container_of(l, struct thread, all_link);

		next = l->next;
		memset(t->joiners, 0, sizeof(t->joiners));
		if (t == me)
			continue;
		list_remove(l);
		t->tls = NULL;
		memset(t->posix, 0, sizeof(t->posix));
		store_relaxed(&t->interrupted, NULL);
		t->wait_queued = false;		/* what it waited in stayed with the parent */
		store_relaxed(&t->wait_key, 0);
		store_relaxed(&t->state, T_DONE);
	}
	stack_fork_child();
	tls_copy_fork_child();
	tls_reset_fork_child();
	store_relaxed(&threads.live, 1);
	me->tid = sys_gettid();
	me->kind = THREAD_BOUND;
	me->act = NULL;
}
