// SPDX-License-Identifier: BSD-2-Clause
/* <upcall/myth.h> and <upcall/thread.h>: programs written to them do what they say. */
#include <upcall/myth.h>
#include <upcall/thread.h>

#include "check.h"

#include <stdatomic.h>

static th_mutex_t th_mutex;
static mutex_t mutex;
static cond_t cond;
static sema_t sema;
static rwlock_t rwlock;
static thread_key_t key;
static int count, is_open;

static void *th_add(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		th_mutex_lock(&th_mutex);
		count++;
		th_mutex_unlock(&th_mutex);
		th_yield();
	}
	CHECK(th_self() != NULL);
	return arg;
}

static void test_myth(void)
{
	th_t t[4];

	CHECK_IS(th_mutex_init(&th_mutex), 0);
	for (long i = 0; i < 4; i++)
		CHECK((t[i] = th_fork(th_add, (void *)i)) != NULL);
	for (long i = 0; i < 4; i++)
		CHECK_IS(th_join(t[i]), i);
	CHECK_IS(count, 4000);
	CHECK(th_join(th_self()) == NULL);		/* nothing to wait for */
}

static void *thr_wait(void *arg)
{
	const struct timespec never = { INT64_MAX, 999999999 };
	void *value;

	CHECK_IS(thr_setspecific(key, arg), 0);
	CHECK_IS(mutex_lock(&mutex), 0);
	while (!is_open)
		CHECK_IS(arg == (void *)1 ? cond_timedwait(&cond, &mutex, &never) : cond_wait(&cond, &mutex), 0);
	CHECK_IS(mutex_unlock(&mutex), 0);
	CHECK_IS(rw_rdlock(&rwlock), 0);
	CHECK_IS(rw_unlock(&rwlock), 0);
	CHECK_IS(sema_post(&sema), 0);
	CHECK_IS(thr_getspecific(key, &value), 0);
	thr_exit(value);
}

static void test_thread_h(void)
{
	struct timespec soon = { 0, 2000000 };
	thread_t t[3], departed;
	void *value;

	int priority = 0;

	CHECK_IS(thr_keycreate(&key, NULL), 0);
	CHECK_IS(thr_setprio(thr_self(), UPCALL_PRIORITY_MAX + 1), EINVAL);
	CHECK_IS(thr_setprio(thr_self(), 3), 0);
	CHECK_IS(thr_getprio(thr_self(), &priority), 0);
	CHECK_IS(priority, 3);
	CHECK_IS(thr_setprio(thr_self(), 0), 0);
	CHECK_IS(mutex_init(&mutex, USYNC_THREAD | LOCK_ERRORCHECK, NULL), 0);
	CHECK_IS(mutex_init(&mutex, USYNC_PROCESS, NULL), EINVAL);
	CHECK_IS(sema_init(&sema, 0, USYNC_THREAD, NULL), 0);
	CHECK_IS(sema_trywait(&sema), EBUSY);
	for (long i = 0; i < 3; i++)
		CHECK_IS(thr_create(NULL, 0, thr_wait, (void *)(i + 1), i == 2 ? THR_BOUND : 0, &t[i]), 0);
	CHECK_IS(mutex_lock(&mutex), 0);
	CHECK_IS(cond_reltimedwait(&cond, &mutex, &soon), ETIME);
	CHECK_IS(cond_timedwait(&cond, &mutex, &soon), ETIME);		/* that was in 1970 */
	is_open = 1;
	cond_broadcast(&cond);
	CHECK_IS(mutex_unlock(&mutex), 0);
	for (long i = 0; i < 3; i++) {
		CHECK_IS(sema_wait(&sema), 0);
		CHECK_IS(thr_join(t[i], &departed, &value), 0);
		CHECK(departed == t[i]);
		CHECK_IS(value, i + 1);
	}
	CHECK(thr_getconcurrency() >= 1);
}

/* Who reads does so beside others, who writes alone. */
static void test_rwlock(void)
{
	CHECK_IS(rwlock_init(&rwlock, USYNC_PROCESS, NULL), EINVAL);
	CHECK_IS(rwlock_init(&rwlock, USYNC_THREAD, NULL), 0);
	CHECK_IS(rw_rdlock(&rwlock), 0);
	CHECK_IS(rw_tryrdlock(&rwlock), 0);
	CHECK_IS(rw_trywrlock(&rwlock), EBUSY);
	CHECK_IS(rw_unlock(&rwlock), 0);
	CHECK_IS(rw_trywrlock(&rwlock), EBUSY);
	CHECK_IS(rw_unlock(&rwlock), 0);
	CHECK_IS(rw_trywrlock(&rwlock), 0);
	CHECK_IS(rw_tryrdlock(&rwlock), EBUSY);
	CHECK_IS(rw_unlock(&rwlock), 0);
	CHECK_IS(rw_wrlock(&rwlock), 0);
	CHECK_IS(rw_tryrdlock(&rwlock), EBUSY);
	CHECK_IS(rw_trywrlock(&rwlock), EBUSY);
	CHECK_IS(rw_unlock(&rwlock), 0);
	CHECK_IS(rwlock_destroy(&rwlock), 0);
}

static void *try_mutex(void *wanted)
{
	int err = mutex_trylock(&mutex);

	CHECK_IS(err, (long)wanted);
	if (!err)
		CHECK_IS(mutex_unlock(&mutex), 0);
	return NULL;
}

static void let_another_try(long wanted)
{
	thread_t t;

	CHECK_IS(thr_create(NULL, 0, try_mutex, (void *)wanted, 0, &t), 0);
	CHECK_IS(thr_join(t, NULL, NULL), 0);
}

static void test_trylock(void)
{
	CHECK_IS(mutex_init(&mutex, LOCK_RECURSIVE, NULL), 0);
	let_another_try(0);
	CHECK_IS(mutex_trylock(&mutex), 0);
	CHECK_IS(mutex_trylock(&mutex), 0);
	let_another_try(EBUSY);
	CHECK_IS(mutex_unlock(&mutex), 0);
	let_another_try(EBUSY);
	CHECK_IS(mutex_unlock(&mutex), 0);
	let_another_try(0);
	CHECK_IS(mutex_destroy(&mutex), 0);
	CHECK_IS(mutex_init(&mutex, LOCK_NORMAL, NULL), 0);
	CHECK_IS(mutex_trylock(&mutex), 0);
	CHECK_IS(mutex_trylock(&mutex), EBUSY);
	CHECK_IS(mutex_unlock(&mutex), 0);
}

/* Where there is one vproc the other thread has run when a yield returns, and not before, but for a slice that ends. */
static void *run(void *arg)
{
	*(atomic_int *)arg = 1;
	return NULL;
}

static void check_lets_run(void (*yield)(void))
{
	enum { TIMES = 20 };
	int n = 0;

	for (int i = 0; i < TIMES; i++) {
		atomic_int has_run = 0;
		thread_t t;

		CHECK_IS(thr_create(NULL, 0, run, &has_run, 0, &t), 0);
		bool is_first = !has_run;

		yield();
		n += is_first && has_run;
		CHECK_IS(thr_join(t, NULL, NULL), 0);
	}
	CHECK(n > TIMES / 2);
}

static void test_yield(void)
{
	if (upcall_vprocs() != 1 || upcall_vproc() < 0)		/* main is bound in mode bound */
		return;
	check_lets_run(th_yield);
	check_lets_run(thr_yield);
}

/* Once with three vprocs, where there may be so many, once with one. */
static void test(void)
{
	int mp = test_flags ? 1 : 3;

	CHECK_IS(th_init(0), -1);
	CHECK_IS(th_init(-1), -1);
	CHECK_IS(th_init(UPCALL_VPROCS_MAX + 1), -1);
	CHECK_IS(th_init(mp), 0);
	CHECK_IS(th_init(mp), -1);
	CHECK(upcall_vprocs() == (unsigned)mp || getenv("UPCALL_VPROCS"));
	test_myth();
	test_thread_h();
	test_rwlock();
	test_trylock();
	test_yield();
}
