// SPDX-License-Identifier: BSD-2-Clause
// A process-directed signal that all threads block waits until one of them unblocks it.
#include "../harness.h"

static atomic_int handled;
static atomic_bool go;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg UNUSED)
{
	sigset_t p;

	WAIT_FOR(go);
	CHECK_OK(sigpending(&p));
	CHECK(sigismember(&p, SIGUSR1));
	unblock_signal(SIGUSR1);
	WAIT_FOR(handled == 1);
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	t = spawn(body, NULL);
	CHECK_OK(kill(getpid(), SIGUSR1));
	settle();
	CHECK_EQ(handled, 0);
	go = true;
	join(t);
}
