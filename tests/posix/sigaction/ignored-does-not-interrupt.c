// SPDX-License-Identifier: BSD-2-Clause
// Signals that are ignored, blocked or ignored by default interrupt no call.
#include "../harness.h"

static atomic_bool sleeping, over;

static void *body(void *arg UNUSED)
{
	struct timespec t = ms_span(80);

	block_signal(SIGUSR2);
	sleeping = true;
	CHECK_OK(nanosleep(&t, NULL));
	CHECK_EQ(poll(NULL, 0, 60), 0);
	WAIT_FOR(over);
	return NULL;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, SIG_IGN);
	t = spawn(body, NULL);
	WAIT_FOR(sleeping);
	for (int i = 0; i < 20; i++) {
		CHECK_OK(pthread_kill(t, SIGUSR1));
		CHECK_OK(pthread_kill(t, SIGUSR2));
		CHECK_OK(pthread_kill(t, SIGCHLD));
		CHECK_OK(pthread_kill(t, SIGWINCH));
		sleep_ms(5);
	}
	over = true;
	join(t);
}
