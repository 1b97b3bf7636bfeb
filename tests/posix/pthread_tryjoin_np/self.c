// SPDX-License-Identifier: BSD-2-Clause
// A thread that tries to join itself is not given a result: EDEADLK or EBUSY.
#include "../harness.h"

static void *body(void *arg)
{
	int rc = pthread_tryjoin_np(pthread_self(), NULL);

	CHECK(rc == EDEADLK || rc == EBUSY);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
