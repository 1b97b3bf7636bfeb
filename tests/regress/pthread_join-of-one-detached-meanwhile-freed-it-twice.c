// SPDX-License-Identifier: BSD-2-Clause
// A thread was detached, and ended, in the moment in which another began to join it: both took it for theirs to free, and the
// list of threads to use again became a ring.
#include "../posix/harness.h"

enum { ROUNDS = 300 };

static sem_t begun, end;
static atomic_bool may_detach;

static void *waits(void *arg)
{
	while (sem_wait(&end))
		CHECK_EQ(errno, EINTR);
	return arg;
}

static void *detaches(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_OK(sem_wait(&begun));
		while (!may_detach)
			sched_yield();
		pthread_detach(*(pthread_t *)arg);
		CHECK_OK(sem_post(&end));
	}
	return arg;
}

int main(void)
{
	pthread_t t, other;
	void *value;

	CHECK_OK(sem_init(&begun, 0, 0));
	CHECK_OK(sem_init(&end, 0, 0));
	other = spawn(detaches, &t);
	for (int i = 0; i < ROUNDS; i++) {
		may_detach = false;
		t = spawn(waits, &end);
		CHECK_OK(sem_post(&begun));
		may_detach = true;
		int rc = pthread_join(t, &value);

		CHECK(rc == EINVAL || rc == ESRCH || (rc == 0 && value == &end));
	}
	join(other);
	return 0;
}
