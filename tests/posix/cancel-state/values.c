// SPDX-License-Identifier: BSD-2-Clause
// setcancelstate and setcanceltype give the old value, accept NULL for it, and refuse others: EINVAL.
#include "../harness.h"

static void *body(void *arg)
{
	int v = -1;

	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_ENABLE);
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_DISABLE);
	CHECK_EQ(pthread_setcancelstate(99, &v), EINVAL);
	CHECK_OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_DEFERRED);
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_ASYNCHRONOUS);
	CHECK_EQ(pthread_setcanceltype(99, &v), EINVAL);
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL));
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
	body(NULL);
}
