// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first call of ours comes from a kernel thread that libc made, which ends while our threads go
 * on: main can join it, and calls like any other.
 */
#include <pthread.h>

#include "check.h"

enum { THREADS = 50 };

static upcall_t thread[THREADS];
static struct upcall_sem sem;
static struct upcall_latch latch;

static void *count_down(void *arg)
{
	for (int i = 0; i < 100; i++)
		upcall_yield();
	CHECK_IS(upcall_sem_wait(&sem), 0);
	CHECK_IS(upcall_latch_count_down(&latch, 1), 0);
	return arg;
}

static void *make_them(void *arg)
{
	for (int i = 0; i < THREADS; i++)
		thread[i] = spawn(count_down, NULL);
	upcall_sleep(2 * MS);
	return arg;
}

static void test(void)
{
	pthread_t libcs;
	void *value;

	CHECK_IS(upcall_latch_init(&latch, THREADS), 0);
	CHECK_IS(pthread_create(&libcs, NULL, make_them, &latch), 0);
	CHECK_IS(pthread_join(libcs, &value), 0);
	CHECK(value == &latch);
	for (int i = 0; i < THREADS; i++)
		CHECK_IS(upcall_sem_post(&sem), 0);
	CHECK_IS(upcall_latch_wait(&latch), 0);
	for (int i = 0; i < THREADS; i++)
		join(thread[i]);
}
