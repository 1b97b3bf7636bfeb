// SPDX-License-Identifier: BSD-2-Clause
// A handler that runs in a thread at a barrier does not let it pass.
#include "../harness.h"

static pthread_barrier_t b;
static atomic_int handled, passed;
static atomic_bool waits;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg)
{
	waits = true;
	pthread_barrier_wait(&b);
	passed++;
	return arg;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	CHECK_OK(pthread_barrier_init(&b, NULL, 2));
	t = spawn(body, NULL);
	WAIT_FOR(waits);
	settle();
	CHECK_OK(pthread_kill(t, SIGUSR1));
	settle();
	CHECK_EQ(passed, 0);
	pthread_barrier_wait(&b);
	join(t);
	CHECK_EQ(handled, 1);
}
