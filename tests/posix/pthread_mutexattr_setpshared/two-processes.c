// SPDX-License-Identifier: BSD-2-Clause
// A process-shared mutex excludes threads of two processes from each other.
#include "../harness.h"

#define ROUNDS 3000

struct shared {
	pthread_mutex_t lock;
	volatile int count;
};

static struct shared *s;

static void *body(void *arg UNUSED)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(pthread_mutex_lock(&s->lock));
		s->count = s->count + 1;
		if (i % 1000 == 0)
			sleep_ms(2);
		CHECK_OK(pthread_mutex_unlock(&s->lock));
	}
	return NULL;
}

static void two_threads(void)
{
	pthread_t t[2];

	spawn_many(t, 2, body);
	join_many(t, 2);
}

int main(void)
{
	pthread_mutexattr_t a;
	pid_t pid;
	int status;

	s = shared_memory(sizeof *s);
	CHECK_OK(pthread_mutexattr_init(&a));
	CHECK_OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_mutex_init(&s->lock, &a));
	pid = fork_watched();
	two_threads();
	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(s->count, 4 * ROUNDS);
}
