// SPDX-License-Identifier: BSD-2-Clause
// Signals of the process come each once and in their order to the one thread that admits them, whatever it does meanwhile.
#include "../in-order.h"

static void *blocks(void *arg)
{
	sigset_t set;

	sigfillset(&set);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
	while (got[0] < SIGNALS) {
		compute();
		usleep(50);
	}
	return arg;
}

int main(void)
{
	sigset_t all, old;
	pthread_t t[MOST], other[2];

	sigfillset(&all);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &all, &old));
	spawn_many(other, 2, blocks);
	CHECK_OK(pthread_sigmask(SIG_SETMASK, &old, NULL));
	begin(t, 1);
	CHECK_OK(pthread_sigmask(SIG_BLOCK, &all, NULL));
	for (int n = 0; n < SIGNALS; n++) {
		WAIT_FOR(got[0] > n - AHEAD);
		CHECK_OK(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = n }));
		if (n % 16 == 0)
			usleep(300);
	}
	end(t, 1);
	join_many(other, 2);
}
