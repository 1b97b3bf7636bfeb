// SPDX-License-Identifier: BSD-2-Clause
// A thread ends that held a robust mutex in memory which it has unmapped: nothing happens.
#include "../posix/harness.h"

static void *ends(void *arg UNUSED)
{
	pthread_mutexattr_t a;
	pthread_mutex_t *m = shared_memory(4096);

	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(m, &a));
	CHECK_OK(pthread_mutex_lock(m));
	CHECK_OK(munmap(m, 4096));
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		join(spawn(ends, NULL));
}
