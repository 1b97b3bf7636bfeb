// SPDX-License-Identifier: BSD-2-Clause
// A wait on a condition gives a ceiling mutex's priority back, and has it again afterwards.
#include "../harness.h"

static pthread_mutex_t m;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int tid;
static bool go;

static int priority(int who)
{
	struct sched_param p;

	CHECK_OK(sched_getparam(who, &p));
	return p.sched_priority;
}

static void *body(void *arg)
{
	struct sched_param p = { .sched_priority = 5 };
	int rc = pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);

	if (rc == EPERM)
		skip("may not use SCHED_FIFO");
	CHECK_OK(rc);
	CHECK_OK(pthread_mutex_lock(&m));
	tid = (int)syscall(SYS_gettid);
	while (!go)
		CHECK_OK(pthread_cond_wait(&cond, &m));
	CHECK_EQ(priority(0), 30);
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK_EQ(priority(0), 5);
	return arg;
}

static void *waker(void *arg)
{
	struct sched_param p = { .sched_priority = 6 };

	CHECK_OK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
	CHECK_OK(pthread_mutex_lock(&m));
	CHECK_EQ(priority(tid), 5);
	go = true;
	CHECK_OK(pthread_cond_signal(&cond));
	CHECK_OK(pthread_mutex_unlock(&m));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT));
	CHECK_OK(pthread_mutexattr_setprioceiling(&a, 30));
	CHECK_OK(pthread_mutex_init(&m, &a));
	t = spawn(body, NULL);
	WAIT_FOR(tid);
	settle();
	join(spawn(waker, NULL));
	join(t);
}
