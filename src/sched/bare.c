// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads without a TLS block of their own: what they run on.
 *
 * Code of the program's needs a TLS block that libc knows, so each activation that runs such threads
 * has one for them, its guest block.  A switch between two of them leaves the FS base alone; only the
 * word that says who runs is written.  They are switched only at calls of ours, so that they leave
 * nothing half done in the block.
 *
 * An activation takes its guest block from a pool when it first needs one, and gives it back when it
 * becomes a spare.  A block is made by libc, which nothing may call in here: a thread of the
 * runtime's own, with a TLS block, makes more when few are left.  While there is none, threads that
 * want one wait in a list.
 */
#include <errno.h>
#include <string.h>

#include "../base/child.h"
#include "policy.h"
#include "vproc.h"

enum { POOL = 4096, LOW = 4, BATCH = 16 };

static struct {
	struct lock lock;
	unsigned count, made;
	struct thread *waiting;		/* READY, linked by qnext */
	void *block[POOL];
} pool;

/*
 * The maker parks with its lock held, and whom its vproc runs next may ask for a block: so the lock is
 * only tried here.  If that fails it is just parking, and looks once more when it has, or somebody
 * else is waking it.
 */
static struct { struct lock lock; struct thread *parked; } maker;

static void wake_maker(void)
{
	if (!lock_try(&maker.lock))
		return;
	struct thread *t = maker.parked;

	maker.parked = NULL;
	lock_drop(&maker.lock);
	if (t)
		unpark(t);
}

/* Caller holds the pool's lock. */
static bool is_low(void)
{
	return pool.count < LOW && pool.made < POOL - BATCH;
}

bool bare_admit(struct activation *a, struct thread *t)
{
	lock_take(&pool.lock);
	if (pool.count) {
		a->guest_tls = pool.block[--pool.count];
	} else {
		store_relaxed(&t->state, T_READY);
		t->qnext = pool.waiting;
		pool.waiting = t;
	}
	bool wakes = is_low();

	lock_drop(&pool.lock);
	if (wakes)
		wake_maker();
	return a->guest_tls != NULL;
}

static void put(void *block)
{
	lock_take(&pool.lock);
	pool.block[pool.count++] = block;
	struct thread *t = pool.waiting;

	pool.waiting = NULL;
	lock_drop(&pool.lock);
	while (t) {
		struct thread *next = t->qnext;

		ready_remote(t);
		t = next;
	}
}

void bare_release(struct activation *a)
{
	void *block = a->guest_tls;

	a->guest_tls = NULL;
	if (block)
		put(block);
}

/* Outside the runtime, on a thread that may call libc. */
static int make_blocks(unsigned n)
{
	while (n--) {
		void *block = thread_guest_tls();

		if (!block)
			return -EAGAIN;
		struct thread *me = rt_enter();

		pool.made++;		/* only the maker gets here, or the first call, before it */
		put(block);
		rt_leave(me);
	}
	return 0;
}

static void look_again(void *arg)
{
	(void)arg;
	lock_take(&pool.lock);
	bool wakes = is_low();

	lock_drop(&pool.lock);
	if (wakes)
		wake_maker();
}

/* There is no memory: look_again would send it back at once. */
static void nap(struct thread *me)
{
	sched_begin_block(me);
	sys_nap(10 * NS_PER_MS);
	sched_end_block(me);
}

static _Noreturn void make_for_ever(struct thread *me)
{
	for (;;) {
		rt_enter();
		lock_take(&maker.lock);
		maker.parked = me;
		me->parked_fn = look_again;
		park(me, &maker.lock);
		me->parked_fn = NULL;
		rt_leave(me);
		if (make_blocks(BATCH))
			nap(me);	/* whoever gives one back helps those who wait */
	}
}

static void maker_frame(void)
{
	struct thread *me = self_ptr;

	sched_thread_starts(me);
	tls_enter();
	rt_leave(me);
	make_for_ever(me);
}

bool sched_has_bare;

static struct lock starting;

int sched_start_bare(void)
{
	enum { STACK = 64 * 1024 };
	struct thread *t;
	int err = 0;

	while (!lock_try(&starting))
		sys_yield();
	if (!sched_has_bare) {
		err = make_blocks(vprocs_made() + LOW);
		if (!err)
			err = sched_create(STACK, 4096, NULL, &t);
		if (!err) {
			fetch_sub(&threads.live, 1);	/* the process does not live for it */
			if (t->is_unsettled)
				fetch_sub(&sched_unsettled, 1);
			t->is_unsettled = false;
			memcpy(t->name, "upcall-blocks", sizeof("upcall-blocks"));
			t->sp = arch_context_init(t->stack_start, maker_frame);
			t->kmask = SCHED_BLOCK_ALL;
			t->priority = UPCALL_PRIORITY_MAX;	/* others wait for it, whatever their own */
			store_relaxed(&t->priority_now, UPCALL_PRIORITY_MAX);
			struct thread *me = rt_enter();

			sched_spawn(t);
			rt_leave(me);
			sched_has_bare = true;
		}
	}
	lock_drop(&starting);
	return err;
}

/* The child's only thread keeps the block it runs on as its own. */
void bare_fork_child(struct thread *me)
{
	me->is_bare = false;
	lock_fork_child(&starting);
	zero_in_child(&pool, offsetof(__typeof__(pool), block));
	zero_in_child(&maker, sizeof(maker));
	zero_in_child(&sched_has_bare, sizeof(sched_has_bare));
	first_fork_child();
}
