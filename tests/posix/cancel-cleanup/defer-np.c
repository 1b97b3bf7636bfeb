// SPDX-License-Identifier: BSD-2-Clause
// pthread_cleanup_push_defer_np makes the type deferred until its pop.
#include "../harness.h"

static void clean(void *arg UNUSED)
{
}

static void *body(void *arg)
{
	int v = -1;

	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	pthread_cleanup_push_defer_np(clean, NULL);
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_DEFERRED);
	pthread_cleanup_pop_restore_np(0);
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &v));
	CHECK_EQ(v, PTHREAD_CANCEL_ASYNCHRONOUS);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
