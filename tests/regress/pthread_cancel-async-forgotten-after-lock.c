// SPDX-License-Identifier: BSD-2-Clause
// A thread of the asynchronous type that is cancelled while it waits for a mutex, and computes when it
// has got it, ends: nobody else is there to interrupt it later.
#include "../posix/harness.h"

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
	for (int i = 0; i < 100; i++) {
		pthread_t t;

		waits = false;
		CHECK_OK(pthread_mutex_init(&m, NULL));
		CHECK_OK(pthread_mutex_lock(&m));
		t = spawn(body, NULL);
		WAIT_FOR(waits);
		sleep_ms(i & 3);
		CHECK_OK(pthread_cancel(t));
		pthread_mutex_unlock(&m);
		CHECK(join(t) == PTHREAD_CANCELED);
	}
}
