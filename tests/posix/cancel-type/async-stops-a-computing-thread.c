// SPDX-License-Identifier: BSD-2-Clause
// A thread with asynchronous cancellability that computes without any call is cancelled.
#include "../cancel.h"

static volatile unsigned long sum;
static atomic_bool ready, cleaned;

static void clean(void *arg UNUSED)
{
	cleaned = true;
}

static void *body(void *arg UNUSED)
{
	int old = -1;

	pthread_cleanup_push(clean, NULL);
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	CHECK_EQ(old, PTHREAD_CANCEL_DEFERRED);
	ready = true;
	for (;;)
		sum = sum + 1;
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		pthread_t t = spawn(body, NULL);

		WAIT_FOR(ready);
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
		CHECK(cleaned);
		ready = cleaned = false;
	}
}
