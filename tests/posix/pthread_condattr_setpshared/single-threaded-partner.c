// SPDX-License-Identifier: BSD-2-Clause
// A process that never starts a thread waits on a process-shared condition that a multithreaded
// one signals.
#include "../harness.h"

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int value;
};

static struct shared *s;

static void child(void)
{
	pthread_mutex_lock(&s->lock);
	while (s->value == 0)
		CHECK_OK(pthread_cond_wait(&s->cond, &s->lock));
	s->value++;
	pthread_mutex_unlock(&s->lock);
}

static void *body(void *arg UNUSED)
{
	settle();
	pthread_mutex_lock(&s->lock);
	s->value = 1;
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t ma;
	pthread_condattr_t ca;
	pid_t pid;
	int status;

	s = shared_memory(sizeof *s);
	CHECK_OK(pthread_mutexattr_init(&ma));
	CHECK_OK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(&s->lock, &ma));
	CHECK_OK(pthread_condattr_init(&ca));
	CHECK_OK(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_cond_init(&s->cond, &ca));
	pid = fork_watched();
	if (pid == 0) {
		child();
		_exit(0);
	}
	join(spawn(body, NULL));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(s->value, 2);
}
