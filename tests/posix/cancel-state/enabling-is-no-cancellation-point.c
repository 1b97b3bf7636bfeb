// SPDX-License-Identifier: BSD-2-Clause
// Enabling cancellation does not act on a request that is pending, if the type is deferred; the next
// cancellation point does.
#include "../harness.h"

static atomic_bool ready, requested, went_on;

static void *body(void *arg)
{
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	ready = true;
	WAIT_FOR(requested);
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	went_on = true;
	pthread_testcancel();
	CHECK(false);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(ready);
	CHECK_OK(pthread_cancel(t));
	requested = true;
	CHECK(join(t) == PTHREAD_CANCELED);
	CHECK(went_on);
}
