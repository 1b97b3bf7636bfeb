// SPDX-License-Identifier: BSD-2-Clause
// sigwaitinfo ends with EINTR when a handler for a signal outside its set has run.
#include "../harness.h"

static atomic_int calls;
static atomic_bool waits, ended;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *body(void *arg)
{
	sigset_t s = set_of(SIGUSR1);
	siginfo_t info;

	waits = true;
	CHECK_ERRNO(sigwaitinfo(&s, &info), EINTR);
	ended = true;
	CHECK(calls >= 1);
	return arg;
}

int main(void)
{
	on_signal(SIGUSR2, handler, SA_RESTART);
	block_signal(SIGUSR1);
	pthread_t t = spawn(body, NULL);

	WAIT_FOR(waits);
	while (!ended) {		/* the signal may come before it waits */
		settle();
		if (!ended)
			CHECK_OK(pthread_kill(t, SIGUSR2));
	}
	join(t);
}
