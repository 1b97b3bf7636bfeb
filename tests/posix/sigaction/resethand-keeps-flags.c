// SPDX-License-Identifier: BSD-2-Clause
// SA_RESETHAND resets the handler as it is called; flags and mask stay, as in Linux.
#include "../harness.h"

static struct sigaction seen;

static void handler(int sig)
{
	sigaction(sig, NULL, &seen);
}

static void check(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND | SA_NODEFER };

	sigaddset(&act.sa_mask, SIGUSR2);
	CHECK_EQ(sigaction(SIGUSR1, &act, NULL), 0);
	raise(SIGUSR1);
	CHECK(seen.sa_handler == SIG_DFL);
	CHECK(seen.sa_flags & (int)SA_RESETHAND);
	CHECK(seen.sa_flags & SA_NODEFER);
	CHECK_EQ(sigismember(&seen.sa_mask, SIGUSR2), 1);
}

int main(void)
{
	check();
	join(spawn(nothing, NULL));
	check();
	return 0;
}
