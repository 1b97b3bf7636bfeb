// SPDX-License-Identifier: BSD-2-Clause
// Two hundred detached threads, one after the other and at once, all run and leave nothing to join.
#include "../harness.h"

static atomic_int ran;

static void *body(void *arg)
{
	ran++;
	return arg;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	for (int i = 0; i < 200; i++)
		CHECK_OK(pthread_create(&t, &a, body, NULL));
	WAIT_FOR(ran == 200);
}
