// SPDX-License-Identifier: BSD-2-Clause
// pthread_equal is non-zero for one thread and itself, zero for two threads.
#include "../harness.h"

static pthread_t first;

static void *body(void *arg UNUSED)
{
	CHECK(!pthread_equal(first, pthread_self()));
	CHECK(pthread_equal(pthread_self(), pthread_self()));
	return NULL;
}

int main(void)
{
	first = pthread_self();
	CHECK(pthread_equal(first, pthread_self()));
	join(spawn(body, NULL));
}
