// SPDX-License-Identifier: BSD-2-Clause
// daemon(3), and a double fork by hand, in a process that has threads, by its main thread or by another: these go with
// the process that forked, which leaves first, and threads that the daemon makes compute, sleep, read, take signals,
// fork and are cancelled.
#include "lives.h"

static int never[2];
static sem_t none;
static atomic_int begun;

static void *spins(void *arg)
{
	begun++;
	for (;;)
		sched_yield();
	return arg;
}

static void *waits(void *arg)
{
	char c;

	begun++;
	CHECK_OK(sem_wait(&none));
	CHECK_EQ(read(never[0], &c, 1), 1);
	return arg;
}

static void *reads(void *arg)
{
	char c;

	begun++;
	CHECK_EQ(read(never[0], &c, 1), 1);
	return arg;
}

static void has_threads(void)
{
	CHECK_OK(pipe(never));
	CHECK_OK(sem_init(&none, 0, 0));
	spawn(spins, NULL);
	spawn(waits, NULL);
	spawn(reads, NULL);
	WAIT_FOR(begun == 3);
}

static void *becomes_daemon(void *by_hand)
{
	lives_as_daemon(by_hand != NULL);
	return NULL;
}

static void by_main(void)
{
	has_threads();
	lives_as_daemon(false);
}

static void by_main_by_hand(void)
{
	has_threads();
	lives_as_daemon(true);
}

static void by_another(void)
{
	has_threads();
	join(spawn(becomes_daemon, NULL));
}

static void by_another_by_hand(void)
{
	has_threads();
	join(spawn(becomes_daemon, never));
}

int main(void)
{
	lives_test(by_main);
	lives_test(by_main_by_hand);
	lives_test(by_another);
	lives_test(by_another_by_hand);
}
