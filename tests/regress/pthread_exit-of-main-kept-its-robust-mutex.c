// SPDX-License-Identifier: BSD-2-Clause
// Main ended with a robust mutex that it had locked before there were threads, and who locked it then waited for ever.
#include "../posix/harness.h"

static pthread_mutex_t m;

static void *inherits(void *arg UNUSED)
{
	CHECK_EQ(pthread_mutex_lock(&m), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&m));
	CHECK_OK(pthread_mutex_unlock(&m));
	exit(0);
}

int main(void)
{
	pthread_mutexattr_t attr;

	CHECK_OK(pthread_mutexattr_init(&attr));
	CHECK_OK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutex_init(&m, &attr));
	CHECK_OK(pthread_mutex_lock(&m));
	spawn(inherits, NULL);
#ifdef TRACES
	if (getpid() == 0)
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
#endif
	pthread_exit(NULL);
}
