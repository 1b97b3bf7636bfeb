// SPDX-License-Identifier: BSD-2-Clause
// Setting asynchronous type, or enabling with asynchronous type, acts on a pending request.
#include "../cancel.h"

static atomic_bool ready, requested;

static void *body(void *arg)
{
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	if (arg)
		CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	ready = true;
	WAIT_FOR(requested);
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	if (!arg)
		CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	for (;;)
		__asm__ volatile("" ::: "memory");
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		pthread_t t = spawn(body, i ? &ready : NULL);

		WAIT_FOR(ready);
		CHECK_OK(pthread_cancel(t));
		requested = true;
		CHECK(join(t) == PTHREAD_CANCELED);
		ready = requested = false;
	}
}
