// SPDX-License-Identifier: BSD-2-Clause
// A thread that is cancelled with a robust mutex locked leaves it to the next one with EOWNERDEAD.
#include "../harness.h"

static pthread_mutex_t m;
static atomic_bool held;

static void *body(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&m));
	held = true;
	for (;;)
		sleep_ms(1000);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t;

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&m, &a));
	t = spawn(body, NULL);
	WAIT_FOR(held);
	CHECK_OK(pthread_cancel(t));
	CHECK_EQ(pthread_mutex_lock(&m), EOWNERDEAD);
	join(t);
	CHECK_OK(pthread_mutex_consistent(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
}
