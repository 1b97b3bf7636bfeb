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
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ACTIVATIONS = 64, STACK = 64 * 1024 };
enum { USER, PACKAGE, LOST };

struct thread {
	ucontext_t context;
	void (*fn)(void *);
	void *arg;
	struct thread *next;
	bool has_ended;
};

static struct activation {
	pthread_t pthread;
	atomic_bool has_vproc;		/* else it sleeps, or is not made yet */
	sem_t call;			/* it has got one */
	struct vproc *vproc;
	struct thread *thread;
	ucontext_t native;
	atomic_int state;
	uint64_t lost_ns;		/* its CPU time when it lost its vproc */
} activations[ACTIVATIONS];

static struct vproc {
	_Atomic(struct activation *) owner;
	atomic_bool is_idle;		/* its owner sleeps for want of work, and so does its spare */
	int cpu;
} vprocs[SMALL_VPROCS];

unsigned small_vprocs;
atomic_int small_running;
atomic_ulong small_blocks, small_late;

static _Thread_local struct activation *self;

/* The lock guards the queue of ready threads, and the bell says: one is ready, a vproc is idle no more, all have ended. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static struct thread *first, **last = &first;
static atomic_int nthreads;

/* Threads change activations: never let the compiler keep its address. */
static __attribute__((noinline)) struct activation *me(void)
{
	__asm__ volatile("");
	return self;
}

/* Takes a thread that runs nowhere: it is ready, or has ended. */
static void put(struct thread *t)
{
	pthread_mutex_lock(&lock);
	if (t->has_ended) {
		free(t);
		nthreads--;
	} else {
		t->next = NULL;
		*last = t;
		last = &t->next;
	}
	pthread_cond_broadcast(&bell);
	pthread_mutex_unlock(&lock);
}

/* Sleeps while there is none; NULL when all have ended. */
static struct thread *next_thread(struct vproc *vp)
{
	pthread_mutex_lock(&lock);
	while (!first && nthreads) {
		vp->is_idle = true;
		pthread_cond_wait(&bell, &lock);
	}
	if (atomic_exchange(&vp->is_idle, false))
		pthread_cond_broadcast(&bell);		/* to its spare */
	struct thread *t = first;

	if (t)
		first = t->next;
	if (!first)
		last = &first;
	pthread_mutex_unlock(&lock);
	return t;
}

static uint64_t cpu_ns(struct activation *a)
{
	clockid_t clock;
	struct timespec t;

	pthread_getcpuclockid(a->pthread, &clock);
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* For vp: one that sleeps, or a new one. */
static struct activation *find_activation(struct vproc *vp)
{
	struct activation *a = activations;

	while (atomic_exchange(&a->has_vproc, true))
		if (++a == activations + ACTIVATIONS)
			errx(1, "too many activations");
	a->vproc = vp;
	return a;
}

static unsigned number_of(struct activation *a)
{
	return (unsigned)(a - activations);
}

static void *activation_main(void *arg);

/* It is pinned before it wakes up: with sched_ext it is held where it is. */
static void call(struct activation *a)
{
	cpu_set_t set;

	if (!a->pthread)
		pthread_create(&a->pthread, NULL, activation_main, a);
	CPU_ZERO(&set);
	CPU_SET(a->vproc->cpu, &set);
	pthread_setaffinity_np(a->pthread, sizeof(set), &set);
	sem_post(&a->call);
}

static void call_spare(struct vproc *vp)
{
	struct activation *a = find_activation(vp);

	source_owner((unsigned)(vp - vprocs), number_of(vp->owner), number_of(a));
	call(a);
}

static void sleep_while_idle(struct vproc *vp)
{
	pthread_mutex_lock(&lock);
	while (vp->is_idle)
		pthread_cond_wait(&bell, &lock);
	pthread_mutex_unlock(&lock);
}

/* Does the owner block, and not in the package?  Then it loses its vproc. */
static bool take_away(struct activation *owner)
{
	int user = USER;

	if (owner->state != USER || !source_is_blocked(number_of(owner)))
		return false;
	owner->lost_ns = cpu_ns(owner);
	return atomic_compare_exchange_strong(&owner->state, &user, LOST);
}

/* The spare's life, until it owns its vproc. */
static void watch(struct activation *a)
{
	struct vproc *vp = a->vproc;

	while (!take_away(vp->owner)) {
		sched_yield();
		if (vp->is_idle)
			sleep_while_idle(vp);
	}
	a->state = PACKAGE;
	vp->owner = a;
	small_running--;
	small_blocks++;
	call_spare(vp);
}

/* Runs threads until this activation has lost its vproc, or all have ended. */
static void run(struct activation *a)
{
	while ((a->thread = next_thread(a->vproc)) != NULL) {
		small_running++;
		a->state = USER;
		swapcontext(&a->native, &a->thread->context);
		put(a->thread);
		if (a->state == LOST) {
			small_late += cpu_ns(a) - a->lost_ns > SMALL_LATE_NS;
			return;
		}
		small_running--;
		if (source_has_visitors((unsigned)(a->vproc - vprocs)))
			sched_yield();
	}
}

static void *activation_main(void *arg)
{
	struct activation *a = self = arg;

	sem_wait(&a->call);
	if (!source_attach(number_of(a)))
		errx(1, "the kernel does not take another activation");
	for (;;) {
		if (a->vproc->owner != a)
			watch(a);
		run(a);
		if (!nthreads)
			return NULL;
		a->has_vproc = false;
		sem_wait(&a->call);
	}
}

/* A thread leaves its activation, which may have lost its vproc while the thread blocked. */
static void leave(bool has_ended)
{
	struct activation *a = me();
	int user = USER;

	a->thread->has_ended = has_ended;
	atomic_compare_exchange_strong(&a->state, &user, PACKAGE);
	swapcontext(&a->thread->context, &a->native);
}

void small_yield(void)
{
	leave(false);
}

static void thread_main(void)
{
	struct thread *t = me()->thread;

	t->fn(t->arg);
	leave(true);
}

void small_spawn(void (*fn)(void *), void *arg)
{
	struct thread *t = calloc(1, sizeof(*t) + STACK);

	if (!t)
		err(1, "a thread");
	getcontext(&t->context);
	t->context.uc_stack.ss_sp = t + 1;
	t->context.uc_stack.ss_size = STACK;
	makecontext(&t->context, thread_main, 0);
	t->fn = fn;
	t->arg = arg;
	nthreads++;
	put(t);
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
	for (struct vproc *vp = vprocs; vp < vprocs + small_vprocs; vp++) {
		vp->owner = find_activation(vp);
		vp->owner->state = PACKAGE;
		call_spare(vp);
		call(vp->owner);
	}
	while (nthreads)
		usleep(1000);
}
