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

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
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
	int tid;
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

static unsigned nvprocs;
static struct activation activations[ACTIVATIONS], *asleep;
static atomic_uint nactivations;
static _Thread_local struct activation *self;

static atomic_flag lock = ATOMIC_FLAG_INIT;	/* the queue, and the list of sleeping activations */
static struct thread *first, **last = &first;
static atomic_int nthreads, nready, running;
static atomic_int bell;			/* a futex: grows with each thread made ready */
static atomic_ulong nblocks;

static void give_up(const char *why)
{
	fprintf(stderr, "small: %s\n", why);
	exit(1);
}

static void futex_wait(atomic_int *word, int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void futex_wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 30);
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
	atomic_fetch_add(&nready, 1);
	atomic_fetch_add(&bell, 1);
	futex_wake(&bell);
}

static struct thread *take(void)
{
	take_lock();
	struct thread *t = first;

	if (t) {
		first = t->next;
		if (!first)
			last = &first;
		atomic_fetch_sub(&nready, 1);
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
	sched_setaffinity(a->tid, sizeof(set), &set);
}

/* The next spare of vp: one that sleeps, or a new one. */
static void find_spare(struct vproc *vp)
{
	take_lock();
	struct activation *a = asleep;

	if (a)
		asleep = a->next;
	drop_lock();
	bool is_new = !a;

	if (is_new) {
		unsigned number = atomic_fetch_add(&nactivations, 1);

		if (number >= ACTIVATIONS)
			give_up("too many activations");
		a = &activations[number];
		a->number = number;
	}
	a->vproc = (unsigned)(vp - vprocs);
	source_move(a->number, a->vproc);
	atomic_store(&vp->spare, a);
	source_owner(a->vproc, vp->owner->number, (int)a->number);
	if (is_new) {
		pthread_t thread;

		pthread_create(&thread, NULL, activation_main, a);
		pthread_detach(thread);
	} else {
		pin(a);			/* before it wakes up: it is held where it is */
		atomic_store(&a->call, 1);
		futex_wake(&a->call);
	}
}

/* The spare's life: true when it owns its vproc. */
static bool watch(struct activation *a)
{
	struct vproc *vp = &vprocs[a->vproc];

	for (;;) {
		struct activation *owner = vp->owner;
		int user = USER;

		if (!atomic_load(&vp->busy)) {
			futex_wait(&vp->busy, 0);
		} else if (source_is_blocked(owner->number) &&
			   atomic_compare_exchange_strong(&owner->state, &user, LOST)) {
			atomic_store(&a->state, PACKAGE);
			vp->owner = a;
			atomic_fetch_sub(&running, 1);
			atomic_fetch_add(&nblocks, 1);
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
		futex_wait(&a->call, 0);
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
				futex_wait(&bell, seen);
			atomic_store(&vp->busy, 1);
			futex_wake(&vp->busy);
			if (!nthreads)
				return;
			continue;
		}
		a->thread = t;
		atomic_fetch_add(&running, 1);
		atomic_store(&a->state, USER);
		swapcontext(&a->native, &t->context);
		if (t->after == ENDED) {
			free(t);
			if (atomic_fetch_sub(&nthreads, 1) == 1) {
				atomic_fetch_add(&bell, 1);
				futex_wake(&bell);
			}
		} else {
			queue(t);
		}
		if (atomic_load(&a->state) == LOST)
			return;
		atomic_fetch_sub(&running, 1);
	}
}

static void *activation_main(void *arg)
{
	struct activation *a = self = arg;

	a->tid = (int)syscall(SYS_gettid);
	pin(a);
	if (!source_attach(a->number, a->vproc))
		give_up("the kernel does not take another activation");
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

void small_start(unsigned n, const char *source)
{
	cpu_set_t set;
	const char *name = source_open(source);

	if (!name) {
		printf("skip: source %s is not to be had here\n", source);
		exit(77);
	}
	printf("source: %s\n", name);
	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && nvprocs < n; cpu++)
		if (CPU_ISSET(cpu, &set))
			vprocs[nvprocs++].cpu = cpu;
}

/* The caller only waits: the vprocs' first owners are activations of their own. */
void small_run(void)
{
	pthread_t owners[SMALL_VPROCS];

	for (unsigned i = 0; i < nvprocs; i++) {
		struct activation *a = &activations[i];

		a->number = a->vproc = i;
		atomic_store(&a->state, PACKAGE);
		vprocs[i].owner = a;
		atomic_store(&vprocs[i].busy, 1);
	}
	atomic_store(&nactivations, nvprocs);
	for (unsigned i = 0; i < nvprocs; i++) {
		pthread_create(&owners[i], NULL, activation_main, &activations[i]);
		find_spare(&vprocs[i]);
	}
	while (nthreads)
		usleep(1000);
}

unsigned long small_blocks(void)
{
	return nblocks;
}

unsigned small_vprocs(void)
{
	return nvprocs;
}

int small_running(void)
{
	return running;
}
