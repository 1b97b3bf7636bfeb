// SPDX-License-Identifier: BSD-2-Clause
// Calls that take any thread's number for its process, as Linux does, knew none that gettid had made up.
#include "../posix/harness.h"
#include <sys/resource.h>

static void *asks(void *arg)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	struct rlimit limit, mine;

	CHECK_OK(getrlimit(RLIMIT_NOFILE, &mine));
	CHECK_OK(prlimit(tid, RLIMIT_NOFILE, NULL, &limit));
	CHECK_EQ(limit.rlim_cur, mine.rlim_cur);
	CHECK_OK(prlimit(tid, RLIMIT_NOFILE, &limit, NULL));
	CHECK_OK(syscall(SYS_prlimit64, tid, RLIMIT_NOFILE, NULL, &limit));
	CHECK_EQ(limit.rlim_max, mine.rlim_max);
	CHECK_EQ(getpgid(tid), getpgrp());
	CHECK_EQ(syscall(SYS_getpgid, tid), getpgrp());
	CHECK_EQ(getsid(tid), getsid(0));
	CHECK_EQ(syscall(SYS_getsid, tid), getsid(0));
	return arg;
}

int main(void)
{
	asks(NULL);
	join(spawn(asks, NULL));
}
