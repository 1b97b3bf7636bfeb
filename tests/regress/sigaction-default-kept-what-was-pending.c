// SPDX-License-Identifier: BSD-2-Clause
// Setting SIG_DFL discards what is pending of a signal that is ignored by default; where all threads blocked it, it stayed.
#include "../posix/harness.h"

static void check(int sig)
{
	sigset_t pending;

	CHECK_OK(kill(getpid(), sig));
	CHECK_OK(sigpending(&pending));
	CHECK_EQ(sigismember(&pending, sig), 1);
	CHECK(signal(sig, SIG_DFL) != SIG_ERR);
	CHECK_OK(sigpending(&pending));
	CHECK_EQ(sigismember(&pending, sig), 0);
}

int main(void)
{
	block_signal(SIGWINCH);
	block_signal(SIGCHLD);
	join(spawn(nothing, NULL));
	check(SIGWINCH);
	check(SIGCHLD);
}
