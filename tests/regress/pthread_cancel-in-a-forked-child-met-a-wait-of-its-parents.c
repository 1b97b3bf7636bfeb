// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where all threads are bound, a thread of a forked child could get the descriptor of one of the parent's that waited
 * as the parent forked.  It still said so: pthread_cancel took it out of that wait, and the child panicked.
 */
#include "../posix/harness.h"

enum { WAITERS = 3, OTHERS = 6 };

static sem_t none;
static atomic_int begun;

static void *waits(void *arg)
{
	begun++;
	sem_wait(&none);
	return arg;
}

static void *pauses(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void child(void)
{
	pthread_t t[OTHERS];

	spawn_many(t, OTHERS, pauses);
	for (int i = 0; i < OTHERS; i++)
		CHECK_OK(pthread_cancel(t[i]));
	for (int i = 0; i < OTHERS; i++)
		CHECK(join(t[i]) == PTHREAD_CANCELED);
}

int main(void)
{
	pthread_t t[WAITERS];

	CHECK_OK(sem_init(&none, 0, 0));
	spawn_many(t, WAITERS, waits);
	WAIT_FOR(begun == WAITERS);
	settle();
	CHECK_EQ(in_child(child), 0);
	for (int i = 0; i < WAITERS; i++)
		CHECK_OK(sem_post(&none));
	join_many(t, WAITERS);
}
