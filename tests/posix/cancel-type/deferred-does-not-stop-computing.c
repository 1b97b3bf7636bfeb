// SPDX-License-Identifier: BSD-2-Clause
// A deferred request does not touch a thread that reaches no cancellation point, mutexes and
// getpid included.
#include "../cancel.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready, requested;

static void *body(void *arg)
{
	volatile unsigned long n = 0;

	ready = true;
	while (!requested) {
		pthread_mutex_lock(&lock);
		n = n + 1;
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	for (int i = 0; i < 100000; i++)
		n = n + 1;
	CHECK(getpid() > 0);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, &lock);

	WAIT_FOR(ready);
	CHECK_OK(pthread_cancel(t));
	requested = true;
	CHECK(join(t) == &lock);
}
