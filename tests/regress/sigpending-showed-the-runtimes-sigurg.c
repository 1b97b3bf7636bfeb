// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that blocks SIGURG, and had come back from a block in the kernel before it was bound, had one pending that nobody
 * had sent: the kernel's, which was to tell whoever ran there that it had lost its processor meanwhile.  One that the
 * program sent it was lost then.
 */
#include "../posix/unseen.h"

#include <sys/resource.h>

enum { COMPUTING = 2, ROUNDS = 10 };

static atomic_bool are_over;
static atomic_int calls;

static void *computes(void *arg)
{
	while (!are_over)
		;
	return arg;
}

static void note(int sig UNUSED)
{
	calls++;
}

static void compute_for(uint64_t ns)
{
	for (uint64_t end = now_ns() + ns; now_ns() < end;)
		;
}

static void look(void)
{
	sigset_t pending;

	compute_for(30000000);
	CHECK_OK(sigpending(&pending));
	CHECK_EQ(sigismember(&pending, SIGURG), 0);
	calls = 0;
	CHECK_OK(pthread_kill(pthread_self(), SIGURG));
	unblock_signal(SIGURG);
	CHECK_EQ(calls, 1);
}

static void *blocks_before(void *arg)
{
	block_signal(SIGURG);
	block_for(30000000);
	CHECK_OK(setpriority(PRIO_PROCESS, (id_t)gettid(), 1));
	look();
	return arg;
}

static void *blocks_after(void *arg)
{
	block_for(30000000);
	CHECK_OK(setpriority(PRIO_PROCESS, (id_t)gettid(), 1));
	block_signal(SIGURG);
	look();
	return arg;
}

int main(void)
{
	pthread_t computing[COMPUTING];

	on_signal(SIGURG, note, SA_RESTART);
	for (int i = 0; i < COMPUTING; i++)
		computing[i] = spawn(computes, NULL);
	for (int i = 0; i < ROUNDS; i++)
		join(spawn(i % 2 ? blocks_after : blocks_before, NULL));
	are_over = true;
	for (int i = 0; i < COMPUTING; i++)
		join(computing[i]);
}
