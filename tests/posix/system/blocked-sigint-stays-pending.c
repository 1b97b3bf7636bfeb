// SPDX-License-Identifier: BSD-2-Clause
// system() ignores SIGINT and SIGQUIT, but where all threads block one, it stays pending, for who waits for it later.
#include "../harness.h"

static void *waits(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(void)
{
	sigset_t both = set_of(SIGINT);
	const struct timespec none = { 0 };
	char command[64];

	sigaddset(&both, SIGQUIT);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &both, NULL));
	for (int turn = 0; turn < 2; turn++) {
		snprintf(command, sizeof(command), "kill -INT %d; kill -QUIT %d", (int)getpid(), (int)getpid());
		CHECK_EQ(system(command), 0);
		CHECK_EQ(sigtimedwait(&both, NULL, &none), SIGINT);
		CHECK_EQ(sigtimedwait(&both, NULL, &none), SIGQUIT);
		spawn(waits, NULL);		/* and then with another thread */
	}
	_exit(0);
}
