// SPDX-License-Identifier: BSD-2-Clause
// Threads of two processes whose timed waits keep timing out, just when posts come: no post is lost
// and none is counted twice.
#include "pshared.h"

enum { THREADS = 12, POSTS = 4000 };

static struct objects *o;
static atomic_int *taken;

static void *taker(void *arg)
{
	long wait_us = 20 + 60 * (long)(intptr_t)arg;

	while (atomic_load(taken) < POSTS) {
		struct timespec at;

		clock_gettime(CLOCK_REALTIME, &at);
		at.tv_nsec += wait_us * 1000;
		if (at.tv_nsec >= 1000000000) {
			at.tv_nsec -= 1000000000;
			at.tv_sec++;
		}
		if (sem_timedwait(&o->sem, &at) == 0)
			atomic_fetch_add(taken, 1);
		else
			CHECK_EQ(errno, ETIMEDOUT);
	}
	return NULL;
}

static void take(void)
{
	pthread_t t[THREADS];

	spawn_many(t, THREADS, taker);
	join_many(t, THREADS);
}

int main(void)
{
	pid_t pid;
	int status, left;

	o = make_objects(1);
	taken = shared_memory(sizeof *taken);
	pid = fork_watched();
	if (pid == 0) {
		take();
		_exit(0);
	}
	pthread_t t[THREADS];

	spawn_many(t, THREADS, taker);
	for (int i = 0; i < POSTS; i++) {
		CHECK_OK(sem_post(&o->sem));
		if (i % 16 == 0)
			sched_yield();
		if (i % 256 == 0)
			sleep_ms(1);
	}
	join_many(t, THREADS);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(atomic_load(taken), POSTS);
	CHECK_OK(sem_getvalue(&o->sem, &left));
	CHECK_EQ(left, 0);
}
