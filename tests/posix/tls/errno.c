// SPDX-License-Identifier: BSD-2-Clause
// errno is per thread, at its own address, and survives what other threads do.
#include "../harness.h"

#define N 6

static void *body(void *arg)
{
	int want = 2000 + (int)(intptr_t)arg;
	int *p = &errno;

	CHECK_EQ(errno, 0);
	for (int i = 0; i < 100; i++) {
		errno = want;
		sched_yield();
		CHECK_EQ(errno, want);
		CHECK(p == &errno);
		CHECK_EQ(close(-1), -1);
		CHECK_EQ(errno, EBADF);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	errno = 7;
	spawn_many(t, N, body);
	join_many(t, N);
}
