// SPDX-License-Identifier: BSD-2-Clause
/* Readers-writer locks, barriers, once, events, latches: what they promise, and their deadlines. */
#include "check.h"

enum { THREADS = 6, ROUNDS = 3000 };

static struct upcall_rwlock rwlock;
static struct upcall_barrier barrier;
static struct upcall_once once;
static struct upcall_event event;
static struct upcall_latch latch;
static long pair[2], serials, runs, passed;

static void *write_pair(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_IS(upcall_rwlock_write(&rwlock), 0);
		pair[0]++;
		if (i % 64 == 0)
			upcall_yield();
		pair[1]++;
		CHECK_IS(upcall_rwlock_unlock(&rwlock), 0);
	}
	return NULL;
}

static void *read_pair(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_IS(upcall_rwlock_read(&rwlock), 0);
		CHECK(pair[0] == pair[1]);
		if (i % 64 == 0)
			upcall_yield();
		CHECK_IS(upcall_rwlock_unlock(&rwlock), 0);
	}
	return NULL;
}

static void *cannot_get_it(void *arg)
{
	uint64_t began = upcall_now();

	(void)arg;
	CHECK_IS(upcall_rwlock_trywrite(&rwlock), -EBUSY);
	CHECK_IS(upcall_rwlock_write_until(&rwlock, began + 10 * MS), -ETIMEDOUT);
	CHECK_IS(upcall_rwlock_tryread(&rwlock), 0);
	CHECK_IS(upcall_rwlock_unlock(&rwlock), 0);
	check_took(began, 10 * MS);
	return NULL;
}

static void test_rwlock(void)
{
	upcall_t t[THREADS];
	uint64_t began;

	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(i % 3 ? read_pair : write_pair, NULL);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK_IS(pair[1], THREADS / 3 * ROUNDS);
	CHECK_IS(upcall_rwlock_unlock(&rwlock), -EPERM);
	CHECK_IS(upcall_rwlock_read(&rwlock), 0);
	join(spawn(cannot_get_it, NULL));
	CHECK_IS(upcall_rwlock_unlock(&rwlock), 0);
	CHECK_IS(upcall_rwlock_write(&rwlock), 0);
	began = upcall_now();
	CHECK_IS(upcall_rwlock_tryread(&rwlock), -EBUSY);
	CHECK_IS(upcall_rwlock_read_until(&rwlock, began + 10 * MS), -ETIMEDOUT);
	check_took(began, 10 * MS);
	CHECK_IS(upcall_rwlock_unlock(&rwlock), 0);
}

static void *meet(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		int serial = upcall_barrier_wait(&barrier);

		CHECK(serial == 0 || serial == 1);
		__atomic_fetch_add(&serials, serial, __ATOMIC_SEQ_CST);
		upcall_barrier_wait(&barrier);
		CHECK_IS(__atomic_load_n(&serials, __ATOMIC_SEQ_CST), i + 1);
		upcall_barrier_wait(&barrier);
	}
	return NULL;
}

static void *meet_once(void *arg)
{
	(void)arg;
	return (void *)(long)upcall_barrier_wait(&barrier);
}

static void test_barrier(void)
{
	upcall_t t[THREADS];
	uint64_t began = upcall_now();

	CHECK_IS(upcall_barrier_init(&barrier, 0), -EINVAL);
	CHECK_IS(upcall_barrier_init(&barrier, THREADS), 0);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(meet, NULL);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	/* Who gives up has not arrived. */
	CHECK_IS(upcall_barrier_init(&barrier, 2), 0);
	began = upcall_now();
	CHECK_IS(upcall_barrier_wait_until(&barrier, began + 10 * MS), -ETIMEDOUT);
	check_took(began, 10 * MS);
	t[0] = spawn(meet_once, NULL);
	CHECK_IS(upcall_barrier_wait_until(&barrier, UPCALL_NEVER) + (long)join(t[0]), 1);
	upcall_barrier_destroy(&barrier);
}

static void run_once(void *arg)
{
	upcall_sleep(5 * MS);
	*(long *)arg += 1;
}

static void *see_once(void *arg)
{
	upcall_once_run(&once, run_once, arg);
	CHECK_IS(*(long *)arg, 1);
	return NULL;
}

static void *await_event(void *arg)
{
	(void)arg;
	CHECK_IS(upcall_event_wait(&event), 0);
	__atomic_fetch_add(&passed, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *await_latch(void *arg)
{
	(void)arg;
	CHECK_IS(upcall_latch_count_down(&latch, 1), 0);
	CHECK_IS(upcall_latch_wait(&latch), 0);
	CHECK(__atomic_load_n(&passed, __ATOMIC_SEQ_CST) == 1);
	return NULL;
}

static void test_once_event_latch(void)
{
	upcall_t t[THREADS];
	uint64_t began = upcall_now();

	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(see_once, &runs);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);

	CHECK_IS(upcall_event_wait_until(&event, began + 20 * MS), -ETIMEDOUT);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(await_event, NULL);
	upcall_sleep(5 * MS);
	CHECK_IS(passed, 0);
	upcall_event_set(&event);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK_IS(upcall_event_wait(&event), 0);
	CHECK(upcall_event_is_set(&event));
	upcall_event_reset(&event);
	CHECK(!upcall_event_is_set(&event));

	passed = 0;
	CHECK_IS(upcall_latch_init(&latch, THREADS + 1), 0);
	for (int i = 0; i < THREADS; i++)
		t[i] = spawn(await_latch, NULL);
	began = upcall_now();
	CHECK_IS(upcall_latch_wait_until(&latch, began + 10 * MS), -ETIMEDOUT);
	check_took(began, 10 * MS);
	__atomic_store_n(&passed, 1, __ATOMIC_SEQ_CST);
	CHECK_IS(upcall_latch_count_down(&latch, 1), 0);
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK_IS(upcall_latch_count_down(&latch, 1), -EINVAL);
	CHECK_IS(upcall_latch_wait(&latch), 0);
}

static void test(void)
{
	test_rwlock();
	test_barrier();
	test_once_event_latch();
}
