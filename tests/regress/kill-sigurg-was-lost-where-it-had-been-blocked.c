// SPDX-License-Identifier: BSD-2-Clause
// SIGURG that was blocked when a thread was bound, or called fork, never came to it again, though it had unblocked it.
#include "../posix/harness.h"

static atomic_int calls;

static void note(int sig UNUSED)
{
	calls++;
}

static void unblock_and_look(void)
{
	calls = 0;
	unblock_signal(SIGURG);
	CHECK_OK(kill(getpid(), SIGURG));
	WAIT_FOR(calls == 1);
	CHECK_OK(pthread_kill(pthread_self(), SIGURG));
	CHECK_EQ(calls, 2);
	block_signal(SIGURG);
}

static void *is_bound(void *arg)
{
	unshare_or_skip(CLONE_FS);
	unblock_and_look();
	CHECK_EQ(in_child(unblock_and_look), 0);
	return arg;
}

int main(void)
{
	on_signal(SIGURG, note, SA_RESTART);
	block_signal(SIGURG);
	join(spawn(nothing, NULL));
	CHECK_EQ(in_child(unblock_and_look), 0);
	join(spawn(is_bound, NULL));
	unblock_and_look();
}
