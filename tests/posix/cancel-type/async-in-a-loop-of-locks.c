// SPDX-License-Identifier: BSD-2-Clause
// Asynchronous cancellation ends threads that compute, one after the other, without harm to others.
#include "../harness.h"

static atomic_int started;
static atomic_bool over;
static volatile int sink;

static void *victim(void *arg)
{
	CHECK_OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	started++;
	for (;;)
		sink++;
	return arg;
}

static void *worker(void *arg)
{
	while (!over) {
		free(malloc(100));
		sched_yield();
	}
	return arg;
}

int main(void)
{
	pthread_t w = spawn(worker, NULL);

	for (int i = 1; i <= 10; i++) {
		pthread_t t = spawn(victim, NULL);

		WAIT_FOR(started == i);
		CHECK_OK(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
	}
	over = true;
	join(w);
}
