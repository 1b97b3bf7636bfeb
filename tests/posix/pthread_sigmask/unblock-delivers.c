// SPDX-License-Identifier: BSD-2-Clause
// A pending signal is delivered before pthread_sigmask returns from unblocking it.
#include "../harness.h"

static volatile sig_atomic_t handled;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg UNUSED)
{
	sigset_t p;

	for (int i = 0; i < 10; i++) {
		handled = 0;
		block_signal(SIGUSR1);
		CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
		CHECK_OK(pthread_kill(pthread_self(), SIGUSR1));
		sleep_ms(1);
		CHECK_EQ(handled, 0);
		CHECK_OK(sigpending(&p));
		CHECK(sigismember(&p, SIGUSR1));
		unblock_signal(SIGUSR1);
		CHECK_EQ(handled, 1);
	}
	return NULL;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	body(NULL);
	join(spawn(body, NULL));
}
