// SPDX-License-Identifier: BSD-2-Clause
// SA_RESETHAND: the handler runs once, and the action is the default then.
#include "../harness.h"

static atomic_int calls;

static void handler(int sig)
{
	struct sigaction sa;

	CHECK_OK(sigaction(sig, NULL, &sa));
	CHECK(sa.sa_handler == SIG_DFL);
	calls++;
}

static void *body(void *arg)
{
	CHECK_OK(pthread_kill(pthread_self(), SIGURG));
	CHECK_OK(pthread_kill(pthread_self(), SIGURG));
	CHECK_EQ(calls, 1);
	CHECK_OK(pthread_kill(pthread_self(), SIGWINCH));
	CHECK_OK(pthread_kill(pthread_self(), SIGWINCH));
	CHECK_EQ(calls, 2);
	return arg;
}

int main(void)
{
	on_signal(SIGURG, handler, SA_RESETHAND);
	on_signal(SIGWINCH, handler, SA_RESETHAND);
	join(spawn(body, NULL));
}
