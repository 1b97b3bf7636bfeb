// SPDX-License-Identifier: BSD-2-Clause
// Destroying or changing the attributes after the thread was created does not affect the thread.
#include "../harness.h"

static atomic_bool go;

static void *body(void *arg)
{
	WAIT_FOR(go);
	return arg;
}

static char tag;

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_create(&t, &a, body, &tag));
	CHECK_OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	CHECK_OK(pthread_attr_destroy(&a));
	go = true;
	CHECK(join(t) == &tag);
}
