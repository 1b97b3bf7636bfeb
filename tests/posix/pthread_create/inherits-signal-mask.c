// SPDX-License-Identifier: BSD-2-Clause
// The signal mask of the new thread is that of its creator; its pending set is empty.
#include "../harness.h"

static void *body(void *arg UNUSED)
{
	sigset_t m, p;

	CHECK_OK(pthread_sigmask(SIG_SETMASK, NULL, &m));
	CHECK(sigismember(&m, SIGUSR1));
	CHECK(!sigismember(&m, SIGUSR2));
	CHECK_OK(sigpending(&p));
	CHECK(!sigismember(&p, SIGUSR1));
	return NULL;
}

int main(void)
{
	block_signal(SIGUSR1);
	CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
	join(spawn(body, NULL));
}
