// SPDX-License-Identifier: BSD-2-Clause
/* <upcall/myth.h> and <upcall/thread.h>: programs written to them do what they say. */
#include <upcall/myth.h>
#include <upcall/thread.h>

#include "check.h"

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
	void *value;

	CHECK_IS(th_init(1), 0);
	CHECK_IS(th_mutex_init(&th_mutex), 0);
	for (long i = 0; i < 4; i++)
		CHECK_IS(th_fork(&t[i], th_add, (void *)i), 0);
	for (long i = 0; i < 4; i++) {
		CHECK_IS(th_join(t[i], &value), 0);
		CHECK_IS(value, i);
	}
	CHECK_IS(count, 4000);
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

static void *where(void *arg)
{
	(void)arg;
	CHECK(upcall_vproc() >= 0 && upcall_vproc() < (int)upcall_vprocs());
	return NULL;
}

static void test_hints(void)
{
	struct upcall_attr attr = UPCALL_ATTR_INIT;
	upcall_t t;

	CHECK_IS(upcall_init(NULL), -EBUSY);
	attr.flags = UPCALL_ON_VPROC;
	attr.vproc = 1;
	CHECK_IS(upcall_create(&t, &attr, where, NULL), 0);
	CHECK_IS(upcall_join(t, NULL), 0);
	attr.flags = 0;
	attr.group = 3;
	CHECK_IS(upcall_create(&t, &attr, where, NULL), 0);
	CHECK_IS(upcall_join(t, NULL), 0);
}

static void test(void)
{
	test_myth();
	test_thread_h();
	test_hints();
}
