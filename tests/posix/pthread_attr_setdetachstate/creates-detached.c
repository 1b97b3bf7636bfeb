// SPDX-License-Identifier: BSD-2-Clause
// A thread created with PTHREAD_CREATE_DETACHED runs, and cannot be joined.
#include "../harness.h"

static atomic_bool ran, go;

static void *body(void *arg UNUSED)
{
	ran = true;
	WAIT_FOR(go);
	return NULL;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_EQ(pthread_attr_setdetachstate(&a, 99), EINVAL);
	CHECK_OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	CHECK_OK(pthread_create(&t, &a, body, NULL));
	CHECK_EQ(pthread_join(t, NULL), EINVAL);
	WAIT_FOR(ran);
	go = true;
	settle();
}
