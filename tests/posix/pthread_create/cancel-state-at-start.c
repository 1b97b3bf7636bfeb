// SPDX-License-Identifier: BSD-2-Clause
// A new thread has cancellation enabled and deferred, whatever its creator has.
#include "../harness.h"

static void *body(void *arg)
{
	int v = -1;

	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_ENABLE);
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_DEFERRED);
	return arg;
}

static void *creator(void *arg)
{
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	join(spawn(body, NULL));
	return arg;
}

int main(void)
{
	join(spawn(creator, NULL));
	join(spawn(creator, NULL));
}
