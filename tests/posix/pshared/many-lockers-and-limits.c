// SPDX-License-Identifier: BSD-2-Clause
// A thousand threads wait with limits for objects of every kind, for mutexes and for a named semaphore, that another
// process sets free before: each gets what it waits for, and once.
#include "pshared.h"

enum { EACH = 80, KINDS = 12 };

static struct objects *o, *held;	/* waited for; their mutex and lock are held until all wait */
static pthread_mutex_t *recursive;	/* is held, too */
static sem_t *named;
static atomic_int arrived;

static struct timespec later(clockid_t clock)
{
	return in_ms(clock, 2 * WATCHDOG_SECONDS * 1000);
}

static void wait_cond(bool is_real)
{
	struct timespec limit = later(is_real ? CLOCK_REALTIME : CLOCK_MONOTONIC);

	CHECK_OK(pthread_mutex_lock(&o->mutex));
	while (!o->gate)
		CHECK_OK(is_real ? pthread_cond_clockwait(&o->cond, &o->mutex, CLOCK_REALTIME, &limit) :
			 pthread_cond_timedwait(&o->cond, &o->mutex, &limit));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
}

static void lock(pthread_mutex_t *m, int how)
{
	struct timespec real = later(CLOCK_REALTIME), mono = later(CLOCK_MONOTONIC);

	CHECK_OK(how == 0 ? pthread_mutex_lock(m) : how == 1 ? pthread_mutex_timedlock(m, &real) :
		 pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &mono));
	CHECK_OK(pthread_mutex_unlock(m));
}

static void lock_rwlock(bool writes)
{
	struct timespec real = later(CLOCK_REALTIME), mono = later(CLOCK_MONOTONIC);

	CHECK_OK(writes ? pthread_rwlock_timedwrlock(&held->rwlock, &real) :
		 pthread_rwlock_clockrdlock(&held->rwlock, CLOCK_MONOTONIC, &mono));
	CHECK_OK(pthread_rwlock_unlock(&held->rwlock));
}

static void wait_sem(sem_t *sem, int how)
{
	struct timespec real = later(CLOCK_REALTIME), mono = later(CLOCK_MONOTONIC);

	CHECK_OK(how == 0 ? sem_wait(sem) : how == 1 ? sem_timedwait(sem, &real) :
		 sem_clockwait(sem, CLOCK_MONOTONIC, &mono));
}

static void wait_futex(void)
{
	struct timespec span = ms_span(2 * WATCHDOG_SECONDS * 1000);

	while (atomic_load(&o->word) != 1)
		futex(&o->word, SHARED_WAIT_OP, 0, &span);
}

static void *body(void *arg)
{
	int kind = (int)(intptr_t)arg % KINDS;

	atomic_fetch_add(&arrived, 1);
	if (kind < 3)
		lock(&held->mutex, kind);
	else if (kind < 5)
		lock(recursive, kind - 3);
	else if (kind < 7)
		wait_cond(kind == 5);
	else if (kind < 9)
		lock_rwlock(kind == 7);
	else if (kind == 9)
		wait_sem(named, (int)(intptr_t)arg / KINDS % 3);
	else if (kind == 10)
		wait_sem(&o->sem, 1 + (int)(intptr_t)arg / KINDS % 2);
	else
		wait_futex();
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->passed++;
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	return NULL;
}

/* Holds what is held, and lets all go on when they wait. */
static void child(void)
{
	CHECK_OK(pthread_mutex_lock(&held->mutex));
	CHECK_OK(pthread_mutex_lock(recursive));
	CHECK_OK(pthread_rwlock_wrlock(&held->rwlock));
	pthread_barrier_wait(&held->barrier);		/* all is held */
	pthread_barrier_wait(&held->barrier);		/* all wait */
	atomic_store(&o->word, 1);
	futex(&o->word, SHARED_WAKE_OP, INT_MAX, NULL);
	for (int i = 0; i < EACH; i++) {
		CHECK_OK(sem_post(&o->sem));
		CHECK_OK(sem_post(named));
	}
	CHECK_OK(pthread_mutex_lock(&o->mutex));
	o->gate = 1;
	CHECK_OK(pthread_cond_broadcast(&o->cond));
	CHECK_OK(pthread_mutex_unlock(&o->mutex));
	CHECK_OK(pthread_rwlock_unlock(&held->rwlock));
	CHECK_OK(pthread_mutex_unlock(recursive));
	CHECK_OK(pthread_mutex_unlock(&held->mutex));
}

static void make_recursive(void)
{
	pthread_mutexattr_t a;

	recursive = shared_memory(sizeof *recursive);
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
	CHECK_OK(pthread_mutex_init(recursive, &a));
}

static void make_named(void)
{
	char name[64];

	snprintf(name, sizeof name, "/upcall-test-%d", (int)getpid());
	sem_unlink(name);
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (named == SEM_FAILED)
		skip("no named semaphores here");
	CHECK_OK(sem_unlink(name));
}

int main(void)
{
	static pthread_t t[EACH * KINDS];
	pid_t pid;
	int status;

	o = make_objects(1);
	held = make_objects(2);
	make_recursive();
	make_named();
	pid = fork_watched();
	if (pid == 0) {
		child();
		_exit(0);
	}
	pthread_barrier_wait(&held->barrier);
	spawn_many(t, EACH * KINDS, body);
	WAIT_FOR(atomic_load(&arrived) == EACH * KINDS);
	settle();
	pthread_barrier_wait(&held->barrier);
	join_many(t, EACH * KINDS);
	CHECK_EQ(o->passed, EACH * KINDS);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
