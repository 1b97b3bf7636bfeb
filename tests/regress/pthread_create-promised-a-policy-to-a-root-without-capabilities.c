// SPDX-License-Identifier: BSD-2-Clause
// Root without CAP_SYS_NICE was told that it had made real-time threads, which the kernel then refused.
#include "../posix/unprivileged.h"

static sem_t end;

static void *waits(void *arg)
{
	CHECK_OK(sem_wait(&end));
	return arg;
}

int main(void)
{
	const struct sched_param param = { .sched_priority = 1 };
	pthread_attr_t attr;
	pthread_t t, other;

	drop_scheduling();
	CHECK_OK(sem_init(&end, 0, 0));
	CHECK_OK(pthread_attr_init(&attr));
	CHECK_OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	CHECK_OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
	CHECK_OK(pthread_attr_setschedparam(&attr, &param));
	CHECK_EQ(pthread_create(&t, &attr, nothing, NULL), EPERM);
	t = spawn(waits, NULL);
	CHECK_EQ(pthread_create(&other, &attr, nothing, NULL), EPERM);
	CHECK_EQ(pthread_setschedparam(t, SCHED_FIFO, &param), EPERM);
	CHECK_OK(sem_post(&end));
	join(t);
	return 0;
}
