// SPDX-License-Identifier: BSD-2-Clause
// signal gives the previous action, SIG_ERR with EINVAL for what cannot be caught, and restarts calls.
#include "../harness.h"

static void one(int sig UNUSED)
{
}

static void two(int sig UNUSED)
{
}

static void *body(void *arg)
{
	struct sigaction sa;

	CHECK(signal(SIGUSR1, one) == SIG_DFL);
	CHECK(signal(SIGUSR1, two) == one);
	CHECK(signal(SIGUSR1, SIG_IGN) == two);
	CHECK(signal(SIGUSR1, one) == SIG_IGN);
	CHECK_OK(sigaction(SIGUSR1, NULL, &sa));
	CHECK(sa.sa_flags & SA_RESTART);
	CHECK(signal(SIGKILL, one) == SIG_ERR && errno == EINVAL);
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
}
