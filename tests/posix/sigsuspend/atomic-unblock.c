// SPDX-License-Identifier: BSD-2-Clause
// sigsuspend installs its mask, waits for a handler, returns EINTR and restores the mask.
#include "../harness.h"

static volatile sig_atomic_t handled;
static atomic_int step;

static void handler(int sig UNUSED)
{
	handled++;
}

static void *body(void *arg UNUSED)
{
	sigset_t none, now;

	block_signal(SIGUSR1);
	sigemptyset(&none);
	for (int i = 1; i <= 10; i++) {
		step = i;
		CHECK_ERRNO(sigsuspend(&none), EINTR);
		CHECK_EQ(handled, i);
		CHECK_OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
		CHECK(sigismember(&now, SIGUSR1));
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	t = spawn(body, NULL);
	for (int i = 1; i <= 10; i++) {
		WAIT_FOR(step == i);
		CHECK_OK(pthread_kill(t, SIGUSR1));
	}
	join(t);
}
