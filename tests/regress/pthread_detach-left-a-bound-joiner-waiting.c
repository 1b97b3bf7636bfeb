// SPDX-License-Identifier: BSD-2-Clause
// A thread was detached while one with a kernel thread of its own joined it: that one was not woken.
#include "../posix/harness.h"

enum { ROUNDS = 40 };

static sem_t begun, end;

static void *waits(void *arg)
{
	CHECK_OK(sem_wait(&end));
	return arg;
}

static void *detaches(void *arg)
{
	pthread_t *t = arg;

	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(sem_wait(&begun));
		sleep_ms(10);		/* a handle is no one's once its thread, detached, has ended: the join has begun */
		pthread_detach(*t);
		CHECK_OK(sem_post(&end));
	}
	return arg;
}

int main(void)
{
	void *value = NULL;
	pthread_t t;

	CHECK_OK(sem_init(&begun, 0, 0));
	CHECK_OK(sem_init(&end, 0, 0));
	pthread_t other = spawn(detaches, &t);

	errno = 0;
	CHECK(nice(1) != -1 || errno == 0);
	for (int i = 0; i < ROUNDS; i++) {
		t = spawn(waits, &end);
		CHECK_OK(sem_post(&begun));
		int rc = pthread_join(t, &value);

		CHECK(rc != 0 || value == &end);	/* it may have been too late */
	}
	join(other);
	return 0;
}
