// SPDX-License-Identifier: BSD-2-Clause
// Right below the stack of each thread, however many there are, lies memory that cannot be read.
#include "../harness.h"

#define N 200

static pthread_barrier_t all_here;
static int fds[2];

static void *body(void *arg UNUSED)
{
	pthread_attr_t a;
	void *low;
	size_t bytes;

	CHECK_OK(pthread_getattr_np(pthread_self(), &a));
	CHECK_OK(pthread_attr_getstack(&a, &low, &bytes));
	CHECK_OK(pthread_attr_destroy(&a));
	CHECK_EQ(write(fds[1], low, 1), 1);
	CHECK_ERRNO(write(fds[1], (char *)low - 1, 1), EFAULT);
	CHECK_ERRNO(write(fds[1], (char *)low - 4096, 1), EFAULT);
	pthread_barrier_wait(&all_here);
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	pthread_attr_t a;

	CHECK_OK(pipe(fds));
	CHECK_OK(pthread_barrier_init(&all_here, NULL, N));
	CHECK_OK(pthread_attr_init(&a));
	CHECK_OK(pthread_attr_setstacksize(&a, 256 * 1024));
	for (int i = 0; i < N; i++)
		CHECK_OK(pthread_create(&t[i], &a, body, NULL));
	join_many(t, N);
}
