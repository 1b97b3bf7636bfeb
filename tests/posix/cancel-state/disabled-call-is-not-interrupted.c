// SPDX-License-Identifier: BSD-2-Clause
// A request to a thread that sleeps with cancellation disabled does not make its call fail with
// EINTR.
#include "../cancel.h"

static atomic_bool ready;

static void *body(void *arg)
{
	struct timespec ms50 = { .tv_nsec = 50000000 };

	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	ready = true;
	CHECK_OK(nanosleep(&ms50, NULL));
	CHECK_EQ(poll(NULL, 0, 20), 0);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, &ready);

	WAIT_FOR(ready);
	sleep_ms(10);
	CHECK_OK(pthread_cancel(t));
	CHECK(join(t) == &ready);
}
