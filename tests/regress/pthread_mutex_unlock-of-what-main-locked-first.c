// SPDX-License-Identifier: BSD-2-Clause
// A robust or shared mutex that main had locked before there were threads could not be unlocked once main had got
// another kernel thread: who unlocked was not who had locked.
#include "../posix/harness.h"

#include <sys/resource.h>

static void check(bool is_shared, bool is_robust, bool inherits)
{
	pthread_mutex_t *m = shared_memory(sizeof(*m));
	pthread_mutexattr_t attr;

	CHECK_OK(pthread_mutexattr_init(&attr));
	if (is_shared)
		CHECK_OK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	if (is_robust)
		CHECK_OK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	if (inherits)
		CHECK_OK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
	CHECK_OK(pthread_mutex_init(m, &attr));
	CHECK_OK(pthread_mutex_lock(m));
	join(spawn(nothing, NULL));
	CHECK_OK(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1));
	CHECK_OK(pthread_mutex_unlock(m));
	pid_t pid = fork_watched();

	if (pid == 0) {
		CHECK_OK(pthread_mutex_lock(m));
		CHECK_OK(pthread_mutex_unlock(m));
		_exit(0);
	}
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* Each in a process that has no threads yet. */
static void robust(void)
{
	check(false, true, false);
}

static void shared_robust(void)
{
	check(true, true, false);
}

static void shared_inheriting(void)
{
	check(true, false, true);
}

static void shared_robust_inheriting(void)
{
	check(true, true, true);
}

int main(void)
{
	CHECK_EQ(in_child(robust), 0);
	CHECK_EQ(in_child(shared_robust), 0);
	CHECK_EQ(in_child(shared_inheriting), 0);
	CHECK_EQ(in_child(shared_robust_inheriting), 0);
}
