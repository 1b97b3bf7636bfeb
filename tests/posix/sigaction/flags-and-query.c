// SPDX-License-Identifier: BSD-2-Clause
// sigaction gives back what was set; SA_RESETHAND resets; SA_NODEFER lets the signal in again.
#include "../harness.h"

static volatile int calls;

static void handler(int sig)
{
	if (++calls == 1)
		raise(sig);
}

static void *body(void *arg UNUSED)
{
	struct sigaction old;

	on_signal(SIGUSR1, handler, SA_NODEFER);
	CHECK_OK(sigaction(SIGUSR1, NULL, &old));
	CHECK(old.sa_handler == handler);
	CHECK(old.sa_flags & SA_NODEFER);
	CHECK_OK(raise(SIGUSR1));
	CHECK_EQ(calls, 2);
	on_signal(SIGUSR2, handler, SA_RESETHAND);
	CHECK_OK(raise(SIGUSR2));
	CHECK_EQ(calls, 3);
	CHECK_OK(sigaction(SIGUSR2, NULL, &old));
	CHECK(old.sa_handler == SIG_DFL);
	return NULL;
}

int main(void)
{
	join(spawn(body, NULL));
}
