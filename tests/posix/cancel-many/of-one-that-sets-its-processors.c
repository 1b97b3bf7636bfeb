// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled while it sets its processors ends at its next cancellation point, of whatever kind, or
// where it is cancelled asynchronously from then on.
#include "../harness.h"

enum { THREADS = 120, KINDS = 5 };

static atomic_int begun, cleaned;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static cpu_set_t one;
static int p[2];

static void clean(void *arg)
{
	if (arg)
		CHECK_OK(pthread_mutex_unlock(arg));
	cleaned++;
}

static void meets(int kind)
{
	char c;

	if (kind == 0)
		pause();
	else if (kind == 1)
		CHECK_EQ(read(p[0], &c, 1), 1);
	else if (kind == 2)
		sleep(100);
	while (kind == 3)
		pthread_testcancel();
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	for (;;)
		;
}

static void *sets(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	begun++;
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(one), &one));
	meets((int)(intptr_t)arg);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *waits(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	pthread_cleanup_push(clean, &lock);
	begun++;
	CHECK_OK(pthread_setaffinity_np(pthread_self(), sizeof(one), &one));
	for (;;)
		pthread_cond_wait(&cond, &lock);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK_OK(pipe(p));
	for (int i = 0; i < THREADS; i++) {
		int kind = i % (KINDS + 1);
		pthread_t t = spawn(kind == KINDS ? waits : sets, (void *)(intptr_t)kind);
		void *result;

		while (begun != i + 1)
			;		/* at the same moment */
		for (volatile int later = 0; later < i * 40; later++)
			;
		CHECK_OK(pthread_cancel(t));
		CHECK_OK(pthread_join(t, &result));
		CHECK(result == PTHREAD_CANCELED);
		CHECK_EQ(cleaned, i + 1);
	}
}
