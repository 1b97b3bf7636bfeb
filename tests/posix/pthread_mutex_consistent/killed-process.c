// SPDX-License-Identifier: BSD-2-Clause
// A process that is killed with a process-shared robust mutex leaves it to waiters of another process.
#include "../harness.h"

struct shared {
	pthread_mutex_t m;
	atomic_bool held;
};

static struct shared *s;

static void *waits(void *arg)
{
	CHECK_EQ(pthread_mutex_lock(&s->m), EOWNERDEAD);
	CHECK_OK(pthread_mutex_consistent(&s->m));
	CHECK_OK(pthread_mutex_unlock(&s->m));
	return arg;
}

static void *holds(void *arg)
{
	CHECK_OK(pthread_mutex_lock(&s->m));
	s->held = true;
	for (;;)
		sleep_ms(1000);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t;
	pid_t pid;

	s = shared_memory(sizeof *s);
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(&s->m, &a));
	pid = fork_watched();
	if (pid == 0) {
		spawn(holds, NULL);
		join(spawn(holds, NULL));
	}
	WAIT_FOR(s->held);
	t = spawn(waits, NULL);
	settle();
	CHECK_OK(kill(pid, SIGKILL));
	join(t);
	CHECK_OK(pthread_mutex_lock(&s->m));
	CHECK_OK(pthread_mutex_unlock(&s->m));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}
