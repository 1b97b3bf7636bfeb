// SPDX-License-Identifier: BSD-2-Clause
// Of real-time threads that wait for a mutex, or a semaphore, the one with the highest priority gets it.
#include "../harness.h"

enum { THREADS = 4 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static atomic_int order[THREADS], n;

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	order[n++] = (int)(intptr_t)arg;
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(sem_wait(&s));
	order[n++ % THREADS] = (int)(intptr_t)arg;
	return arg;
}

static pthread_t create(int priority)
{
	struct sched_param p = { .sched_priority = priority };
	pthread_attr_t attr;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
	CHECK_OK(pthread_attr_setschedparam(&attr, &p));

	int rc = pthread_create(&t, &attr, waits, (void *)(intptr_t)priority);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	return t;
}

/* Then who has the highest priority goes on until it waits. */
static void use_one_cpu(void)
{
	cpu_set_t set, one;
	int cpu = 0;

	CHECK_OK(sched_getaffinity(0, sizeof(set), &set));
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_OK(sched_setaffinity(0, sizeof(one), &one));
}

int main(void)
{
	static const int priorities[THREADS] = { 3, 9, 5, 7 };
	pthread_t t[THREADS];

	use_one_cpu();
	CHECK_OK(sem_init(&s, 0, 0));
	CHECK_OK(pthread_mutex_lock(&m));
	for (int i = 0; i < THREADS; i++)
		t[i] = create(priorities[i]);
	settle();
	CHECK_OK(pthread_mutex_unlock(&m));
	WAIT_FOR(n == THREADS);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(order[i], 9 - 2 * i);
	for (int i = 0; i < THREADS; i++) {
		settle();
		CHECK_OK(sem_post(&s));
		WAIT_FOR(n == THREADS + i + 1);
		CHECK_EQ(order[i], 9 - 2 * i);
	}
	join_many(t, THREADS);
}
