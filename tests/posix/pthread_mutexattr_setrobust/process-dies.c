// SPDX-License-Identifier: BSD-2-Clause
// A process that is killed while it holds a robust process-shared mutex: a waiter in another gets
// EOWNERDEAD.
#include "../harness.h"

static pthread_mutex_t *lock;
static atomic_int *step;

static void *holder(void *arg UNUSED)
{
	CHECK_OK(pthread_mutex_lock(lock));
	*step = 1;
	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pid_t pid;
	int status;

	lock = shared_memory(4096);
	step = (atomic_int *)(lock + 1);
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(lock, &a));
	pid = fork_watched();
	if (pid == 0)
		join(spawn(holder, NULL));
	WAIT_FOR(*step == 1);
	CHECK_EQ(pthread_mutex_trylock(lock), EBUSY);
	CHECK_OK(kill(pid, SIGKILL));
	CHECK_EQ(pthread_mutex_lock(lock), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(lock));
	CHECK_OK(pthread_mutex_unlock(lock));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
}
