// SPDX-License-Identifier: BSD-2-Clause
// A thread that sends its process a signal which it alone admits has handled it when kill returns.
#include "../harness.h"

static atomic_int calls;
static pthread_t sender;

static void handler(int sig UNUSED)
{
	CHECK(pthread_equal(pthread_self(), sender));
	calls++;
}

static void *body(void *arg)
{
	sender = pthread_self();
	unblock_signal(SIGUSR1);
	for (int i = 1; i <= 20; i++) {
		CHECK_OK(kill(getpid(), SIGUSR1));
		CHECK_EQ(calls, i);
	}
	return arg;
}

int main(void)
{
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	join(spawn(body, NULL));
}
