// SPDX-License-Identifier: BSD-2-Clause
/* Semaphores: as many pass as were posted, whether they are let pass or take it themselves. */
#include "threads.h"

#include "sync/sem.h"

enum { THREADS = 6, ROUNDS = 5000 };

static struct sem sem;
static struct au32 passed;

static void post(void)
{
	CHECK(sem_raise(&sem));
}

static void *pass(void *arg)
{
	for (int i = 0; i < (int)(intptr_t)arg; i++) {
		enum wait_result why = WAIT_AGAIN;

		while (why == WAIT_AGAIN && !sem_try(&sem))
			why = sem_wait_once(&sem, NEVER, 0);
		CHECK(why == WAIT_AGAIN || why == WAIT_WOKEN);
		fetch_add(&passed, 1);
	}
	return NULL;
}

static void test_one_post_one_passes(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		t[i] = spawn(pass, (void *)1);
	WAIT_FOR(queued(lot_key(&sem, LOT_SEM)) == 2);
	CHECK(load_relaxed(&sem.word) == SEM_WAITED);
	post();
	WAIT_FOR(load_acquire(&passed) == 1);
	usleep(10000);
	CHECK(load_acquire(&passed) == 1);
	post();
	for (int i = 0; i < 2; i++)
		join(t[i]);
	CHECK(load_relaxed(&sem.word) == SEM_WAITED);
}

/* Who posts what it took itself does not hand it over, but wakes the one that waits. */
static void test_lock(void)
{
	pthread_t t;

	post();		/* finds nobody: the mark goes */
	CHECK(load_relaxed(&sem.word) == 1 && sem_try(&sem));
	store_relaxed(&passed, 0);
	t = spawn(pass, (void *)1);
	WAIT_FOR(queued(lot_key(&sem, LOT_SEM)) == 1);
	post();
	join(t);
	CHECK(load_relaxed(&passed) == 1 && load_relaxed(&sem.word) == SEM_WAITED);
}

static void test_limit(void)
{
	CHECK(sem_wait_once(&sem, in_ms(10), 0) == WAIT_TIMEOUT);
	CHECK((uint32_t)load_relaxed(&sem.word) == 0);
	post();
	CHECK(load_relaxed(&sem.word) == 1);
	CHECK(sem_wait_once(&sem, NEVER, 0) == WAIT_AGAIN);
	CHECK(sem_try(&sem) && !sem_try(&sem));
}

static void test_storm(void)
{
	pthread_t t[THREADS];

	store_relaxed(&passed, 0);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(pass, (void *)ROUNDS);
	for (int i = 0; i < THREADS * ROUNDS; i++)
		post();
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK(load_relaxed(&passed) == THREADS * ROUNDS);
	CHECK((uint32_t)load_relaxed(&sem.word) == 0);
}

int main(void)
{
	alarm(60);
	test_one_post_one_passes();
	test_lock();
	test_limit();
	test_storm();
	return 0;
}
