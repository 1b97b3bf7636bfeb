// SPDX-License-Identifier: BSD-2-Clause
/* Conditions and semaphores: nothing is lost, nobody is woken for nothing, deadlines hold. */
#include "check.h"

enum { CONSUMERS = 4, ITEMS = 20000 };

static struct upcall_mutex mutex;
static struct upcall_cond filled, emptied;
static struct upcall_sem sem;
static int in_store, taken;

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		upcall_mutex_lock(&mutex);
		while (in_store == 3)
			CHECK_IS(upcall_cond_wait(&emptied, &mutex), 0);
		in_store++;
		upcall_cond_signal(&filled);
		upcall_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *consume(void *arg)
{
	(void)arg;
	upcall_mutex_lock(&mutex);
	for (;;) {
		while (!in_store && taken < ITEMS)
			CHECK_IS(upcall_cond_wait(&filled, &mutex), 0);
		if (taken == ITEMS)
			break;
		in_store--;
		if (++taken == ITEMS)
			upcall_cond_broadcast(&filled);
		upcall_cond_signal(&emptied);
	}
	upcall_mutex_unlock(&mutex);
	return NULL;
}

static void test_store(void)
{
	upcall_t t[CONSUMERS], producer = spawn(produce, NULL);

	for (int i = 0; i < CONSUMERS; i++)
		t[i] = spawn(consume, NULL);
	join(producer);
	for (int i = 0; i < CONSUMERS; i++)
		join(t[i]);
	CHECK_IS(taken, ITEMS);
	CHECK_IS(in_store, 0);
}

static void *wait_in_vain(void *arg)
{
	uint64_t began = upcall_now();

	(void)arg;
	upcall_mutex_lock(&mutex);
	CHECK_IS(upcall_cond_wait_until(&filled, &mutex, began + 20 * MS), -ETIMEDOUT);
	check_took(began, 20 * MS);
	CHECK_IS(upcall_mutex_trylock(&mutex), -EBUSY);
	upcall_mutex_unlock(&mutex);
	began = upcall_now();
	CHECK_IS(upcall_sem_wait_until(&sem, began + 20 * MS), -ETIMEDOUT);
	check_took(began, 20 * MS);
	return NULL;
}

static void *take_all(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		CHECK_IS(upcall_sem_wait(&sem), 0);
	return NULL;
}

static void test_sem(void)
{
	upcall_t t[CONSUMERS];

	CHECK_IS(upcall_sem_trywait(&sem), -EAGAIN);
	for (int i = 0; i < CONSUMERS; i++)
		t[i] = spawn(take_all, NULL);
	for (int i = 0; i < CONSUMERS * ITEMS; i++)
		CHECK_IS(upcall_sem_post(&sem), 0);
	for (int i = 0; i < CONSUMERS; i++)
		join(t[i]);
	CHECK_IS(upcall_sem_value(&sem), 0);
	CHECK_IS(upcall_sem_init(&sem, 2), 0);
	CHECK_IS(upcall_sem_value(&sem), 2);
	CHECK_IS(upcall_sem_wait(&sem), 0);
	CHECK_IS(upcall_sem_wait(&sem), 0);
	CHECK_IS(upcall_sem_trywait(&sem), -EAGAIN);
}

static void test(void)
{
	test_store();
	join(spawn(wait_in_vain, NULL));
	test_sem();
	upcall_cond_destroy(&filled);
}
