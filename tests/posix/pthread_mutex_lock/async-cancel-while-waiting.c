// SPDX-License-Identifier: BSD-2-Clause
// A thread of the asynchronous type that waits for a mutex ends when it is cancelled, at the latest
// when it has the mutex.
#include "../harness.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool waits;

static void *body(void *arg)
{
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	waits = true;
	pthread_mutex_lock(&m);
	for (;;)
		;
	return arg;
}

int main(void)
{
	pthread_t t;

	CHECK_OK(pthread_mutex_lock(&m));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_cancel(t));
	CHECK_OK(pthread_mutex_unlock(&m));
	CHECK(join(t) == PTHREAD_CANCELED);
}
