// SPDX-License-Identifier: BSD-2-Clause
// Any number of real-time threads may wait for a mutex with a ceiling, and one may hold any number of them.
#include "../posix/harness.h"

enum { MANY = 100, CEILING = 30 };

static pthread_mutex_t m[MANY];
static atomic_int begun;

static int priority_in_force(void)
{
	struct sched_param p;

	CHECK_OK(sched_getparam(0, &p));
	return p.sched_priority;
}

static void become_real_time(void)
{
	struct sched_param p = { .sched_priority = 5 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
}

static void *waits(void *arg UNUSED)
{
	become_real_time();
	begun++;
	CHECK_OK(pthread_mutex_lock(&m[0]));
	CHECK_EQ(priority_in_force(), CEILING);
	CHECK_OK(pthread_mutex_unlock(&m[0]));
	CHECK_EQ(priority_in_force(), 5);
	return NULL;
}

static void *holds_all(void *arg UNUSED)
{
	become_real_time();
	for (int i = 0; i < MANY; i++)
		CHECK_OK(pthread_mutex_lock(&m[i]));
	for (int i = 0; i < MANY; i++) {
		CHECK_EQ(priority_in_force(), CEILING);
		CHECK_OK(pthread_mutex_unlock(&m[i]));
	}
	CHECK_EQ(priority_in_force(), 5);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[MANY];

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, CEILING));
	for (int i = 0; i < MANY; i++)
		CHECK_OK(pthread_mutex_init(&m[i], &a));
	become_real_time();
	CHECK_OK(pthread_mutex_lock(&m[0]));
	for (int i = 0; i < MANY; i++)
		t[i] = spawn(waits, NULL);
	WAIT_FOR(begun == MANY);
	usleep(20000);
	CHECK_OK(pthread_mutex_unlock(&m[0]));
	for (int i = 0; i < MANY; i++)
		join(t[i]);
	join(spawn(holds_all, NULL));
}
