// SPDX-License-Identifier: BSD-2-Clause
// PTHREAD_SCOPE_SYSTEM is accepted, and a thread with it runs; PTHREAD_SCOPE_PROCESS is accepted
// or refused with ENOTSUP.
#include "../harness.h"

static void *body(void *arg)
{
	return arg;
}

static char tag;

int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	int rc;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM));
	CHECK_OK(pthread_create(&t, &a, body, &tag));
	CHECK(join(t) == &tag);
	rc = pthread_attr_setscope(&a, PTHREAD_SCOPE_PROCESS);
	CHECK(rc == 0 || rc == ENOTSUP);
	CHECK_EQ(pthread_attr_setscope(&a, 77), EINVAL);
	CHECK_OK(pthread_create(&t, &a, body, &tag));
	CHECK(join(t) == &tag);
}
