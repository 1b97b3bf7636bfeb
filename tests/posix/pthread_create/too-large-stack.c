// SPDX-License-Identifier: BSD-2-Clause
// pthread_create fails with EAGAIN (ENOMEM and EINVAL on some systems) when the stack cannot be
// had, and the process goes on.
#include "../harness.h"

static void *body(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	int rc;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, (size_t)1 << 47));
	rc = pthread_create(&t, &a, body, NULL);
	CHECK(rc == EAGAIN || rc == ENOMEM || rc == EINVAL);
	CHECK(join(spawn(body, &rc)) == &rc);
}
