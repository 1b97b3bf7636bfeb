// SPDX-License-Identifier: BSD-2-Clause
// pthread_getschedparam tells the priority that the owner of a ceiling mutex was given itself, and
// what pthread_setschedparam sets meanwhile counts when the mutex is unlocked.
#include "../lent.h"

static pthread_mutex_t m;

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 5 };
	int policy, rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_OK(pthread_getschedparam(pthread_self(), &policy, &p));
	CHECK_EQ(policy, SCHED_FIFO);
	CHECK_EQ(p.sched_priority, 5);
	p.sched_priority = 7;
	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 30);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 7);
	return arg;
}

int main(void)
{
	mutex_with_ceiling(&m, 30);
	join(spawn(body, NULL));
}
