// SPDX-License-Identifier: BSD-2-Clause
// pthread_mutex_setprioceiling waits until it can lock the mutex, and unlocks it again.
#include "../harness.h"

static pthread_mutex_t m;
static atomic_bool held, changed;

static void fifo(void)
{
	struct sched_param p = { .sched_priority = 2 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
}

static void *owner(void *arg)
{
	fifo();
	CHECK_OK(pthread_mutex_lock(&m));
	held = true;
	sleep_ms(60);
	CHECK(!changed);
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

static void *changer(void *arg)
{
	int old;

	fifo();
	WAIT_FOR(held);
	CHECK_OK(pthread_mutex_setprioceiling(&m, 20, &old));
	changed = true;
	CHECK_OK(pthread_mutex_trylock(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[2];

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 10));
	CHECK_OK(pthread_mutex_init(&m, &a));
	t[0] = spawn(owner, NULL);
	t[1] = spawn(changer, NULL);
	join_many(t, 2);
}
