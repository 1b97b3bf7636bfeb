// SPDX-License-Identifier: BSD-2-Clause
// RUSAGE_THREAD's counts do not go back when a thread has moved to another kernel thread.
#include "../posix/harness.h"
#include <sys/resource.h>

enum { THREADS = 8, ROUNDS = 200 };

static void *asks(void *arg)
{
	struct rusage before = { 0 }, now;

	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(getrusage(RUSAGE_THREAD, &now));
		CHECK(now.ru_minflt >= before.ru_minflt);
		CHECK(now.ru_majflt >= before.ru_majflt);
		CHECK(now.ru_nvcsw >= before.ru_nvcsw);
		CHECK(now.ru_nivcsw >= before.ru_nivcsw);
		before = now;
		usleep(50);
	}
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, asks);
	join_many(t, THREADS);
}
