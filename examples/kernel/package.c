// SPDX-License-Identifier: BSD-2-Clause
/*
 * The package: threads on vprocs, each of which is run by the activation that owns it.
 *
 * One word of an activation says who may take its vproc away.  USER: the spare, which makes it LOST when
 * it finds the activation blocked in the kernel.  PACKAGE: nobody.  So the owner enters the package by
 * exchanging USER for PACKAGE, and when that fails it has lost its vproc: it queues its thread for
 * others and becomes a spare itself.
 *
 * A spare stays runnable and yields, so that it runs as soon as its vproc's owner blocks (with
 * sched_ext it is held in the kernel until then); when the vproc has nothing to do it sleeps.
 */
#include "small.h"

#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

enum { ACTIVATIONS = 64, STACK = 64 * 1024 };
enum { USER, PACKAGE, LOST };

struct thread {
	ucontext_t context;
	void (*fn)(void *);
	void *arg;
	struct thread *next;
	enum { READY, ENDED } after;	/* what to do with it when it has left its stack */
};

struct activation {
	unsigned number, vproc;
	pthread_t pthread;
	atomic_int state;
	ucontext_t native;
	struct thread *thread;
	struct activation *next;	/* asleep */
	atomic_int call;		/* a futex: wakes a sleeping spare */
};

static struct vproc {
	_Atomic(struct activation *) owner, spare;
	atomic_int busy;		/* a futex: 0 while the owner sleeps for want of work */
	int cpu;
} vprocs[SMALL_VPROCS];

unsigned small_vprocs;
atomic_int small_running;
atomic_ulong small_blocks;

static struct activation activations[ACTIVATIONS], *asleep;
static atomic_uint nactivations;
static _Thread_local struct activation *self;

static atomic_flag lock = ATOMIC_FLAG_INIT;	/* the queue, and the list of sleeping activations */
static struct thread *first, **last = &first;
static atomic_int nthreads;
static atomic_int bell;			/* a futex: grows with each thread made ready */

static void futex(atomic_int *word, int operation, int value)
{
	syscall(SYS_futex, word, operation, value, NULL);
}

/* Threads change activations: never let the compiler keep its address. */
static __attribute__((noinline)) struct activation *me(void)
{
	__asm__ volatile("");
	return self;
}

static void take_lock(void)
{
	while (atomic_flag_test_and_set(&lock))
		sched_yield();
}

static void drop_lock(void)
{
	atomic_flag_clear(&lock);
}

static void queue(struct thread *t)
{
	t->next = NULL;
	take_lock();
	*last = t;
	last = &t->next;
	drop_lock();
	atomic_fetch_add(&bell, 1);
	futex(&bell, FUTEX_WAKE_PRIVATE, ACTIVATIONS);
}

static struct thread *take(void)
{
	take_lock();
	struct thread *t = first;

	if (t) {
		first = t->next;
		if (!first)
			last = &first;
	}
	drop_lock();
	return t;
}

static void *activation_main(void *arg);

static void pin(struct activation *a)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(vprocs[a->vproc].cpu, &set);
	pthread_setaffinity_np(a->pthread, sizeof(set), &set);
}

static struct activation *new_activation(void)
{
	unsigned number = atomic_fetch_add(&nactivations, 1);

	if (number >= ACTIVATIONS)
		errx(1, "too many activations");
	activations[number].number = number;
	return &activations[number];
}

/* The next spare of vp: one that sleeps, or a new one. */
static void find_spare(struct vproc *vp)
{
	take_lock();
	struct activation *sleeper = asleep, *a;

	if (sleeper)
		asleep = sleeper->next;
	drop_lock();
	a = sleeper ? sleeper : new_activation();
	a->vproc = (unsigned)(vp - vprocs);
	atomic_store(&vp->spare, a);
	source_owner(a->vproc, vp->owner->number, a->number);
	if (!sleeper) {
		pthread_create(&a->pthread, NULL, activation_main, a);
		return;
	}
	pin(a);			/* before it wakes up: it is held where it is */
	atomic_store(&a->call, 1);
	futex(&a->call, FUTEX_WAKE_PRIVATE, ACTIVATIONS);
}

/* The spare's life: true when it owns its vproc. */
static bool watch(struct activation *a)
{
	struct vproc *vp = &vprocs[a->vproc];

	for (;;) {
		struct activation *owner = vp->owner;
		int user = USER;

		if (!atomic_load(&vp->busy)) {
			futex(&vp->busy, FUTEX_WAIT_PRIVATE, 0);
		} else if (source_is_blocked(owner->number) &&
			   atomic_compare_exchange_strong(&owner->state, &user, LOST)) {
			atomic_store(&a->state, PACKAGE);
			vp->owner = a;
			atomic_fetch_sub(&small_running, 1);
			atomic_fetch_add(&small_blocks, 1);
			find_spare(vp);
			return true;
		} else {
			sched_yield();
		}
	}
}

static void sleep_as_spare(struct activation *a)
{
	take_lock();
	a->next = asleep;
	asleep = a;
	drop_lock();
	while (!atomic_exchange(&a->call, 0))
		futex(&a->call, FUTEX_WAIT_PRIVATE, 0);
}

/* Runs threads until this activation has lost its vproc. */
static void run(struct activation *a)
{
	struct vproc *vp = &vprocs[a->vproc];

	for (;;) {
		int seen = atomic_load(&bell);

		if (source_has_visitors(a->vproc))
			sched_yield();
		struct thread *t = take();

		if (!t) {
			atomic_store(&vp->busy, 0);
			if (nthreads)
				futex(&bell, FUTEX_WAIT_PRIVATE, seen);
			atomic_store(&vp->busy, 1);
			futex(&vp->busy, FUTEX_WAKE_PRIVATE, ACTIVATIONS);
			if (!nthreads)
				return;
			continue;
		}
		a->thread = t;
		atomic_fetch_add(&small_running, 1);
		atomic_store(&a->state, USER);
		swapcontext(&a->native, &t->context);
		if (t->after == ENDED) {
			free(t);
			if (atomic_fetch_sub(&nthreads, 1) == 1) {
				atomic_fetch_add(&bell, 1);
				futex(&bell, FUTEX_WAKE_PRIVATE, ACTIVATIONS);
			}
		} else {
			queue(t);
		}
		if (atomic_load(&a->state) == LOST)
			return;
		atomic_fetch_sub(&small_running, 1);
	}
}

static void *activation_main(void *arg)
{
	struct activation *a = self = arg;

	a->pthread = pthread_self();
	pin(a);
	if (!source_attach(a->number, a->vproc))
		errx(1, "the kernel does not take another activation");
	for (;;) {
		if (vprocs[a->vproc].owner == a || (vprocs[a->vproc].spare == a && watch(a)))
			run(a);
		if (!nthreads)
			return NULL;
		sleep_as_spare(a);
	}
}

/* A thread leaves its activation, which may have lost its vproc while the thread blocked. */
static void leave(int after)
{
	struct activation *a = me();
	int user = USER;

	a->thread->after = after;
	atomic_compare_exchange_strong(&a->state, &user, PACKAGE);
	swapcontext(&a->thread->context, &a->native);
}

void small_yield(void)
{
	leave(READY);
}

static void thread_main(void)
{
	struct thread *t = me()->thread;

	t->fn(t->arg);
	leave(ENDED);
}

void small_spawn(void (*fn)(void *), void *arg)
{
	struct thread *t = malloc(sizeof(*t) + STACK);

	getcontext(&t->context);
	t->context.uc_stack.ss_sp = t + 1;
	t->context.uc_stack.ss_size = STACK;
	makecontext(&t->context, thread_main, 0);
	t->fn = fn;
	t->arg = arg;
	atomic_fetch_add(&nthreads, 1);
	queue(t);
}

const char *small_start(unsigned n, const char *source)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && small_vprocs < n; cpu++)
		if (CPU_ISSET(cpu, &set))
			vprocs[small_vprocs++].cpu = cpu;
	return source_open(source);
}

/* The caller only waits: the vprocs' first owners are activations of their own. */
void small_run(void)
{
	for (unsigned i = 0; i < small_vprocs; i++) {
		struct activation *a = new_activation();

		a->vproc = i;
		atomic_store(&a->state, PACKAGE);
		vprocs[i].owner = a;
		atomic_store(&vprocs[i].busy, 1);
		pthread_create(&a->pthread, NULL, activation_main, a);
		find_spare(&vprocs[i]);
	}
	while (nthreads)
		usleep(1000);
}
