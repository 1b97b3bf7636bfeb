// SPDX-License-Identifier: BSD-2-Clause
// Every live thread blocks SIGUSR2 and one waits for it, but kernel threads that idle since a time
// when it was admitted must not take its default action.
#include "../posix/harness.h"

enum { ROUNDS = 20 };

static void *admits(void *arg UNUSED)
{
	sleep_ms(2);
	return NULL;
}

static void *sends(void *arg UNUSED)
{
	sleep_ms(2);
	CHECK_OK(kill(getpid(), SIGUSR2));
	return NULL;
}

int main(void)
{
	pthread_t t[8];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec limit = { 10, 0 };

		CHECK_OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
		spawn_many(t, 8, admits);
		join_many(t, 8);
		CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
		t[0] = spawn(sends, NULL);
		CHECK_EQ(sigtimedwait(&set, NULL, &limit), SIGUSR2);
		join(t[0]);
	}
}
