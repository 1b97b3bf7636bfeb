// SPDX-License-Identifier: BSD-2-Clause
// Who waits first for a semaphore or a condition is woken first; and who waits again goes behind the others.
#include "check.h"

#include <upcall/stats.h>

enum { WAITERS = 12, ROUNDS = 50 };

static struct upcall_sem sem, gone;
static struct upcall_mutex mutex;
static struct upcall_cond cond;
static unsigned woken[WAITERS], nwoken, turns[WAITERS];	/* guarded by who is woken, one at a time */
static bool is_over;

static void await_wait(upcall_t t, enum upcall_wait kind)
{
	struct upcall_thread_info info = { .size = sizeof(info) };

	for (uint64_t start = upcall_now(); info.wait != kind; upcall_sleep(MS / 10)) {
		CHECK(upcall_now() - start < 20000 * MS);
		CHECK_IS(upcall_info(t, &info), 0);
	}
}

static void *take(void *arg)
{
	CHECK_IS(upcall_sem_wait(&sem), 0);
	woken[nwoken++] = (unsigned)(uintptr_t)arg;
	CHECK_IS(upcall_sem_post(&gone), 0);
	return arg;
}

static void *await_signal(void *arg)
{
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	CHECK_IS(upcall_cond_wait(&cond, &mutex), 0);
	woken[nwoken++] = (unsigned)(uintptr_t)arg;
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	CHECK_IS(upcall_sem_post(&gone), 0);
	return arg;
}

static void wake_by_sem(void)
{
	CHECK_IS(upcall_sem_post(&sem), 0);
}

static void wake_by_cond(void)
{
	upcall_cond_signal(&cond);
}

/* One after the other, so that each is the only one that runs. */
static void test_order(void *(*fn)(void *), enum upcall_wait kind, void (*wake)(void))
{
	upcall_t t[WAITERS];

	nwoken = 0;
	for (uintptr_t i = 0; i < WAITERS; i++) {
		t[i] = spawn(fn, (void *)i);
		await_wait(t[i], kind);
	}
	for (unsigned i = 0; i < WAITERS; i++) {
		wake();
		CHECK_IS(upcall_sem_wait(&gone), 0);
		CHECK(nwoken == i + 1 && woken[i] == i);
	}
	for (uintptr_t i = 0; i < WAITERS; i++)
		CHECK(join(t[i]) == (void *)i);
}

static void *take_turns(void *arg)
{
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	while (!is_over) {
		CHECK_IS(upcall_cond_wait(&cond, &mutex), 0);
		if (is_over)
			break;
		turns[(uintptr_t)arg]++;
		CHECK_IS(upcall_sem_post(&gone), 0);
	}
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	return arg;
}

/* The mutex is had again only when the one before waits again. */
static void test_turns(void)
{
	upcall_t t[WAITERS];

	for (uintptr_t i = 0; i < WAITERS; i++) {
		t[i] = spawn(take_turns, (void *)i);
		await_wait(t[i], UPCALL_WAIT_COND);
	}
	for (unsigned i = 0; i < WAITERS * ROUNDS; i++) {
		CHECK_IS(upcall_mutex_lock(&mutex), 0);
		upcall_cond_signal(&cond);
		CHECK_IS(upcall_mutex_unlock(&mutex), 0);
		CHECK_IS(upcall_sem_wait(&gone), 0);
	}
	CHECK_IS(upcall_mutex_lock(&mutex), 0);
	for (unsigned i = 0; i < WAITERS; i++)
		CHECK_IS(turns[i], ROUNDS);
	is_over = true;
	upcall_cond_broadcast(&cond);
	CHECK_IS(upcall_mutex_unlock(&mutex), 0);
	for (uintptr_t i = 0; i < WAITERS; i++)
		CHECK(join(t[i]) == (void *)i);
}

static void test(void)
{
	CHECK_IS(upcall_sem_init(&sem, 0), 0);
	CHECK_IS(upcall_sem_init(&gone, 0), 0);
	test_order(take, UPCALL_WAIT_SEM, wake_by_sem);
	test_order(await_signal, UPCALL_WAIT_COND, wake_by_cond);
	test_turns();
}
