// SPDX-License-Identifier: BSD-2-Clause
// Every thread blocks a signal, and some wait with a mask that admits it: one sent to the process ends
// the wait of one of them, whether it came before the wait or after.
#include "../harness.h"

enum { N = 10 };

static atomic_int handled, ended, arrived;
static int pipes[2];

static void handler(int sig UNUSED)
{
	atomic_fetch_add(&handled, 1);
}

static void *body(void *arg UNUSED)
{
	struct pollfd p = { .fd = pipes[0], .events = POLLIN };
	sigset_t none;

	sigemptyset(&none);
	atomic_fetch_add(&arrived, 1);
	CHECK_ERRNO(ppoll(&p, 1, NULL, &none), EINTR);
	atomic_fetch_add(&ended, 1);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	CHECK_OK(pipe(pipes));
	t[0] = spawn(body, NULL);
	CHECK_OK(kill(getpid(), SIGUSR1));
	WAIT_FOR(atomic_load(&ended) == 1);
	for (int i = 1; i < N; i++)
		t[i] = spawn(body, NULL);
	WAIT_FOR(atomic_load(&arrived) == N);
	for (int i = 1; i < N; i++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		WAIT_FOR(atomic_load(&ended) == i + 1);
	}
	join_many(t, N);
	CHECK_EQ(atomic_load(&handled), N);
}
