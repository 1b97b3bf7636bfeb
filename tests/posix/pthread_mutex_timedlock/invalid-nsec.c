// SPDX-License-Identifier: BSD-2-Clause
// A deadline whose nanoseconds are below zero or a thousand million and more is EINVAL when the
// call would wait.
#include "../harness.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg UNUSED)
{
	struct timespec low = { .tv_sec = time(NULL) + 5, .tv_nsec = -1 };
	struct timespec high = { .tv_sec = time(NULL) + 5, .tv_nsec = 1000000000 };

	CHECK_EQ(pthread_mutex_timedlock(&lock, &low), EINVAL);
	CHECK_EQ(pthread_mutex_timedlock(&lock, &high), EINVAL);
	return NULL;
}

int main(void)
{
	CHECK_OK(pthread_mutex_lock(&lock));
	join(spawn(body, NULL));
}
