// SPDX-License-Identifier: BSD-2-Clause
// A process-shared barrier holds until threads of both processes have arrived.
#include "../harness.h"

struct shared {
	pthread_barrier_t barrier;
	atomic_int arrived;
};

static struct shared *s;

static void *body(void *arg UNUSED)
{
	for (int r = 1; r <= 50; r++) {
		s->arrived++;
		pthread_barrier_wait(&s->barrier);
		CHECK(s->arrived >= r * 4);
	}
	return NULL;
}

static void two(void)
{
	pthread_t t[2];

	spawn_many(t, 2, body);
	join_many(t, 2);
}

int main(void)
{
	pthread_barrierattr_t a;
	pid_t pid;
	int status;

	s = shared_memory(sizeof *s);
	CHECK_OK(pthread_barrierattr_init(&a));
	CHECK_OK(pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	CHECK_OK(pthread_barrier_init(&s->barrier, &a, 4));
	pid = fork_watched();
	two();
	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}
