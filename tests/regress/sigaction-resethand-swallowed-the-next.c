// SPDX-License-Identifier: BSD-2-Clause
// With SA_RESETHAND, and a thread that blocks the signal: the one after the handler's was nobody's, not even the default's.
#include "../posix/harness.h"

static atomic_int calls;

static void handler(int sig UNUSED)
{
	calls++;
}

static void *blocks(void *arg)
{
	block_signal(SIGUSR1);
	*(atomic_bool *)arg = true;
	for (;;)
		pause();
	return NULL;
}

static void child(void)
{
	atomic_bool is_blocked = false;
	uint64_t end;

	on_signal(SIGUSR1, handler, SA_RESETHAND);
	spawn(blocks, &is_blocked);
	WAIT_FOR(is_blocked);
	CHECK_OK(kill(getpid(), SIGUSR1));
	CHECK_EQ(calls, 1);
	CHECK_OK(kill(getpid(), SIGUSR1));
	for (end = now_ns() + 1000000000; now_ns() < end;)
		;
}

int main(void)
{
	int status = in_child(child);

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGUSR1);
}
