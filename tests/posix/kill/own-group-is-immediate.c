// SPDX-License-Identifier: BSD-2-Clause
// Where no other thread admits it, a signal to the own process group is handled before the call returns.
#include "../harness.h"

enum { THREADS = 3, ROUNDS = 50 };

static atomic_int handled;
static sem_t end;

static void handles(int sig UNUSED)
{
	handled++;
}

static void *blocks_it(void *arg)
{
	CHECK_OK(sem_wait(&end));
	return arg;
}

static void send_all(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		handled = 0;
		CHECK_OK(kill(0, SIGUSR1));
		CHECK_EQ(handled, 1);
		CHECK_OK(kill(-getpgrp(), SIGUSR1));
		CHECK_EQ(handled, 2);
		CHECK_OK(killpg(getpgrp(), SIGUSR1));
		CHECK_EQ(handled, 3);
		CHECK_OK(killpg(0, SIGUSR1));
		CHECK_EQ(handled, 4);
	}
}

static void *admits_it(void *arg)
{
	settle();
	unblock_signal(SIGUSR1);
	send_all();
	return arg;
}

static void in_own_group(void)
{
	pthread_t t[THREADS];

	CHECK_OK(setpgid(0, 0));
	CHECK_OK(sem_init(&end, 0, 0));
	on_signal(SIGUSR1, handles, 0);
	block_signal(SIGUSR1);
	spawn_many(t, THREADS, blocks_it);
	join(spawn(admits_it, NULL));
	unblock_signal(SIGUSR1);
	send_all();
	for (int i = 0; i < THREADS; i++)
		CHECK_OK(sem_post(&end));
	join_many(t, THREADS);
	send_all();
	CHECK_ERRNO(killpg(-1, SIGUSR1), EINVAL);
}

int main(void)
{
	CHECK_EQ(in_child(in_own_group), 0);
	return 0;
}
