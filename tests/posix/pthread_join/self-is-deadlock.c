// SPDX-License-Identifier: BSD-2-Clause
// Joining oneself fails with EDEADLK.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	return (void *)(intptr_t)pthread_join(pthread_self(), NULL);
}

int main(void)
{
	CHECK_EQ((intptr_t)join(spawn(body, NULL)), EDEADLK);
	CHECK_EQ(pthread_join(pthread_self(), NULL), EDEADLK);
}
